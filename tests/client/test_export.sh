#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry export: every format is read back, and says what was exported.
# shellcheck disable=SC2317 # verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

cat >tiles.yaml <<'END_YAML'
runtime: tiles
version: 2
axes:
  - {name: a, field: outer_parallel_size}
  - {name: b, field: inner_parallel_size, fill: 'world / (2 * a)', fill_on: -1}
options:
  order: {type: string, default: b-a-c}
  fast: {type: bool, default: false}
  safe: {type: bool, default: true}
  parts: {type: list, field: part_sizes}
  note: {type: string}
carry: {steps: {type: int}}
views: {all: {axes: [a, b, {c: world / (a * b)}], order: order, outermost: last}}
groups: {ends: {of: all.c, take: [first, last]}, part: {of: all.a+b, levels: '[4, 2]'}}
rules: [{check: world}, {check: sizes, except: [b]}, {check: product}, {code: a.large, refuse: a > 4, because: four are the most}]
create: [{list: all.b}, {list: all.a+c}]
END_YAML
cat >tiled.yaml <<'END_YAML'
deployment: tiled
runtime: tiles
world: 16
steps: 7
sizes: {a: 2, b: -1}
options: {order: C-a-b, fast: true, safe: false, parts: [1, 2], note: "it's so"}
END_YAML
written() # FORMAT ARGUMENT...
{
    as=$1
    shift
    run export --as "$as" -f tiles.yaml -f tiled.yaml "$@"
}

# ---- hostfile and rankfile -------------------------------------------------------
# A line "RANK HOST SLOT" for each rank, of either file.
read_hostfile()
{
    awk '/^#/ { next }
         { split($2, s, "="); for (i = 0; i < s[2]; i++) print n++, $1, i }'
}
read_rankfile()
{
    awk '/^#/ { next } { split($2, r, "="); split($3, s, "=");
         print r[1], r[2], s[2] }'
}
count_hosts() # N HOST:SLOTS...: what is to be read
{
    left=$1
    rank=0
    shift
    for host; do
        slot=0
        while [ "$slot" -lt "${host#*:}" ] && [ "$left" -gt 0 ]; do
            echo "$rank ${host%:*} $slot"
            slot=$((slot + 1)) rank=$((rank + 1)) left=$((left - 1))
        done
    done
}
count_hosts 16 n1:8 n2:4 n3:8 >wanted
read_back() # READER
{
    ended 0 && "$1" <out >got && cmp -s wanted got
}
written hostfile --hosts n1,n2:4,n3,n4 --gpus-per-node 8
verdict "a hostfile is read back" read_back read_hostfile
verdict "it says what it is of" grep -q '^# tiled: 16 ranks under tiles$' out
written rankfile --hosts n1,n2:4,n3,n4 --gpus-per-node 8
verdict "a rankfile is read back" read_back read_rankfile
read_slurm()
{
    awk '{ print n++, $1, i[$1]++ + 0 }'
}
read_ray()
{
    sed -n 's/^ *"node:\([^"]*\)": 0.001$/\1/p' | read_slurm
}
written slurm-hostfile --hosts n1,n2:4,n3,n4 --gpus-per-node 8
verdict "a hostfile of Slurm is read back" read_back read_slurm
written ray --hosts n1,n2:4,n3,n4 --gpus-per-node 8
verdict "bundles for Ray are read back" read_back read_ray
verdict "they are JSON" json whole
verdict "one for each rank" test "$(grep -c '"GPU": 1' out)" = 16
verdict "beside them stands which host each is on" test \
    "$(sed -n '/"hosts"/,$p' out | tr -d ' \n')" = \
    '"hosts":["n1","n1","n1","n1","n1","n1","n1","n1","n2","n2","n2","n2","n3","n3","n3","n3"]}'
cat >hosts <<'END_HOSTS'
# racks
n1 slots=8
n2   slots=4 max_slots=8   # small
n3:8

n4 slots=1
END_HOSTS
written hostfile --hosts hosts
verdict "a file of hosts is read" read_back read_hostfile
cp out again
written hostfile --hosts ./again
verdict "a hostfile may be what hosts are read from" cmp -s out again
written rankfile --hosts hosts
verdict "for a rankfile too" read_back read_rankfile

# ---- torchrun --------------------------------------------------------------------
read_torchrun()
{
    awk '/^#/ { next }
         {
             for (i = 2; i <= NF; i++) {
                 split(substr($i, 3), o, "=")
                 v[o[1]] = o[2]
             }
             if ($1 != "torchrun" || v["node-rank"] != nodes || v["nnodes"] != 3 ||
                 v["master-addr"] != "n1" || v["master-port"] != port)
                 exit 1
             for (i = 0; i < v["nproc-per-node"]; i++)
                 print n++, "n" (nodes + 1), i
             nodes++
         }
         END { exit nodes != 3 }' port="${port-29500}"
}
written torchrun --hosts hosts
verdict "torchrun commands are read back" read_back read_torchrun
port=1234
written torchrun --hosts hosts --port 1234
verdict "with another port" read_back read_torchrun

# ---- flags -----------------------------------------------------------------------
# The request that flags are: fields are sizes, the rest options.
read_flags()
{
    awk '
    function put(name, value) {
        if (name == "outer_parallel_size") sizes = sizes ", a: " value
        else if (name == "inner_parallel_size") sizes = sizes ", b: " value
        else if (name == "steps") print "steps: " value
        else options = options ", " name ": " value
    }
    BEGIN { print "deployment: tiled\nruntime: tiles\nworld: 16" }
    {
        name = $1
        sub(/^--/, "", name)
        truth = "true"
        if (sub(/^no-/, "", name)) truth = "false"
        gsub(/-/, "_", name)
        value = substr($0, length($1) + 2)
        if (name == "part_sizes") { name = "parts"; gsub(/ /, ", ", value); value = "[" value "]" }
        if (name == "note") { gsub(/\047\\\047\047/, "\047\047", value) }
        put(name, value == "" ? truth : value)
    }
    END { print "sizes: {" substr(sizes, 3) "}\noptions: {" substr(options, 3) "}" }'
}
everything="--lists all.a,all.b,all.c,ends,part0,part1 --per-rank --creation"
same_verdict() # FILE: as the request that was exported
{
    # shellcheck disable=SC2086 # options
    run check -f tiles.yaml -f tiled.yaml -o json $everything
    mv out wanted
    # shellcheck disable=SC2086
    run check -f tiles.yaml -f "$1" -o json $everything
    ended 0 && cmp -s wanted out
}
written flags
verdict "flags have the names that users type" \
    ended_with 0 "--outer-parallel-size 2"
verdict "true is a switch, false none" sh -c \
    'grep -qx -- --fast out && grep -qx -- --no-safe out'
read_flags <out >back.yaml
verdict "flags are read back" same_verdict back.yaml
written flags
cp out flags
written tiles
verdict "a runtime's name stands for its flags" cmp -s out flags
sed 's/^rules:/import: {fields: par, keys: {run.world: world, how: {to: order, values: {turned: C-a-b}}}}\n&/' \
    tiles.yaml >imported.yaml
run export --as flags -f imported.yaml -f tiled.yaml
if ended 0; then
    verdict "an import names its own keys" \
        sh -c 'grep -qx -- "--how turned" out && grep -qx -- "--run.world 16" out'
    verdict "and the map that fields stand in" \
        grep -qx -- '--par.outer_parallel_size 2' out
else
    verdict "a runtime without imports says so" complained 65 import
fi
run export --as mstar -f accepted.yaml
verdict "what has node groups reads its own requests" cmp -s out accepted.yaml
sed 's/so"/so\\n"/' tiled.yaml >control.yaml
run export --as flags -f tiles.yaml -f control.yaml
verdict "a flag has no control characters" complained 65 "control"

# A shipped runtime.
cat >decoder.yaml <<'END_YAML'
deployment: pretraining
runtime: megatron
world: 32
sizes: {tp: 2, pp: 2, cp: 2, ep: 4, etp: 1}
options: {virtual_pp: 2, sequence_parallel: true, order: tp-cp-ep-dp-pp}
END_YAML
cat >wanted <<'END_FLAGS'
--context-parallel-size 2
--expert-model-parallel-size 4
--expert-tensor-parallel-size 1
--order tp-cp-ep-dp-pp
--pipeline-model-parallel-size 2
--sequence-parallel
--tensor-model-parallel-size 2
--virtual-pipeline-model-parallel-size 2
END_FLAGS
run export --as megatron -f decoder.yaml
sort out >got
verdict "a request under a shipped runtime has its framework's flags" \
    cmp -s wanted got
printf 'deployment: plain\nruntime: megatron\nworld: 4\n' >plain.yaml
run export --as megatron -f plain.yaml
verdict "what leaves all at its default has no flags, and says so" sh -c \
    'test ! -s out && grep -q "^serry: plain sets no size .* its defaults$" err'
verdict "and is exported all the same" ended 0
run export --as rankfile -f decoder.yaml --hosts a:16,b:16
verdict "and its ranks are on hosts" ended_with 0 "rank 31=b slot=15"

# ---- json ------------------------------------------------------------------------
written json
verdict "everything is JSON" json
cp out all.json
if [ -n "$python" ]; then
    cat >read_json.py <<'END_PYTHON'
import json, sys
all = json.load(open("all.json"))
json.dump(all["request"], open("back.json", "w"))
told = json.load(open(sys.argv[1])) if len(sys.argv) > 1 else None
if told:
    views = {v["name"]: [(a["axis"], a["size"]) for a in v["axes"]] for v in all["views"]}
    ok = all["ranks"] == 16 and views == {"all": [("b", 4), ("a", 2), ("c", 2)]}
    ok = ok and all["runtime_version"] == "2" and all["name"] == "tiled"
    for key in "lists", "per_rank", "creation", "digests", "derived", "node_groups":
        ok = ok and all[key] == told[key]
    sys.exit(not ok)
END_PYTHON
    "$python" read_json.py
    verdict "the request in it is read back" same_verdict back.json
    verdict "and so is all that follows from it" \
        "$python" read_json.py wanted
else
    skip "no reader of JSON"
    skip "no reader of JSON"
fi
written json -o yaml
verdict "or YAML" ended_with 0 "runtime_version: '2'"

# ---- refusals --------------------------------------------------------------------
sed 's/a: 2/a: 8/' tiled.yaml >large.yaml
run export --as json -f tiles.yaml -f large.yaml
verdict "what is refused is not exported" complained 2 "a.large: four are the most"
written hostfile
verdict "hosts must be named" complained 65 "--hosts"
written hostfile --hosts n1,n2
verdict "and what they take" complained 65 "--gpus-per-node"
written hostfile --hosts n1:8,n2:7
verdict "they must suffice" complained 3 "16 ranks do not fit on 2 hosts with room for 15"
written hostfile --hosts n1:8,n1:8
verdict "each stands once" complained 65 "twice"
# shellcheck disable=SC2016 # is to stay
for name in 'n1;ls:8' '$(ls):8' '-x:16' 'n1 n2:16'; do
    written torchrun --hosts "$name"
    verdict "\"$name\" is no host" ended 65
done
written hostfile --hosts ./nothing
verdict "a file that is not there ends in 66" complained 66 "nothing"
written hostfile --hosts /dev/null
verdict "a device is no file of hosts" complained 65 "/dev/null"
written hostfile --hosts n1:0
verdict "a host takes a rank at least" complained 65 "n1"
written torchrun --hosts n1:16 --port 70000
verdict "a port is a port" complained 65 "--port"
printf 'offset: "8"\n' | cat tiles.yaml - >offset.yaml
run export --as hostfile -f offset.yaml -f tiled.yaml --hosts n1:32
verdict "launchers number ranks from 0 on" complained 65 "rank 0 of 24"
written nothing
verdict "an unknown format ends in 66" complained 66 "tiles"
run export -f tiles.yaml -f tiled.yaml
verdict "the format must be said" complained 64 "--as"
written flags -o json
verdict "a format of its own has no other" complained 64 "--output"
run export --as json
verdict "it must be said what" complained 64 "NAME"
run export --as json name --offline
verdict "a placement is at a daemon" complained 64 "daemon"
run export --as json -f tiles.yaml
verdict "a declaration is not exported" complained 65 "no document is a deployment"
run export --as json -f tiles.yaml -f tiled.yaml -f large.yaml
verdict "nor are two requests" complained 65 "one is exported at a time"

done_testing
