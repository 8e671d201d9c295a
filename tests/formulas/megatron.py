# SPDX-License-Identifier: Apache-2.0
"""Megatron-core: two grids over the same ranks by an order of tokens, of which the
first has the smallest stride, and the groups that are made of theirs."""
import math

import formulas
from formulas import by_first, groups, refused, runs

CODES = ["world_not_divisible_by_dense_model_size", "axis_missing_from_order",
         "unknown_axis_in_order", "axis_repeated_in_order",
         "world_not_divisible_by_expert_model_size",
         "dense_and_expert_dp_differ_when_pp_not_outermost",
         "pp_groups_differ_between_views",
         "dp_cp_not_divisible_by_optimizer_instances",
         "hybrid_cp_needs_even_dp_cp", "hierarchical_cp_product_mismatch",
         "expert_dp_not_divisible_by_optimizer_instances"]
KNOWN = {"tp", "cp", "ep", "dp", "pp"}


def grid(order, sizes, world):
    """Where each rank is. Tokens that are no axes of this grid take no ranks."""
    places = [{} for _ in range(world)]
    stride = 1
    for token in order:
        if token in sizes:
            for rank, place in enumerate(places):
                place[token] = rank // stride % sizes[token]
            stride *= sizes[token]
    for axis in sizes:  # of size 1 when the order lacks it
        for place in places:
            place.setdefault(axis, 0)
    return places


def order_refusal(order, sizes):
    for token in order:
        if token not in KNOWN:
            return "unknown_axis_in_order"
    if len(set(order)) < len(order):
        return "axis_repeated_in_order"
    if any(size > 1 and axis not in order for axis, size in sizes.items()):
        return "axis_missing_from_order"
    return None


def first_refusal(p, order):
    """The code, and the two grids once they are made."""
    tp, pp, cp, ep, etp = (p[a] for a in ("tp", "pp", "cp", "ep", "etp"))
    world, copies = p["world"], p["optimizer_instances"]
    if world % (tp * pp * cp):
        return "world_not_divisible_by_dense_model_size", None
    dp = world // (tp * pp * cp)
    dense = {"tp": tp, "cp": cp, "dp": dp, "pp": pp}
    code = order_refusal(order, dense)
    if code:
        return code, None
    if world % (etp * ep * pp):
        return "world_not_divisible_by_expert_model_size", None
    edp = world // (etp * ep * pp)
    experts = {"tp": etp, "ep": ep, "dp": edp, "pp": pp}
    code = order_refusal(order, experts)
    if code:
        return code, None
    if pp > 1 and order[-1] != "pp" and dp != edp:
        return "dense_and_expert_dp_differ_when_pp_not_outermost", None
    grids = grid(order, dense, world), grid(order, experts, world)
    if groups(grids[0], ["pp"]) != groups(grids[1], ["pp"]):
        return "pp_groups_differ_between_views", None
    if dp * cp % copies:
        return "dp_cp_not_divisible_by_optimizer_instances", None
    if p["hybrid_cp"] and dp * cp % 2:
        return "hybrid_cp_needs_even_dp_cp", None
    if p["hierarchical_cp"] and math.prod(p["hierarchical_cp"]) != cp:
        return "hierarchical_cp_product_mismatch", None
    if edp % copies:
        return "expert_dp_not_divisible_by_optimizer_instances", None
    return None, grids


def special(p, dense):
    found = {}
    stages = groups(dense, ["pp"])
    found["special.embedding"] = by_first(
        [sorted({g[0], g[-1]}) for g in stages])
    found["special.position_embedding"] = by_first([g[:1] for g in stages])
    inner = 1
    for level, size in enumerate(p["hierarchical_cp"] or []):
        found[f"special.hierarchical_cp.level{level}"] = by_first(
            [g[start + low:start + inner * size:inner]
             for g in groups(dense, ["cp"])
             for start in range(0, p["cp"], inner * size)
             for low in range(inner)])
        inner *= size
    whole = groups(dense, ["dp", "cp"])
    size = 2
    while p["hybrid_cp"] and size * 2 <= len(whole[0]):
        found[f"special.hybrid_dp_cp.size{size}"] = by_first(
            [part for g in whole for part in runs(g, size)])
        size *= 2
    return found


def optimizer(p, dense, experts):
    copies, found = p["optimizer_instances"], {}
    edp = groups(experts, ["dp"])
    shard = len(edp[0]) // copies
    if copies > 1:
        found["opt.intra_dp_cp"] = by_first(
            [part for g in groups(dense, ["dp", "cp"])
             for part in runs(g, len(g) // copies)])
        found["opt.intra_expert_dp"] = by_first(
            [part for g in edp for part in runs(g, shard)])
        found["opt.inter_expert_dp"] = by_first(
            [g[i::shard] for g in edp for i in range(shard)])
    models = groups(experts, ["pp", "ep", "tp"])
    found["opt.instance"] = [sum(some, []) for some in runs(models, shard)]
    return found


def lists(p, dense, experts):
    found = {**special(p, dense), **optimizer(p, dense, experts)}
    for view, places, axes in (
            ("decoder", dense, ("tp", "cp", "dp", "pp", "dp+cp", "pp+tp",
                                "cp+tp", "dp+tp", "dp+cp+tp")),
            ("expert", experts, ("ep", "tp", "dp", "ep+tp", "pp+ep+tp"))):
        for name in axes:
            found[f"{view}.{name}"] = groups(places, name.split("+"))
    offset = p["rank_offset"]
    return {name: [[rank + offset for rank in ranks] for ranks in all_ranks]
            for name, all_ranks in found.items()}


def draw_order(random):
    order = random.choice([
        "tp-cp-ep-dp-pp", "tp-cp-ep-dp-pp", "TP-CP-EP-DP-PP", "tp-cp-ep-pp-dp",
        "tp-cp-pp-ep-dp"]).split("-")
    turn = random.randrange(10)
    if turn < 4:
        random.shuffle(order)
    if turn == 4:
        order.remove(random.choice(order))
    if turn == 5:
        order.insert(random.randrange(6), random.choice(["xp", "tpp"]))
    if turn == 6:
        order.insert(random.randrange(6), random.choice(["tp", "ep", "dp"]))
    return order


def draw(random):
    pick = random.choice
    p = {"world": pick([4, 8, 8, 12, 16, 16, 24, 32]),
         "tp": pick([1, 1, 2, 2, 4, 3]), "pp": pick([1, 1, 2, 4]),
         "cp": pick([1, 1, 2, 4]), "ep": pick([1, 1, 2, 4, 8]),
         "etp": pick([0, 1, 1, 2, 4]),
         "optimizer_instances": pick([1, 1, 1, 2, 3, 4]),
         "hierarchical_cp": pick([None] * 4 + [[2], [2, 2], [4], [1, 2]]),
         "hybrid_cp": pick([False, False, True]),
         "rank_offset": pick([0, 0, 0, 64])}
    order = draw_order(random)
    sizes = {a: p[a] for a in ("tp", "pp", "cp", "ep")}
    if p["etp"] == 0:
        p["etp"] = p["tp"]
    else:
        sizes["etp"] = p["etp"]
    options = {"order": "-".join(order), **{
        o: p[o] for o in ("optimizer_instances", "hybrid_cp", "rank_offset",
                          "hierarchical_cp") if p[o] is not None}}
    request = {"runtime": "megatron", "world": p["world"], "sizes": sizes,
               "options": options}
    code, grids = first_refusal(p, [token.lower() for token in order])
    if code is not None:
        return request, refused(code)
    return request, {
        "code": None, "lists": lists(p, *grids),
        "per_rank": {f"{view}.{axis}": [None] * p["rank_offset"]
                     + [place[axis] for place in places]
                     for view, places in zip(("decoder", "expert"), grids)
                     for axis in ("tp", "dp", "pp")},
        "derived": {"dp": p["world"] // (p["tp"] * p["pp"] * p["cp"]),
                    "expert_dp": p["world"] // (p["etp"] * p["ep"] * p["pp"])}}


formulas.run("megatron", draw, CODES, 3000)
formulas.finish()
