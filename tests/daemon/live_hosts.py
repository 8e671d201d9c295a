# SPDX-License-Identifier: Apache-2.0
"""Hosts, and placements on them, for the tests of clusters."""
import json

from live import PLACE, key

APPLY_HOSTS, LIST_HOSTS = "Cluster/ApplyHosts", "Cluster/ListHosts"
SET_STATE = "Cluster/SetHostState"


def host(number, devices=8, **extra):
    """A host whose devices are one NVLink domain and are known by UUID."""
    return dict({
        "name": f"node{number}", "addresses": [f"10.0.{number // 250}."
                                               f"{number % 250 + 1}"],
        "own_domain": True, "rack": f"rack{number // 4}",
        "devices": [{"index": i, "uuid": f"GPU-{number}-{i}",
                     "pci": f"0000:{i + 16:02x}:00.0", "numa": i // 4}
                    for i in range(devices)]}, **extra)


def document(hosts):
    return {"text": json.dumps({"hosts": list(hosts)})}


def declare(made, n, devices=8, **extra):
    peer = made.peer()
    for first in range(0, n, 100):
        last = min(n, first + 100)
        peer.ask(APPLY_HOSTS, first_index=first, idempotency_key=key(),
                 document=document(host(i, devices, **extra)
                                   for i in range(first, last)))
    return peer


def mesh(name, world, sizes, **extra):
    """A deployment of the runtime torchtitan, whose ranks are a world."""
    return {"text": json.dumps(dict(
        deployment=name, runtime="torchtitan", world=world, sizes=sizes,
        **extra))}


def place(peer, name, world, sizes=None, **extra):
    return peer.ask(PLACE, document=mesh(name, world, sizes or
                                         {"dp_shard": world}, **extra))


def hosts(peer):
    return {h.name: h for h in peer.ask(LIST_HOSTS).hosts}


def verdict(peer, name):
    return json.loads(peer.ask("Placement/GetPlacement",
                               name=name).verdict_json)


def binding(peer, name):
    return verdict(peer, name)["binding"]


def devices(peer, name):
    """The devices of a placement's ranks, as (host, index)."""
    return [(run["host"], run["first"] + k * run.get("stride", 1))
            for run in binding(peer, name)["runs"]
            for k in range(run["count"])]
