# SPDX-License-Identifier: Apache-2.0
"""torchtitan: dense and sparse meshes of one span, a size that is filled in, the
communicators that are made, tokens; in all three versions of its rules."""
import formulas
from formulas import groups, refused

CODES = ["degree_below_one", "dp_shard_below_one", "derived_dp_shard_below_one",
         "product_not_world", "etp_neither_one_nor_tp",
         "ep_must_contain_cp_and_divide_dp_shard_cp",
         "ep_must_contain_cp_tp_and_divide_dense_region",
         "dense_region_not_divisible_by_ep", "heads_not_divisible_by_tp",
         "kv_heads_not_divisible_by_tp", "experts_not_divisible_by_ep",
         "tokens_not_divisible", "step_tokens_not_divisible"]
DEGREES = ("pp", "dp_replicate", "cp", "tp", "ep")


def mesh_refusal(p):
    """Of the degrees; fills in dp_shard on the way."""
    others = p["dp_replicate"] * p["cp"] * p["tp"] * p["pp"]
    if any(p[d] < 1 for d in DEGREES + ("etp",)):
        return "degree_below_one"
    if p["dp_shard"] != -1 and p["dp_shard"] < 1:
        return "dp_shard_below_one"
    if p["dp_shard"] == -1:
        p["dp_shard"] = p["world"] // others
        if p["dp_shard"] < 1:
            return "derived_dp_shard_below_one"
    if p["dp_shard"] * others != p["world"]:
        return "product_not_world"
    return expert_refusal(p)


def expert_refusal(p):
    fsdp, tp, ep, etp = p["dp_shard"] * p["cp"], p["tp"], p["ep"], p["etp"]
    if ep > 1 and etp not in (1, tp):
        return "etp_neither_one_nor_tp"
    if p["rules"] == "etp-2025" and ep > 1:
        if etp == tp:
            if ep % p["cp"] or fsdp % ep:
                return "ep_must_contain_cp_and_divide_dp_shard_cp"
        elif ep % (p["cp"] * tp) or fsdp * tp % ep:
            return "ep_must_contain_cp_tp_and_divide_dense_region"
    if fsdp * tp % (ep * etp):
        return "dense_region_not_divisible_by_ep"
    return None


def first_refusal(p):
    code = mesh_refusal(p)
    if code is not None:
        return code
    if p["heads"] % p["tp"]:
        return "heads_not_divisible_by_tp"
    if p["kv_heads"] % p["tp"]:
        return "kv_heads_not_divisible_by_tp"
    if p["ep"] > 1 and p["experts"] % p["ep"]:
        return "experts_not_divisible_by_ep"
    cut = p["tp"] if p["sequence_parallel"] else 1
    cut *= 2 * p["cp"] if p["cp"] > 1 else 1
    if p["tokens_per_microbatch"] % cut:
        return "tokens_not_divisible"
    if p["tokens_per_step"] % (p["tokens_per_microbatch"] *
                               p["pipeline_microbatches"] *
                               p["dp_replicate"] * p["dp_shard"]):
        return "step_tokens_not_divisible"
    return None


def digits(rank, *axes):
    """Places on axes, the last of which changes fastest."""
    place = {}
    for axis, size in reversed(axes):
        rank, place[axis] = divmod(rank, size)
    return {axis: place[axis] for axis, _ in axes}


def meshes(p):
    pp, rep, cp, tp = ((a, p[a]) for a in ("pp", "dp_replicate", "cp", "tp"))
    shard, both = p["dp_shard"], p["dp_replicate"] * p["dp_shard"]
    efsdp = shard * p["cp"] * p["tp"] // (p["ep"] * p["etp"])
    sparse = [pp, rep, ("efsdp", efsdp), ("ep", p["ep"])]
    if p["rules"] != "current":
        sparse.append(("etp", p["etp"]))
    return {
        "dataloading": [pp, ("batch", both), cp, tp],
        "dense": [pp, rep, ("dp_shard", shard), cp, tp],
        "dense_fwdbwd": [pp, ("dp", both), cp, tp],
        "dense_partial": [pp, rep, ("fsdp", shard * p["cp"]), tp],
        "sparse": sparse,
    }


def active(p):
    """Of those with a size, all above one; efsdp needs experts to be spread."""
    both = p["dp_replicate"] * p["dp_shard"]
    sizes = {"pp": p["pp"], "batch": both, "loss": both * p["cp"],
             "dp_replicate": p["dp_replicate"], "cp": p["cp"], "tp": p["tp"],
             "ep": p["ep"], "dp": both, "dp_shard": p["dp_shard"],
             "fsdp": p["dp_shard"] * p["cp"],
             "efsdp": p["dp_shard"] * p["cp"] * p["tp"] // (p["ep"] * p["etp"])}
    if p["ep"] == 1:
        sizes["efsdp"] = 1
    stored = {"split_storage": set(sizes) - {"fsdp"},
              "flattened_storage": set(sizes) - {"dp", "dp_shard"}}
    order = ["pp", "batch", "loss", "dp_replicate", "cp", "tp", "ep", "efsdp",
             "dp", "dp_shard", "fsdp"]
    return {storage: [a for a in order if a in names and sizes[a] > 1]
            for storage, names in stored.items()}


def lists(places):
    found = {}
    for mesh, ranks in places.items():
        axes = list(ranks[0])
        for i, axis in enumerate(axes):
            found[f"{mesh}.{axis}"] = groups(ranks, [axis])
            for other in axes[i + 1:]:
                found[f"{mesh}.{axis}+{other}"] = groups(ranks, [axis, other])
    return found


def expected(p):
    places = {mesh: [digits(rank, *axes) for rank in range(p["world"])]
              for mesh, axes in meshes(p).items()}
    return {
        "code": None, "lists": lists(places), "active_axes": active(p),
        "per_rank": {f"{mesh}.{axis}": [at[axis] for at in ranks]
                     for mesh, ranks in places.items() for axis in ranks[0]},
        "derived": {"dp_shard": p["dp_shard"],
                    "batch": p["dp_replicate"] * p["dp_shard"],
                    "fsdp": p["dp_shard"] * p["cp"],
                    "seq_len_divisor": p["tp"] * 2 * p["cp"]}}


def draw(random):
    pick = random.choice
    p = {"world": pick([8, 8, 16, 16, 24, 32]), "pp": pick([1, 1, 1, 2, 4, 0]),
         "dp_replicate": pick([1, 1, 2]), "dp_shard": pick([-1] * 9 + [2, 4, 0]),
         "cp": pick([1, 1, 2, 4]), "tp": pick([1, 1, 2, 4, 3]),
         "ep": pick([1, 1, 2, 4, 8]), "etp": 1,
         "rules": pick(["current", "etp-2026", "etp-2025"]),
         "heads": pick([16, 16, 16, 32, 9]), "kv_heads": pick([8, 8, 4, 2, 3]),
         "experts": pick([8, 64, 128, 6]),
         "sequence_parallel": pick([True, True, False]),
         "tokens_per_microbatch": pick([4096, 8192, 8192, 100]),
         "tokens_per_step": pick([1 << 20, 1 << 22, 3 << 18]),
         "pipeline_microbatches": pick([1, 1, 2, 4])}
    sizes = {d: p[d] for d in DEGREES}
    if p["rules"] != "current":
        p["etp"] = sizes["etp"] = pick([1, 1, p["tp"], p["tp"], 2])
    if p["dp_shard"] != -1 or pick([True, False]):
        sizes["dp_shard"] = p["dp_shard"]
    request = {"runtime": "torchtitan", "world": p["world"], "sizes": sizes,
               "options": {o: p[o] for o in (
                   "rules", "sequence_parallel", "tokens_per_microbatch",
                   "tokens_per_step", "pipeline_microbatches")},
               "facts": {f: p[f] for f in ("heads", "kv_heads", "experts")}}
    code = first_refusal(p)
    return request, expected(p) if code is None else refused(code)


formulas.run("torchtitan", draw, CODES, 2000)
formulas.finish()
