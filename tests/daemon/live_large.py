# SPDX-License-Identifier: Apache-2.0
"""A million ranks: placing them, and what a worker of them is sent."""
import json
import random
import select
import time

import live
from live import PLACE, refuses, same, test
from live_cases import Expansion

WORLD = 1 << 20
KIB = 1024
MODEL = {
    "model": "large", "runtime": "mstar",
    "nodes": [{"name": "dit",
               "axes": {"cfg": {"branches": 2}, "sp": {}, "tp": {}},
               "facts": {"heads": 128, "kv_heads": 64}}],
    "walks": [{"name": "gen", "nodes": ["dit"],
               "signals": [{"from": "dit", "to": "dit", "name": "latents"}]}]}
GROUPS = {
    "deployment": "groups", "model": "large", "max_seq_len": 8192,
    "node_groups": [{"node_names": ["dit"], "count": WORLD, "cfg_size": 2,
                     "sp_size": 8, "tp_size": 8}]}
RUNTIME = {
    "runtime": "mesh", "version": 1,
    "axes": [{"name": name} for name in "abcd"],
    "derive": {"rest": "world / (a * b * c * d)"},
    "views": {"dense": [{"rest": "rest"}, "a", "b", "c", "d"]},
    "create": [{"union": ["dense.a", "dense.b", "dense.c", "dense.d"],
                "sort": "lexicographic"}]}
SPAN = {"deployment": "span", "runtime": "mesh", "world": WORLD,
        "sizes": {"a": 8, "b": 8, "c": 4, "d": 8}}
RANKS = 0, 1, 77, 4096, WORLD // 2 + 3, WORLD - 1


def field_sizes(assignment):
    """Bytes of each field that is present, the largest first."""
    sizes = {}
    for field in live.MESSAGES["Assignment"]:
        if field.name in assignment:
            one = {field.name: assignment[field.name]}
            sizes[field.name] = len(live.pack("Assignment", one))
    return sorted(sizes.items(), key=lambda item: -item[1])


def place_it(peer, document):
    began = time.monotonic()
    placed = peer.ask(PLACE, document={"text": json.dumps(document)})
    live.say(f"{placed.name}: {WORLD} ranks placed in "
             f"{(time.monotonic() - began) * 1000:.0f} ms")
    return placed


def assignments_are_small(document):
    with live.daemon() as made:
        peer = made.peer()
        before = made.rss_kib()
        for declared in MODEL, RUNTIME:
            peer.ask("Catalog/Apply", document={"text": json.dumps(declared)})
        placed = place_it(peer, document)
        sizes = []
        for rank in RANKS:
            asked = {"placement": placed.name, "rank": rank}
            packed = peer.packed("Worker/GetAssignment", asked)
            assignment = live.unpack("Assignment", packed)
            same((rank, placed.digest), (assignment.rank, assignment.digest))
            sizes.append(len(packed))
        live.say(f"assignments of {dict(zip(RANKS, sizes))} bytes")
        live.say(f"of the last: {field_sizes(assignment)}")
        live.say(f"the daemon holds {made.rss_kib() - before} KiB more")
        refuses("NOT_FOUND", peer.ask, "Worker/GetAssignment",
                placement=placed.name, rank=WORLD)
        assert max(sizes) <= KIB
        made.restart("kill")
        same(packed, made.peer().packed("Worker/GetAssignment", asked))


@test
def an_assignment_of_a_group_of_a_million_ranks_is_at_most_1_KiB():
    assignments_are_small(GROUPS)


@test
def an_assignment_of_a_span_of_a_million_ranks_is_at_most_1_KiB():
    assignments_are_small(SPAN)


@test
def a_worker_of_a_million_finds_the_same_digest():
    with live.daemon() as made:
        peer = made.peer()
        for declared in MODEL, RUNTIME:
            peer.ask("Catalog/Apply", document={"text": json.dumps(declared)})
        for document in GROUPS, SPAN:
            placed = place_it(peer, document)
            began = time.monotonic()  # as libserry expands it
            live.serry(made, "assignment", placed.name,
                       "--rank", str(WORLD - 1))
            live.say(f"serry verified it in {time.monotonic() - began:.1f} s")
        small = dict(SPAN, deployment="small", world=1 << 14)
        placed = peer.ask(PLACE, document={"text": json.dumps(small)})
        a = peer.ask("Worker/GetAssignment", placement="small", rank=5000)
        same(placed.digest, Expansion(a).check_digest())


def declare(made):
    peer = made.peer()
    for declared in MODEL, RUNTIME:
        peer.ask("Catalog/Apply", document={"text": json.dumps(declared)})
    return peer


def send_span(peer, name="span", key=None, **call):
    document = dict(SPAN, deployment=name)
    peer.send(PLACE, {"document": {"text": json.dumps(document)},
                      "idempotency_key": key or live.key()}, **call)


def readable(peer):
    return select.select([peer.socket], [], [], 0)[0]


@test
def others_are_served_at_once_while_a_million_ranks_are_placed():
    with live.daemon() as made:
        peer, other = declare(made), made.peer()
        slowest, meanwhile = 0, 0
        for n in range(5):
            sent = time.monotonic()
            send_span(peer, f"span{n}")
            waits = []
            while not readable(peer):
                began = time.monotonic()
                other.ask("Admin/Status")
                other.ask("Placement/Check", document=live.deployment("p"))
                waits.append(time.monotonic() - began)
            took = time.monotonic() - sent
            same(0, peer.receive().status)
            slowest, meanwhile = max([slowest, *waits]), meanwhile + len(waits)
        live.say(f"{meanwhile} calls were answered meanwhile, the slowest in "
                 f"{slowest * 1000:.0f} ms; a Place took {took * 1000:.0f} ms")
        assert meanwhile > 20
        assert live.SANITIZED or slowest < 0.2


@test
def a_large_write_that_is_sent_twice_is_done_once():
    with live.daemon() as made:
        peers = [declare(made)] + [made.peer() for _ in range(3)]
        key = live.key()
        for peer in peers:
            send_span(peer, key=key)
        answers = [peer.receive() for peer in peers]
        same({0}, {answer.status for answer in answers})
        same(1, len({answer.reply for answer in answers}))
        same(1, len([e for e in live.events(made.peer())
                     if e.what.startswith("placed")]))


@test
def a_large_place_that_nobody_waits_for_any_more_is_forgotten():
    with live.daemon() as made:
        peer = declare(made)
        send_span(peer, deadline_ms=20)
        answer = peer.receive()
        same("DEADLINE_EXCEEDED", live.STATUSES[answer.status])
        gone = made.peer()
        send_span(gone, "gone")
        gone.close()
        send_span(peer, "last")
        same(0, peer.receive().status)
        names = {p.name for p in
                 peer.ask("Placement/ListPlacements").placements}
        assert "span" not in names and "last" in names, names


@test
def too_many_large_places_at_a_time_are_refused():
    with live.daemon() as made:
        peers = [declare(made)] + [made.peer() for _ in range(39)]
        for n, peer in enumerate(peers):
            send_span(peer, f"span{n}")
        statuses = [live.STATUSES[peer.receive().status] for peer in peers]
        same({"OK", "RESOURCE_EXHAUSTED"}, set(statuses))
        assert statuses.count("OK") >= 16, statuses


@test
def a_daemon_that_is_told_to_stop_ends_while_it_decides():
    for drain in "10ms", "10s":
        with live.daemon("--drain-ms", drain) as made:
            peers = [declare(made)] + [made.peer() for _ in range(7)]
            for n, peer in enumerate(peers):
                send_span(peer, f"span{n}")
            time.sleep(0.05)
            made.stop()


@test
def more_than_a_million_ranks_are_refused():
    with live.daemon() as made:
        peer = made.peer()
        for declared in MODEL, RUNTIME:
            peer.ask("Catalog/Apply", document={"text": json.dumps(declared)})
        groups = [dict(GROUPS["node_groups"][0], count=2 * WORLD)]
        for document in (dict(GROUPS, node_groups=groups),
                         dict(SPAN, world=2 * WORLD)):
            text = json.dumps(document)
            answer = peer.answer(PLACE, {"document": {"text": text}})
            assert live.STATUSES[answer.status] in (
                "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED",
                "FAILED_PRECONDITION"), answer
        same(0, len(peer.ask("Placement/ListPlacements").placements))


@test
def what_can_be_placed_can_be_fetched_also_where_ranks_are_in_no_order():
    with live.daemon() as made:
        peer, refused = made.peer(), 0
        peer.ask("Catalog/Apply", document={"text": json.dumps(MODEL)})
        for world in 1000, 30000, 65536, 100000, 140000:
            ranks = list(range(world))
            random.Random(1).shuffle(ranks)
            groups = [{"node_names": ["dit"], "ranks": ranks}]
            document = json.dumps(dict(GROUPS, node_groups=groups),
                                  separators=(",", ":"))
            answer = peer.answer(PLACE, {"document": {"text": document}})
            asked = {"placement": "groups", "rank": ranks[7]}
            if answer.status == 0:
                shard = peer.ask("Worker/GetAssignment", asked).nodes[0]
                same(7, shard.instance * shard.tp_size + shard.instance_rank)
            else:
                same("RESOURCE_EXHAUSTED", live.STATUSES[answer.status])
                refused += 1
        assert refused < 4, "65,536 of them fit"


if __name__ == "__main__":
    live.main(240)
