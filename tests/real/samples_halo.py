# SPDX-License-Identifier: Apache-2.0
"""Samples of halo: its gate layer by layer, and grids of machines and sizes."""
import copy

from samples_compare import Facts, check, same

AXES = same("pp", "ep", "etp", "tp", "cp")
# By halo's own names for what users type.
OPTIONS = {
    "gpn": "gpus_per_node", "gpus_per_node": "gpus_per_node",
    "domain": "nvlink_domain_size", "scope": "ep_scope",
    "backend": "ep_buffer_backend", "grouped_gemm": "use_grouped_gemm",
    "hsdp": "use_hsdp", "rs_fwd": "fsdp_reshard_after_forward",
    "rs_bwd": "fsdp_reshard_after_backward", "defer": "fsdp_defer_grad_sync",
    "shard_ep1": "fsdp_shard_ep1_experts", "lowp": "lowp_precision",
    "max_length": "max_len",
    **same("pp_schedule", "pp_microbatches", "pp_split", "expert_lora",
           "lowp_dense", "lowp_moe", "lowp_first", "lowp_last", "fp32_dense",
           "full_determinism", "max_load", "rows", "max_len", "trainer",
           "from_scratch", "hosts", "seq", "flash", "wrapped",
           "sequence_axis_layers", "lora", "lora_on_expert_modules",
           "load_best", "moe", "accelerate_launch", "batch", "accum",
           "save_sharded_ep", "gc", "use_reentrant", "evaluates", "eval_batch",
           "activation_offloading", "images", "torch_compile", "padding_free",
           "packing", "left_padding", "label_smoothing", "loss_dft",
           "metrics", "qlora")}
FACTS = {"experts": "experts", "ffn": "expert_ffn", "q_heads": "heads",
         "kv_heads": "kv_heads", "mla": "mla", "hidden": "hidden",
         "topk": "experts_per_token", "window": "context"}
DERIVED = {"blocks": "split_blocks",
           **same("domain", "stage", "group", "scope", "domains", "dp",
                  "ep_groups", "rdma", "nodes", "experts_fsdp", "hsdp")}
LISTS = same("ep", "dispatch", "etp", "replica", "pp", "tp", "cp")
# Remedies that are made up: accepted, but nothing says why just these.
EXAMPLES = [{"pp_split": [4, 4]}] # how many layers there are is not told
FLAGS = {"hsdp": {"hsdp": True}, "rs_fwd": {"rs_fwd": True},
         "rs_bwd_off": {"rs_bwd": False}, "defer": {"defer": True},
         "shard_ep1_off": {"shard_ep1": False},
         "expert_lora": {"expert_lora": True},
         "grouped_gemm_off": {"grouped_gemm": False},
         "legacy": {"backend": "legacy"}, "lowp_fp8": {"lowp": "fp8"}}


def gated(layer, given, want):
    """A request as a layer of the gate would judge it."""
    given = Facts(copy.deepcopy(given))
    options = given.take_all(OPTIONS)
    more = given.take_map("options")
    options.update(more.take_all(OPTIONS))
    more.finish("options")
    options["release_gate"] = layer == "entry"
    options.setdefault("gpus_per_node", 8)
    sizes = {**given.take_all(AXES), **given.take("post", {})}
    world = given.take("world", len(options.get("hosts", [0] * 8)))
    facts = None
    if "m" in given:
        model = given.take_map("m")
        facts = model.take_all(FACTS)
        model.finish("m")
    given.finish("input")
    return check({"runtime": "halo", "world": world, "sizes": sizes,
                  "options": options}, want, facts)


def judged(layer, code):
    """What these layers say stands behind the findings of the config; the
    families of a trainer's rules have no order."""
    if code == "accept":
        return {"verdict": "accept"}
    if layer in ("model", "cp_model"):
        return {"first_of": (layer, code)}
    return {"among": code} if layer == "trainer" else {"verdict": [code]}


def set_of(given, change):
    """What a remedy changes, by our names."""
    return {AXES.get(key, OPTIONS.get(key, key)): value
            for key, value in change.items()
            if key not in given or given[key] != value}


def rules(sample):
    layer = sample.take("layer")
    given, expect = sample.given.left, sample.expect
    sample.given = Facts({})
    code = expect.take("code", "accept")
    if (expect.take("verdict") == "accept") != (code == "accept"):
        raise KeyError("a verdict without its code")
    want = judged(layer, code)
    want["derived"] = expect.take_all(DERIVED)
    want["lists"] = expect.take_all(LISTS)
    want["per_rank"] = expect.take_all(same("dp_rank"))
    if "axes" in expect:
        want["active_axes"] = {"axes": expect.take("axes")}
    remedies = expect.take("alternatives", [])
    want["alternatives"] = [
        set_of(given, r["change"]) for r in remedies
        if r["code"] == "accept" and r["change"] not in EXAMPLES][:3]
    want["no_alternatives"] = [set_of(given, r["change"]) for r in remedies
                               if r["code"] != "accept"]
    yield gated(layer, given, {k: v for k, v in want.items() if v})
    for remedy in remedies:
        changed = {**given, **remedy["change"]}
        yield gated(layer, changed, judged(layer, remedy["code"]))


# ---- grids: a table of numbers, in which lists and models stand by index -----

SIZES = ("world", "gpn", "domain", "pp", "ep", "etp", "tp", "cp")
RANK_MATH = ("domain", "stage", "group", "scope", "domains", "dp")
PARTS = ("tp", "cp", "ep", "etp", "dispatch", "replica", "pp")


def grid_row(grid, row):
    given = dict(zip(SIZES, row))
    given["scope"] = grid["scopes"][row[8]]
    for bit, name in enumerate(grid["flag_bits"]):
        if row[9] >> bit & 1:
            given.update(FLAGS[name])
    code, rest = grid["codes"][row[10]], row[11:]
    derived = dict(zip(RANK_MATH, rest))
    if "scope" in derived:
        derived["scope"] = grid["scopes"][derived["scope"]]
    want = judged("config", code)
    want["derived"] = derived
    rest = rest[len(derived):]
    if code == "accept":
        derived.update(ep_groups=rest[0], rdma=bool(rest[1]))
        parts = [grid["partitions"][at] for at in rest[2:9]]
        want["lists"] = {name: part for name, part in zip(PARTS, parts) if part}
        table = grid["dp_rank_tables"][rest[9]]
        if table:
            want["per_rank"] = {"dp_rank": table}
        rest = rest[10:]
    if rest:
        raise KeyError(f"nothing is done with {rest} of a row")
    ask = gated("config", given, want)
    ask.line["up_to"] = "config" # what a trainer says later is not told
    return ask


def model_row(grid, row):
    columns = ("world", "gpn", "ep", "etp", "tp", "cp", "scope", "rows",
               "max_len", "m")
    given = dict(zip(columns, row))
    given["scope"] = grid["scopes"][given["scope"]]
    given["m"] = dict(grid["models"][given["m"]])
    given["m"]["mla"] = bool(given["m"]["mla"])
    code, capacity = row[len(columns):]
    want = judged("model", grid["codes"][code])
    if capacity: # 0: it was not come to
        want["derived"] = {"capacity": capacity}
    ask = gated("model", given, want)
    ask.line["up_to"] = "model"
    return ask


def cp_row(grid, row):
    heads, kv_heads, mla, cp, sequence, code = row
    given = {"cp": cp, "m": {"q_heads": [heads], "kv_heads": [kv_heads],
                             "mla": bool(mla)}}
    if sequence:
        given["seq"] = sequence
    return gated("cp_model", given, judged("cp_model", grid["codes"][code]))


ROWS = {"rows": grid_row, "model_rows": model_row, "cp_rows": cp_row}
# What the rows are written with.
LEGEND = {"about", "flag_bits", "scopes", "codes", "columns", "partitions",
          "dp_rank_tables", "model_columns", "models", "cp_columns"}


def grid_samples(grid):
    if set(grid) != LEGEND | set(ROWS):
        raise KeyError(f"nothing is done with {set(grid) - LEGEND - set(ROWS)}")
    for kind in ROWS:
        for i, row in enumerate(grid[kind]):
            yield {"name": f"{kind}/{i}", "source": "", "input": {},
                   "expect": {}, "kind": kind, "row": row, "grid": grid}


def asks(sample):
    if sample.source == "halo-rules":
        yield from rules(sample)
    else:
        yield ROWS[sample.take("kind")](sample.take("grid"), sample.take("row"))
