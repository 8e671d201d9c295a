# SPDX-License-Identifier: Apache-2.0
"""Worlds with gaps that are renumbered: one numbering for all that follows."""
import json
import sys

import live
from live import PLACE, refuses, same, test
from live_worker import (apply, environment, happened, launch, needs_library)


def document(name, groups, **extra):
    return {"text": json.dumps(dict(
        deployment=name, model="tiny", node_groups=[
            {"node_names": [node], "ranks": ranks, "sizes": sizes}
            for node, ranks, sizes in groups], **extra))}


SPARSE = [("n", [3, 9, 20, 21], {"a": 2}), ("m", [9, 30], {})]
DENSE = [("n", [0, 1, 2, 3], {"a": 2}), ("m", [1, 4], {})]
RUNS = [{"from": 3, "to": 0, "count": 1}, {"from": 9, "to": 1, "count": 1},
        {"from": 20, "to": 2, "count": 2}, {"from": 30, "to": 4, "count": 1}]


def declare(made, sparse):
    apply(made, json.dumps({"hosts": [
        {"name": f"node{i}", "addresses": [f"10.0.0.{i + 1}"],
         "own_domain": True, "devices": 8} for i in range(2)]}))
    apply(made, json.dumps({"runtime": "tiny", "sparse": sparse,
                            "axes": [{"name": "a", "field": "a"}]}))
    apply(made, json.dumps({"model": "tiny", "runtime": "tiny",
                            "nodes": [{"name": "n"}, {"name": "m"}]}))
    return made.peer()


def told(peer, name, rank):
    return peer.ask("Worker/GetAssignment", placement=name, rank=rank)


@test
def a_renumbered_world_is_the_dense_one():
    with live.daemon("--audit-ms", "100") as made:
        peer = declare(made, "renumber")
        sparse = peer.ask(PLACE, document=document("s", SPARSE))
        dense = peer.ask(PLACE, document=document("d", DENSE))
        same(dense.digest, sparse.digest)
        same(RUNS, json.loads(sparse.verdict_json)["renumbered"]["runs"])
        assert "renumbered" not in json.loads(dense.verdict_json)
        for rank, listed in enumerate([3, 9, 20, 21, 30]):
            at, other = told(peer, "s", rank), told(peer, "d", rank)
            same((rank, listed), (at.rank, at.listed_rank))
            same(0, other.listed_rank)  # absent
            same(other.world, at.world)
            same(other.list_digests, at.list_digests)
            same(("node0", rank), (at.binding.host, at.binding.index))
        for listed in (9, 20, 30):
            refuses("NOT_FOUND", told, peer, "s", listed)
        digest = sparse.digest
        made.restart("kill")
        peer = made.peer()
        same(digest, told(peer, "s", 0).digest)
        same(30, told(peer, "s", 4).listed_rank)
        again = peer.ask("Placement/GetPlacement", name="s")
        same(RUNS, json.loads(again.verdict_json)["renumbered"]["runs"])
        same([], happened(made, "invariant broken"))


@test
def a_request_says_otherwise_as_far_as_it_may():
    with live.daemon() as made:
        peer = declare(made, {"usual": "refuse", "allow": ["renumber"]})
        answer = refuses("FAILED_PRECONDITION", peer.ask, PLACE,
                         document=document("s", SPARSE))
        assert "ranks.sparse" in answer.message, answer.message
        refuses("INVALID_ARGUMENT", peer.ask, PLACE,
                document=document("s", SPARSE, sparse="keep"))
        peer.ask(PLACE, document=document("s", SPARSE, sparse="renumber"))
        same(9, told(peer, "s", 1).listed_rank)


@test
def both_numbers_are_shown():
    with live.daemon() as made:
        declare(made, "keep")
        text = document("s", SPARSE)["text"]
        said = live.serry(made, "place", "--renumber", "-f", "-", text=text)
        shown = "renumbered: 3 to 0; 9 to 1; 20-21 to 2-3; 30 to 4"
        assert shown in said, said
        said = live.serry(made, "describe", "s")
        assert shown in said and "a groups  {0,1} {2,3}" in said, said
        said = live.serry(made, "check", "--renumber", "-f", "-", text=text)
        assert shown in said, said
        said = live.serry(made, "check", "-f", "-", text=text)
        assert "renumbered" not in said and "20" in said, said
        said = live.serry(made, "assignment", "s", "--rank", "2")
        assert "rank 2 (20 in the request)" in said, said
        printed = json.loads(live.serry(made, "assignment", "s", "--rank", "2",
                                        "-o", "json"))
        same((2, 20), (printed["rank"], printed["listed_rank"]))
        said = live.serry(made, "export", "--as", "hostfile", "s")
        assert "node0" in said, said


@test
def workers_know_both_numbers():
    needs_library()
    with live.daemon() as made:
        peer = declare(made, "renumber")
        peer.ask(PLACE, document=document("s", [("n", [7, 5], {})]))
        # in one write: both have one pipe
        program = ("import os, serry; a = serry.assignment(); os.write(1, ("
                   "'%s %s %s %s' % (os.environ['RANK'], "
                   "os.environ['WORLD_SIZE'], a.rank, a.listed_rank) + "
                   "chr(10)).encode())")
        line = " & ".join(
            f"{live.SERRY} exec --placement s --rank {rank} --address-of-me "
            f"127.0.0.1 -- {sys.executable} -c \"{program}\""
            for rank in range(2)) + "; wait"
        out = launch(["sh", "-c", line], env=environment(made))
        same(["0 2 0 5", "1 2 1 7"], sorted(out.splitlines()))


if __name__ == "__main__":
    live.main()
