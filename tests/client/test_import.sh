#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry import and --from: other programs' files and flags as requests.
. "${srcdir:-.}/tests/client/lib.sh"

# weft: a trainer whose file has sections; its flags have the same names.
mkdir -p share/runtimes share/models
cat >share/runtimes/weft.yaml <<'END'
runtime: weft
version: 1
request: world
axes:
  - {name: pp, field: stages}
  - {name: shard, field: shards, default: -1, fill: 'div(world, pp * lane)', fill_on: -1}
  - {name: lane, field: lanes}
options:
  kind: {type: string, default: flat, one_of: [flat, round]}
  batch: {type: int, default: 0}
  fused: {type: bool, default: false}
  per_node: {type: int, default: 8}
  split: {type: list, default: []}
  rate: {type: number, default: 0}
facts: {knots: int}
carry: {note: {type: string}}
views: {all: [pp, shard, lane]}
rules:
  - {check: model}
  - {code: heads.uneven, refuse: heads % lane != 0}
  - {code: kv.uneven, refuse: kv_heads % lane != 0}
  - {code: batch.odd, refuse: batch % 2 != 0}
  - {code: split.wrong, refuse: 'size(split) > 0 && sum(split) != layers'}
  - {check: product}
import:
  inside: [ARGS]
  fields: parallel
  keys:
    stages: pp
    lane-size: lane
    n_heads: heads
    n-kv-heads: kv_heads
    depth: layers
    n_knots: knots
    batch: batch
    split: split
    rate: rate
    note: note
    fused: fused
    round: {to: kind, values: {true: round, false: null}}
    shape: {to: kind, values: {disc: round, plane: flat}}
    spun: {to: kind, values: {never: null, '*': round}}
    nproc: [world_part, per_node]
    nnodes: world_part
    ranks: world
    old-size: {not_read: it left weft long ago}
    net: model
  ignore: [optimizer, lr*, job.name]
  same: {kv_heads: heads}
END
cat >share/models/loom.yaml <<'END'
model: loom
facts: {heads: 12, kv_heads: 12, layers: 4}
END
cat >job.toml <<'END'
# a comment
net = "weavers/loom"
[parallel]
lanes = 4 # four
shards = -1
[optimizer]
name = "sgd"
lr = 8e-4
[extra]
things = [1, 2]
END
cat >job.yaml <<'END'
ENVIRONMENT: {DEBUG: 1}
ARGS:
  --lane-size: 2
  --stages: 2
  --n-heads: 8
  --depth: 4
  --round: true
  --batch: '32'
  --lr: 1.0e-3
END
printf '{"parallel": {"lanes": 2, "stages": null}, "lr": 1, "batch": 3}' >job.json
SERRIED_SHARE=$PWD/share
export SERRIED_SHARE

# holds EXPRESSION: about the JSON of the output, as d.
holds()
{
    test -n "$python" || return 0
    "$python" -c '
import json, sys
d = json.load(sys.stdin)
sys.exit(not eval("(" + sys.argv[1] + ")"))
' "$1" <out 2>>err
}

# ---- a file
run check --from weft -f job.toml --world 16
verdict "a TOML file is a request" ended_with 0 "accepted  job under weft"
verdict "its sizes are read" grep -qF "shard 3" out
verdict "what is not known is said" grep -qF "not known here: extra.things" err
verdict "what says nothing is passed over" test "$(wc -l <err)" -eq 1
run check --from weft -f job.toml --world 16 -o json
verdict "for programs, it is in the answer" \
    holds 'd["not_read"] == [{"key": "extra.things", "kind": "unknown",
        "reason": "weft is not told what it means"}]'
verdict "and not on standard error" test ! -s err
run check --from weft -f job.toml --world 16 -o json -- --lanes 8
verdict "an unknown flag is said with the nearest" \
    holds 'd["not_read"][1]["key"] == "--lanes" and
        d["not_read"][1]["nearest"] == "--parallel.lanes"'
run check --from weft -f job.toml --world 10
verdict "the rules are those of the runtime" ended_with 2 "refused   job under weft"
sed 's/^lanes.*/lanes = 8/' job.toml >eight.toml
run check --from weft -f eight.toml --world 16
verdict "the model that a file names is known by its last part" \
    ended_with 2 "12 % 8 = 4"
run check --from weft -f job.yaml --world 8 -o json
verdict "keys may stand in a map and have dashes" \
    holds 'd["verdict"] == "accept" and d["derived"]["shard"] == 2 and
        [n["key"] for n in d["not_read"]] == ["ENVIRONMENT.DEBUG"]'
run check --from weft -f job.json --world 8 -o json
verdict "a JSON file is a request" \
    holds 'd["verdict"] == "refuse" and
        d["findings"][0]["equation"] == "batch % 2 != 0: 3 % 2 = 1"'
run check --from weft job.toml job.yaml --world 16 -o json
verdict "each file is a request of its own" test "$(wc -l <out)" -eq 2

# ---- flags
run check --from weft -o json -- --nproc 4 --nnodes=2 --lane-size 4 --n-heads 6
verdict "flags are a request" holds 'd["findings"][0]["code"] == "heads.uneven"'
verdict "a fact of the same is filled in" \
    holds 'd["findings"][1]["equation"] == "kv_heads % lane != 0: 6 % 4 = 2"'
run import weft job.yaml --world 8 -- --lane_size 4 --batch 6 --no-round --fused \
    --split 1 1 2 --rate -0.5 --note 7
verdict "import prints the model and the request" ended_with 0 "world: 8"
verdict "flags count before the file" grep -qx "  lane: 4" out
verdict "of what both say the flag's is read" grep -qx "# lane: --lane_size" out
verdict "a switch can be turned off" test "$(grep -c 'kind' out)" -eq 0
verdict "a switch needs no value" grep -qx "  fused: true" out
verdict "a list takes several words" grep -qx "  split: \[1, 1, 2\]" out
verdict "a negative number is no flag" grep -qx "  rate: -0.5" out
verdict "a string stays one" grep -qx "note: '7'" out
verdict "a fact of the same is said" grep -qx "# kv_heads: n-heads" out
cp out printed.yaml
run check -f printed.yaml
verdict "what import prints can be checked" ended_with 0 "accepted  job under weft"
run import weft -o json -- --ranks 4 --shape disc --nproc 2
verdict "words are translated" holds 'd["options"]["kind"] == "round"'
run import weft -o json --world 1 -- --spun 3
verdict "one may stand for all others" holds 'd["options"]["kind"] == "round"'
run import weft -o json --world 1 -- --spun 3 --spun never
verdict "or for nothing" holds '"options" not in d'
run import weft -o json -- --ranks 4 --nproc 2
verdict "a key may stand for several things" \
    holds 'd["options"]["per_node"] == 2 and d["world"] == 4'
run import weft -o json --world 2 -- --lane-size 2 --lane-size 1 --fused false --batch 4
verdict "a later flag counts before an earlier one" \
    holds 'd["sizes"]["lane"] == 1 and d["options"] == {"fused": False, "batch": 4}'
run check --from weft --world 4 -- launch weft.py --fused train --old-size 3 \
    --shape cube --batch many
verdict "words behind no flag are said" \
    grep -qF "words behind no flag: launch, weft.py, train" err
verdict "so is why a known key is not read" \
    grep -qF -- "--old-size (it left weft long ago)" err
verdict "so are values that do not fit" \
    grep -qF -- '--batch (batch must be integer, not "many")' err
verdict "and words that have no meaning" grep -qF '"cube"' err
verdict "one line each" test "$(wc -l <err)" -eq 3

# ---- mistakes
run check --from weft -- --lane-size auto --world 4
verdict "a size that cannot be read is an error" complained 65 '"auto"'
run check --from weft -- --lane-size --nproc 4
verdict "so is a size without a value" complained 65 "--lane-size"
run check --from weft -f job.yaml
verdict "the ranks are required" complained 65 "--nproc or --nnodes"
run check --from weft -- --nproc 4611686018427387904 --nnodes 4
verdict "too many ranks are none" complained 65 "the number of ranks is missing"
run check --from weft -f job.yaml --world 0
verdict "a world of none is refused" complained 65 "--world 0"
run check --from weft -f job.yaml --world 8x
verdict "a world must be a number" complained 65 "--world 8x"
run check --from woof -f job.yaml --world 8
verdict "a runtime must be known" complained 66 "woof"
run check --from weft -f job.yaml --world 8 --model lom
verdict "a model must be declared" complained 66 "loom"
run check --from weft
verdict "something to read is required" complained 64 "-f FILE or -- FLAG"
run check -f accepted.yaml --world 8
verdict "--world is for imports" complained 64 "--from"
run check -f job.toml
verdict "TOML is the file of some framework" complained 65 "--from RUNTIME"
run check --batch --from weft
verdict "a batch has no imports" complained 64 "--from"
printf -- '- 1\n' >list.yaml
run check --from weft -f list.yaml --world 8
verdict "a list is no file of settings" complained 65 "expected a map"
printf 'a = 1\n[a]\n' >twice.toml
run check --from weft -f twice.toml --world 8
verdict "TOML has lines and columns" complained 65 "twice.toml: line 2, column 3"
awk 'BEGIN { for (i = 0; i < 70000; i++) print "k" i ": 1" }' >many.yaml
run check --from weft -f many.yaml --world 8
verdict "too many settings are refused" complained 65 "65536"

# ---- models
run import weft job.toml --world 8 -o json
verdict "a declared model is named" holds 'd["model"] == "loom"'
run import weft job.toml --world 8 --model loom -o json -- --n-heads 12 --depth 4
verdict "facts that a model has need no other" holds 'd["model"] == "loom"'
run import weft job.toml --world 8 --model loom -- --n-heads 16
verdict "other facts make a model of their own" grep -qx "model: job" out
verdict "with the facts that stay" grep -qx "  layers: 4" out
sed 's/loom/woolly/' job.toml >unknown.toml
run check --from weft -f unknown.toml --world 8 -o json
verdict "an undeclared model is said" \
    holds '[n for n in d["not_read"] if n["kind"] == "model"]'
verdict "and what needs it is unchecked" \
    holds 'd["unchecked"][0]["needs"] == ["model.heads"]'
run check --from weft -f unknown.toml --world 8 --strict
verdict "or refused by the strict" ended 2

# ---- declarations beside them
sed 's/weft/web/' share/runtimes/weft.yaml >web.yaml
run check --from web -f job.yaml web.yaml --world 8
verdict "a runtime may come along" ended_with 0 "under web"
run check --from mstar -f accepted.yaml
verdict "a file of node groups is the request" ended_with 0 "video under mstar"
run check --from mstar -f accepted.yaml --world 2
verdict "which has no --world" complained 65 "mstar"
cat >share/runtimes/bare.yaml <<'END'
runtime: bare
request: world
axes: [{name: a}]
END
run check --from bare -f job.yaml --world 8
verdict "a runtime without import takes no files" complained 65 "no import"
rm share/runtimes/bare.yaml

# ---- config.json of a model hub
mkdir -p nets/Felt-9B
cat >nets/Felt-9B/config.json <<'END'
{"architectures": ["Felt"], "model_type": "felt", "hidden_size": 1024,
 "num_attention_heads": 16, "num_key_value_heads": 4, "num_hidden_layers": 12,
 "intermediate_size": 4096, "vocab_size": 32000, "max_position_embeddings": 8192,
 "sliding_window": 512, "rope_theta": 10000.0, "tie_word_embeddings": true}
END
run import hf nets/Felt-9B/config.json -o json
verdict "a config is a model" holds 'd == {"model": "Felt-9B", "facts": {
    "layers": 12, "hidden": 1024, "heads": 16, "kv_heads": 4, "vocab": 32000,
    "context": 8192, "head_dim": 64, "ffn": 4096, "mla": False}}'
verdict "what no fact stands for is said" grep -q "not known here: sliding_window$" err
run import hf nets/Felt-9B/config.json --name felt
verdict "it can be called otherwise" grep -qx "model: felt" out
verdict "what was read from where is said" \
    grep -qx "# kv_heads: num_key_value_heads" out
cp out felt.yaml
run check -f felt.yaml --from weft --model felt --world 8 -- --lane-size 8
verdict "the model can be used" ended_with 2 "4 % 8 = 4"
cat >omni.json <<'END'
{"model_type": "omni", "vision_config": {"hidden_size": 7, "num_heads": 7},
 "thinker_config": {"text_config": {"hidden_size": 64, "num_attention_heads": 8,
  "num_hidden_layers": 2, "n_routed_experts": 6, "moe_intermediate_size": 96,
  "intermediate_size": 256, "num_experts_per_tok": 2, "kv_lora_rank": 16,
  "first_k_dense_replace": 1,
  "num_key_value_heads": null, "vocab_size": 100,
  "layer_types": ["linear_attention", "full_attention"]}}}
END
run import hf omni.json -o json
verdict "the text model of several is read" \
    holds 'd["facts"] == {"layers": 2, "hidden": 64, "heads": 8, "vocab": 100,
        "kv_heads": 8, "experts": 6, "experts_per_token": 2, "expert_ffn": 96,
        "ffn": 256, "mla": True, "linear_attention": True,
        "first_dense_layers": 1}'
verdict "facts that no key says are named" grep -qF "context (no key says it)" err
cat >older.json <<'END'
{"d_model": 64, "n_heads": 8, "n_layers": 2, "attn_config": {"kv_n_heads": 2},
 "ffn_config": {"moe_num_experts": 4, "moe_top_k": 2, "ffn_hidden_size": 128},
 "max_seq_len": 2048, "vocab_size": 9}
END
run import hf older.json -o json
verdict "older spellings are read, in maps too" \
    holds 'd["facts"]["kv_heads"] == 2 and d["facts"]["experts"] == 4 and
        d["facts"]["expert_ffn"] == 128 and d["facts"]["context"] == 2048'
printf '{"hidden_size": 8, "num_attention_heads": [4, 2], "num_local_experts": 2,
 "intermediate_size": 5}' >listed.json
run import hf listed.json -o json
verdict "heads by layer are a list" holds 'd["facts"]["heads"] == [4, 2]'
verdict "experts without a width of their own have the layer's" \
    holds 'd["facts"]["expert_ffn"] == 5 and "ffn" not in d["facts"]'
printf '{"hidden_size": 8, "num_local_experts": 2, "first_k_dense_replace": 0}' \
    >sparse.json
run import hf sparse.json -o json
verdict "no dense layer in front is a number of them" \
    holds 'd["facts"]["first_dense_layers"] == 0'
verdict "and was read" sh -c '! grep -q first_k_dense_replace err'
printf '{"hidden_size": 8, "first_k_dense_replace": 3}' >dense.json
run import hf dense.json -o json
verdict "where no layer has experts it says nothing" \
    holds '"first_dense_layers" not in d["facts"]'
printf '{"_name_or_path": "felt/small", "hidden_size": 8}' >config.json
run import hf config.json
verdict "a config in no folder says its name" grep -qx "model: small" out
printf '{"hidden_size": 8}' >config.json
run import hf config.json
verdict "or has none" complained 65 "--name"
printf '{"image_size": 8}' >picture.json
run import hf picture.json
verdict "a config of something else is refused" complained 65 "text model"
printf '[1]' >list.json
run import hf list.json
verdict "a list is no config" complained 65 "expected a map"
run import hf
verdict "a config is required" complained 64 "FILE"
run import hf omni.json -- --x
verdict "a config has no flags" complained 64 "no flags"
run import
verdict "a format is required" complained 64 "missing"
run import weaft job.toml
verdict "a format must be known" complained 66 "weft"
run import weft job.toml --name x --world 4
verdict "requests are called otherwise too" ended_with 0 "deployment: x"
run check --from weft -f job.toml --name x --world 4
verdict "also when they are checked at once" grep -q " x under weft" out
run import weft job.toml job.toml --name x --world 4
verdict "but one name is for one of them" complained 64 "--name"

# ---- names of the runtime, which are not the framework's
run check --from megatron --world 8 -- --tp 2
verdict "a runtime's own name for a size leads to the framework's" \
    grep -qF -- "--tp (the nearest is --tensor-model-parallel-size)" err
run check --from megatron --world 8 -- --tensor_model_paralel_size 2
verdict "with underscores where the flag has them" \
    grep -qF -- "(the nearest is --tensor_model_parallel_size)" err

# ---- clusters
printf 'left slots=4\nright slots=4\n' >hosts.txt
run import hostfile hosts.txt -o json
verdict "a hostfile is a cluster" \
    holds 'd == {"hosts": [{"name": "left", "devices": 4},
        {"name": "right", "devices": 4}]}'
verdict "whose order is kept, which is said" \
    grep -qFx "serry: hosts.txt: the order is kept: hosts stand as they are listed" err
printf 'b slots=2\na slots=4\nb slots=2\n' >back.txt
run import hostfile back.txt -o json
verdict "a host that is listed again is one" \
    holds '[(h["name"], h["devices"]) for h in d["hosts"]] == [("b", 4), ("a", 4)]'
verdict "which keeps no order, and that is said" \
    grep -q "order is not kept: as they are listed, b comes again behind a" err
printf 'rank 2=a slot=0\nrank 0=b slot=0\nrank 1=b slot=1\n' >ranks.txt
run import rankfile ranks.txt -o json
verdict "a rankfile's order is that of ranks, not of lines" \
    holds '[h["name"] for h in d["hosts"]] == ["b", "a"]'
verdict "which is said too" grep -q "order is kept: hosts stand by their ranks" err
printf 'rank 0=a slot=0\nrank 1=b slot=0\nrank 2=a slot=1\n' >ranks.txt
run import rankfile ranks.txt -o json
verdict "ranks that go back to a host are told" \
    grep -q "order is not kept: by their ranks, a comes again behind b" err
printf 'GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X NV4 0-3 0\nGPU1 NV4 X 0-3 0\n' \
    >box.txt
printf 'index, uuid, memory.total [MiB]\n0, GPU-a, 10 MiB\n1, GPU-b, 10 MiB\n' \
    >box-query.csv
run import nvidia-smi box.txt -o json
verdict "devices are of the host that the file is called like" \
    holds 'd["hosts"][0]["name"] == "box"'
run import nvidia-smi --name b7 box.txt box-query.csv -o json
verdict "two files of one host are united" \
    holds 'd["hosts"] == [{"name": "b7", "devices": [
        {"index": 0, "numa": 0, "domain": "b7/0", "uuid": "GPU-a", "memory_mib": 10},
        {"index": 1, "numa": 0, "domain": "b7/0", "uuid": "GPU-b", "memory_mib": 10}]}]'
fabric() # HOST CLUSTER CLIQUE...: a device of each pair
{
    echo "index, uuid, fabric.clusterUuid, fabric.cliqueId" >"$1.csv"
    n=0
    host=$1
    shift
    while [ $# -gt 0 ]; do
        echo "$n, GPU-$host-$n, $1, $2" >>"$host.csv"
        n=$((n + 1))
        shift 2
    done
}
fabric tray1 c0ffee-1 7 c0ffee-1 7
fabric tray2 c0ffee-1 7 c0ffee-1 8
fabric tray3 0000-00 0 '[N/A]' '[N/A]'
run import nvidia-smi tray1.csv tray2.csv -o json
verdict "devices of one cluster and clique are one domain, across hosts" \
    holds '[[x["domain"] for x in h["devices"]] for h in d["hosts"]] ==
        [["c0ffee-1.7", "c0ffee-1.7"], ["c0ffee-1.7", "c0ffee-1.8"]]'
verdict "which leaves nothing open" test ! -s err
run import nvidia-smi tray3.csv -o json
verdict "devices of no fabric have no domain" \
    holds 'not any("domain" in x for x in d["hosts"][0]["devices"])'
verdict "which is said" grep -q "2 of 2 devices are in no fabric" err
sed 's/, fabric.cliqueId//; s/, 7$//' tray1.csv >half.csv
run import nvidia-smi half.csv -o json
verdict "a cluster without cliques is not a domain" \
    holds 'not any("domain" in x for x in d["hosts"][0]["devices"])'
verdict "and what is to be asked for is said" grep -q "fabric.cliqueId" err
printf 'BlockName=k Nodes=left,right\n' >topology.conf
run_with topology.conf import slurm - -o json
verdict "standard input is read" holds 'd["hosts"][1]["block"] == "k"'
verdict "what it leaves open is said" grep -qF "NVLink domain" err
printf 'NodeName=quiet Gres=gpu:2\n' >nodes.txt
run import slurm nodes.txt -o json
verdict "a node that does not say its state is taken as ready" \
    holds 'd["hosts"] == [{"name": "quiet", "devices": 2}]'
verdict "and that is said" grep -qF "quiet has no State=" err
printf 'NodeName=n Gres=gpu:1,disk:99999999999 State=IDLE\n' >nodes.txt
run import slurm nodes.txt
verdict "a count that is too large is no type" \
    grep -qF "the count of disk is not read: 99999999999" err
run import slurm topology.conf
verdict "for people it is YAML" grep -qFx -e "- name: left" out
run import rankfile hosts.txt
verdict "what is of another format is refused with its line" \
    complained 65 "hosts.txt: line 1"
printf '{"zero_optimization": {"stage": 2}, "steps_per_print": 1}' >other.json
run import megatron --world 8 other.json
verdict "a file that says nothing to the framework is refused" \
    complained 65 "none of its keys says anything to megatron"
printf '[job]\ndescription = "all as it comes"\n' >plain.toml
run import torchtitan --world 8 plain.toml
verdict "one that leaves all at its default is not" ended_with 0 "world: 8"
run import slrum topology.conf
verdict "an unknown format ends in 66 with the nearest" complained 66 "is slurm"
run import slurm nowhere
verdict "a file must be there" complained 66 "nowhere"
run import flux
verdict "a file is required" complained 64 "FILE"
run import flux hosts.txt -- --x
verdict "a cluster has no flags" complained 64 "no flags"
run import hostfile hosts.txt --world 8
verdict "a cluster has no world" complained 64 "--world"

done_testing
