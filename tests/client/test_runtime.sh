#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry runtime list, show and lint; serry version.
. "${srcdir:-.}/tests/client/lib.sh"

run runtime list
verdict "shipped runtimes are listed" ended_with 0 "mstar"
verdict "the list is narrow" narrow
run runtime list -o json
verdict "the list is JSON" json
run runtime show mstar
verdict "a runtime is shown as it was written" \
    cmp -s out "$srcdir/share/runtimes/mstar.yaml"
run runtime show mstar -o json
verdict "or as JSON" json
mkdir -p share/runtimes
cp runtime.yaml share/runtimes/tiny.yaml
cat >share/runtimes/tidy.yaml <<'END'
runtime: tidy
version: 1.2
about: what a test has
axes: [{name: a}]
layers: {first: the first part, last: the rest}
rules:
  - {layer: first, rules: [{code: one, refuse: a == 1}]}
  - {layer: last, rules: [{code: two, refuse: a == 2}]}
END
sed '/^version/d; s/tiny/terse/' runtime.yaml >share/runtimes/terse.yaml
run runtime show tiny --share share
verdict "one of a folder is shown" cmp -s out runtime.yaml
run runtime show tiny --share share -o json
verdict "as JSON too" ended_with 0 '"runtime": "tiny"'
run runtime list --share share
verdict "the list has a head" grep -qx 'runtime  *version  about' out
verdict "with version and what it is" grep -qx 'tidy  *1.2  *what a test has' out
verdict "or without" grep -qx 'terse *' out
run runtime list --share share -o json
tr -d '\n' <out | tr -s ' ' >flat
verdict "for programs with the layers too" grep -qF '{ "runtime": "tidy", "version": "1.2", "about": "what a test has", "layers": [ { "layer": "first", "about": "the first part" }, { "layer": "last", "about": "the rest" } ] }' flat
verdict "and without any" grep -qF '{ "runtime": "terse", "version": "", "about": "" }' flat
run runtime show mstarr
verdict "an unknown one ends in 66" complained 66 "mstar"

for file in "$srcdir"/share/runtimes/*.yaml; do
    run runtime lint "$file"
    verdict "${file##*/} is clean" ended_with 0 "nothing to report"
done
run runtime lint mstar
verdict "a runtime may be linted by its name" ended 0
run runtime lint runtime.yaml
verdict "a clean one is clean" ended_with 0 "1 of 1 rules were judged"

many="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28"
# As many switches, which each refuse: a request with none of them on is rare.
{
    echo "runtime: switches"
    echo "axes: [{name: a}]"
    echo "options:"
    for i in $many; do
        echo "  s$i: {type: bool, default: false}"
    done
    echo "  parts: {type: list}"
    echo "rules:"
    for i in $many; do
        echo "  - {code: c$i, refuse: s$i}"
    done
    echo "  - {code: late, refuse: 'a == 6 && world == 24'}"
    echo "  - {code: less, refuse: 'has(parts) && parts.exists(p, p < 1)'}"
} >switches.yaml
run runtime lint switches.yaml
verdict "a rule that is first in rare requests only is found to be" \
    ended_with 0 "nothing to report; 30 of 30 rules were judged"

# Whether the report, but for where its lines end and how many requests were
# tried, is standard input.
lints() # CODE FILE
{
    run runtime lint "$2"
    ended "$1" && tr -s ' \n' ' ' <out |
        sed 's/ [1-9][0-9]* requests/ N requests/g' >told &&
        tr -s ' \n' ' ' >wanted && cmp -s told wanted
}
cat >dirty.yaml <<'END'
runtime: dirty
axes: [{name: a}, {name: b}, {name: idle}]
options: {wish: {type: bool, default: false}}
facts: {rumour: bool}
tables: {t: {x: {y: 1}}, dust: {x: {y: 1}}}
derive: {spare: a + 1}
views: {all: [a, {c: world / a}], other: [{d: world / b}, b]}
rules:
  - {check: sizes}
  - {code: exact, refuse: 'world % a != 0 || world % b != 0'}
  - {code: large, refuse: 'a > 2 && world % b == 0'}
  - {code: hidden, refuse: 'a > 2 && b > 2 && world % b == 0'}
  - {code: never, refuse: 'a < t["x"].y'}
  - {code: model, refuse: 'heads.exists(h, h % a != 0)'}
END
verdict "each mistake is told with its line and what it means" lints 1 dirty.yaml <<'END'
rule.shadowed  hidden
    line 12: whenever this rule is true, large (line 11) came first, so it never
             gives the verdict's code
rule.never_fires  never
    line 13: this rule never came out true in N requests with sizes up to 8
             and worlds up to 32
axis.unused  idle
    line 2: no view has the axis idle or a size made of it, so it moves no rank
table.unread  dust
    line 5: no expression reads the table dust
fact.unread  rumour
    line 4: no expression reads the fact rumour
option.unread  wish
    line 3: no expression reads the option wish
note: spare
    line 6: no expression reads the derived size spare
dirty
    4 of 5 rules were judged, on N requests; the other one reads a model or a
    request's further keys
END
run runtime lint dirty.yaml
verdict "mistakes end in 1" ended 1
verdict "a rule behind another is reported" \
    grep -qF "rule.shadowed  hidden" out
verdict "with the other's code" grep -qF "large (line 11)" out
verdict "a rule that is never true is reported" \
    grep -qF "rule.never_fires  never" out
verdict "an axis in no view is reported" grep -qF "axis.unused  idle" out
verdict "a table nobody reads is reported" grep -qF "table.unread  dust" out
verdict "a fact nobody reads is reported" grep -qF "fact.unread  rumour" out
verdict "an option nobody reads is reported" grep -qF "option.unread  wish" out
verdict "a derived size nobody reads is a note" grep -qF "note: spare" out
verdict "what is read is not reported" \
    sh -c '! grep -qE "unread  t$|unused  [ab]$|fires  (exact|large|hidden)" out'
verdict "rules on a model are not judged" \
    grep -qF "4 of 5 rules were judged" out
verdict "the report is narrow" narrow
run runtime lint dirty.yaml -o json
verdict "the report is JSON" json
verdict "JSON ends in 1 too" ended_with 1 '"not_judged": 1'
sed 's/"requests_tried": [1-9][0-9]*/"requests_tried": N/' out | tr -d '\n' | tr -s ' ' >flat
verdict "its reports are whole" grep -qF '{ "runtime": "dirty", "reports": [ { "code": "rule.shadowed", "subject": "hidden", "reason": "whenever this rule is true, large (line 11) came first, so it never gives the verdict'"'"'s code", "line": 12 }, {' flat
verdict "notes stand apart" grep -qF '"notes": [ { "code": "derived.unread", "subject": "spare", "reason": "no expression reads the derived size spare", "line": 6 } ], "rules": 5, "not_judged": 1, "requests_tried": N}' flat

sed 's/^rules:/layers: {rumour: wish, t: two}\nrules:/; s/^  - {code: hidden.*/  - {layer: rumour, when: a > 2, rules: [{code: hidden, refuse: "b > 2 \&\& world % b == 0"}]}/; s/^  - {code: never\(.*\)/  - {layer: t, rules: [{code: never\1]}/' \
    dirty.yaml >layers.yaml
run runtime lint layers.yaml
verdict "rules in groups are judged" grep -qF "4 of 5 rules were judged" out
verdict "and reported with their layer" \
    grep -qF "rule.shadowed  hidden  layer rumour" out
verdict "the name of a layer reads nothing" \
    grep -qF "fact.unread  rumour" out
verdict "nor does what it is" grep -qF "option.unread  wish" out
run runtime lint layers.yaml -o json
verdict "the layer is in JSON" ended_with 1 '"layer": "t"'
run runtime list -o json
verdict "the list says which layers there are" ended_with 0 '"layer": "config"'

cat >spread.yaml <<'END'
runtime: spread
axes: [{name: a}, {name: b}, {name: c}]
views: {bad: [a, b, {d: world / (a * b)}], good: [b, a, {d: world / (a * b)}], chosen: {axes: [a, c], order: way}}
options: {way: {type: string, default: a-c}}
links: {a: nvlink, b: any, c: any}
END
run runtime lint spread.yaml -o json
verdict "an axis outside one of a looser link is a note" \
    ended_with 0 "in the view bad the axis a wants nvlink and stands outside b"
verdict "the other way round, and where requests choose, it is not" \
    sh -c 'test "$(grep -c axis.outside_looser out)" = 1'
verdict "for people it is no mistake" lints 0 spread.yaml <<'END'
note: a
    line 3: in the view bad the axis a wants nvlink and stands outside b, which
            does with any: its groups are spread over the other's
spread
    nothing to report; 0 of 0 rules were judged, on N requests
END
cat >nested.yaml <<'END'
runtime: nested
axes: [{name: a}, {name: b}, {name: c}]
views: {v: [a, b, c, {d: world / (a * b * c)}]}
links: {a: nvlink, b: any, c: block}
END
verdict "of several further in the innermost is named" lints 0 nested.yaml <<'END'
note: a
    line 3: in the view v the axis a wants nvlink and stands outside c, which
            does with block: its groups are spread over the other's
nested
    nothing to report; 0 of 0 rules were judged, on N requests
END

# What only looks as if it read a name: prose, and words that are none.
cat >prose.yaml <<'END'
runtime: why
version: say
about: what, how, when_so and nowhere
request: world
axes:
  - {name: who, field: how_many}
  - {name: idle}
options:
  what: {type: bool, default: 'false'}
  how: {type: string, default: x}
  why: {type: bool, default: 'false'}
  world_wide: {type: bool, default: 'false'}
  say: {type: bool, default: 'false'}
  shout: {type: bool, default: 'false'}
  when_so: {type: bool, default: 'false'}
  bool: {type: bool, default: 'false'}
  heard: {type: bool, default: 'false'}
  so_not: {type: bool, default: 'false'}
facts: {how_many: int}
carry: {extra: {type: map, warn: what is heard}}
views: {v: [who, {rest: world / who}]}
rules:
  - {code: what, refuse: 'who == 8', because: how it is, try: [{set: {who: 1}, say: what it says}]}
  - {code: say, warn: 'shout && who > 1'}
  - {code: order, refuse: 'who > 2 && !when_so_not'}
derive: {when_so_not: world > 5}
END
verdict "what is prose reads nothing" lints 1 prose.yaml <<'END'
axis.unused  idle
    line 7: no view has the axis idle or a size made of it, so it moves no rank
fact.unread  how_many
    line 19: no expression reads the fact how_many
option.unread  what
    line 9: no expression reads the option what
option.unread  how
    line 10: no expression reads the option how
option.unread  why
    line 11: no expression reads the option why
option.unread  world_wide
    line 12: no expression reads the option world_wide
option.unread  say
    line 13: no expression reads the option say
option.unread  when_so
    line 15: no expression reads the option when_so
option.unread  bool
    line 16: no expression reads the option bool
option.unread  heard
    line 17: no expression reads the option heard
option.unread  so_not
    line 18: no expression reads the option so_not
why
    3 of 3 rules were judged, on N requests
END

printf 'runtime: sized\naxes: [{name: a}]\nviews: {v: [{rest: world / a}, {part: a}]}\n' >sized.yaml
verdict "an axis that sizes are made of is used" lints 0 sized.yaml <<'END'
sized
    nothing to report; 0 of 0 rules were judged, on N requests
END

# What hides a rule: several at once, a check, or now one and now another.
cat >hiding.yaml <<'END'
runtime: hiding
request: world
axes: [{name: a}, {name: b}]
views: {v: [a, b]}
rules:
  - {check: sizes}
  - {code: one, refuse: a == 2}
  - {code: two, refuse: a == 2 || b == 2}
  - {code: both, refuse: a == 2 && b == 2}
  - {code: either, refuse: 'a == 2 || (b == 2 && a < 5)'}
  - {check: product}
  - {code: never, refuse: world != a * b}
END
verdict "all that hide a rule are named" lints 1 hiding.yaml <<'END'
rule.shadowed  both
    line 9: whenever this rule is true, one (line 7) and two (line 8) came first,
            so it never gives the verdict's code
rule.shadowed  either
    line 10: whenever this rule is true, two (line 8) came first, so it never
             gives the verdict's code
rule.shadowed  never
    line 12: whenever this rule is true, the check product came first, so it never
             gives the verdict's code
hiding
    5 of 5 rules were judged, on N requests
END
cat >shifting.yaml <<'END'
runtime: shifting
request: world
axes: [{name: a}]
views: {v: [a, {rest: world / a}]}
rules:
  - {code: two, refuse: a == 2}
  - {code: three, refuse: a == 3}
  - {code: more, refuse: a == 2 || a == 3}
END
verdict "or that they are not always the same" lints 1 shifting.yaml <<'END'
rule.shadowed  more
    line 8: whenever this rule is true, others, not always the same, came first, so
            it never gives the verdict's code
shifting
    3 of 3 rules were judged, on N requests
END

# What a rule reads that no request here has.
cat >unjudged.yaml <<'END'
runtime: unjudged
axes: [{name: a}]
facts: {size: int}
options: {word: {type: string, default: x}, kind: {type: string, default: x, one_of: [x, y]}}
carry: {extra: {type: int}}
rules:
  - {code: fact, refuse: size % a == 9}
  - {code: word, refuse: 'word == "z" && a == 1'}
  - {code: carried, refuse: has(extra) && extra < a}
  - {code: each, for: placed as p, refuse: p.a == 99}
  - {code: kind, refuse: 'kind == "y" && a == 8'}
END
verdict "rules that read more are not judged" lints 0 unjudged.yaml <<'END'
unjudged
    nothing to report; 1 of 5 rules were judged, on N requests; the other 4 read
    a model or a request's further keys
END

cat >options.yaml <<'END'
runtime: options
axes: [{name: a}]
options: {levels: {type: list}, copies: {type: int, default: 1}, loud: {type: bool, default: false}}
rules:
  - {code: levels, when: has(levels), refuse: product(levels) != a}
  - {code: none, refuse: copies < 1}
  - {code: loud, warn: loud}
END
run runtime lint options.yaml
verdict "lists and 0 are tried, and what a rule warns of is read" \
    ended_with 0 "nothing to report; 3 of 3 rules were judged"

sed 's/world \/ a/wrold \/ a/' runtime.yaml >wrong.yaml
run runtime lint wrong.yaml
verdict "a mistake has a line and a column" \
    complained 65 "wrong.yaml: line 4, column "
printf 'runtime: x\naxes: [{name: a}]\nrules: [{check: products}]\n' >wrong.yaml
run runtime lint wrong.yaml
verdict "an unknown check has its nearest" complained 65 "the nearest is product"
run runtime lint accepted.yaml
verdict "a deployment is no runtime" complained 65 \
    "accepted.yaml: a file with one runtime (axes, rules) is expected"
{ cat runtime.yaml; echo ---; cat runtime.yaml; } >twice.yaml
run runtime lint twice.yaml
verdict "nor are two" complained 65 \
    "twice.yaml: a file with one runtime (axes, rules) is expected"
cp runtime.yaml plain
run runtime lint plain
verdict "a file may have any name" ended_with 0 "1 of 1 rules were judged"
run_with runtime.yaml runtime lint -
verdict "or be standard input" ended_with 0 "1 of 1 rules were judged"
run runtime lint nowhere.yaml
verdict "a file that is not there ends in 66" complained 66 "nowhere.yaml"
run runtime lint nobody
verdict "so does a name that is not known" complained 66 "nobody"
run runtime lint
verdict "something to lint is required" complained 64 "FILE"
run runtime
verdict "runtime is followed by a word" complained 64 "list, show or lint"
run runtime lnit
verdict "by a known one" complained 64 "list, show or lint"

run version
verdict "versions are shown" ended_with 0 "runtime mstar "
run --version
verdict "--version is the same" ended_with 0 "serry "
run version -o json
verdict "versions are JSON" json
run version extra
verdict "version takes nothing" complained 64 "extra"

done_testing
