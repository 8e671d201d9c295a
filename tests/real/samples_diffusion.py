# SPDX-License-Identifier: Apache-2.0
"""Samples of diffusers and xDiT: axes in an order, heads, plans, sequences,
patches, and what runs best on a device."""
from samples_compare import Ask, ask_for, check, same, work

AXES = {
    "diffusers": ("dp", "cfg", "pp", "fsdp", "tp", "ring", "ulysses"),
    "xdit": ("dp", "cfg", "pp", "ring", "ulysses", "tp"),
}
OPTIONS = {
    "diffusers": same("rotate", "ulysses_anything", "ring_anything", "applies",
                      "attention_supports_cp", "causal", "gqa", "mask",
                      "cp_mesh_axes", "tp_mesh_axes"),
    "xdit": {**same("fs", "dit", "vae", "fast", "sp_degree",
                    "attention_returns_lse"), "layers": "layers_per_stage"},
}
FACTS = same("heads", "tp_plan", "family", "tp_shards_attention")
# By the names that models are declared under.
MODELS = {"MiniMax-H3": "minimax_h3"}


def refused(expect):
    """None, or the codes of which one must stand first."""
    code = expect.take("reject")
    return None if code is None else [code]


def layout(runtime, given):
    """Sizes, and the order of the axes; beside a configuration of its own, the
    axes are a mesh that the caller brings."""
    axes = given.take("axes")
    config = given.take_map("config")
    sizes = config.take_all(same(*AXES[runtime]))
    options = config.take_all(OPTIONS[runtime])
    config.finish("config")
    if axes and sizes:
        options["mesh_axes"] = axes
    elif axes:
        sizes = {axis["name"]: axis["size"] for axis in axes}
        options["order"] = [axis["name"] for axis in axes]
    return sizes, options


def request(runtime, given):
    sizes, options = layout(runtime, given)
    more = given.take_map("options")
    options.update(more.take_all(OPTIONS[runtime]))
    more.finish("options")
    device = given.take_map("device")
    options.update(device.take_all({"kind": "device", "a2a_axes": "a2a_axes"}))
    device.finish("device")
    options.update(given.take_all(same("mode", "stage")))
    for over in given.take("overlays", []) + given.take("extra", []):
        options[over["name"]] = over["size"]
    given.take("flatten") # groups that the runtime declares
    return {"runtime": runtime, "world": given.take("world"), "sizes": sizes,
            "options": options}


def bare(given, expect):
    """Axes that are no runtime's."""
    given.take("device") # none of their lists depends on it
    given.take("world")
    return ask_for({"mesh": {"axes": given.take("axes")}},
                   {"lists": expect.take("groups"),
                    "per_rank": expect.take("shard_index", {})})


def document(runtime, given, expect):
    deployment = request(runtime, given)
    model = given.take_map("model")
    facts = model.take_all(FACTS)
    model.finish("model")
    code = refused(expect)
    want = {"verdict": code or "accept", "lists": expect.take("groups", {})}
    want["derived"] = expect.take_all(
        same("heads_tp", "pad", "heads_local", "last_rank_real",
             "first_rank_past_end_if_global"))
    index = expect.take("shard_index", {})
    if "tp_index" in expect:
        index["tp"] = expect.take("tp_index")
    if index:
        want["per_rank"] = {f"mesh.{axis}": at for axis, at in index.items()}
        if "tp" in index:
            want["per_rank"]["tp_index"] = index["tp"]
    bad = expect.take("first_bad_group")
    if bad: # a group is known by its ends and its size
        if bad != list(range(bad[0], bad[-1] + 1, bad[1] - bad[0])):
            raise KeyError("a group with one stride")
        want["says"] = (code[0], [], [bad[0], bad[-1], len(bad)])
    return check(deployment, want, facts or None)


def explicit(given, expect):
    """Groups made by hand: blocks of as many ranks as each has."""
    groups = given.take("groups")
    world, size = given.take("world"), len(groups[0])
    device = given.take_map("device")
    options = device.take_all({"kind": "device", "a2a_axes": "a2a_axes"})
    device.finish("device")
    options["a2a_groups"] = groups
    deployment = {"runtime": "diffusers", "world": world, "options": options,
                  "sizes": {"tp": world // size, "ulysses": size}}
    return check(deployment, {"verdict": refused(expect) or "accept",
                              "lists": expect.take("groups", {})})


# ---- arithmetic: by itself, and as far as a request asks for it -------------

def done(op, given, expect):
    """The operation, with what it expects, and the code of a refusal."""
    code = refused(expect)
    result = {key: expect.take(key) for key in list(expect.left)}
    if code:
        result.update(verdict="refuse", code=code[0])
    return work(op, dict(given.left), result), code or "accept"


def cut(given, expect):
    ask, verdict = done("shard", given, expect)
    yield ask
    entry = given.take_all(same("style", "shape", "blocks"))
    tp = given.take("tp")
    yield check({"runtime": "diffusers", "world": tp, "sizes": {"tp": tp},
                 "options": {"plan": [dict(entry, key="weight")]}},
                {"verdict": verdict})


def plan(given, expect):
    entry = given.take_all(same("key", "style", "container"))
    yield check({"runtime": "diffusers", "world": 2, "sizes": {"tp": 2},
                 "options": {"plan": [entry]}},
                {"verdict": refused(expect) or "accept"})


def sequence(given, expect):
    ask, verdict = done("sequence", given, expect)
    yield ask
    cp = given.take("cp")
    yield check({"runtime": "diffusers", "world": cp, "sizes": {"ulysses": cp},
                 "options": given.take_all(same("tokens", "mode"))},
                {"verdict": verdict})


def stages(given, expect):
    ask, verdict = done("stages", given, expect)
    yield ask
    pp = given.take("pp")
    yield check({"runtime": "xdit", "world": pp, "sizes": {"pp": pp},
                 "options": given.take_all(same("layers_per_stage"))},
                {"verdict": verdict}, given.take_all(same("layers")))


def batch(given, expect):
    ask, verdict = done("batch", given, expect)
    yield ask
    dp = given.take("dp")
    yield check({"runtime": "xdit", "world": dp, "sizes": {"dp": dp},
                 "options": given.take_all(same("batch"))},
                {"verdict": verdict})


def patches(given, expect):
    ask, verdict = done("patches", given, expect)
    yield ask
    sp, parts = given.take("sp"), given.left["pp_patches"]
    given.take("width") # only rows are shared out
    yield check({"runtime": "xdit", "world": sp * parts,
                 "sizes": {"ulysses": sp, "pp": parts},
                 "options": given.take_all(same("height", "vae_scale", "patch",
                                                "pp_patches"))},
                {"verdict": verdict})


# ---- what runs best ----------------------------------------------------------

def model_of(given):
    """The declared model; what a sample says of it is in the declaration."""
    return MODELS[given.take("model")["name"]]


def memory(given, expect):
    sizes = given.take_all(same("tp", "ulysses"))
    settings = {**sizes, "device": "neuron"} # on which it was measured
    yield Ask("suggest",
              ["--world", str(sizes["tp"] * sizes["ulysses"]),
               *(f"--set={name}={value}" for name, value in settings.items()),
               model_of(given)],
              {"best": sizes, "step_s": expect.take("step_s"),
               "peak": (expect.take("peak_gib"), expect.take("tolerance"))})


def planner(given, expect):
    device = given.take_map("device")
    options = {"device": device.take("kind"), "mode": given.take("mode")}
    arguments = ["--memory", str(device.take("hbm_gib"))]
    device.finish("device")
    given.take("full_use") # a suggestion never leaves ranks out
    arguments += ["--world", str(given.take("world"))]
    for name, value in options.items():
        arguments.append(f"--set={name}={value}")
    arguments.append(model_of(given))
    code = refused(expect)
    if code == ["no-feasible"]:
        yield Ask("suggest", arguments, {"none": True})
    elif code:
        raise KeyError(f"nothing is suggested because of {code}")
    else:
        yield Ask("suggest", arguments,
                  {"best": expect.take_all(same("tp", "ulysses"))})


KINDS = {"shard": cut, "plan": plan, "sequence": sequence, "stages": stages,
         "batch": batch, "patches": patches, "memory": memory,
         "planner": planner}


def asks(sample):
    given, expect = sample.given, sample.expect
    kind = sample.take("kind")
    sample.take("upstream") # what happens elsewhere
    if kind in KINDS:
        yield from KINDS[kind](given, expect)
    elif "groups" in given:
        yield explicit(given, expect)
    elif {axis["name"] for axis in given.left.get("axes", [])} - set(
            AXES[sample.source]):
        yield bare(given, expect)
    else:
        yield document(sample.source, given, expect)
