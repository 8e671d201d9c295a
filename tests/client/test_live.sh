#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verbs that talk to a daemon, against a daemon of this test.
# shellcheck disable=SC2016,SC2317 # other shells expand; verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

needs_daemon
unset SERRY_ADDRESS

# ---- nobody there -------------------------------------------------------------
run status --address "$work/s"
verdict "a daemon that is not there ends in 5" complained 5 "nothing listens"
run check -f accepted.yaml --address "$work/s"
verdict "so does a check that names it" complained 5 "nothing listens"
SERRY_ADDRESS=$work/s
export SERRY_ADDRESS
run check -f accepted.yaml
verdict "or that SERRY_ADDRESS sends there" complained 5 "nothing listens"
run check -f accepted.yaml --offline
verdict "--offline asks nobody" ended_with 0 "accepted"
run check -f accepted.yaml --share "$srcdir/share"
verdict "nor does --share" ended_with 0 "accepted"
run check -f accepted.yaml --offline --address "$work/s"
verdict "--offline and --address exclude each other" complained 64 "exclude"
run check -f accepted.yaml --share "$srcdir/share" --address "$work/s"
verdict "so do --share and --address" complained 64 "--share"
run explain place.never
verdict "codes are explained without a daemon that answers" \
    ended_with 0 "an answer of the daemon"
verdict "which is said" grep -q '^serry: with the declarations built in' err
run explain place.never --address "$work/s"
verdict "but not where one is named" complained 5 "nothing listens"
run mesh --runtime pithtrain --world 8 --set cp=2
verdict "layouts are drawn too" ended_with 0 "8 ranks under pithtrain"
run status --address nonsense
verdict "an address that cannot be read ends in 65" complained 65 "nonsense"

daemon_begin
run status
verdict "the daemon says how it is" ended_with 0 "serving"
run status -o json
verdict "its status has the names of the wire" ended_with 0 '"placements": 0'
verdict "its status is JSON" json

# ---- check: the same bytes ----------------------------------------------------
same() # CODE ARGUMENT...: offline and live
{
    wanted=$1
    shift
    run "$@" --offline
    mv out offline
    mv err offline.err
    ended "$wanted" && run "$@" && ended "$wanted" && cmp -s out offline &&
        cmp -s err offline.err
}
for format in json yaml table; do
    verdict "an accepted request is answered alike as $format" \
        same 0 check -f accepted.yaml -o $format
    verdict "so is a refused one" same 2 check -f refused.yaml -o $format
    verdict "and a strict reader's" \
        same 2 check -f unchecked.yaml -o $format --strict
    verdict "and with everything beside it" same 0 check -f unchecked.yaml \
        -o $format --per-rank --creation --lists tp,sp+tp
    verdict "and with what a rank would get" \
        same 0 check -f accepted.yaml -o $format --rank 1
    verdict "and several" same 2 check -f accepted.yaml -f refused.yaml \
        -f unchecked.yaml -o $format
done
for format in json yaml table; do
    verdict "suggestions are the same as $format" \
        same 0 suggest cosmos3 --world 8 --most 3 -o $format
    verdict "and what has none" same 2 suggest cosmos3 --world 8 \
        --memory 10.5 --objective throughput --set tp=2 -o $format
done
verdict "an unknown objective is told alike" \
    same 66 suggest cosmos3 --world 8 --objective speed
verdict "an unknown model is a verdict" same 2 check -f unknown_model.yaml
verdict "an unknown runtime is an error" same 66 check -f unknown_runtime.yaml
verdict "an unknown list too" same 66 check -f accepted.yaml --lists zz
cat >pipeline.yaml <<'END'
deployment: pipeline
runtime: halo
world: 8
sizes: {tp: 2}
options: {use_peft: true}
END
for format in json table; do
    verdict "a verdict up to a layer is the same as $format" \
        same 0 check -f pipeline.yaml --up-to model -o $format
    verdict "and up to one that refuses" \
        same 2 check -f pipeline.yaml --up-to trainer -o $format
done
verdict "an unknown layer is told alike" \
    same 66 check -f pipeline.yaml --up-to modle
verdict "a malformed request is pointed at" same 65 check -f malformed.yaml
verdict "declarations of the files hold for the check" \
    same 0 check -f runtime.yaml -f world.yaml -o json
cat >batch.jsonl <<'END_BATCH'
{"id":1,"deployment":{"model":"wan22","max_seq_len":1,"node_groups":[{"node_names":["dit"],"ranks":[0,1],"cfg_size":2},{"node_names":["text_encoder","vae_encoder","vae_decoder"],"ranks":[0]}]}}
{"id":"two","deployment":{"model":"wan22","max_seq_len":1,"node_groups":[{"node_names":["dit"],"ranks":[0,1,2],"cfg_size":3}]},"per_rank":true}
{"id":null,"deployment":{"model":"wan23"},"lists":["a"],"creation":true,"rank":0}
{"id":[4],"deployment":{"model":"wan22","node_groups":[{"ranks":["x"]}]}}
{"id":5,"mesh":{"axes":[{"name":"a","size":2}]}}
{"id":6,"declare":[{"model":"m","nodes":[{"name":"n"}]}],"deployment":{"model":"m","runtime":"mstar","max_seq_len":1,"node_groups":[{"node_names":["n"],"ranks":[0]}]}}
{"id":7,"deployment":{"model":"wan22","runtime":"nothing"}}
{"id":8,"deployment":{"runtime":"halo","world":8,"sizes":{"tp":2},"options":{"use_peft":true}},"up_to":"config"}
{"id":9,"deployment":{"runtime":"halo","world":8},"up_to":"confg"}
{"id":10,"deployment":{"runtime":"halo","world":8},"up_to":3}
not JSON
END_BATCH
verdict "a batch is answered alike" same 65 check --batch -f batch.jsonl

# ---- place ---------------------------------------------------------------------
run place -f accepted.yaml
verdict "a deployment is placed" ended_with 0 "placed    video at generation "
run place -f refused.yaml
mv out placed
run check -f refused.yaml
verdict "a refusal is printed as check prints it" cmp -s out placed
run place -f refused.yaml -o json
verdict "and ends in 2" ended_with 2 '"axis.cfg_indivisible"'
run get placement odd
verdict "what is refused is not placed" complained 66 "odd"
run place -f runtime.yaml
verdict "declarations are not placed" complained 65 "serry apply"
run place -f accepted.yaml --expect 1.99
verdict "another generation in force ends in 4" complained 4 "not 1.99"
run place -f accepted.yaml --expect 0
verdict "so does one where there should be none" ended 4
run place -f accepted.yaml --expect first
verdict "a generation is two numbers" complained 64 "EPOCH.REVISION"
run place -f accepted.yaml -f unchecked.yaml --expect 0
verdict "--expect is for one deployment" complained 65 "--expect"
run get placement video -o json
verdict "a placement has the verdict's shape" ended_with 0 '"node_groups"'
verdict "and is JSON" json
generation=$(sed -n '/"generation"/,/}/p' out | tr -dc '0-9\n' | paste -sd. |
    sed 's/^\.*//; s/\.*$//')
run place -f accepted.yaml --expect "$generation"
verdict "the generation in force is replaced" ended_with 0 "placed"
run place -f accepted.yaml --expect "$generation"
verdict "and is not in force again" complained 4 "$generation"
run place -f unchecked.yaml -o json
verdict "placing says what it could not judge" ended_with 0 '"unchecked": ['
verdict "and is JSON" json
run place
verdict "a file is required" complained 64 "-f FILE"

# ---- apply: several documents a file -------------------------------------------
{
    echo '# placed last, though it stands first'
    sed 's/^deployment: .*/deployment: small/' world.yaml
    echo '---'
    cat runtime.yaml
    echo '--- # a model'
    printf 'model: mine\nruntime: mstar\nnodes:\n  - {name: n}\n...\n'
} >all.yaml
run apply -f all.yaml
verdict "declarations are applied, then deployments" ended_with 0 "small at gen"
verdict "a change has a revision" \
    grep -qx 'runtime tiny declared, revision [0-9]*' out
verdict "deployments come last" sh -c 'sed -n 3p out | grep -q ^placed'
run apply -f all.yaml
verdict "applied again it is unchanged" ended_with 0 "model mine unchanged"
verdict "and the deployment keeps its generation" \
    grep -Eqx "small unchanged, at generation [0-9.]+" out
sed 's/^model: mine/&\nabout: another text/' all.yaml >reworded.yaml
run apply -f reworded.yaml
verdict "with another declaration it is placed" ended_with 0 "small at gen"
sed "s/^runtime: tiny/&\\nabout: another text/" runtime.yaml >reworded.yaml
sed 's/^deployment: .*/deployment: small/' world.yaml >small.yaml
run apply -f reworded.yaml
verdict "a runtime is declared anew by itself" ended_with 0 "tiny declared"
run apply -f small.yaml
verdict "what stands on it is placed then" ended_with 0 "small at gen"
run apply -f small.yaml
verdict "and once" ended_with 0 "small unchanged"
run apply -f all.yaml
run place -f all.yaml
verdict "place takes no declarations" complained 65 "serry apply"
run apply -f all.yaml -o json
verdict "each document is a line of JSON" json lines
verdict "that says whether it changed" ended_with 0 '"changed":false'
run_with all.yaml apply -f -
verdict "documents come from standard input too" ended 0
run get model mine
verdict "the text is kept as it was written" \
    test "$(cat out)" = "$(printf 'model: mine\nruntime: mstar\nnodes:\n  - {name: n}')"
sed 's/{name: n}/{nam: n}/' all.yaml >bad.yaml
run apply -f bad.yaml
verdict "a mistake is pointed at in the file" \
    sh -c 'test '"$status"' -eq 65 && grep -q "bad.yaml: line 19, " err'
verdict "what stood before it is done" grep -q '^runtime tiny unchanged' out
printf 'hosts: []\n' >hosts.yaml
{
    cat accepted.yaml
    echo '---'
    cat malformed.yaml
} >two.yaml
line=$(grep -n 'x\]' two.yaml | cut -d: -f1)
run place -f two.yaml
verdict "so is one in a deployment behind another" \
    sh -c "test $status -eq 65 && grep -q 'two.yaml: line $line, ' err"
verdict "what stood before it is placed" grep -q '^placed' out
run check -f two.yaml
verdict "and one that is only checked" \
    sh -c "test $status -eq 65 && grep -q 'two.yaml: line $line, ' err"
run apply -f all.yaml -f hosts.yaml
verdict "hosts may be among them" ended_with 0 "0 declared"
echo '{"model": "fromjson", "runtime": "mstar", "nodes": [{"name": "\ud83d\ude00"}]}' \
    >smile.json
run apply -f smile.json
verdict "JSON that is no YAML is declared too" ended_with 0 "fromjson declared"

# ---- diff ------------------------------------------------------------------------
run diff -f accepted.yaml
verdict "what is in force does not differ" ended_with 0 "in force like this"
sed 's/cfg_size: 2/cfg_size: 1/; s/512/1024/' accepted.yaml >other.yaml
run diff -f other.yaml
verdict "another size is a difference" ended_with 1 "node_groups[0].sizes.cfg: 2 -> 1"
verdict "that says what it means" grep -q 'other shards' out
verdict "another option too" grep -q 'max_seq_len: 512 -> 1024' out
run diff -f other.yaml -o json
verdict "differences are JSON" json
run diff -f refused.yaml
verdict "a refused one is printed as refused" ended_with 2 "refused"
sed 's/^deployment: .*/deployment: fresh/' accepted.yaml >fresh.yaml
run diff -f fresh.yaml
verdict "one that is not in force differs" ended_with 1 "not in force"
sed 's/version: 7/version: 8/; s/derive: {/derive: {twice: a * 2, /' runtime.yaml >newer.yaml
run apply -f newer.yaml
sed 's/^deployment: .*/deployment: small/' world.yaml >small.yaml
run diff -f small.yaml
verdict "another version of the runtime is a difference" \
    ended_with 1 "runtime_version: 7 -> 8"

# Whether the words stand in the output, wherever its lines end.
says() # WORDS
{
    tr -s ' \n' ' ' <out | grep -qF -- "$1"
}
verdict "it says when nobody moves" says 'every rank holds the same shards'

# Another order of the axes: by the request, then by another version alone.
cat >ordered.yaml <<'END_RUNTIME'
runtime: ordered
version: 1
axes: [{name: a}, {name: b}]
options: {order: {type: string, default: a-b-c}}
derive: {rest: world / (a * b)}
views: {all: {axes: [a, b, {c: rest}], order: order, outermost: last}, other: [{d: world / 2}, {e: '2'}]}
END_RUNTIME
cat >turned.yaml <<'END_REQUEST'
deployment: turned
runtime: ordered
world: 16
sizes: {a: 2, b: 2}
END_REQUEST
run apply -f ordered.yaml -f turned.yaml
run diff -f turned.yaml
verdict "an order that is the same is no difference" ended_with 0 "in force like this"
{ cat turned.yaml; echo 'options: {order: b-a-c}'; } >asked.yaml
run diff -f asked.yaml
verdict "an order that is asked for is told as one" \
    ended_with 1 "views.all.order: c-b-a -> c-a-b"
verdict "with the ranks that it moves" says '8 of 16 ranks hold other shards'
sed 's/version: 1/version: 2/; s/default: a-b-c/default: c-a-b/' ordered.yaml >newer.yaml
run apply -f newer.yaml
run diff -f turned.yaml
verdict "so is one that came with another version" \
    ended_with 1 "views.all.order: c-b-a -> b-a-c"
verdict "which is told as well" grep -q 'runtime_version: 1 -> 2' out
verdict "with the ranks that moved" says \
    'another one: 12 of 16 ranks hold other shards'
verdict "at either place" says 'outermost first: 12 of 16 ranks hold other shards'
run diff -f turned.yaml -o json
verdict "as JSON too" ended_with 1 '"views.all.order"'
verdict "with their number" grep -q '"ranks_moved": 12' out
verdict "which is JSON" json
sed 's/a: 2/a: 4/' turned.yaml >larger.yaml
run diff -f larger.yaml
verdict "other sizes are no order" ended_with 1 "views.all.sizes: c 4, b 2, a 2 -> b 2, a 4, c 2"
sed 's/b: 2/b: 1/; s/world: 16/world: 8/' turned.yaml >thinner.yaml
run diff -f thinner.yaml
verdict "an axis that is off is named where it was on" ended_with 1 "b 2"
verdict "with its size of 1" grep -q -- '->.*b 1' out
run get placement turned
verdict "a placement keeps the version it was made under" ended_with 0 "ordered 1"
run place -f turned.yaml
run get placement turned
verdict "until it is placed again" ended_with 0 "ordered 2"
run describe turned
verdict "which is told at length" ended_with 0 "runtime ordered 2"
# Where every rank stays where it is, groups may be other ones.
{ sed 's/version: 1/version: 3/; s/default: a-b-c/default: c-a-b/' ordered.yaml
    echo 'groups: {half: {of: all.c, cut: 2}}'; } >newer.yaml
run apply -f newer.yaml
run place -f turned.yaml
sed 's/version: 3/version: 4/; s/cut: 2/stride: 2/' newer.yaml >newest.yaml
run apply -f newest.yaml
run diff -f turned.yaml
verdict "other groups of the same ranks are a difference" \
    says 'lists.half: 8 groups -> 8 groups (ranks form other groups)'
verdict "while nobody moves" says 'every rank holds the same shards'
run place -f turned.yaml
# The same inside of node groups.
cat >inner.yaml <<'END_RUNTIME'
runtime: inner
version: 1
request: node_groups
axes: [{name: a}, {name: b}]
rules: [{check: ranks}]
END_RUNTIME
cat >inner_model.yaml <<'END_MODEL'
model: two
runtime: inner
nodes: [{name: n, axes: {a: {}, b: {}}}]
END_MODEL
cat >inner_place.yaml <<'END_REQUEST'
deployment: inside
model: two
node_groups: [{node_names: [n], ranks: [0, 1, 2, 3, 4, 5], sizes: {a: 2, b: 3}}]
END_REQUEST
run apply -f inner.yaml -f inner_model.yaml -f inner_place.yaml
sed 's/version: 1/version: 2/; s/{name: a}, {name: b}/{name: b}, {name: a}/' inner.yaml >newer.yaml
run apply -f newer.yaml
run diff -f inner_place.yaml
verdict "node groups have an order too" \
    ended_with 1 "node_groups[0].order: a-b -> b-a"
verdict "and ranks that it moves" says '4 of 6 ranks hold other shards'

# ---- assignments -----------------------------------------------------------------
run assignment video --rank 1
verdict "an assignment is fetched and verified" ended_with 0 "verified"
run assignment video --rank 1 -o json --creation
verdict "its JSON has the rank's groups" ended_with 0 '"node_groups[0].cfg"'
verdict "and is JSON" json
run assignment video --all
verdict "all ranks are a table" ended_with 0 "rank  instance  cfg  rows  query_heads"
verdict "which is narrow" narrow
run assignment video --all -o json
verdict "or a line of JSON each" sh -c 'test "$(wc -l <out)" -eq 2'
verdict "all of it JSON" json lines
run assignment small --all
verdict "a world's ranks are found" sh -c 'test '"$status"' -le 66'
run assignment video --rank 7
verdict "a rank that is not there ends in 66" complained 66 "7"
run assignment nothing --rank 0
verdict "a placement that is not there too" complained 66 "nothing"
run assignment video --rank 0 --generation 1.1
verdict "a stale generation ends in 4" complained 4 STALE_GENERATION
run assignment video
verdict "a rank is required" complained 64 "--rank"
run assignment video --rank x
verdict "a rank is a number" complained 64 "--rank"

# ---- routing ---------------------------------------------------------------------
run routing video
verdict "routing says which workers run which node" \
    ended_with 0 "walk"
verdict "walk by walk" grep -Eq '^video_gen +dit +0 +1 +0-1$' out
verdict "and how the placement stands" says "video at generation"
verdict "which is narrow" narrow
run routing video -o json
verdict "its JSON has the instances' ranks" ended_with 0 '"workers"'
verdict "and is JSON" json
run routing nothing
verdict "what is not placed has none" complained 66 "nothing"
run routing
verdict "a name is required" ended 64

# ---- looking ---------------------------------------------------------------------
run get placements
verdict "placements are listed" ended_with 0 "video"
run get placements -o json
verdict "as JSON" json
run get models
verdict "models are listed" ended_with 0 "wan22"
run get runtimes -o yaml
verdict "runtimes are listed" ended_with 0 "name: tiny"
run get runtime mstar -o json
verdict "a declaration is printed with its text" ended_with 0 '"text"'
run suggest tiny_model --world 4
verdict "what is not declared is not suggested for" complained 66 "tiny_model"
printf 'model: tiny_model\nruntime: tiny\nnodes: []\nestimate: {run: {peak_gib: 8 / a}}\n' >tiny_model.yaml
run apply -f tiny_model.yaml
run suggest tiny_model --world 4
verdict "what was applied is" ended_with 0 "estimated peak 2 GiB in run"
run get model wan23
verdict "an unknown model ends in 66 with the nearest" complained 66 "wan22"
run get planets
verdict "an unknown kind ends in 64" complained 64 "placements"
run describe video
verdict "a placement is drawn" ended_with 0 "cfg groups"
run describe video --groups cfg
verdict "with the lists that were asked for" ended_with 0 "cfg  {0,1}"
run describe video -o svg
verdict "or in a document" ended_with 0 "video at generation"
verdict "that shows its ranks" sh -c 'test "$(grep -c "class=.serry-rank" out)" -eq 2'
run describe video -o svg --groups nothing
verdict "an unknown list ends in 66" complained 66 "nothing"
run describe small -o svg
verdict "one whose runtime was changed cannot be drawn" complained 4 "otherwise"
run get placements -o svg
verdict "what does not draw has no picture" complained 64 "describe"
run describe small
verdict "but not under another runtime than its own" ended_with 0 "not drawn"
run describe nothing
verdict "an unknown one ends in 66" complained 66 "nothing"

# ---- export ----------------------------------------------------------------------
cat >exported.yaml <<'END_REQUEST'
deployment: exported
model: cosmos3_super
max_seq_len: 8192
node_groups:
  - {node_names: [dit], ranks: [0, 1, 2, 3], tp_size: 2, sp_size: 2}
  - {node_names: [vae_encoder, vae_decoder, audio_decoder], ranks: [0]}
END_REQUEST
run place -f exported.yaml
exported_alike() # FORMAT ARGUMENT...
{
    as=$1
    shift
    run export --as "$as" -f exported.yaml "$@"
    grep -v '^ *"generation"' out | sed 's/, generation .*//' >wanted
    run export --as "$as" exported "$@"
    ended 0 && test -s out && grep -v '^ *"generation"' out |
        sed 's/, generation .*//' | cmp -s - wanted
}
verdict "a placement is exported as its request is" exported_alike json
verdict "with its generation" grep -q '"generation": "1' out
verdict "as JSON" json
verdict "for launchers too" exported_alike rankfile --hosts a:2,b:2
verdict "and for its framework" exported_alike mstar
run export --as json turned -o yaml
verdict "a world is exported" ended_with 0 "ranks: 16"
run export --as flags turned
verdict "and its flags" ended_with 0 "--a 2"
run apply -f ordered.yaml
run export --as flags turned
verdict "but not those of another version" complained 4 "version 4"
run export --as json turned
verdict "which the rest does not need" ended_with 0 '"runtime_version": "4"'
run export --as json nothing
verdict "an unknown one ends in 66" complained 66 "nothing"

# ---- release, events, watch ------------------------------------------------------
timeout 20 "$SERRY" watch --after 1.0 -o json >watched 2>watched.err &
watcher=$!
run release video --expect 1.1
verdict "another generation is not released" complained 4 "not 1.1"
run release video
verdict "a placement is released" ended_with 0 "released  video"
run release video
verdict "once" complained 66 "video"
run events
verdict "events are printed, the newest last" \
    sh -c 'tail -n 1 out | grep -q "released .*video"'
run events --limit 1 -o json
verdict "as many as are asked for" sh -c 'test "$(grep -c sequence out)" -eq 1'
verdict "as JSON" json
run events --limit x
verdict "a limit is a number" complained 64 "--limit"
run watch --after x
verdict "a position is a generation" complained 64 "EPOCH.REVISION"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q '"released"' watched && break
    sleep 0.1
done
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
cp watched out
verdict "watching sees them from a position on" \
    sh -c 'head -n 1 out | grep -q "placed.*video" && grep -q released out'
verdict "a line of JSON each" json lines

# ---- other programs' files ------------------------------------------------------
cat >weft.yaml <<'END'
runtime: weft
request: world
axes: [{name: lane}]
views: {all: [{copy: world / lane}, lane]}
rules: [{code: heads.uneven, refuse: heads % lane != 0}]
import: {fields: true, keys: {n_heads: heads}}
END
printf 'lane = 4\nn_heads = 8\nspeed = 3\n' >job.toml
run place --from weft -f job.toml --world 4
verdict "an import needs the runtime at the daemon" complained 66 "weft"
run apply --from weft -f weft.yaml -f job.toml --world 4
verdict "an import is declared and placed" ended_with 0 "placed    job at"
verdict "and what it did not read is said" grep -qF "not known here: speed" err
run explain heads.uneven
verdict "rules of the daemon's runtimes are explained" \
    ended_with 0 "a rule of weft"
verdict "with their numbers" grep -q '^ *heads % lane != 0: ' out
run explain heads.uneven --offline
verdict "which are not known without it" complained 66 "heads.uneven"
run explain heads.uneven --offline --address "$work/s"
verdict "nobody and the daemon exclude each other" complained 64 "--offline"
run mesh --runtime weft --world 4 --set lane=2
verdict "and drawn" ended_with 0 "lane groups  {0,1} {2,3}"
run mesh --runtime weft --world 4 --offline
verdict "nor drawn" complained 66 "weft"
run diff --from weft -f job.toml --world 4 --model job
verdict "it is in force like this" ended_with 0 "in force like this"
run diff --from weft -f job.toml --world 4 --model job -- --lane 2
verdict "a flag is a difference" ended_with 1 "lane"
run place --from weft -f job.toml --world 4 -- --n-heads 16
verdict "a model that is not declared is not placed" \
    test "$status" -eq 65 -a -n "$(grep 'serry apply' err)"
run place --from weft -f job.toml --world 4 --model job -- --lane 3
verdict "an import may be refused" ended_with 2 "8 % 3 = 2"
run check --from weft -f job.toml --world 4 --model job -o json
verdict "the daemon's verdict has what was not read" ended_with 0 '"not_read"'
run release job
verdict "it can be released" ended 0

# A user of no rights; only root can become it.
if [ "$(id -u)" -eq 0 ] && chmod 711 "$work" &&
    su -s /bin/sh nobody -c "test -x '$SERRY'" 2>/dev/null; then
    chmod 600 s
    status=0
    su -s /bin/sh nobody -c "'$SERRY' status --address '$work/s'" >out 2>err ||
        status=$?
    verdict "a socket of others ends in 77" complained 77 "not permitted"
    chmod 700 "$work"
else
    skip "no other user can run $SERRY"
fi

# ---- a rank with more than fits a line ---------------------------------------------
run place --from halo --world 8 -- --expert-parallel-size 8
run assignment halo --rank 3
verdict "a rank of many values has one on a line" \
    ended_with 0 "expert.dispatch  3"
verdict "which is narrow too" narrow

# ---- a new daemon on the old state ------------------------------------------------
run get placements
mv out before
daemon_end
daemon_begin
run get placements
verdict "placements outlive the daemon" cmp -s out before
daemon_end
verdict "it stops when told to" test ! -e "$work/s"
done_testing
