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
run runtime show tiny --share share
verdict "one of a folder is shown" cmp -s out runtime.yaml
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
verdict "a deployment is no runtime" complained 65 "runtime"
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
