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


# The first lines of the output, as they stand.
begins() # CODE LINE...
{
    ended "$1" || return 1
    shift
    printf '%s\n' "$@" >wanted
    head -n $# out | cmp -s - wanted
}
# The last ones.
ends() # CODE LINE...
{
    ended "$1" || return 1
    shift
    printf '%s\n' "$@" >wanted
    tail -n $# out | cmp -s - wanted
}
suggest --world 32
verdict "how many there are, and which of them are said" begins 0 \
    "sail on 32 ranks under loft: 14 of 29 candidates run, the best 8 by memory" \
    "   1. a 8, b 4, pad true" \
    "      estimated peak 13 GiB in run (end 8); step 3.81 s measured"
verdict "eight of them" test "$(grep -c '^ *[0-9]*\. ' out)" -eq 8
verdict "and what fell out, the most frequent first" ends 0 \
    "what fell out:" "  3  a.uneven" "  3  b.two" "  1  b.uneven"
suggest --world 32 --most 20 --objective latency
verdict "all of them, where as many are wanted" begins 0 \
    "sail on 32 ranks under loft: 14 of 29 candidates run, the best by latency first"
verdict "which is all" test "$(grep -c '^ *[0-9]*\. ' out)" -eq 14
suggest --world 1
verdict "one is the best without a word" begins 0 \
    "sail on 1 rank under loft: 1 of 1 candidate runs" \
    "   1. every size 1" \
    "      estimated peak 70 GiB in run (end 8); step not measured"
verdict "and where nothing fell out nothing is said of it" \
    test "$(wc -l <out)" -eq 3
suggest --world 4 --set a=4
verdict "sizes that are set are not told as 1" begins 0 \
    "sail on 4 ranks under loft: 1 of 1 candidate runs" \
    "   1. only what is set already"
sed 's/^runtime: loft/runtime: den/; s/type: bool, default: .false./type: string, default: "no"/
    s/!pad/pad == "no"/; s/.true./"\\"on\\""/' share/runtimes/loft.yaml >share/runtimes/den.yaml
run suggest sail --share share --runtime den --world 16 --memory 24
verdict "another runtime may be named, and words stand bare" begins 0 \
    "sail on 16 ranks under den: 1 of 19 candidates runs" \
    "   1. a 4, b 4, pad on"
sed '/^estimate/,$d; s/sail/bare/' share/models/sail.yaml >share/models/bare.yaml
run suggest bare --share share --world 2 --objective throughput
verdict "what is not known is a note behind it all" ends 0 \
    "note      the model estimates no memory" \
    "note      nothing of the model was measured; ranked by memory"
{
    printf 'runtime: wide\nrequest: world\naxes: ['
    for axis in a b c d e; do printf '{name: %s}, ' "$axis"; done
    printf '{name: f}]\nrules: [{code: never, refuse: a > 0}]\n'
} >share/runtimes/wide.yaml
run suggest bare --share share --runtime wide --world 720720
verdict "what was not tried is said, and how to try less" ends 2 \
    "cut       there are more candidates than are tried; set some sizes with --set"

# ---- what does not ------------------------------------------------------------
suggest --world 4 --memory 23
verdict "nothing ends in 2" ended_with 2 "0 of"
verdict "what fell out is counted by code" grep -q '^ *[0-9]*  b.two' out
verdict "and what takes too much memory" grep -qF \
    "memory.exceeded: at least 25 GiB of 23, with a 4" out
verdict "the nearest numbers of ranks are named" ends 2 \
    "would do instead:" "  7 ranks: a 7" \
    "      estimated peak 18.6 GiB of 23 in run (end 8); step not measured"
verdict "behind what fell out" begins 2 \
    "sail on 4 ranks under loft: 0 of 6 candidates run" "what fell out:" \
    "  2  b.two" "  2  memory.exceeded: at least 25 GiB of 23, with a 4" \
    "  2  memory.unknown: the model does not say what they take"
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
suggest --world 1048577
verdict "and not more than a world has" complained 65 "from 1 to 1048576"
suggest --world 4x
verdict "in a number" complained 65 '"4x" is not a number of ranks'
for wrong in much 5x nan inf 0 0.0009 -3 1048577; do
    suggest --world 8 --memory "$wrong"
    verdict "memory is a number, which $wrong is not" complained 65 \
        "--memory: \"$wrong\" is not a number of GiB from 0.001 to 1048576"
done
for right in 0.001 1048576; do
    suggest --world 1 --memory "$right"
    verdict "but $right is" test "$status" -ne 65
done
suggest --world 8 --most 4097
verdict "there are no more suggestions than are tried" complained 64 \
    "no number from 0 to 4096"
suggest --world 8 --objective speed
verdict "an unknown objective ends in 66" complained 66 \
    "there is no objective speed; use memory, latency or throughput"
suggest --world 8 --objective latincy
verdict "with the nearest" complained 66 \
    "there is no objective latincy; the nearest is latency"
suggest --world 8 --set d=2
verdict "so does an unknown axis" complained 66 "no axis or option d"
suggest --world 8 --most many
verdict "a number of suggestions is one" complained 64 "--most"
run suggest sial --share share --world 8
verdict "an unknown model ends in 66" complained 66 "sail"
run suggest sail --share share --runtime loftt --world 8
verdict "and an unknown runtime" complained 66 "loft"
sed '/^runtime/d' share/models/bare.yaml >share/models/loose.yaml
sed -i 's/bare/loose/' share/models/loose.yaml
run suggest loose --share share --world 8
verdict "a model of no runtime needs one" complained 65 \
    "the model loose names no runtime; give one with --runtime"
run suggest loose --share share --world 8 --runtime mstar
verdict "and nodes where the runtime places those" complained 65 \
    "the model loose has no nodes, which mstar places"
run suggest --world 8
verdict "a model is required" complained 64 "MODEL"
suggest --world 8 --offline --address /nowhere
verdict "--offline and --address exclude each other" complained 64 "exclude"
sed 's/60/60 +/' share/models/sail.yaml >share/models/torn.yaml
run suggest torn --share share --world 8
verdict "half an estimate ends in 65 with its place" complained 65 "line 5"

done_testing
