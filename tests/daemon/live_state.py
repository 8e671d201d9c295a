# SPDX-License-Identifier: Apache-2.0
"""What a daemon keeps over restarts, who wins a race, and who hears of it."""
import json
import threading
import time

import live
from live import (APPLY, PLACE, RELEASE, deployment, events, key, model,
                  position, refuses, same, test)


def whole_state(peer):
    """Everything that reads tell, byte for byte where it is asked so."""
    placements = peer.ask("Placement/ListPlacements").placements
    state = {"events": events(peer), "placements": placements}
    for kind in "model", "runtime":
        listed = peer.ask("Catalog/ListDeclarations", kind=kind)
        state[kind] = listed.declarations
        for declared in state[kind]:
            state[kind, declared.name] = peer.packed(
                "Catalog/GetDeclaration", {"kind": kind, "name": declared.name})
    for one in placements:
        state["placement", one.name] = peer.packed(
            "Placement/GetPlacement", {"name": one.name})
        for rank in range(one.ranks):
            asked = {"placement": one.name, "rank": rank}
            state[one.name, rank] = peer.packed("Worker/GetAssignment", asked)
    return state


def fill(peer):
    """Some of everything; the writes by key, with their answers."""
    writes = {}

    def write(name, /, **fields):
        fields["idempotency_key"] = key()
        answer = peer.packed(name, fields)
        writes[fields["idempotency_key"]] = name, fields, answer

    write(APPLY, document=model("m1"))
    write(APPLY, document=model("m2"))
    write(APPLY, document=model("m1", heads=16))
    for n in range(8):
        write(PLACE, document=deployment(f"p{n}", ranks=2 + 2 * n))
    write(PLACE, document=deployment("p3", ranks=2))
    write(PLACE, document={"text": json.dumps(dict(
        deployment="mine", model="m1", max_seq_len=1,
        node_groups=[{"node_names": ["LLM"], "ranks": [0]}]))})
    write(APPLY, document=model("m1", heads=32))  # mine stays on the older one
    write(RELEASE, name="p5")
    return writes


def kept_over(how):
    with live.daemon() as made:
        writes = fill(made.peer())
        before = whole_state(made.peer())
        made.restart(how)
        peer = made.peer()
        after = whole_state(peer)
        same(set(before), set(after))
        for name, value in before.items():
            assert value == after[name], f"{name} differs after the restart"
        for name, fields, answer in writes.values():
            same(answer, peer.packed(name, fields))
        same(before["events"], events(peer))
        live.say(f"{len(before)} answers and {len(writes)} repeated writes are "
                 "the same bytes")


@test
def a_restart_by_SIGTERM_keeps_everything():
    kept_over("stop")


@test
def a_restart_by_SIGKILL_keeps_everything():
    kept_over("kill")


# ---- races ------------------------------------------------------------------

def race(made, name, requests):
    """Sends them at once, each on a peer of its own; their answers."""
    peers = [made.peer() for _ in requests]
    for peer, request in zip(peers, requests):
        peer.send(name, request)
    answers = [peer.receive() for peer in peers]
    for peer in peers:
        peer.close()
    return answers


@test
def of_two_that_place_one_name_one_wins_and_is_what_is_in_force():
    with live.daemon() as made:
        peer = made.peer()
        lost = 0
        for n in range(60):
            name = f"race{n}"
            documents = [deployment(name, ranks=2), deployment(name, ranks=4),
                         deployment(name, ranks=6)]
            answers = race(made, PLACE, [{"document": d} for d in documents])
            placed = [(live.unpack("PlaceReply", a.reply), d)
                      for a, d in zip(answers, documents) if not a.status]
            assert placed, "nobody won"
            for answer in answers:
                assert answer.status in (0, 10), answer
            lost += 3 - len(placed)
            last, document = max(placed,
                                 key=lambda p: position(p[0].generation))
            now = peer.ask("Placement/GetPlacement", name=name)
            same(last.generation, now.generation)
            same(document["text"], now.document.text)
            same(last.digest, now.digest)
        live.say(f"60 races of three, {lost} were told ABORTED")
        before = whole_state(peer)
        made.restart("kill")
        after = whole_state(made.peer())
        for name, value in before.items():
            assert value == after[name], f"{name} differs after the restart"


@test
def two_with_one_key_and_one_request_get_one_answer():
    with live.daemon() as made:
        for n in range(40):
            request = {"document": deployment(f"p{n}"),
                       "idempotency_key": key()}
            first, second = race(made, PLACE, [request, request])
            same(0, first.status)
            same(first.reply, second.reply)
        same(40, len(events(made.peer())))


@test
def one_key_with_another_request_is_refused():
    with live.daemon() as made:
        peer, one = made.peer(), key()
        peer.ask(PLACE, document=deployment("p"), idempotency_key=one)
        refuses("ALREADY_EXISTS", peer.ask, PLACE, document=deployment("q"),
                idempotency_key=one)
        refuses("ALREADY_EXISTS", peer.ask, RELEASE, name="p",
                idempotency_key=one)
        one = key()
        answers = race(made, PLACE, [
            {"document": deployment(name), "idempotency_key": one}
            for name in ("r", "s")])
        same([0, 6], sorted(a.status for a in answers))
        same(2, len(events(peer)))


@test
def of_two_that_release_one_placement_one_does():
    with live.daemon() as made:
        peer = made.peer()
        for _ in range(40):
            peer.ask(PLACE, document=deployment("p"))
            answers = race(made, RELEASE, [{"name": "p"}, {"name": "p"}])
            statuses = sorted(a.status for a in answers)
            assert statuses in ([0, 5], [0, 10]), statuses


@test
def a_generation_is_never_used_again():
    with live.daemon() as made:
        seen = []
        for n in range(30):
            peer = made.peer()
            placed = peer.ask(PLACE, document=deployment("p"))
            seen.append(position(placed.generation))
            if n % 3 == 0:
                seen.append(position(peer.ask(RELEASE, name="p").generation))
            if n % 5 == 0:
                made.restart("kill" if n % 2 else "stop")
        same(sorted(set(seen)), seen)


@test
def a_write_is_done_only_on_the_generation_it_expects():
    with live.daemon() as made:
        peer = made.peer()
        nothing = {"epoch": 0, "revision": 0}
        first = peer.ask(PLACE, document=deployment("p"), expected=nothing)
        refuses("ABORTED", peer.ask, PLACE, document=deployment("p"),
                expected=nothing)
        second = peer.ask(PLACE, document=deployment("p", ranks=4),
                          expected=first.generation)
        refuses("ABORTED", peer.ask, PLACE, document=deployment("p"),
                expected=first.generation)
        refuses("ABORTED", peer.ask, RELEASE, name="p",
                expected=first.generation)
        later = dict(second.generation, epoch=second.generation.epoch + 1)
        refuses("ABORTED", peer.ask, RELEASE, name="p", expected=later)
        refuses("FAILED_PRECONDITION", peer.ask, "Worker/GetAssignment",
                placement="p", rank=0, generation=first.generation)
        peer.ask("Worker/GetAssignment", placement="p", rank=0,
                 generation=second.generation)
        peer.ask(RELEASE, name="p", expected=second.generation)
        refuses("ABORTED", peer.ask, PLACE, document=deployment("p"),
                expected=second.generation)
        applied = peer.ask(APPLY, document=model("m"), expected_revision=0)
        refuses("ABORTED", peer.ask, APPLY, document=model("m", 16),
                expected_revision=0)
        peer.ask(APPLY, document=model("m", 16),
                 expected_revision=applied.revision)


@test
def of_many_that_expect_one_generation_one_wins():
    with live.daemon() as made:
        placed = made.peer().ask(PLACE, document=deployment("p"))
        for n in range(20):
            answers = race(made, PLACE, [
                {"document": deployment("p", ranks=2 + 2 * m),
                 "expected": placed.generation} for m in range(8)])
            same([0] + [10] * 7, sorted(a.status for a in answers))
            winner = [a for a in answers if not a.status][0]
            placed = live.unpack("PlaceReply", winner.reply)
            now = made.peer().ask("Placement/GetPlacement", name="p")
            same((placed.digest, placed.generation),
                 (now.digest, now.generation))


@test
def a_repeated_apply_does_not_undo_a_later_one():
    with live.daemon() as made:
        peer = made.peer()
        peer.ask(APPLY, document=model("m", 8))
        again = {"document": model("m", 8), "idempotency_key": key()}
        answer = peer.packed(APPLY, again)  # it is so already
        peer.ask(APPLY, document=model("m", 16))
        same(answer, peer.packed(APPLY, again))
        now = peer.ask("Catalog/GetDeclaration", kind="model", name="m")
        same(model("m", 16)["text"], now.text)


# ---- watching ---------------------------------------------------------------

def watch(peer, after, wait_ms=20000):
    return peer.ask("Placement/Watch", after=after, wait_ms=wait_ms)


@test
def a_parked_watch_wakes_when_something_is_placed():
    with live.daemon() as made:
        watcher, peer = made.peer(), made.peer()
        watcher.send("Placement/Watch", {"wait_ms": 20000})
        time.sleep(0.1)
        began = time.monotonic()
        placed = peer.ask(PLACE, document=deployment("p"))
        reply = live.unpack("WatchReply", watcher.receive().reply)
        assert time.monotonic() - began < 1
        same([("placed", "p", placed.generation)],
             [(e.what, e.subject, e.position) for e in reply.events])
        same(placed.generation, reply.position)


@test
def a_watch_without_news_is_answered_when_its_wait_is_over():
    with live.daemon() as made:
        began = time.monotonic()
        reply = made.peer().ask("Placement/Watch", wait_ms=300)
        assert 0.25 < time.monotonic() - began < 2
        same([], reply.events)


@test
def a_watcher_hears_every_event_once_and_in_order():
    with live.daemon() as made:
        start, heard = made.peer().ask("Admin/Status").position, []
        total = 400

        def write(thread):
            peer = made.peer()
            for n in range(total // 4):
                peer.ask(PLACE, document=deployment(f"p{thread}.{n % 9}"))

        writers = [threading.Thread(target=write, args=(t,)) for t in range(4)]
        for writer in writers:
            writer.start()
        peer, after = made.peer(), start
        while len(heard) < total:
            reply = watch(peer, after)
            assert reply.events and not reply.reset
            heard += reply.events
            after = reply.position
        for writer in writers:
            writer.join()
        same(events(peer), heard)
        same(list(range(1, total + 1)), [e.sequence for e in heard])
        same([], watch(peer, after, 0).events)
        # and from the beginning, in as many answers as it takes
        again, after = [], start
        while len(again) < total:
            reply = watch(peer, after, 0)
            again, after = again + reply.events, reply.position
        same(heard, again)


@test
def who_watches_from_before_a_restart_is_told_all_that_came():
    with live.daemon() as made:
        peer = made.peer()
        start = peer.ask("Admin/Status").position
        first = peer.ask(PLACE, document=deployment("p"))
        peer.ask(PLACE, document=deployment("p"))
        assert not watch(peer, start, 0).reset
        made.restart("stop")
        peer = made.peer()
        for after, n in ((start, 2), (first.generation, 1),
                         ({"epoch": 0, "revision": 0}, 2)):
            reply = watch(peer, after)
            same((False, n), (bool(reply.reset), len(reply.events)))
            assert not watch(peer, reply.position, 0).events


@test
def peers_that_have_all_they_asked_for_do_not_hold_up_the_end():
    with live.daemon() as made:
        quiet, asked = made.peer(), made.peer()
        quiet.ask("Admin/Status")
        asked.answer("Placement/GetPlacement", {"name": "nothing"})
        began = time.monotonic()
        made.stop()
        assert time.monotonic() - began < 0.8


@test
def a_mistyped_name_is_helped_among_few_and_among_many():
    with live.daemon() as made:
        peers = [made.peer() for _ in range(30)]
        for first in "ab":
            for turn in range(6):
                for n, peer in enumerate(peers):
                    peer.send(PLACE, {
                        "document": deployment(f"{first}long-name-{turn}-{n}"),
                        "idempotency_key": live.key()})
                for peer in peers:
                    same(0, peer.receive().status)
                if (first, turn) == ("a", 0):  # few: any letter may be wrong
                    answer = refuses("NOT_FOUND", peer.ask,
                                     "Placement/GetPlacement",
                                     name="xlong-name-0-7")
                    assert "along-name-0-7" in answer.message, answer
        for first in "ab":
            answer = refuses("NOT_FOUND", peer.ask, "Placement/GetPlacement",
                             name=f"{first}long-nmae-5-29")
            assert f"{first}long-name-5-29" in answer.message, answer


@test
def what_is_no_deployment_is_not_placed_and_said_to_be_what_it_is():
    with live.daemon() as made:
        peer = made.peer()
        for document, what in ((live.model("m"), "model"),
                               ({"text": "runtime: r\nversion: 1\naxes: [{name: a}]\n"},
                                "runtime")):
            answer = refuses("INVALID_ARGUMENT", peer.ask, PLACE,
                             document=document)
            assert f"declares a {what}; apply it" in answer.message, answer


@test
def watching_has_a_budget_of_its_own():
    with live.daemon("--watch-max", "3") as made:
        peer, other = made.peer(), made.peer()
        for _ in range(3):
            peer.send("Placement/Watch", {"wait_ms": 20000})
        assert peer.answer("Admin/Status", {}).status == 0
        refuses("RESOURCE_EXHAUSTED", other.ask, "Placement/Watch",
                wait_ms=1000)
        other.ask("Placement/Watch", wait_ms=0)  # does not park
        other.ask(PLACE, document=deployment("p"))
        for _ in range(3):
            same(0, peer.receive().status)
        other.ask("Placement/Watch", wait_ms=10)


@test
def a_watcher_that_goes_away_leaves_room_for_another():
    with live.daemon("--watch-max", "1") as made:
        peer, other = made.peer(), made.peer()
        peer.send("Placement/Watch", {"wait_ms": 20000})
        other.ask("Admin/Status")
        refuses("RESOURCE_EXHAUSTED", other.ask, "Placement/Watch",
                wait_ms=1000)
        peer.close()
        until = time.monotonic() + 5
        while other.answer("Placement/Watch", {"wait_ms": 10}).status:
            assert time.monotonic() < until
            time.sleep(0.1)


@test
def parked_calls_end_when_the_daemon_is_told_to_stop():
    with live.daemon() as made:
        peers = [made.peer() for _ in range(20)]
        for peer in peers:
            peer.send("Placement/Watch", {"wait_ms": 30000})
        time.sleep(0.1)
        began = time.monotonic()
        made.stop()
        assert time.monotonic() - began < 3
        for peer in peers:
            same("UNAVAILABLE", live.STATUSES[peer.receive().status])


if __name__ == "__main__":
    live.main()
