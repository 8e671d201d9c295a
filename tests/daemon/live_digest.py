# SPDX-License-Identifier: Apache-2.0
"""The first group that differs, named in a list of a million of them."""
import json
import random
import threading
import time

import live
from live import PLACE, same, test
from live_worker import (eventually, generation, happened, list_digest,
                         module, needs_library, of_other_rules)

WORLD = 1 << 20
RUNTIME = {
    "runtime": "mesh", "version": 1,
    "axes": [{"name": name} for name in "abc"],
    "derive": {"rest": "world / (a * b * c)"},
    "views": {"dense": ["a", "b", "c", {"rest": "rest"}]},
    "create": [{"union": ["dense.b", "dense.c"], "sort": "lexicographic"}]}
# a has groups of one rank each, b of two: first and second half of the world
SIZES = {"a": 1, "b": 2, "c": 8}


def place(made, name="span", world=WORLD):
    peer = made.peer()
    peer.ask("Catalog/Apply", document={"text": json.dumps(RUNTIME)})
    peer.ask(PLACE, document={"text": json.dumps(
        {"deployment": name, "runtime": "mesh", "world": world,
         "sizes": SIZES})})


def swapped(message, first, second):
    """The assignment of a worker that takes two ranks for each other."""
    message = live.unpack("Assignment", message)
    same(1, len(message.rank_maps))
    pieces = [(0, first), (second, second + 1), (first + 1, second),
              (first, first + 1), (second + 1, message.world)]
    message["rank_maps"] = [{"runs": [
        {"start": begin, "dims": [{"count": end - begin, "stride": 1}]}
        if end - begin > 1 else {"start": begin}
        for begin, end in pieces if end > begin]}]
    return live.pack("Assignment", message)


def refusal(serry, client, wrong):
    began = time.monotonic()
    try:
        client.join(wrong, serry.incarnation())
    except serry.Error as error:
        same("FAILED_PRECONDITION", error.status)
        live.say(f"{error.text} ({time.monotonic() - began:.2f} s)")
        return error.text
    raise AssertionError("it joined")


def calls(made):
    return made.peer().ask("Admin/Status").calls


@test
def the_last_group_of_a_million_is_named_with_the_ranks_of_both_sides():
    needs_library()
    with live.daemon() as made, module(made) as serry:
        place(made)
        with serry.Client() as client:
            client.set_deadline(60)
            right = client.assignment("span", WORLD - 1)
            wrong = serry.Assignment(
                swapped(right.message, WORLD - 2, WORLD - 1))
            before, cpu = calls(made), made.cpu_seconds()
            text = refusal(serry, client, wrong)
            same(2, calls(made) - before - 1)
            live.say(f"the daemon took {made.cpu_seconds() - cpu:.2f} s of CPU")
            words = ("DIGEST_DIFFERS: this worker's groups of the list dense.a "
                     "are not those of span; the first is its group 1048574, "
                     "in the placement of rank 1048574")
            same(words + ", here of rank 1048575", text)
            # whoever asks is told the same, once
            eventually(lambda: happened(made, "worker refused"), [words])
            report = json.loads(made.peer().ask(
                "Admin/Diagnose", placement="span").report_json)
            refused = report["placements"][0]["refused"]
            same([(WORLD - 1, 1)], [(r["rank"], r["count"]) for r in refused])
            assert words in json.dumps(report), report
            # one that does not know by itself which list it is, or believes
            # that it is another one
            message = live.unpack("Assignment", wrong.message)
            others = list(message.list_digests)[1:]
            own = [(rank,) for rank in range(WORLD)]
            own[-2:] = reversed(own[-2:])
            for digests, asked in ([], 3), ([list_digest("dense.a", own)] + [
                    bytes(8) for _ in others], 3):
                message["list_digests"] = digests
                before = calls(made)
                same(words + ", here of rank 1048575",
                     refusal(serry, client, serry.Assignment(
                         live.pack("Assignment", message))))
                same(asked, calls(made) - before - 1)
            client.join(right, serry.incarnation())  # who is right is let in


@test
def in_a_list_of_strides_the_group_and_its_runs_are_named():
    needs_library()
    with live.daemon() as made, module(made) as serry:
        place(made, world=1 << 16)
        with serry.Client() as client:
            right = client.assignment("span", 5)
            text = refusal(serry, client, serry.Assignment(
                of_other_rules(right.message)))
            same("DIGEST_DIFFERS: this worker's groups of the list dense.b are "
                 "not those of span; the first is its group 0, in the "
                 "placement of ranks 0, 32768, here of ranks 0 to 28672 by "
                 "4096", text)


@test
def a_worker_by_the_manual_alone_is_led_to_the_group():
    with live.daemon() as made:
        place(made, world=1 << 12)
        peer = made.peer()
        a = peer.ask("Worker/GetAssignment", placement="span", rank=9)
        names = [x.name for x in a.lists]
        same("dense.b", names[1])
        groups = [(i, i + 2048) for i in range(2048)]
        lists = list(a.list_digests)
        same(lists[1], list_digest("dense.b", groups))
        groups[2047] = (4095, 2047)
        lists[1] = list_digest("dense.b", groups)

        def join(**said):
            answer = peer.answer("Worker/Join", dict(
                placement="span", generation=generation(a), rank=9,
                incarnation=1, digest=bytes(32), list_digests=lists,
                sequence_digest=a.sequence_digest, **said))
            same("FAILED_PRECONDITION", live.STATUSES[answer.status])
            live.say(answer.message)
            return answer.message, answer.details[0].type, \
                answer.details[0].groups

        def say(first, n, block):
            said = groups[first:first + n]
            return join(
                span=dict(list=1, first=first, groups=n, block=block,
                          count=2048), span_digests=b"".join(
                              list_digest("dense.b", said[i:i + block])
                              for i in range(0, n, block)))

        message, kind, asked = join()
        assert message.endswith("rank 9 is in its group 9, of ranks 9, 2057")
        same(("say_groups", 1, False, 2048),
             (kind, asked.list, "groups" in asked, asked.count))
        message, kind, asked = say(0, 2048, 100)
        assert message.endswith("the first is one of its groups 2000 to 2047")
        same(("say_groups", 1, 2000, 48, 1),
             (kind, asked.list, asked.first, asked.groups, asked.block))
        message, kind, asked = say(asked.first, asked.groups, asked.block)
        assert message.endswith("the first is its group 2047, in the placement "
                                "of ranks 2047, 4095")
        same(("group", 1, 2047), (kind, asked.list, asked.first))


def hostile(made, assignment, said, stop):
    """Asks for the costliest comparison as fast as it can."""
    peer = made.peer()
    span = dict(list=0, first=0, groups=WORLD, block=1024, count=WORLD)
    while not stop.is_set():
        answer = peer.answer("Worker/Join", dict(
            placement="span", generation=generation(assignment), rank=0,
            incarnation=1, digest=bytes(32),
            list_digests=[bytes(8)] + list(assignment.list_digests)[1:],
            sequence_digest=bytes(8), span=span, span_digests=bytes(8192)))
        said.append(answer)


@test
def others_are_served_at_once_while_workers_ask_and_ask():
    with live.daemon() as made:
        place(made)
        assignment = made.peer().ask("Worker/GetAssignment",
                                     placement="span", rank=0)
        stop, said = threading.Event(), []
        threads = [threading.Thread(target=hostile,
                                    args=(made, assignment, said, stop))
                   for _ in range(80)]
        for thread in threads:
            thread.start()
        other, slowest, n = made.peer(), 0, 0
        until = time.monotonic() + 3
        while time.monotonic() < until:
            began = time.monotonic()
            other.ask("Admin/Status")
            slowest, n = max(slowest, time.monotonic() - began), n + 1
            time.sleep(0.01)
        stop.set()
        for thread in threads:
            thread.join()
        same({"FAILED_PRECONDITION"}, {live.STATUSES[a.status] for a in said})
        exact = [a for a in said if "one of its groups 0 to 1023" in a.message]
        full = [a for a in said if "which is not said: 64 workers' groups are "
                "being compared; ask again later" in a.message]
        same(len(said), len(exact) + len(full))
        assert exact and full, (len(exact), len(full))
        same({"say_groups"}, {a.details[0].type for a in exact})
        groups = exact[0].details[0].groups
        same((0, 0, 1024, 1, WORLD), (groups.list, groups.first, groups.groups,
                                      groups.block, groups.count))
        live.say(f"{len(exact)} comparisons, {len(full)} turned away; {n} other"
                 f" calls, the slowest in {slowest * 1000:.0f} ms")
        assert live.SANITIZED or slowest < 0.5, slowest


@test
def a_placement_that_goes_while_groups_are_compared_is_not_spoken_of():
    with live.daemon() as made:
        place(made)
        peers = [made.peer() for _ in range(8)]
        assignment = peers[0].ask("Worker/GetAssignment",
                                  placement="span", rank=0)
        for n, peer in enumerate(peers):
            peer.send("Worker/Join", dict(
                placement="span", generation=generation(assignment), rank=n,
                incarnation=1, digest=bytes(32), list_digests=[
                    bytes(8)] + list(assignment.list_digests)[1:],
                sequence_digest=bytes(8),
                span=dict(list=0, first=0, groups=WORLD, block=1024,
                          count=WORLD), span_digests=bytes(8192)))
        peers[-1].close()
        made.peer().ask("Placement/Release", name="span",
                        idempotency_key=live.key())
        for peer in peers[:-1]:
            answer = peer.receive()
            assert live.STATUSES[answer.status] in (
                "NOT_FOUND", "FAILED_PRECONDITION"), answer
        made.stop()


@test
def spans_of_any_numbers_are_answered_in_one_sentence():
    with live.daemon() as made:
        place(made, world=1 << 12)
        peer, noise, seen = made.peer(), random.Random(5), set()
        assignment = peer.ask("Worker/GetAssignment", placement="span", rank=0)
        numbers = [None, 0, 1, 2, 7, 1023, 1024, 1025, 4096, WORLD, WORLD + 1,
                   (1 << 32) - 1]
        for _ in range(600):
            span = {name: noise.choice(numbers) for name in (
                "first", "groups", "block", "count")}
            span["list"] = noise.choice([0, 0, 0, 1, 9, None])
            answer = peer.answer("Worker/Join", dict(
                placement="span", generation=generation(assignment), rank=0,
                incarnation=1, digest=bytes(32),
                list_digests=[bytes(8)] + list(assignment.list_digests)[1:],
                sequence_digest=bytes(8), span=span,
                span_digests=bytes(noise.choice([0, 7, 8, 16, 8192, 8200]))))
            seen.add(live.STATUSES[answer.status])
            assert answer.message, answer
        same({"INVALID_ARGUMENT", "FAILED_PRECONDITION"}, seen)


if __name__ == "__main__":
    live.main(240)
