# SPDX-License-Identifier: Apache-2.0
"""Samples of Megatron-core, PithTrain and torchtitan: one world of ranks, sizes
of the axes, and the lists of every view."""
from samples_compare import check, same

AXES = {
    "megatron": same("tp", "pp", "cp", "ep", "etp", "gtp_remat",
                     "expert_gtp_remat"),
    "pithtrain": same("pp", "cp", "ep"),
    "torchtitan": same("dp_replicate", "dp_shard", "cp", "tp", "pp", "ep",
                       "etp"),
}
OPTIONS = {
    "megatron": same("order", "optimizer_instances", "hierarchical_cp",
                     "hybrid_cp", "rank_offset", "virtual_pp"),
    "pithtrain": same("hsdp_replica", "scheme", "sequence_length", "pipeline"),
    "torchtitan": same("rules", "tokens_per_microbatch", "sequence_parallel"),
}
FACTS = {"num_experts": "experts", "num_layers": "layers", "n_heads": "heads",
         "n_kv_heads": "kv_heads"}
# Numbers and tables that stand beside the derived sizes.
DERIVED = same("num_microbatches", "zigzag_blocks", "block_length",
               "spans_by_cp_rank", "layers_per_chunk", "chunks_by_pp_rank",
               "layers_by_pp_rank", "samples_by_dp_rank",
               "expert_range_by_ep_rank", "token_divisor")


def request(runtime, given):
    config = given.take_map("config")
    options = given.take_all(OPTIONS[runtime])
    sizes = config.take_all(AXES[runtime])
    options.update(config.take_all(OPTIONS[runtime]))
    config.finish("config")
    batch = given.take_map("batch")
    options.update(batch.take_all({"global": "global_batch_size",
                                   "micro": "micro_batch_size"}))
    batch.finish("batch")
    given.take("views") # what the sizes come to
    return {"runtime": runtime, "world": given.take("world"), "sizes": sizes,
            "options": options}


def wanted(expect):
    refused = expect.take("reject")
    want = {"verdict": "accept" if refused is None else [refused]}
    want["derived"] = {**expect.take("derived", {}), **expect.take_all(DERIVED)}
    want["lists"] = expect.take("groups", {})
    want["digests"] = expect.take("groups_digest", {})
    want["active_axes"] = expect.take("active_axes", {})
    places = [(of["rank"], f"{view}.{axis}", at)
              for of in expect.take("coords", [])
              for view, axes in of.items() if view != "rank"
              for axis, at in axes.items()]
    if places:
        want["at_ranks"] = places
    return want


def asks(sample):
    runtime = sample.source
    deployment = request(runtime, sample.given)
    facts = sample.given.take_all(FACTS)
    yield check(deployment, wanted(sample.expect), facts or None)
