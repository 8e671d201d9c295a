#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry diff: each sentence of what placing anew would change, against a daemon.
# shellcheck disable=SC2317 # verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

needs_daemon
daemon_begin

# Compares a request with what is in force. The words of the answer, wherever its
# lines end, are those of standard input.
differ() # CODE FILE
{
    run diff -f "$2"
    ended "$1" && sed 's/generation [0-9]*\.[0-9]*/generation G/' out |
        tr -s ' \n' ' ' >told && tr -s ' \n' ' ' >wanted && cmp -s told wanted
}
# The same as JSON.
differ_json() # CODE FILE
{
    run diff -f "$2" -o json
    ended "$1" && sed '/"generation": {/,/}/c"generation": G,' out |
        tr -d ' \n' >told && tr -d ' \n' >wanted && cmp -s told wanted
}

# ---- a world --------------------------------------------------------------------
cat >weft.yaml <<'END'
runtime: weft
version: 1
axes: [{name: a}, {name: b}]
options: {order: {type: string, default: a-b-c}, pace: {type: int, default: 1}}
derive: {rest: world / (a * b)}
views: {all: {axes: [a, b, {c: rest}], order: order, outermost: last}}
END
cat >cloth.yaml <<'END'
deployment: cloth
runtime: weft
world: 16
sizes: {a: 2, b: 2}
END
run apply -f weft.yaml
verdict "what is not in force would be added" differ 1 cloth.yaml <<'END'
cloth is not in force: placing adds it
END
verdict "as JSON too" differ_json 1 cloth.yaml <<'END'
{"name": "cloth", "placed": false, "differences": []}
END
run apply -f cloth.yaml
verdict "what is in force says since when" differ 0 cloth.yaml <<'END'
cloth is in force like this, generation G
END
verdict "or that nothing moves" differ_json 0 cloth.yaml <<'END'
{"name": "cloth", "placed": true, "generation": G, "differences": [],
 "ranks_moved": 0}
END

{ cat cloth.yaml; echo 'options: {order: b-a-c, pace: 2}'; } >asked.yaml
verdict "an order that is asked for, and what comes with it" differ 1 asked.yaml <<'END'
cloth at generation G, 2 differences:
  + options: {"order":"b-a-c","pace":2}
  ~ views.all.order: c-b-a -> c-a-b (outermost first: 8 of 16 ranks hold other shards)
END
verdict "as JSON" differ_json 1 asked.yaml <<'END'
{"name": "cloth", "placed": true, "generation": G, "differences": [
  {"path": "options", "to": {"order": "b-a-c", "pace": 2}},
  {"path": "views.all.order", "from": "c-b-a", "to": "c-a-b",
   "say": "outermost first: 8 of 16 ranks hold other shards"}],
 "ranks_moved": 8}
END
run place -f asked.yaml
verdict "what is said no more" differ 1 cloth.yaml <<'END'
cloth at generation G, 2 differences:
  - options: {"order":"b-a-c","pace":2}
  ~ views.all.order: c-a-b -> c-b-a (outermost first: 8 of 16 ranks hold other shards)
END
sed 's/pace: 2/pace: 3/' asked.yaml >paced.yaml
verdict "one key of several" differ 1 paced.yaml <<'END'
cloth at generation G, 1 difference:
  ~ options.pace: 2 -> 3
END
sed 's/, pace: 2//' asked.yaml >slow.yaml
verdict "one that is gone" differ_json 1 slow.yaml <<'END'
{"name": "cloth", "placed": true, "generation": G, "differences": [
  {"path": "options.pace", "from": 2}], "ranks_moved": 0}
END
run place -f slow.yaml
verdict "and one that came" differ 1 asked.yaml <<'END'
cloth at generation G, 1 difference:
  + options.pace: 2
END
run place -f cloth.yaml
sed 's/a: 2, b: 2/a: 4, b: 1/' cloth.yaml >larger.yaml
verdict "sizes are no order, and nobody counts ranks" differ_json 1 larger.yaml <<'END'
{"name": "cloth", "placed": true, "generation": G, "differences": [
  {"path": "sizes.a", "from": 2, "to": 4},
  {"path": "sizes.b", "from": 2, "to": 1},
  {"path": "views.all.sizes", "from": "c 4, b 2, a 2", "to": "c 4, b 1, a 4",
   "say": "ranks hold other shards"}]}
END
sed 's/16/8/' cloth.yaml >fewer.yaml
verdict "fewer ranks" differ 1 fewer.yaml <<'END'
cloth at generation G, 3 differences:
  ~ world: 16 -> 8
  ~ views.all.sizes: c 4, b 2, a 2 -> c 2, b 2, a 2 (ranks hold other shards)
  ~ derived.rest: 4 -> 2
END

# ---- versions -------------------------------------------------------------------
sed 's/version: 1/version: 2/' weft.yaml >newer.yaml
run apply -f newer.yaml
verdict "another version alone moves nobody" differ 1 cloth.yaml <<'END'
cloth at generation G, 1 difference:
  ~ runtime_version: 1 -> 2 (the runtime's declaration is another one; every rank holds the same shards)
END
verdict "with other sizes nobody knows" differ 1 larger.yaml <<'END'
cloth at generation G, 4 differences:
  ~ runtime_version: 1 -> 2 (the runtime's declaration is another one: ranks may hold other shards)
  ~ sizes.a: 2 -> 4
  ~ sizes.b: 2 -> 1
  ~ views.all.sizes: c 4, b 2, a 2 -> c 4, b 1, a 4 (ranks hold other shards)
END
sed 's/default: a-b-c/default: c-a-b/' newer.yaml >turned.yaml
run apply -f turned.yaml
verdict "one that turns the axes says whom it moves" differ_json 1 cloth.yaml <<'END'
{"name": "cloth", "placed": true, "generation": G, "differences": [
  {"path": "runtime_version", "from": "1", "to": "2",
   "say": "the runtime's declaration is another one: 12 of 16 ranks hold other shards"},
  {"path": "views.all.order", "from": "c-b-a", "to": "b-a-c",
   "say": "outermost first: 12 of 16 ranks hold other shards"}],
 "ranks_moved": 12}
END
run get placement cloth -o json
verdict "the placement keeps its own" ended_with 0 '"runtime_version": "1"'
daemon_end
daemon_begin
run get placement cloth -o json
verdict "also while there is no daemon" ended_with 0 '"runtime_version": "1"'
run diff -f cloth.yaml
verdict "and its shards" ended_with 1 "c-b-a -> b-a-c (outermost first: 12 of 16"
run get placements -o json
verdict "in a list too" ended_with 0 '"runtime_version": "1"'
run get placements
verdict "beside its runtime" ended_with 0 "weft 1"
run describe cloth
verdict "and at length" ended_with 0 "runtime weft 1"
sed 's/version: 1/version: 3/; s/views: {/views: {more: [{x: world \/ 2}, {y: "2"}], /' \
    weft.yaml >newest.yaml
run apply -f newest.yaml
verdict "a view that came" differ 1 cloth.yaml <<'END'
cloth at generation G, 2 differences:
  ~ runtime_version: 1 -> 3 (the runtime's declaration is another one: ranks may hold other shards)
  + views.more.sizes: x 8, y 2 (ranks hold other shards)
END
run place -f cloth.yaml
sed '/^version/d' weft.yaml >none.yaml
run apply -f none.yaml
verdict "one that is gone, with a version that nobody gave" differ_json 1 cloth.yaml <<'END'
{"name": "cloth", "placed": true, "generation": G, "differences": [
  {"path": "runtime_version", "from": "3",
   "say": "the runtime's declaration is another one: ranks may hold other shards"},
  {"path": "views.more.sizes", "from": "x 8, y 2",
   "say": "ranks hold other shards"}]}
END
run apply -f weft.yaml
run place -f cloth.yaml
sed 's/^runtime: weft/runtime: warp/; s/^version: 1/version: 5/' weft.yaml >warp.yaml
printf 'model: silk\nruntime: warp\nnodes: [{name: n}]\n' >silk.yaml
run apply -f warp.yaml -f silk.yaml
sed 's/runtime: weft/model: silk/' cloth.yaml >other.yaml
verdict "another model, and with it another runtime, which has versions of its own" \
    differ 1 other.yaml <<'END'
cloth at generation G, 2 differences:
  + model: silk
  ~ runtime: weft -> warp
END
run place -f other.yaml
verdict "whose version is known by the model" differ 0 other.yaml <<'END'
cloth is in force like this, generation G
END
verdict "nor does a model stay unsaid that is gone" differ 1 cloth.yaml <<'END'
cloth at generation G, 2 differences:
  - model: silk
  ~ runtime: warp -> weft
END
sed '/^deployment/d' other.yaml >plain.yaml
run place -f plain.yaml
{ echo 'deployment: silk'; cat plain.yaml; } >named.yaml
verdict "a name that is said is the one it has anyway" differ 0 named.yaml <<'END'
silk is in force like this, generation G
END
run apply -f cloth.yaml
verdict "serry apply places what differs" ended_with 0 "placed    cloth"
run apply -f cloth.yaml
verdict "and that alone" sh -c '! grep -q "^placed" out && grep -q cloth out'
run place -f other.yaml

# ---- node groups ----------------------------------------------------------------
cat >knit.yaml <<'END'
runtime: knit
version: 1
request: node_groups
axes: [{name: a}, {name: b}]
rules: [{check: ranks}]
END
cat >two.yaml <<'END'
model: two
runtime: knit
nodes: [{name: n, axes: {a: {}, b: {}}}, {name: o}]
walks: [{name: w, nodes: [n]}, {name: x, nodes: [n, o]}]
END
cat >sock.yaml <<'END'
deployment: sock
model: two
node_groups:
  - {node_names: [n], ranks: [0, 1, 2, 3, 4, 5], sizes: {a: 2, b: 3}}
  - {node_names: [o], ranks: [0]}
END
run apply -f knit.yaml -f two.yaml -f sock.yaml
verdict "groups that are in force" differ 0 sock.yaml <<'END'
sock is in force like this, generation G
END
sed 's/\[0, 1, 2, 3, 4, 5\]/[6, 7, 8, 9, 10, 11]/' sock.yaml >away.yaml
verdict "other ranks" differ 1 away.yaml <<'END'
sock at generation G, 1 difference:
  ~ node_groups[0].ranks: [0,1,2,3,4,5] -> [6,7,8,9,10,11]
END
sed 's/a: 2, b: 3/a: 6/' sock.yaml >wide.yaml
verdict "an axis that is off is not another order" differ 1 wide.yaml <<'END'
sock at generation G, 2 differences:
  ~ node_groups[0].sizes.a: 2 -> 6 (ranks hold other shards)
  ~ node_groups[0].sizes.b: 3 -> 1 (ranks hold other shards)
END
sed 's/ranks: \[0\]}/ranks: [0, 1], sizes: {a: 2}}/' sock.yaml >pair.yaml
verdict "nor is one that came on, of any group" differ_json 1 pair.yaml <<'END'
{"name": "sock", "placed": true, "generation": G, "differences": [
  {"path": "node_groups[1].sizes.a", "from": 1, "to": 2,
   "say": "ranks hold other shards"},
  {"path": "node_groups[1].ranks", "from": [0], "to": [0, 1]}]}
END
sed 's/ranks: \[0\]}/ranks: [0], graph_walks: [x]}/' sock.yaml >walks.yaml
verdict "walks" differ 1 walks.yaml <<'END'
sock at generation G, 1 difference:
  + node_groups[1].graph_walks: ["x"]
END
sed '/\[o\]/d; s/\[n\]/[n, o]/' sock.yaml >joined.yaml
verdict "a group that is gone" differ 1 joined.yaml <<'END'
sock at generation G, 2 differences:
  ~ node_groups[0].node_names: ["n"] -> ["n","o"]
  - node_groups[1]: ["o"]
END
run place -f joined.yaml
verdict "and one that came" differ 1 sock.yaml <<'END'
sock at generation G, 2 differences:
  ~ node_groups[0].node_names: ["n","o"] -> ["n"]
  + node_groups[1]: ["o"]
END
run place -f sock.yaml
sed 's/version: 1/version: 2/; s/{name: a}, {name: b}/{name: b}, {name: a}/' knit.yaml >purl.yaml
run apply -f purl.yaml
verdict "another order that came with a version" differ 1 sock.yaml <<'END'
sock at generation G, 2 differences:
  ~ runtime_version: 1 -> 2 (the runtime's declaration is another one: 4 of 6 ranks hold other shards)
  ~ node_groups[0].order: a-b -> b-a (outermost first: 4 of 6 ranks hold other shards)
END
sed 's/a: 2, b: 3/a: 3, b: 2/' sock.yaml >tall.yaml
verdict "beside other sizes" differ 1 tall.yaml <<'END'
sock at generation G, 4 differences:
  ~ runtime_version: 1 -> 2 (the runtime's declaration is another one: ranks may hold other shards)
  ~ node_groups[0].order: a-b -> b-a (outermost first: ranks hold other shards)
  ~ node_groups[0].sizes.a: 2 -> 3 (ranks hold other shards)
  ~ node_groups[0].sizes.b: 3 -> 2 (ranks hold other shards)
END
sed 's/version: 1/version: 3/; s/{name: b}\]/{name: b}, {name: c}]/' knit.yaml >yarn.yaml
run apply -f yarn.yaml
verdict "an axis that is new and off moves nobody" differ 1 sock.yaml <<'END'
sock at generation G, 4 differences:
  ~ runtime_version: 1 -> 3 (the runtime's declaration is another one; every rank holds the same shards)
  + node_groups[0].sizes.c: 1
  + node_groups[1].sizes.c: 1
  + lists.c: 6 groups (ranks form other groups)
END
run apply -f knit.yaml

# ---- as much as a person waits for ----------------------------------------------
# Ranks are compared one by one up to 65,536, and their groups up to 4,096.
cat >loop.yaml <<'END'
runtime: loop
version: 1
axes: [{name: a}]
views: {all: [a, {c: world / a}]}
groups: {half: {of: all.c, cut: 2}}
END
run apply -f loop.yaml
for ranks in 4096 8192 65536 131072; do
    printf 'deployment: d%s\nruntime: loop\nworld: %s\nsizes: {a: 2}\n' $ranks $ranks >d$ranks.yaml
    run place -f d$ranks.yaml
done
sed 's/version: 1/version: 2/; s/cut: 2/stride: 2/' loop.yaml >knot.yaml
run apply -f knot.yaml
verdict "groups of 4096 ranks are compared" differ_json 1 d4096.yaml <<'END'
{"name": "d4096", "placed": true, "generation": G, "differences": [
  {"path": "runtime_version", "from": "1", "to": "2",
   "say": "the runtime's declaration is another one; every rank holds the same shards"},
  {"path": "lists.half", "from": "4 groups", "to": "4 groups",
   "say": "ranks form other groups"}], "ranks_moved": 0}
END
for ranks in 8192 65536; do
    verdict "of $ranks only the ranks" differ_json 1 d$ranks.yaml <<END
{"name": "d$ranks", "placed": true, "generation": G, "differences": [
  {"path": "runtime_version", "from": "1", "to": "2",
   "say": "the runtime's declaration is another one; every rank holds the same shards"}],
 "ranks_moved": 0}
END
done
verdict "of more than those not even they" differ_json 1 d131072.yaml <<'END'
{"name": "d131072", "placed": true, "generation": G, "differences": [
  {"path": "runtime_version", "from": "1", "to": "2",
   "say": "the runtime's declaration is another one: ranks may hold other shards"}]}
END

# ---- several, and none ----------------------------------------------------------
run diff -f sock.yaml -f other.yaml
verdict "of several that are in force none differs" ended 0
run diff -f sock.yaml -f cloth.yaml
verdict "of several that do the code is 1" ended_with 1 "sock is in force like this"
run diff -f cloth.yaml -f sock.yaml
verdict "in any order" ended_with 1 "sock is in force like this"
sed 's/a: 2, b: 3/a: 4, b: 3/' sock.yaml >refused.yaml
run diff -f refused.yaml -f cloth.yaml
verdict "a refused one counts more" ended_with 2 "cloth at generation"
verdict "and says what would run" grep -qF "node_groups[0].sizes.a = 2" out
run diff -f refused.yaml -o json
verdict "which is a verdict as JSON" ended_with 2 '"verdict": "refuse"'
sed '/^deployment/d; s/^model: two/runtime: knit/' sock.yaml >nameless.yaml
run diff -f nameless.yaml
verdict "what has no name is not looked for" complained 65 \
    "nameless.yaml: line 1, column 1: it has no name; give the key deployment or model"
run diff -f two.yaml
verdict "only placements can be compared" complained 65 \
    "not a deployment; only placements can be compared"
run diff
verdict "and one at least" complained 64 "-f"

done_testing
