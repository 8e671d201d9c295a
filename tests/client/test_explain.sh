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

# All that is said, by runtimes that have one of each.
mkdir -p whole/runtimes whole/models
cat >whole/runtimes/loom.yaml <<'END'
runtime: loom
request: world
axes: [{name: warp, field: warp_size}, {name: weft}, {name: pile}, {name: hem}]
options:
  knots: {type: list, default: '[]'}
  thread: {type: string, one_of: [wool, silk]}
  pattern: {type: string, one_of: [twill, satin], field: weave_pattern}
facts: {yarn: int}
carry:
  fast: {type: string, code: fast_moved}
  dye: {type: string, warn: yarns are dyed by now, code: dye_moved}
views: {all: [{copies: world / (warp * weft * pile * hem)}, warp, weft, pile, hem]}
layers: {setup: looked at first, cloth: looked at then}
axis_sets:
  - {set: [warp, weft]}
  - {set: [weft, hem]}
  - refuse: [warp, pile]
    code: warp_with_pile
    because: the pile stands on the warp
    try: [{set: {pile: 1}, say: a flat cloth}]
  - {exactly: [weft, pile], code: weft_with_pile}
rules:
  - layer: setup
    rules:
      - {check: sizes, codes: {bad_size: thread_missing}}
      - {check: ranks, codes: {not_multiple: thread_missing}, try: [{set: {weft: 1}}]}
      - {check: options, option: thread, code: thread_unknown}
      - check: options
        option: pattern
        code: pattern_unknown
        try: [{set: {pattern: '"twill"'}}]
      - {check: axis_sets, code: cloth_unknown, try: [{when: warp > 1, set: {warp: 1}}]}
  - layer: cloth
    when: weft > 1
    rules:
      - code: threads_uneven
        refuse: warp % weft != 0
        because: every weft crosses as many warps
        allowed: divisors(warp)
        try:
          - when: warp > 1
            set: {weft: 'gcd(warp, weft)', pile: 1, pattern: null}
            say: fewer wefts
          - {set: {weft: 1}}
  - code: knot_loose
    for: knots as k
    when: has(k.warp_pull)
    refuse: k.warp_pull < 2
    because: a knot is pulled twice
  - {code: pile_high, warn: pile > 4, because: a high pile wears the warp off}
  - {code: pile_high, refuse: pile > 8, because: no knife cuts it, when: world > 1}
  - {code: yarn_short, refuse: yarn < warp, because: every warp takes a yarn}
  - {code: never_so, refuse: warp != warp}
  - {check: axis_sets, code: cloth_unknown}
END
cat >whole/runtimes/knit.yaml <<'END'
runtime: knit
axes: [{name: row, field: row_size}]
rules:
  - check: sizes
    codes: {bad_size: row_missing}
    try: [{set: {row: 1}, say: one stitch}]
  - check: ranks
    codes: {not_multiple: thread_missing, duplicate: thread_missing}
    try: [{set: {row: 1}, say: plain}]
  - code: threads_uneven
    for: placed as p
    refuse: p.heads % p.row != 0
    because: a row holds whole heads
END
cat >whole/models/sock.yaml <<'END'
model: sock
runtime: knit
nodes: [{name: foot, axes: {row: {}}, facts: {heads: 4}}]
walks: [{name: all, nodes: [foot]}]
END

# explains NAME ARGUMENT...: what is said is standard input, to the letter.
explains()
{
    cat >expected
    said=$1
    shift
    run explain "$@" --share whole
    verdict "$said" cmp -s expected out
}

explains "rules of one code, with all that they say" threads_uneven <<'END'
threads_uneven  a rule of knit
    because  a row holds whole heads
    refuse   p.heads % p.row != 0
    for      placed as p
    named    row is row_size
    example  sock with row_size 8, world 8
             p.heads % p.row != 0: 4 % 8 = 4
    accepted row_size 4 (row_size 4 instead of 8)

threads_uneven  a rule of loom, layer cloth
    because  every weft crosses as many warps
    refuse   weft > 1 && warp % weft != 0
    allowed  divisors(warp)
    try      weft = gcd(warp, weft), pile = 1, pattern = null where warp > 1:
             fewer wefts
    try      weft = 1
    named    warp is warp_size, pattern is weave_pattern
    example  weft 2, world 2
             warp % weft != 0: 1 % 2 = 1 (warp = 1, the default)
    accepted weft 1 (weft 1 instead of 2)
END
run explain thread_missing --share whole
sed '1,/^$/d' out >second
cat >expected <<'END'
thread_missing  found by the check ranks
    about    <group>.ranks
    refuse   <a> % <b> != 0: <a> % <b> = <mod>
    because  <a> ranks cannot be cut into instances of <b> (<shape>)
    try      list <below> ranks, or <above>
    under    knit as thread_missing, loom as thread_missing (layer setup),
             others as ranks.not_multiple
    try      knit: row = 1: plain
    named    knit: row is row_size
    example  knit: sock with row_size 2, world 1
             1 % 2 != 0: 1 % 2 = 1
    accepted row_size 1 (plain)
    try      loom: weft = 1

thread_missing  found by the check ranks
    about    <group>.ranks
    because  rank <rank> is listed twice, at positions <a> and <b>
    try      list every rank once
    under    knit as thread_missing, others as ranks.duplicate
    try      knit: row = 1: plain
    named    knit: row is row_size
    example  knit: sock with ranks [0,0]
    accepted ranks [0] (every rank once)
END
verdict "a fault is told by runtime, where several have the code" \
    cmp -s expected second
verdict "and no remedy of another one" sh -c '! grep -q stitch out'
explains "an option is told with what it takes" pattern_unknown --runtime loom <<'END'
pattern_unknown  found by the check options
    about    <name>
    because  the option <name> does not take this value
    try      use one of the values that it takes
    under    loom as pattern_unknown (layer setup)
    allowed  weave_pattern: twill, satin
    try      pattern = "twill"
    named    pattern is weave_pattern
    example  weave_pattern other, world 1
    accepted weave_pattern twill (weave_pattern changed)
END
explains "a fault by its own code, at every place" option.not_allowed --runtime loom <<'END'
option.not_allowed  found by the check sizes
    about    <name>
    because  the option <name> does not take this value
    try      use one of the values that it takes
    under    loom as option.not_allowed (layer setup)

option.not_allowed  found by the check options
    about    <name>
    because  the option <name> does not take this value
    try      use one of the values that it takes
    under    loom as thread_unknown (layer setup), loom as pattern_unknown
             (layer setup)
    allowed  loom: thread: wool, silk
    allowed  loom: weave_pattern: twill, satin
    try      loom: pattern = "twill"
    named    loom: pattern is weave_pattern
END
explains "a fault that warns" model.unused_fact --runtime knit <<'END'
model.unused_fact  found by the check keys
    about    <subject>
    warn     no rule of <runtime> reads the fact <name>
    try      remove it
    under    knit as model.unused_fact
END
explains "axes that are refused together" warp_with_pile --runtime loom <<'END'
warp_with_pile  a rule of loom, layer setup
    because  the pile stands on the warp
    refuse   warp, pile above 1 together
    try      pile = 1: a flat cloth
    try      warp = 1 where warp > 1
    try      set all but one of these axes to 1
    named    warp is warp_size
    example  warp_size 2, pile 2, world 4
    accepted pile 1 (a flat cloth)
END
explains "and exactly these, with the words of the check" weft_with_pile --runtime loom <<'END'
weft_with_pile  a rule of loom, layer setup
    because  this set of axes is not among those that the runtime combines
    refuse   weft, pile above 1, and no other axis
    try      warp = 1 where warp > 1
    try      set all but one of these axes to 1
    named    warp is warp_size
    example  weft 2, pile 2, world 4
    accepted weft 1 (weft 1 instead of 2)
END
explains "what sets there are instead" cloth_unknown --runtime loom <<'END'
cloth_unknown  found by the check axis_sets
    about    <name>
    because  this set of axes is not among those that the runtime combines
    try      set all but one of these axes to 1
    under    loom as cloth_unknown (layer setup)
    allowed  warp, weft; weft, hem
    try      warp = 1 where warp > 1
    named    warp is warp_size
    example  warp_size 2, hem 2, world 4
    accepted warp_size 1 (warp_size 1 instead of 2)
END
explains "a key with a warning" dye_moved <<'END'
dye_moved  a rule of loom
    because  yarns are dyed by now
    warn     the key dye is given
    example  dye other, world 1
    accepted no dye
END
explains "a rule for each item of a list" knot_loose <<'END'
knot_loose  a rule of loom
    because  a knot is pulled twice
    refuse   k.warp_pull < 2
    when     has(k.warp_pull)
    for      knots as k
    example  knots [{"warp_pull":1}], world 1
             k.warp_pull < 2: k.warp_pull = 1
    accepted no knots
END
explains "a rule that warns, and one that refuses" pile_high <<'END'
pile_high  a rule of loom
    because  a high pile wears the warp off
    warn     pile > 4
    example  pile 8, world 8
             pile > 4: pile = 8
    accepted no pile, world 1

pile_high  a rule of loom
    because  no knife cuts it
    refuse   pile > 8
    when     world > 1
    example  pile 16, world 16
             pile > 8: pile = 16
    accepted pile 8 (pile 8 instead of 16)
END
explains "a rule about the model" yarn_short <<'END'
yarn_short  a rule of loom
    because  every warp takes a yarn
    refuse   yarn < warp
    named    warp is warp_size
    example  warp_size 2, world 2, of a model with yarn 1
             yarn < warp: 1 < 2
    accepted warp_size 1 (warp_size 1 instead of 2)
END
explains "a rule without reason, remedy and example" never_so <<'END'
never_so  a rule of loom
    refuse   warp != warp
    named    warp is warp_size
END
explains "the same for programs: a rule" threads_uneven --runtime loom -o json <<'END'
{
  "code": "threads_uneven",
  "rules": [
    {
      "runtime": "loom",
      "layer": "cloth",
      "refuse": "weft > 1 && warp % weft != 0",
      "because": "every weft crosses as many warps",
      "allowed": "divisors(warp)",
      "try": [
        {
          "when": "warp > 1",
          "set": {
            "weft": "gcd(warp, weft)",
            "pile": "1",
            "pattern": "null"
          },
          "say": "fewer wefts"
        },
        {
          "set": {
            "weft": "1"
          }
        }
      ],
      "names": {
        "warp": "warp_size",
        "pattern": "weave_pattern"
      },
      "example": {
        "settings": {
          "weft": 2,
          "world": 2
        },
        "facts": {},
        "equation": "warp % weft != 0: 1 % 2 = 1 (warp = 1, the default)",
        "instead": {
          "weft": 1
        },
        "say": "weft 1 instead of 2"
      }
    }
  ],
  "checks": [],
  "answers": []
}
END
explains "sets" weft_with_pile --runtime loom -o json <<'END'
{
  "code": "weft_with_pile",
  "rules": [
    {
      "runtime": "loom",
      "layer": "setup",
      "refused_together": [
        "weft",
        "pile"
      ],
      "exactly": true,
      "because": "this set of axes is not among those that the runtime combines",
      "try": [
        {
          "when": "warp > 1",
          "set": {
            "warp": "1"
          }
        }
      ],
      "fix": "set all but one of these axes to 1",
      "names": {
        "warp": "warp_size"
      },
      "example": {
        "settings": {
          "weft": 2,
          "pile": 2,
          "world": 4
        },
        "facts": {},
        "equation": "",
        "instead": {
          "weft": 1
        },
        "say": "weft 1 instead of 2"
      }
    }
  ],
  "checks": [],
  "answers": []
}
END
explains "and a fault" thread_missing --runtime knit -o yaml <<'END'
code: thread_missing
rules: []
checks:
- check: ranks
  default_code: ranks.not_multiple
  warns: false
  subject: '<group>.ranks'
  equation: '<a> % <b> != 0: <a> % <b> = <mod>'
  reason: '<a> ranks cannot be cut into instances of <b> (<shape>)'
  fix: 'list <below> ranks, or <above>'
  runtimes:
  - runtime: knit
    code: thread_missing
    try:
    - set:
        row: '1'
      say: plain
    names:
      row: row_size
    example:
      settings:
        row_size: 2
        world: 1
      model: sock
      facts: {}
      equation: '1 % 2 != 0: 1 % 2 = 1'
      instead:
        row_size: 1
      say: plain
- check: ranks
  default_code: ranks.duplicate
  warns: false
  subject: '<group>.ranks'
  reason: 'rank <rank> is listed twice, at positions <a> and <b>'
  fix: list every rank once
  runtimes:
  - runtime: knit
    code: thread_missing
    try:
    - set:
        row: '1'
      say: plain
    names:
      row: row_size
    example:
      settings:
        ranks: [0, 0]
      model: sock
      facts: {}
      equation: ''
      instead:
        ranks: [0]
      say: every rank once
answers: []
END
explains "what a check takes" pattern_unknown --runtime loom -o yaml <<'END'
code: pattern_unknown
rules: []
checks:
- check: options
  default_code: option.not_allowed
  warns: false
  subject: '<name>'
  reason: 'the option <name> does not take this value'
  fix: use one of the values that it takes
  runtimes:
  - runtime: loom
    code: pattern_unknown
    layer: setup
    option: weave_pattern
    one_of: [twill, satin]
    try:
    - set:
        pattern: '"twill"'
    names:
      pattern: weave_pattern
    example:
      settings:
        weave_pattern: other
        world: 1
      facts: {}
      equation: ''
      instead:
        weave_pattern: twill
      say: weave_pattern changed
answers: []
END
explains "an answer of the daemon" STALE_BOOT <<'END'
STALE_BOOT  an answer of the daemon, booting a worker
    because  a worker joined from a later boot of the same host, so what ran
             there before is gone
    try      end, if it runs at all
END
explains "and what a doctor finds" boot.timed_out <<'END'
boot.timed_out  an answer of the daemon, asked for what is wrong (serry doctor)
    because  not all workers joined within the time of the setting boot_ms
    try      start those that are missing: serry exec --placement PLACEMENT
             --rank RANK -- COMMAND; a worker that joins begins the boot anew
END
run explain fast_moved --share whole
verdict "a key without a warning has no code" complained 66 fast_moved
run explain place.never --runtime loom --share whole
verdict "answers are not of a runtime" complained 66 place.never
run explain pile --runtime loom --share whole
verdict "codes with a word are told once each" complained 66 \
    "code pile; codes with it are pile_high, warp_with_pile, weft_with_pile"
run explain ""
verdict "nor has nothing, and nothing is like it" \
    sh -c 'grep -q "has the code *$" err'

# What sets of axes, options, records, keys and ranks refuse is shown, too.
for code in axis_pp_ep_cp axis_unvalidated lowp_unknown packed-block \
    config.kv_cache_moved ranks.not_contiguous axis_repeated_in_order; do
    run explain $code
    verdict "$code has an example and a neighbour" sh -c \
        'grep -q "^ *example " out && grep -q "^ *accepted " out'
done

# Every code that a shipped runtime can give is explained, and each of its rules
# has a reason, an equation, an example and a neighbour.
# incomplete: prints the first line of what has not all of them.
incomplete()
{
    awk '
        function told() {
            if (head != "" && !(because && equation && example && accepted))
                print head
            because = equation = example = accepted = 0
        }
        /^[^ ]/ { told(); head = $0; equation = !/ a rule of / }
        /^    (because|warn) / { because = 1 }
        /^    (refuse|warn) / { equation = 1 }
        /^    example / { example = 1 }
        /^    accepted / { accepted = 1 }
        END { told() }' out
}
missing=
for file in "$srcdir"/share/runtimes/*.yaml; do
    sed -n 's/^\(.*[-{,]\)* *code: *\([A-Za-z0-9_.-]*\)\([,}].*\)*$/\2/p' \
        "$file" | sort -u >codes
    while read -r code; do
        run explain "$code" --runtime "$(basename "$file" .yaml)"
        { ended 0 && test -z "$(incomplete)"; } || missing="$missing $code"
    done <codes
done
verdict "every code of the shipped runtimes is explained" test -z "$missing"
verdict "and codes with dashes were among them" \
    grep -qx world-too-small codes

# So is every code that the daemon gives, and nothing else has one; the first and
# the last of what a doctor finds, and what a worker finds in its devices.
missing=
for code in daemon.unreachable host.not_seen device.order device.mask_hides \
    $(cat "$srcdir"/placement/*.c "$srcdir"/daemon/*.c |
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
