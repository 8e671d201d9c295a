#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry suggest: which sizes a model can run with.
. "${srcdir:-.}/tests/client/lib.sh"

mkdir -p share/runtimes share/models
cat >share/runtimes/loft.yaml <<'END'
runtime: loft
request: world
axes: [{name: a, field: a_size}, {name: b}, {name: c}]
options: {pad: {type: bool, default: 'false'}, device: {type: string, default: x}}
rules:
  - {check: sizes}
  - {code: a.uneven, refuse: heads % a != 0}
  - {code: b.uneven, refuse: '!pad && heads / a % b != 0', try: [{set: {pad: 'true'}, say: padded}]}
  - {code: b.two, refuse: b == 2 && device == "x"}
  - {check: product}
END
cat >share/models/sail.yaml <<'END'
model: sail
runtime: loft
facts: {heads: 56}
estimate:
  run: {when: c == 1, weights_gib: 60 / a, peak_gib: weights_gib + 4 + 6 / b}
  end: {peak_gib: 8}
measured:
  - {sizes: {a: 8, b: 4}, step_s: 3.81}
  - {sizes: {a: 4, b: 8}, step_s: 3.5}
END
suggest()
{
    run suggest sail --share share "$@"
}

# Runs them over the world named first, and compares what is best.
best() # WORLD SET [OPTION...]
{
    world=$1
    want=$2
    shift 2
    suggest --world "$world" "$@"
    grep -qF -- " 1. $want" out
}

# ---- what runs ----------------------------------------------------------------
verdict "one axis takes all ranks" best 8 "a 8" --memory 24
verdict "an option is set where it must be" best 16 "a 4, b 4, pad true" \
    --memory 24
verdict "the smallest peak comes first" best 32 "a 8, b 4, pad true" \
    --memory 24
verdict "with why" grep -qF \
    "estimated peak 13 GiB of 24 in run (end 8); step 3.81 s measured" out
verdict "the table is narrow" narrow
verdict "the fastest comes first" best 32 "a 4, b 8, pad true" \
    --objective latency
verdict "a measured one at least" grep -qF "step 3.5 s measured" out
verdict "an option that is set stays" best 16 "a 8, b 2" --set device=y,pad=true
suggest --world 16 --set b=1,c=1
verdict "so does a size" ended_with 2 "0 of 1 candidate run"
suggest --world 32 --most 1
verdict "no more than asked for" ended_with 0 "the best 1 by memory"

# ---- what does not ------------------------------------------------------------
suggest --world 4 --memory 23
verdict "nothing ends in 2" ended_with 2 "0 of"
verdict "what fell out is counted by code" grep -q '^ *[0-9]*  b.two' out
verdict "and what takes too much memory" grep -qF \
    "memory.exceeded: at least 25 GiB of 23, with a 4" out
verdict "the nearest numbers of ranks are named" grep -qF "7 ranks: a 7" out
suggest --world 32 --memory 9
verdict "counts stand in one column" sh -c 'grep -q "^  10  memory.unknown" out &&
    grep -q "^   4  memory.exceeded" out'
suggest --world 4 --memory 23 -o json
verdict "JSON ends in 2 as well" ended_with 2 '"near"'
verdict "JSON is written" json
suggest --world 32 -o json
verdict "of what runs too" ended_with 0 '"step_s": 3.81'
verdict "that is JSON" json
suggest --world 32 -o yaml
verdict "and YAML" ended_with 0 "step_s: 3.81"

# What is suggested, typed as a request, is accepted.
suggest --world 32 -o json
if [ -n "$python" ]; then
    "$python" - <<'END'
import json
for i, s in enumerate(json.load(open("out"))["suggestions"]):
    options = {k: v for k, v in s["set"].items() if k in ("pad", "device")}
    sizes = {k: v for k, v in s["set"].items() if k not in options}
    with open(f"again-{i}.yaml", "w") as f:
        json.dump({"deployment": "d", "model": "sail", "world": 32,
                   "sizes": sizes, "options": options}, f)
END
    refused=
    for again in again-*.yaml; do
        run check -f "$again" --share share
        ended 0 || refused="$refused $again"
    done
    verdict "every suggestion is accepted" test -z "$refused" -a -f again-1.yaml
else
    skip "no python3"
fi

# ---- node groups --------------------------------------------------------------
run suggest wan22 --world 4 --offline
verdict "a shipped model" ended_with 0 "cfg 2"
verdict "whose instances are replicas" grep -qF "2 replicas" out
verdict "says that it estimates nothing" grep -qF "estimates no memory" out

# A device whose all-to-all takes some sizes only, and ranks of 24 GiB.
h3()
{
    run suggest minimax_h3 --offline --memory 24 --set device=neuron --world "$1"
    ended "$2" && { test "$2" -eq 2 || grep -q "^ *1\. $3$" out; }
}
verdict "a large model on 8 ranks" h3 8 0 "tp 8"
verdict "on 16" h3 16 0 "tp 4, ulysses 4"
verdict "on 32" h3 32 0 "tp 8, ulysses 4"
verdict "on 64" h3 64 0 "tp 8, ulysses 8"
verdict "not on 24" h3 24 2
verdict "but on 16 or 28" sh -c 'grep -q "^ *16 ranks" out &&
    grep -q "^ *28 ranks" out'
verdict "not on 48" h3 48 2
verdict "nor on 4" h3 4 2
verdict "which it takes too much for" grep -qF "26.4 GiB of 24, with tp 4" out

# ---- mistakes -----------------------------------------------------------------
suggest
verdict "the ranks must be said" complained 64 "--world is missing"
suggest --world 0
verdict "and be some" complained 65 "from 1 to"
suggest --world 8 --memory much
verdict "memory is a number" complained 65 "GiB"
suggest --world 8 --objective speed
verdict "an unknown objective ends in 66" complained 66 "latency"
suggest --world 8 --set d=2
verdict "so does an unknown axis" complained 66 "no axis or option d"
suggest --world 8 --most many
verdict "a number of suggestions is one" complained 64 "--most"
run suggest sial --share share --world 8
verdict "an unknown model ends in 66" complained 66 "sail"
run suggest sail --share share --runtime loftt --world 8
verdict "and an unknown runtime" complained 66 "loft"
run suggest --world 8
verdict "a model is required" complained 64 "MODEL"
suggest --world 8 --offline --address /nowhere
verdict "--offline and --address exclude each other" complained 64 "exclude"
sed 's/60/60 +/' share/models/sail.yaml >share/models/torn.yaml
run suggest torn --share share --world 8
verdict "half an estimate ends in 65 with its place" complained 65 "line 5"

done_testing
