# SPDX-License-Identifier: Apache-2.0
"""Ranks that a runtime takes for one node, or one NVLink domain, and the hosts
that they are bound to."""
import json
import time

import live
from live import PLACE, RELEASE, refuses, same, say, test
from live_hosts import (APPLY_HOSTS, SET_STATE, binding, declare, devices,
                        document, host)


def job(world, options=None, **extra):
    return {"text": json.dumps(dict(
        deployment="j", runtime="halo", world=world, options=options or {},
        **extra))}


def hosts_of(peer):
    """The hosts of the placement's ranks: (name, how many neighbours)."""
    runs = []
    for name, _ in devices(peer, "j"):
        if not runs or runs[-1][0] != name:
            runs.append([name, 0])
        runs[-1][1] += 1
    return [(name, n) for name, n in runs]


@test
def a_node_is_never_cut():
    with live.daemon() as made:
        peer = made.peer()
        peer.ask(APPLY_HOSTS, document=document(
            [host(0, 6), host(1, 6), host(2, 8), host(3, 2), host(4, 9)]))
        peer.ask(PLACE, document=job(16))
        same([("node2", 8), ("node4", 8)], hosts_of(peer))
        node = binding(peer, "j")["axes"]["node"]
        same(("host", 2, 2), (node["wants"], node["groups"], node["inside"]))
        at = peer.ask("Worker/GetAssignment", placement="j", rank=9).binding
        same(("node4", 1, 8, 1), (at.host, at.local_rank, at.local_world_size,
                                  at.group_rank))


@test
def hosts_that_are_too_small_are_refused_with_the_numbers():
    with live.daemon() as made:
        peer = declare(made, 4, 6)
        never = refuses("FAILED_PRECONDITION", peer.ask, PLACE,
                        document=job(16))
        same("place.never: node wants 8 ranks together in one host, and the "
             "largest has 6 such devices, also when all are free",
             never.message)
        reply = peer.ask("Placement/Check", document=job(16), bind=True)
        refused = json.loads(reply.verdict_json)["binding"]["refused"]
        same(("place.never", ["say in gpus_per_node what a host has",
                              "ask for fewer ranks or smaller axes"]),
             (refused["code"], refused["fixes"][:2]))
        looser = peer.ask("Placement/Check", bind=True, document=job(
            16, {"gpus_per_node": 2}, links={"dense.block": "host"}))
        same("ask for fewer ranks or smaller axes, or for a looser link of "
             "what is named (links: {dense.block: any})",
             json.loads(looser.verdict_json)["binding"]["refused"]["fixes"][0])
        peer.ask(PLACE, document=job(16, {"gpus_per_node": 2}))
        same([(f"node{i}", n) for i, n in enumerate([6, 6, 4])],
             hosts_of(peer))
        same(8, binding(peer, "j")["axes"]["node"]["inside"])


@test
def what_the_framework_would_refuse_at_its_start_is_not_placed():
    with live.daemon() as made:
        peer = declare(made, 3, 6)
        asked = job(16, links={"node": "any"})
        broken = refuses("FAILED_PRECONDITION", peer.ask, PLACE,
                         document=asked)
        assert ("ranks_not_blocked_by_node: 2 of 2 groups of node are not "
                "within one host: neighbouring ranks" in broken.message), broken
        same(0, len(peer.ask("Placement/ListPlacements").placements))
        reply = peer.ask("Placement/Check", document=asked, bind=True)
        refused = json.loads(reply.verdict_json)["binding"]["refused"]
        same(("ranks_not_blocked_by_node",
              ["let node want host (links: {node: host})"]),
             (refused["code"], refused["fixes"]))
        peer.ask(APPLY_HOSTS, document=document([host(i) for i in range(3)]))
        peer.ask(PLACE, document=asked)
        same("any", binding(peer, "j")["axes"]["node"]["wants"])


@test
def a_whole_node_moves_to_a_spare_host():
    with live.daemon() as made:
        peer = declare(made, 2)
        peer.ask(APPLY_HOSTS, document=document(
            [host(2, 7, spare=True), host(3, 8, spare=True)]))
        peer.ask(PLACE, document=job(16))
        peer.ask(SET_STATE, names=["node1"], state="drained")
        peer.ask(PLACE, document=job(16))
        same([("node0", 8), ("node3", 8)], hosts_of(peer))
        moves = binding(peer, "j")["moves"]
        same((8, 1), (moves["ranks"], moves["rebuilt"]["node"]))
        peer.ask(SET_STATE, names=["node0"], state="down")
        why = refuses("RESOURCE_EXHAUSTED", peer.ask, PLACE, document=job(16))
        assert ("node wants 2 sets of 8 ranks, each together in one host, and "
                "there is room for 1 now" in why.message or
                "are free now" in why.message), why


@test
def a_domain_of_several_hosts_is_one_nvlink_domain():
    with live.daemon() as made:
        peer = made.peer()
        options = {"gpus_per_node": 4, "nvlink_domain_size": 16}
        peer.ask(APPLY_HOSTS, document=document(
            dict(host(i, 4), domain="xy"[i // 5], own_domain=False)
            for i in range(9)))
        peer.ask(PLACE, document=job(32, options))
        same([(f"node{i}", 4) for i in (0, 1, 2, 3, 5, 6, 7, 8)],
             hosts_of(peer))
        axes = binding(peer, "j")["axes"]
        same((8, 8, 2, 2), (axes["node"]["groups"], axes["node"]["inside"],
                            axes["domain"]["groups"],
                            axes["domain"]["inside"]))


@test
def a_world_of_65536_ranks_keeps_its_nodes():
    with live.daemon() as made:
        peer = declare(made, 8192)
        took = []
        for _ in range(3):
            began = time.monotonic()
            peer.ask(PLACE, document=job(65536))
            took.append(time.monotonic() - began)
            same(8192, binding(peer, "j")["axes"]["node"]["inside"])
            peer.ask(RELEASE, name="j")
        say(f"65,536 ranks placed in {min(took) * 1000:.1f} ms")


if __name__ == "__main__":
    live.main()
