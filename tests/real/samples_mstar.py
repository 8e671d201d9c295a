# SPDX-License-Identifier: Apache-2.0
"""Samples of mstar: placements of a model's nodes, and the arithmetic of
groups, signals, templates and hosts."""
from samples_compare import Facts, ask_for, same, work

# What the runner does by itself, and what it is called there.
WORK = same("resource_check", "heads", "rows", "token_split", "experts",
            "fanout", "fanin", "bind_templates", "assign", "cuts", "cluster",
            "cut", "process_groups")
AXES = ("cfg", "sp", "tp")


# ---- models ------------------------------------------------------------------

def names_of(declared):
    """All nodes that a declaration speaks of, each once."""
    names = [node for walk in declared["walks"].values()
             for node in walk["nodes"]]
    names += [node for use in declared["resources"] for node in use["nodes"]]
    for nodes in declared["enabled"].values():
        names += nodes
    return list(dict.fromkeys(names))


def node(name, enabled, heads):
    axes = {axis: {} for axis in ("sp", "tp") if name in enabled[axis]}
    if name in enabled["cfg"]:
        axes["cfg"] = {"branches": enabled["cfg"][name]}
    found = {"name": name, "axes": axes} if axes else {"name": name}
    if name in heads:
        facts = Facts(heads[name])
        found["facts"] = facts.take_all({"q": "heads", "kv": "kv_heads"})
        facts.finish("heads")
    return found


def walk(name, declared):
    of = Facts(declared)
    found = {"name": name, "nodes": of.take("nodes"),
             "signals": [dict(zip(("from", "to", "name"), edge))
                         for edge in of.take("edges")]}
    if "when_placed" in of:
        found["when_placed"] = [of.take("when_placed")]
    of.finish("walk")
    return found


def model(declared):
    nodes = names_of(declared)
    of = Facts(declared)
    enabled, heads = of.take("enabled"), of.take("heads", {})
    found = {"model": of.take("model"), "runtime": "mstar",
             "nodes": [node(name, enabled, heads) for name in nodes],
             "walks": [walk(*item) for item in of.take("walks").items()],
             "resources": of.take("resources"),
             "streams": of.take("streams", []),
             "combined_walks": of.take("combined_walks", []),
             "shard_dim": of.take("shard_dims", {})}
    of.finish("declaration")
    return {key: value for key, value in found.items() if value}


# ---- placements --------------------------------------------------------------

def words(details):
    """What a finding must name, as it does: its place, and what is wrong."""
    of = Facts(details)
    place = [f"node_groups[{of.take('group')}]"] if "group" in of else []
    place += of.take_all(same("rank")).values()
    found = of.take("nodes", [])
    if "axis" in of:
        found.append(of.take("axis") + "_size")
    ranks = of.take("ranks")
    if isinstance(ranks, list): # those in use; the first gap is said
        found.append(min(set(range(len(ranks))) - set(ranks)))
    elif ranks is not None:
        found.append(ranks)
    found += of.take_all(same("instance", "node", "walk", "signal", "model",
                              "key", "resource")).values()
    of.finish("details")
    return place, found


def group(expected, deployed):
    """One node group; a group of one rank has no lists."""
    of = Facts(expected)
    found = {"group": of.take("group"), "sizes": of.take("shape"),
             "instance_size": of.take("instance_size"),
             "node_names": deployed["node_names"]}
    found["instances"] = [
        {"ranks": one.pop("ranks"), "groups": one}
        for one in map(dict, of.take("instances"))]
    if of.take("replicas") != len(found["instances"]):
        raise KeyError("as many replicas as instances")
    if of.take("active") is not True:
        raise KeyError("a group that runs nothing")
    of.finish("group")
    return found


def wanted(expect, deployment):
    want = {"verdict": expect.take("verdict")}
    if want["verdict"] != "accept":
        code = expect.take("kind")
        want["verdict"] = [code, *expect.take("also_allowed", [])]
        want["says"] = (code, *words(expect.take("details", {})))
    if expect.take("hint"):
        want["fixes"] = True
    if "groups" in expect:
        want["node_groups"] = [
            group(*pair) for pair in zip(expect.take("groups"),
                                         deployment["node_groups"])]
        want["created"] = {
            "axis": expect.take("axis_process_groups"),
            "whole": expect.take("multi_axis_instance_groups")}
        want["templates"] = expect.take("shard_templates")
    want.update(expect.take_all(same("workers", "resolution")))
    # What happens elsewhere, where facts come from, remarks.
    for key in ("upstream", "declaration_inferred", "note"):
        expect.take(key)
    return want


def place(given, expect):
    deployment = given.take("deployment")
    line = {"declare": [model(given.take("declaration"))],
            "deployment": {"runtime": "mstar", **deployment}}
    return ask_for(line, wanted(expect, deployment))


# ---- smaller questions -------------------------------------------------------

def one_node(branches):
    return {"model": "sample", "runtime": "mstar",
            "nodes": [{"name": "n", "axes": {"sp": {}, "tp": {},
                                             "cfg": {"branches": branches}}}],
            "walks": [{"name": "w", "nodes": ["n"]}]}


def asked(sizes, ranks, **more):
    return {"runtime": "mstar", "model": "sample", "max_seq_len": 4096,
            "node_groups": [{"node_names": ["n"], "ranks": ranks, **sizes}],
            **more}


def mesh(given, expect):
    sizes = given.take_all(same("cfg_size", "sp_size", "tp_size"))
    line = {"declare": [one_node(sizes["cfg_size"])],
            "deployment": asked(sizes, given.take("ranks"))}
    instances = [{"ranks": one.pop("ranks"), "groups": one}
                 for one in map(dict, expect.take("instances"))]
    places = expect.take("instance_rank")
    want = {"verdict": expect.take("verdict"),
            "node_groups": [{"instances": instances}]}
    want["nested"] = [
        (("node_groups", 0, "instances", i, "ranks", places.pop(str(rank))),
         rank)
        for i, one in enumerate(instances) for rank in one["ranks"]]
    if places:
        raise KeyError(f"ranks of no instance: {places}")
    return ask_for(line, want)


def timeout(given, expect):
    line = {"declare": [one_node(2)],
            "deployment": asked({}, [0], dist_timeout_s=given.take("seconds"))}
    return ask_for(line, wanted(expect, None))


def renamed(expect):
    """A result of the runner's, which says refuse and code."""
    found = {}
    for key, value in expect.items():
        if isinstance(value, dict) and "verdict" in value:
            value = renamed(value)
        if key == "verdict" and value == "reject":
            value = "refuse"
        found[{"kind": "code", "details": "subject"}.get(key, key)] = value
    return found


def asks(sample):
    given, expect = sample.given, sample.expect
    op = given.take("op")
    if op in WORK:
        yield work(WORK[op], given.left, renamed(expect.left))
        given.left, expect.left = {}, {}
    else:
        yield {"place": place, "mesh": mesh,
               "dist_timeout": timeout}[op](given, expect)
