#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What users of Megatron-core, halo and torchtitan type, under the names it has
# there, is read as what it is, and is written like that again.
# shellcheck disable=SC2317 # verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

if [ -z "$python" ]; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
# Lines of a flag, its value in JSON, and where that stands in what is printed.
cat >reads.py <<'END'
import json, subprocess, sys

serry, framework, *more = sys.argv[1:]
flags, wanted = [], {}
for line in sys.stdin:
    flag, value, place = line.split()
    value = json.loads(value)
    words = [] if isinstance(value, bool) else value if isinstance(value, list) else [value]
    if value is False:
        flag = flag[:2] + "no-" + flag[2:]
    flags += [flag, *(str(w) for w in words)]
    part, _, key = place.rpartition(".")
    wanted.setdefault(part, {})[key] = value

def read(flags):
    done = subprocess.run([serry, "import", framework, "-o", "json", *more, "--", *flags],
                          text=True, capture_output=True)
    documents, rest, decoder = [], done.stdout.strip(), json.JSONDecoder()
    while rest:
        document, end = decoder.raw_decode(rest)
        documents.append(document)
        rest = rest[end:].strip()
    got = {"": {}}
    for document in documents:
        for key in "facts", "sizes", "options":
            got.update({key: document[key]} if key in document else {})
        got[""].update({k: v for k, v in document.items()
                        if k not in ("model", "deployment", "runtime", "facts", "sizes", "options")})
    return got, done.stderr, documents

got, said, documents = read(flags)
wanted.setdefault("", got[""])
bad = [f"{p}.{k}: {wanted.get(p, {}).get(k)} -> {got.get(p, {}).get(k)}"
       for p in {*wanted, *got} for k in {**wanted.get(p, {}), **got.get(p, {})}
       if wanted.get(p, {}).get(k) != got.get(p, {}).get(k)]
for p, part in wanted.items():
    for k, v in part.items():
        if type(v) is not type(got.get(p, {}).get(k)):
            bad.append(f"{p}.{k} has another type")
print(*bad, said, sep="\n# ")
sys.exit(bool(bad or said))
END
reads()
{
    "$python" reads.py "$SERRY" "$@" >out 2>err
}
# Whether nothing is said of any of these words.
says_nothing()
{
    framework=$1
    shift
    run import "$framework" --world 8 -- "$@"
    ended 0 && test ! -s err
}
# Whether each of these flags is said to be not read.
says()
{
    framework=$1
    unsaid=
    shift
    for flag; do
        run import "$framework" --world 8 -- "$flag" 2
        grep -qF "not known here: $flag" err || unsaid="$unsaid $flag"
    done
    echo "# unsaid:$unsaid"
    test -z "$unsaid"
}

# ---- Megatron-core ---------------------------------------------------------------
cat >flags <<'END'
--num-layers 12 facts.layers
--hidden-size 512 facts.hidden
--ffn-hidden-size 2048 facts.ffn
--num-attention-heads 8 facts.heads
--num-query-groups 2 facts.kv_heads
--kv-channels 64 facts.head_dim
--max-position-embeddings 4096 facts.context
--padded-vocab-size 1000 facts.vocab
--num-experts 16 facts.experts
--moe-ffn-hidden-size 256 facts.expert_ffn
--moe-router-topk 3 facts.experts_per_token
--multi-latent-attention true facts.mla
--pipeline-model-parallel-size 5 sizes.pp
--context-parallel-size 6 sizes.cp
--tensor-model-parallel-size 7 sizes.tp
--expert-model-parallel-size 9 sizes.ep
--expert-tensor-parallel-size 10 sizes.etp
--virtual-pipeline-model-parallel-size 11 options.virtual_pp
--num-distributed-optimizer-instances 13 options.optimizer_instances
--hierarchical-context-parallel-sizes [14,15] options.hierarchical_cp
--hybrid-context-parallel true options.hybrid_cp
--cp-comm-type "a2a" options.cp_comm_type
--use-tp-pp-dp-mapping true options.use_tp_pp_dp_mapping
--sequence-parallel false options.sequence_parallel
--global-batch-size 17 options.global_batch_size
--micro-batch-size 18 options.micro_batch_size
--pipeline-model-parallel-layout "Et|L" options.pipeline_model_parallel_layout
--decoder-first-pipeline-num-layers 19 options.decoder_first_pipeline_num_layers
--decoder-last-pipeline-num-layers 20 options.decoder_last_pipeline_num_layers
--account-for-embedding-in-pipeline-split true options.account_for_embedding_in_pipeline_split
--account-for-loss-in-pipeline-split true options.account_for_loss_in_pipeline_split
END
verdict "Megatron-core's flags are read" reads megatron --world 64 <flags
run import megatron -- --nproc_per_node 8 --nnodes 4
verdict "and its launcher's" ended_with 0 'world: 32'
run import megatron -- --devices 8 --num_nodes 4
verdict "and the trainer's of a recipe" ended_with 0 'world: 32'
run import megatron --world 8 -- --num-moe-experts 16
verdict "experts have two names" ended_with 0 'experts: 16'
printf 'model: {num_moe_experts: 4}\ntrainer: {devices: 8, num_nodes: 2}\n' >recipe.yaml
run import megatron recipe.yaml
verdict "a recipe has maps of its own" ended_with 0 'world: 16'
verdict "both of which are read" grep -q 'experts: 4' out
verdict "what is no matter of placement is passed over" says_nothing megatron \
    --bf16 --lr 1e-4 --train-iters 10 --seed 1 --use-flash-attn
verdict "what other ranks or shards come of is not" says megatron \
    --use-torch-fsdp2 --data-parallel-sharding-strategy --encoder-tensor-model-parallel-size \
    --pipeline-model-parallel-split-rank --inference-tensor-parallel-size

# ---- torchtitan ------------------------------------------------------------------
cat >flags <<'END'
--parallelism.pipeline_parallel_degree 2 sizes.pp
--parallelism.data_parallel_replicate_degree 3 sizes.dp_replicate
--parallelism.data_parallel_shard_degree -1 sizes.dp_shard
--parallelism.context_parallel_degree 4 sizes.cp
--parallelism.tensor_parallel_degree 5 sizes.tp
--parallelism.expert_parallel_degree 6 sizes.ep
--training.seq_len 128 options.seq_len
--training.local_batch_size 7 options.local_batch_size
--training.global_batch_size 8 options.global_batch_size
END
verdict "torchtitan's flags are read" reads torchtitan --world 64 <flags
run import torchtitan --world 8 -- --training.batch_size 9
verdict "and the older name of a batch" ended_with 0 'local_batch_size: 9'
run import torchtitan --world 8 -- --parallelism.expert_tensor_parallel_degree 2
verdict "what left it says which rules count" ended_with 0 'rules: etp-2026'
verdict "and is a size" grep -q 'etp: 2' out
run import torchtitan -- --nproc_per_node 8 --nnodes 4
verdict "and its launcher's" ended_with 0 'world: 32'
verdict "what is no matter of placement is passed over" says_nothing torchtitan \
    --training.steps 10 --optimizer.lr 1 --parallelism.fsdp_reshard_after_forward never \
    --experimental.custom_import net
verdict "what other ranks or shards come of is not" says torchtitan \
    --experimental.pipeline_parallel_degree --experimental.context_parallel_degree \
    --training.tensor_parallel_degree --training.data_parallel_shard_degree \
    --parallelism.pipeline_parallel_layers_per_stage
cat >old.toml <<'END'
[parallelism]
tensor_parallel_degree = 2
[experimental]
pipeline_parallel_degree = 4
END
run import torchtitan --world 8 old.toml
verdict "so it is in a file, where a size stood elsewhere once" \
    grep -qF 'experimental.pipeline_parallel_degree (the nearest is parallelism.' err

# ---- halo ------------------------------------------------------------------------
cat >flags <<'END'
--model_init_kwargs.moe_intermediate_size 2 facts.expert_ffn
--model_init_kwargs.intermediate_size 3 facts.ffn
--model_init_kwargs.num_hidden_layers 4 facts.layers
--model_init_kwargs.max_position_embeddings 5 facts.context
--model_init_kwargs.attn_implementation "eager" options.attn_implementation
--pipeline_parallel_size 6 sizes.pp
--expert_parallel_size 7 sizes.ep
--expert_tensor_parallel_size 8 sizes.etp
--context_parallel_size 9 sizes.cp
--tensor_parallel_size 10 sizes.tp
--pipeline_schedule "gpipe" options.pp_schedule
--pipeline_microbatches 11 options.pp_microbatches
--pipeline_split [12,13] options.pp_split
--use_hsdp true options.use_hsdp
--fsdp_reshard_after_forward true options.fsdp_reshard_after_forward
--fsdp_reshard_after_backward false options.fsdp_reshard_after_backward
--fsdp_defer_grad_sync true options.fsdp_defer_grad_sync
--fsdp_shard_ep1_experts false options.fsdp_shard_ep1_experts
--use_grouped_gemm false options.use_grouped_gemm
--ep_buffer_backend "legacy" options.ep_buffer_backend
--ep_scope "global" options.ep_scope
--lowp_precision "fp8" options.lowp_precision
--lowp_apply_dense_mlp false options.lowp_dense
--lowp_apply_moe_experts true options.lowp_moe
--lowp_keep_first_blocks 14 options.lowp_first
--lowp_keep_last_blocks 15 options.lowp_last
--fp32_non_ep_params true options.fp32_dense
--full_determinism true options.full_determinism
--expert_lora true options.expert_lora
--use_peft false options.lora
--load_in_4bit true options.qlora
--init_from_scratch true options.from_scratch
--max_concurrent_loading 16 options.max_load
--save_sharded_ep true options.save_sharded_ep
--load_best_model_at_end false options.load_best
--gpus_per_node 17 options.gpus_per_node
--nvlink_domain_size 18 options.nvlink_domain_size
--per_device_train_batch_size 19 options.batch
--per_device_eval_batch_size 20 options.eval_batch
--gradient_accumulation_steps 21 options.accum
--max_length 22 options.max_len
--gradient_checkpointing true options.gc
--eval_strategy "steps" options.eval_strategy
--packing true options.packing
--padding_free false options.padding_free
END
verdict "halo's flags are read" reads halo --world 64 <flags
run import halo --world 8 -- --pp_schedule gpipe --pp_microbatches 4 --pp_split 3 5
verdict "the pipeline's options have a second name" \
    ended_with 0 'pp_schedule: gpipe'
verdict "each of them" sh -c 'grep -qx "  pp_microbatches: 4" out &&
    grep -qF "pp_split: [3, 5]" out && test ! -s err'
run import halo -- --nproc_per_node 4 --nnodes 4
verdict "and its launcher's" ended_with 0 'world: 16'
verdict "which says how large a node is" grep -q 'gpus_per_node: 4' out
verdict "what is no matter of placement is passed over" says_nothing halo \
    --learning_rate 1 --bf16 --output_dir here --dataset_name some --eval_steps 4
verdict "what other ranks or shards come of is not" says halo \
    --data_parallel_size --fsdp --zero_stage

# ---- what is written is read back ------------------------------------------------
again() # RUNTIME WORLD JSON
{
    printf '{"deployment": "d", "runtime": "%s", "world": %s, %s}' "$@" >request.json
    run export --as "$1" -f request.json
    ended 0 && test -s out || return 1
    # shellcheck disable=SC2046 # flags
    run import "$1" --world "$2" --name d -o json -- $(cat out)
    ended 0 && test ! -s err && "$python" -c 'import json
assert json.load(open("out")) == json.load(open("request.json"))' 2>err
}
verdict "Megatron-core's are read back" again megatron 64 '"sizes": {"pp": 2, "cp": 2,
    "tp": 2, "ep": 4, "etp": 1}, "options": {"optimizer_instances": 2, "virtual_pp": 2,
    "hierarchical_cp": [2], "sequence_parallel": true, "use_tp_pp_dp_mapping": true,
    "global_batch_size": 64}'
verdict "torchtitan's are" again torchtitan 64 '"sizes": {"pp": 2, "dp_replicate": 2,
    "dp_shard": -1, "cp": 2, "tp": 2, "ep": 4}, "options": {"seq_len": 4096,
    "local_batch_size": 2, "global_batch_size": 64}'
verdict "also of the time before etp left" again torchtitan 64 '"sizes": {"tp": 2,
    "ep": 4, "etp": 2}, "options": {"rules": "etp-2026"}'
verdict "halo's are" again halo 64 '"sizes": {"ep": 8}, "options": {"lowp_dense": false,
    "full_determinism": true, "batch": 2, "accum": 3, "max_len": 1024, "gpus_per_node": 8}'

# ---- mstar -----------------------------------------------------------------------
run import mstar accepted.yaml -o json
verdict "what has node groups is the request as it stands" \
    "$python" -c 'import json; d = json.load(open("out")); g = d["node_groups"]
assert d["runtime"] == "mstar" and d["model"] == "wan22" and d["max_seq_len"] == 512
assert g[0] == {"node_names": ["dit"], "ranks": [0, 1], "cfg_size": 2} and len(g) == 2'
verdict "all of it was read" test ! -s err

done_testing
