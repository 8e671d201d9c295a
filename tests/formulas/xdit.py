# SPDX-License-Identifier: Apache-2.0
"""xDiT: replicas, guidance, stages, the sequence and tensor ranks in any order, of
which the first changes fastest; ranks that only decode; layers, rows, prompts."""
import formulas
from formulas import groups, refused, runs

CODES = ["degree-range", "cfg-degree", "vae-split", "sp-product",
         "world-mismatch", "exclusive", "overlay-exceeds", "overlay-divide",
         "heads-ulysses", "empty-stage", "sequence-divide", "pp-patch",
         "empty-replica"]
AXES = ("dp", "cfg", "pp", "ring", "ulysses", "tp")


def world_refusal(p):
    needed = 1
    for axis in AXES:
        needed *= p[axis]
    if p["fs"] < 1:
        return "degree-range"
    if p["cfg"] > 2:
        return "cfg-degree"
    if p["vae"] < 0 or p["dit"] < 1 or p["dit"] + p["vae"] != p["world"]:
        return "vae-split"
    if p["sp_degree"] is not None and p["sp_degree"] != p["ring"] * p["ulysses"]:
        return "sp-product"
    if needed != p["dit"]:
        return "world-mismatch"
    if p["tp"] > 1 and p["fs"] > 1:
        return "exclusive"
    if p["fs"] > p["dit"]:
        return "overlay-exceeds"
    if p["dit"] % p["fs"]:
        return "overlay-divide"
    return None


def shares(total, parts):
    """Filled one after the other, each with as many as an even cut rounded up."""
    each = -(-total // parts)
    return [max(0, min(each, total - i * each)) for i in range(parts)]


def patch_rows(p):
    """Latent rows of a patch, one for each stage, and of the last of them."""
    rows, unit = p["height"] // 8, 2 * p["ring"] * p["ulysses"]
    each = unit
    while each * p["pp"] < rows:
        each += unit
    last = rows
    while last > each:
        last -= each
    return each, last


def row_refusal(p):
    split = p["ring"] * p["ulysses"]
    if p["height"] // 8 % split:
        return "sequence-divide"
    return "pp-patch" if patch_rows(p)[1] % (2 * split) else None


def first_refusal(p):
    code = world_refusal(p)
    if code is not None:
        return code
    if p["heads"] % p["ulysses"]:
        return "heads-ulysses"
    if p["pp"] > 1 and 0 in shares(p["layers"], p["pp"]):
        return "empty-stage"
    code = row_refusal(p)
    if code is not None:
        return code
    if p["batch"] > 1 and 0 in shares(p["batch"], p["dp"]):
        return "empty-replica"
    return None


def layout(p):
    places = []
    for rank in range(p["dit"]):
        place = {}
        for token in p["order"]:
            for axis in ("ulysses", "ring") if token == "sp" else (token,):
                rank, place[axis] = divmod(rank, p[axis])
        places.append(place)
    return places


def expected(p):
    places = layout(p)
    found = {axis: groups(places, [axis]) for axis in AXES}
    found["sp"] = groups(places, ["ring", "ulysses"])
    found["fs"] = runs(list(range(p["dit"])), p["fs"])
    if p["vae"] > 0:
        found["vae"] = [list(range(p["dit"], p["world"]))]
    else:
        found["vae"] = groups(places, [a for a in AXES if a != "dp"])
    each, last = patch_rows(p)
    return {
        "code": None,
        "lists": {name if name in ("sp", "fs", "vae") else "dit." + name: ranks
                  for name, ranks in found.items()},
        "derived": {"patch_rows": each, "last_rows": last,
                    "stage_layers": shares(p["layers"], p["pp"])[0],
                    "prompts": shares(p["batch"], p["dp"])[0],
                    "heads_local": p["heads"] // p["ulysses"]}}


def draw(random):
    pick = random.choice
    p = {"dp": pick([1, 1, 2, 4, 3]), "cfg": pick([1] * 5 + [2] * 5 + [3]),
         "pp": pick([1, 1, 2, 4, 7]), "ring": pick([1, 1, 2]),
         "ulysses": pick([1, 2, 4, 3]), "tp": pick([1, 1, 1, 2]),
         "fs": pick([1] * 8 + [2, 4, 3, 64, 0]), "vae": pick([0] * 7 + [1, 2, -1]),
         "heads": pick([24, 24, 48, 40]), "layers": pick([57, 48, 24, 28]),
         "height": pick([1024, 1024, 2048, 4096, 1000]),
         "batch": pick([1, 2, 8, 8, 12, 5]),
         "order": ["tp", "sp", "pp", "cfg", "dp"], "sp_degree": None}
    p["dit"] = 1
    for axis in AXES:
        p["dit"] *= p[axis]
    if random.randrange(12) == 0:
        p["dit"] = max(1, p["dit"] // 2)
    p["world"] = p["dit"] + p["vae"]
    if random.randrange(12) == 0:
        p["sp_degree"] = pick([p["ring"] * p["ulysses"], 6])
    if pick([True, False]):
        random.shuffle(p["order"])
    options = {o: p[o] for o in ("fs", "vae", "height", "batch", "sp_degree")
               if p[o] is not None}
    options["order"] = "-".join(p["order"])
    if p["vae"] != 0:
        options["dit"] = p["dit"]
        p["world"] += pick([0] * 5 + [1])
    p["world"] = max(1, p["world"])
    request = {"runtime": "xdit", "world": p["world"],
               "sizes": {axis: p[axis] for axis in AXES}, "options": options,
               "facts": {"heads": p["heads"], "layers": p["layers"],
                         "can_cfg": True, "can_pipeline": True,
                         "can_sequence": True, "can_tp": True}}
    if p["vae"] == 0:
        p["dit"] = p["world"]
    code = first_refusal(p)
    return request, refused(code) if code else expected(p)


formulas.run("xdit", draw, CODES, 3000)
formulas.finish()
