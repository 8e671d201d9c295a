#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry check: verdicts, exit codes, files.
. "${srcdir:-.}/tests/client/lib.sh"

run check -f accepted.yaml
verdict "what can run is accepted" ended_with 0 "accepted  video under mstar"
verdict "an accepted table is narrow" narrow
verdict "the picture shows groups" grep -qF 'cfg groups  {0,1}' out
run check -f refused.yaml
verdict "what cannot run is refused" ended_with 2 "refused   odd under mstar: "
verdict "the first line gives the reason" \
    grep -q '^refused .*same number of' out
verdict "the code is shown" grep -qF "axis.cfg_indivisible" out
verdict "the equation has its numbers" grep -qF "2 % 3 = 2" out
verdict "a fix is offered" grep -q '^ *try: ' out
verdict "what would run is shown" grep -qF "would run instead:" out
verdict "a refused table is narrow" narrow

# ---- exit codes, and what they come with
run check -f unknown_model.yaml
verdict "an unknown model is a verdict" ended_with 2 "model.unknown"
verdict "its nearest name is given" grep -qF "wan22" out
run check -f unknown_runtime.yaml
verdict "an unknown runtime ends in 66" complained 66 "mstar"
run check -f malformed.yaml
verdict "a wrong type ends in 65" complained 65 "malformed.yaml: line "
run check -f no_such_file.yaml
verdict "a file that is not there ends in 66" complained 66 "no_such_file.yaml"
run check -f "$work"
verdict "a folder is no document" complained 65 "directory"
: >empty.yaml
run check -f empty.yaml
verdict "an empty file is refused" complained 65 "empty.yaml"
run check -f runtime.yaml
verdict "declarations alone are nothing to check" complained 65 "deployment"
printf 'hosts: []\n' >cluster.yaml
run check -f cluster.yaml -f accepted.yaml
verdict "a cluster cannot be checked" complained 65 "cluster"
printf 'a: !x 1\n' >tag.yaml
run check -f tag.yaml
verdict "a tag has a line and a column" complained 65 "line 1, column 4"
printf '\377\376\n' >junk.yaml
run check -f junk.yaml
verdict "junk is refused" complained 65 "junk.yaml"

# ---- several documents
run check -f world.yaml runtime.yaml
verdict "declarations count wherever they stand" \
    ended_with 0 "accepted  world under tiny"
verdict "files are also taken without -f" grep -qF "view all" out
{
    cat accepted.yaml
    echo ---
    cat refused.yaml
} >both.yaml
run check -f both.yaml
verdict "the worst of several counts" ended_with 2 "accepted  video"
verdict "all of several are shown" grep -qF "refused   odd" out
run check -f both.yaml -f unknown_runtime.yaml
verdict "an error among several counts most" ended_with 66 "refused   odd"
run check -f both.yaml -o json
verdict "several answers are a line each" test "$(wc -l <out)" -eq 2
verdict "each of them is JSON" json lines
run check -f both.yaml -f unknown_runtime.yaml -o json
verdict "an error has a line of its own" ended_with 66 '{"error":{"status":"'
verdict "errors among answers are JSON" json lines
run check -f both.yaml -o yaml
verdict "YAML answers are separated" ended_with 2 "---"
run_with accepted.yaml check -f -
verdict "standard input is read" ended_with 0 "accepted  video"
run_with malformed.yaml check -f -
verdict "standard input is named in errors" complained 65 "standard input"
printf '{"model": "wan22", "max_seq_len": 1, "node_groups": []}' >short.json
run check -f short.json -o json
verdict "a .json file is read as JSON" ended_with 2 "node.unplaced"

# ---- options
run check -f accepted.yaml --offline
verdict "--offline is accepted" ended 0
run check -f unchecked.yaml
verdict "an unchecked rule is shown" \
    ended_with 0 "unchecked: heads.indivisible needs model.dit.heads"
run check -f unchecked.yaml --strict
verdict "--strict refuses what is unchecked" ended_with 2 "refused   "
run check -f unchecked.yaml --strict -o json
verdict "--strict changes the verdict" ended_with 2 '"verdict": "refuse"'
run check -f accepted.yaml --strict
verdict "--strict lets pass what is checked" ended 0
run check -f unchecked.yaml --lists tp,sp+tp -o json
verdict "--lists are given" ended_with 0 '"sp+tp"'
verdict "lists are JSON" json
run check -f unchecked.yaml --lists sp+tp
verdict "--lists are shown" grep -q '^ *sp+tp .*{0,1,2,3}' out
run check -f unchecked.yaml --lists zp
verdict "an unknown list ends in 66" complained 66 "zp"
run check -f unchecked.yaml --per-rank -o json
verdict "--per-rank is given" ended_with 0 '"per_rank"'
run check -f unchecked.yaml -o json
verdict "nothing of it is given unasked" sh -c '! grep -q per_rank out'
run check -f accepted.yaml --rank 1 -o json
verdict "--rank is given" ended_with 0 '"instance_rank": 1'
run check -f accepted.yaml --rank 1
verdict "--rank is shown" ended_with 0 "cfg 1 of 2"
verdict "which is narrow" narrow
run check -f accepted.yaml --rank 99
verdict "a rank that is not there is told" ended_with 0 "rank 99 is in no node group"
run check -f refused.yaml --rank 1
verdict "nothing of a rank comes with a refusal" \
    sh -c "! grep -q 'rank 1' out"
run check -f accepted.yaml --rank first
verdict "a rank is a number" complained 64 "--rank"
run check --batch -f batch.jsonl --rank 1
verdict "a batch asks for ranks by its lines" complained 64 "--rank"
cat >pipeline.yaml <<'END'
deployment: pipeline
runtime: halo
world: 8
sizes: {tp: 2}
options: {use_peft: true}
END
run check -f pipeline.yaml
verdict "a finding says its layer" grep -q "^ *tp_adapter *layer trainer" out
cat >sets.yaml <<'END'
deployment: sets
runtime: halo
world: 32
sizes: {pipeline_parallel_size: 2, etp: 2, tensor_parallel_size: 2}
options: {release_gate: false}
END
run check -f sets.yaml
verdict "many subjects are wrapped" grep -q '^    layer config$' out
verdict "so that the finding is narrow" narrow
run check -f sets.yaml -o json
verdict "alternatives name a size as the request does" \
    ended_with 2 '"tensor_parallel_size": 1'
verdict "and what it does not name by its own name" sh -c '! grep -q "\"tp\":" out'
run check --from megatron --world 64 -- --num-layers 32 --num-experts 64 \
    --expert-model-parallel-size 64
verdict "long derived lists are cut" ended_with 0 ",...] (64)"
run check -f pipeline.yaml -o json
verdict "in JSON too" ended_with 2 '"layer": "trainer"'
verdict "what was judged up to is said only when it was asked for" \
    sh -c '! grep -q up_to out'
run check -f pipeline.yaml --up-to config
verdict "--up-to judges no later layer" \
    ended_with 0 "accepted  pipeline under halo up to the layer config"
run check -f pipeline.yaml --up-to config -o json
verdict "and the answer says so" ended_with 0 '"up_to": "config"'
run check -f pipeline.yaml --up-to trainer
verdict "--up-to judges the layer itself" ended_with 2 "tp_adapter"
run check -f pipeline.yaml --up-to confg
verdict "an unknown layer ends in 66, with the nearest" \
    complained 66 '"confg" is no layer of halo; the nearest is config'
run check -f accepted.yaml --up-to config
verdict "a runtime without layers has none" complained 66 "declares none"
run check --batch -f batch.jsonl --up-to config
verdict "a batch asks for layers by its lines" complained 64 "--up-to"
run check -f unchecked.yaml --per-rank
verdict "--per-rank is shown" ended_with 0 "tp             0 1 0 1"
run check -f unchecked.yaml --creation
verdict "--creation is shown in order" ended_with 0 "1. {0,1,2,3} cpu"
verdict "with the number of communicators" \
    grep -qE "^ *[0-9]+ communicators, of one rank at most [0-9]+$" out
count=$(grep -cE "^ *[0-9]+\. \{" out)
verdict "which is that of the groups" grep -qE "^ *$count communicators" out
run check -f unchecked.yaml --creation -o json
verdict "--creation has digests" ended_with 0 '"digests"'
verdict "the creation is JSON" json
mkdir -p share/models
sed 's/branches: 2/branches: 3/' \
    "$srcdir/share/models/wan22.yaml" >share/models/wan22.yaml
run check -f refused.yaml --share share
verdict "--share overrides what is built in" ended 0
SERRIED_SHARE=$work/share
export SERRIED_SHARE
run check -f refused.yaml
verdict "SERRIED_SHARE overrides it too" ended 0
SERRIED_SHARE=
run check -f refused.yaml
verdict "an empty SERRIED_SHARE overrides nothing" ended 2
run check -f accepted.yaml --share nowhere
verdict "a folder that is not there ends in 66" complained 66 "nowhere"

cat >alone.yaml <<'EOF'
runtime: alone
version: 1
request: world
axes: [{name: a, field: a_size, splits: rows}]
options: {o: {type: int, default: 1}}
views: {v: [a]}
rules:
  - check: world
  - check: sizes
  - check: product
  - {code: o.two, warn: o == 2, because: two is slow}
  - {code: a.odd, refuse: a % 2 != 0, because: pairs, try: [{set: {a: 2, world: 2, o: null}}]}
---
deployment: job
runtime: alone
world: 3
sizes: {a: 3}
options: {o: 2}
EOF
run check -f alone.yaml
verdict "a warning about nothing in particular names nothing" \
    grep -qF "warning: o.two: two is slow" out
verdict "what a remedy takes back is left out" \
    grep -qF "set a_size to 2, world to 2, leave out o" out
verdict "alternatives have the names that users type" \
    grep -qF "1. a_size = 2, world = 2, without o" out

done_testing
