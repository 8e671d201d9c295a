# SPDX-License-Identifier: Apache-2.0
"""diffusers: tensor, ring and ulysses ranks in any order, heads that are padded,
devices whose all-to-all takes some groups only, sequences."""
import formulas
from formulas import groups, refused

CODES = ["cp-trivial", "anything-mode", "world-too-small", "world-mismatch",
         "heads-tp", "shard-dim", "heads-ulysses", "heads-pad", "a2a-size",
         "a2a-alignment", "sequence-divide", "sequence-too-short"]


def padding(p):
    """How the heads that ulysses does not divide are treated."""
    if p["mode"] is not None:
        return p["mode"]
    return "pad-relaxed" if p["ulysses_anything"] else "exact"


def pads(p):
    return p["ring"] == 1 and padding(p) in ("pad-strict", "pad-relaxed")


def pad_of(p):
    """Heads that a tensor rank adds, and those that each ulysses rank then has."""
    heads, ulysses = p["heads"] // p["tp"], p["ulysses"]
    added = -heads % ulysses
    return added, (heads + added) // ulysses


def head_refusal(p):
    if p["heads"] % p["tp"]:
        return "heads-tp"
    if p["width"] % p["tp"]:
        return "shard-dim"
    added, each = pad_of(p)
    if added and not pads(p):
        return "heads-ulysses"
    # The last rank has all that was added: it keeps a head, or may lose all.
    if added and each - added < (1 if padding(p) == "pad-strict" else 0):
        return "heads-pad"
    return None


def device_refusal(p, places):
    size = p["ulysses"]
    if p["device"] != "neuron" or size == 1:
        return None
    if size not in (4, 8, 16) and size % 32:
        return "a2a-size"
    for ranks in groups(places, ["ulysses"]):
        if (ranks[0] + p["first_rank"]) % size:
            return "a2a-alignment"
    return None


def token_refusal(p):
    split = p["ring"] * p["ulysses"]
    uneven = pads(p) or p["mode"] == "anything" or p["ring_anything"]
    if split > 1 and not uneven and p["tokens"] % split:
        return "sequence-divide"
    if p["tokens"] < (split if uneven else 1):
        return "sequence-too-short"
    return None


def first_refusal(p, places):
    needed = p["tp"] * p["ring"] * p["ulysses"]
    if p["order"] is None and not p["gives_tp"] and needed == 1:
        return "cp-trivial"
    if p["ulysses_anything"] and (p["ulysses"] == 1 or p["ring"] > 1):
        return "anything-mode"
    if p["ring_anything"] and (p["ring"] == 1 or p["ulysses"] > 1):
        return "anything-mode"
    if needed > p["world"]:
        return "world-too-small"
    if needed < p["world"]:
        return "world-mismatch"
    return head_refusal(p) or device_refusal(p, places) or token_refusal(p)


def layout(p):
    """Where each rank is; the first axis of the order changes slowest."""
    order = p["order"] or ["tp", "ring", "ulysses"]
    places = []
    for rank in range(p["tp"] * p["ring"] * p["ulysses"]):
        place = {}
        for axis in reversed(order):
            rank, place[axis] = divmod(rank, p[axis])
        places.append(place)
    return places


def first_past_end(p, places):
    """The first rank that is no place on tp, where tp cuts weights."""
    if p["tp"] == 1 and not p["gives_tp"]:
        return None
    ranks = range(p["first_rank"], p["first_rank"] + len(places))
    return next((rank for rank in ranks if rank >= p["tp"]), None)


def expected(p, places):
    added, each = pad_of(p)
    first = p["first_rank"]
    found = {axis: groups(places, [axis]) for axis in ("tp", "ring", "ulysses")}
    found["cp"] = groups(places, ["ring", "ulysses"])
    return {
        "code": None,
        "lists": {axis: [[rank + first for rank in ranks] for ranks in all_ranks]
                  for axis, all_ranks in found.items()},
        "per_rank": {"tp_index": [None] * first + [at["tp"] for at in places]},
        "derived": {"pad": added, "heads_local": each,
                    "last_rank_real": each - added,
                    "first_rank_past_end_if_global":
                    first_past_end(p, places)}}


def draw(random):
    pick = random.choice
    p = {"tp": pick([1, 2, 2, 4, 8, 3]), "ring": pick([1, 1, 1, 2, 4]),
         "ulysses": pick([1, 2, 4, 4, 8, 3, 16]), "gives_tp": True,
         "heads": pick([24, 30, 40, 56, 56, 64, 7]),
         "width": pick([5376, 7168, 7168, 14336, 100]),
         "device": pick(["cuda", "neuron"]), "first_rank": pick([0, 0, 0, 8, 6]),
         "order": pick([None, None, ["tp", "ring", "ulysses"]]),
         "mode": pick([None] * 3 + ["exact", "pad-strict", "pad-relaxed",
                                    "anything"]),
         "ulysses_anything": pick([False, False, False, True]),
         "ring_anything": pick([False] * 7 + [True]),
         "tokens": pick([4096, 4096, 57344, 3969, 3, 12])}
    if p["order"] is not None:
        random.shuffle(p["order"])
    if p["tp"] == 1 and p["order"] is None:
        p["gives_tp"] = pick([True, False])
    p["world"] = p["tp"] * p["ring"] * p["ulysses"] * pick([1] * 8 + [2])
    if random.randrange(10) == 0:
        p["world"] = max(1, p["world"] // 2)
    options = {o: p[o] for o in (
        "device", "first_rank", "order", "mode", "ring_anything", "tokens")
        if p[o] is not None}
    if p["ulysses_anything"]:
        options["ulysses_anything"] = True
    axes = ("tp", "ring", "ulysses") if p["gives_tp"] else ("ring", "ulysses")
    request = {"runtime": "diffusers", "world": p["world"],
               "sizes": {axis: p[axis] for axis in axes}, "options": options,
               "facts": {"heads": p["heads"], "tp_dims": [p["width"]],
                         "tp_plan": True, "cp_plan": True}}
    places = layout(p)
    code = first_refusal(p, places)
    return request, refused(code) if code else expected(p, places)


formulas.run("diffusers", draw, CODES, 2500)
formulas.finish()
