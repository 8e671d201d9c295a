#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry explain: what a code means.
. "${srcdir:-.}/tests/client/lib.sh"

run explain axis.cfg_indivisible
verdict "a rule is explained" ended_with 0 "a rule of mstar"
verdict "with its reason" grep -qx \
    ' *because  every cfg rank runs the same number of guidance branches' out
verdict "with its expression" grep -qF "% p.cfg != 0" out
verdict "with its remedies" grep -q '^ *try ' out
verdict "the table is narrow" narrow
verdict "with an example" grep -q '^ *example ' out
verdict "and its numbers" grep -qE "branches % p.cfg != 0: 2 % [0-9]+ = [0-9]" out
verdict "and what would run" grep -q '^ *accepted ' out
run explain ranks.not_multiple
verdict "a check's fault is explained" \
    ended_with 0 "found by the check ranks"
verdict "with its equation" grep -qF "refuse   <a> % <b> != 0: " out
verdict "with what would be right" grep -qF "list <below> ranks" out
tr -s ' \n' ' ' <out >flat
verdict "with the runtimes that have it" \
    grep -qF "mstar as ranks.not_multiple" flat
for code in axis.cfg_indivisible axis.not_enabled config.kv_cache_moved; do
    run explain $code -o json
    verdict "$code as JSON" json
done
run explain axis.not_enabled -o yaml
verdict "YAML is written" ended_with 0 "check: declared"
run explain axis.cfg_indivisible --runtime mstar
verdict "one runtime can be asked" ended 0
run explain pp_adapter
verdict "a rule's layer is said" ended_with 0 "a rule of halo, layer trainer"
verdict "and the condition of its group" grep -qF "pp > 1 && lora" out
run explain axis_tp_cp -o json
verdict "a set of axes has the layer of its check" \
    ended_with 0 '"layer": "config"'
run explain axis_tp_cp
verdict "and its reason" grep -q '^ *because  [a-z]' out
run explain size_below_one
verdict "a check has the layer where it is placed" \
    ended_with 0 "halo as size_below_one (layer config)"
mkdir -p share/runtimes
cp runtime.yaml share/runtimes/tiny.yaml
run explain too_many --share share
verdict "a runtime of a folder is looked at" ended_with 0 "a rule of tiny"
verdict "a rule of a world has an example" grep -q '^ *example  a [0-9]*, b ' out
verdict "and an accepted neighbour" grep -q '^ *accepted b 1 (without b)' out

# What is shown as refused is refused with the code, and what is shown as
# accepted runs, when somebody types it.
run explain too_many --share share -o json
if [ -n "$python" ]; then
    "$python" - <<'END'
import json
example = json.load(open("out"))["rules"][0]["example"]
refused = dict(example["settings"])
accepted = {**refused, **example["instead"]}
for name, sizes in ("no", refused), ("yes", accepted):
    world = sizes.pop("world")
    with open(f"{name}.yaml", "w") as f:
        json.dump({"deployment": "d", "runtime": "tiny", "world": world,
                   "sizes": {k: v for k, v in sizes.items() if v}}, f)
END
    run check -f no.yaml --share share
    verdict "the example is refused with the code" ended_with 2 "too_many"
    run check -f yes.yaml --share share
    verdict "its neighbour is accepted" ended 0
else
    skip "no python3"
    skip "no python3"
fi
sed 's/{name: a}/{name: a, field: number_of_a}/; s/runtime: tiny/runtime: typed/
    s/too_many/too_many_typed/' runtime.yaml >share/runtimes/typed.yaml
run explain too_many_typed --share share
verdict "examples have the names that users type" \
    grep -q '^ *example  number_of_a [0-9]*, b ' out
cat >share/runtimes/groups.yaml <<'END'
runtime: groups
axes: [{name: a}]
rules:
  - {code: heads.left, for: placed as p, refuse: p.heads % p.a != 0}
END
run explain heads.left --share share
verdict "it is said that no model of a runtime is known" \
    ended_with 0 "example  no model that names this runtime"
cat >share/runtimes/plain.yaml <<'END'
runtime: plain
axes: [{name: a}]
views: {all: [a, {rest: world / a}]}
rules:
  - {code: layers.few, refuse: a > layers}
END
run explain layers.few --share share
verdict "examples have plain numbers" grep -q 'a > layers: 2 > 1' out
rm share/runtimes/typed.yaml share/runtimes/groups.yaml share/runtimes/plain.yaml
run explain axis_unvalidated
verdict "what no set allows has a reason" \
    grep -q 'because  this set of axes is not among' out
run explain too_many --share share/runtimes
verdict "a folder without declarations is refused" complained 66 "neither runtimes"
run explain too_many --share share --runtime mstar
verdict "only in the runtime asked" ended 66
run explain axis.cfg_indivisble
verdict "an unknown code ends in 66 with the nearest" \
    complained 66 "axis.cfg_indivisible"
run explain cfg --runtime mstar
verdict "codes with a word are told" complained 66 "cfg_indivisible, kv.paged_on"
run explain axis.cfg_indivisible --runtime nobody
verdict "so does an unknown runtime" complained 66 "nobody"
run explain
verdict "a code is required" complained 64 "CODE"
run explain a b
verdict "one code" complained 64 '"b"'

# What sets of axes, options, records, keys and ranks refuse is shown, too.
for code in axis_pp_ep_cp axis_unvalidated lowp_unknown packed-block \
    config.kv_cache_moved ranks.not_contiguous axis_repeated_in_order; do
    run explain $code
    verdict "$code has an example and a neighbour" sh -c \
        'grep -q "^ *example " out && grep -q "^ *accepted " out'
done

# Every code that a shipped runtime can give is explained.
missing=
for code in $(sed -n 's/^ *-* *code: *\([a-z_.]*\)$/\1/p' \
    "$srcdir"/share/runtimes/*.yaml | sort -u); do
    run explain "$code"
    ended 0 || missing="$missing $code"
done
verdict "every code of the shipped runtimes is explained" test -z "$missing"

# So is every code that the daemon gives, and nothing else has one.
missing=
for code in $(cat "$srcdir"/placement/*.c "$srcdir"/daemon/*.c |
    grep -o '"place\.[a-z_]*"\|"[A-Z]*_[A-Z]*:' | tr -d '":' | sort -u); do
    run explain "$code"
    { ended 0 && grep -q "^$code  an answer of the daemon, " out &&
        grep -q "because" out && grep -q "try" out; } ||
        missing="$missing $code"
done
verdict "every code of a daemon's answers is explained" test -z "$missing"
run explain place.nevr
verdict "and is found when it is nearly so" complained 66 "place.never"

done_testing
