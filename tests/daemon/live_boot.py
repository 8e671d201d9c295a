# SPDX-License-Identifier: Apache-2.0
"""A boot: workers join, wait for each other, are lost, come again."""
import time

import live
from live import refuses, same, test
from live_worker import (Worker, eventually, generation, happened,
                         list_digest, place, receive_ok, state)


@test
def all_are_told_the_same_when_the_last_one_has_joined():
    with live.daemon() as made:
        place(made)
        same("placed", state(made))
        workers = [Worker(made, rank) for rank in range(4)]
        for n, worker in enumerate(workers[:3]):
            joined = worker.join()
            same((n + 1, 4), (joined.joined, joined.world))
            worker.send_await()
        same("booting", state(made))
        first = Worker(made, 0).await_(0)  # another connection, the same worker
        same(("booting", 3, [3]), (first.state, first.joined, first.missing))
        workers[0].peer.receive()  # ends as the call was asked again
        workers[0].send_await()
        workers[3].join()
        answers = [w.told() for w in workers[:3]] + [workers[3].await_()]
        now = workers[0].assignment.generation
        for answer in answers:
            same(("ready", 4, 4, []), (answer.state, answer.joined,
                                       answer.world, answer.missing))
            same("10.0.0.0", answer.master_address)
            assert 29500 <= answer.master_port <= 29999, answer
            same(f"wan/{now.epoch}.{now.revision}",
                 answer.store_prefix)
        same(1, len({a.master_port for a in answers}))
        same("ready", state(made))
        eventually(lambda: happened(made, "ready"), ["4 workers"])


@test
def a_wait_that_is_over_says_who_is_missing():
    with live.daemon() as made:
        place(made)
        worker = Worker(made, 1)
        worker.join()
        began = time.monotonic()
        answer = worker.await_(300)
        assert 0.2 < time.monotonic() - began < 5
        same(("booting", [0, 2, 3]), (answer.state, answer.missing))
        again = {worker.await_(0).retry_ms for _ in range(20)}
        assert len(again) > 10 and max(again) < 1000, again  # none at one time


@test
def a_boot_that_is_late_is_ended_with_the_ranks_that_did_not_join():
    with live.daemon("--boot-ms", "1s") as made:
        place(made)
        workers = [Worker(made, rank) for rank in (0, 2)]
        for worker in workers:
            worker.join()
            worker.send_await()
        for worker in workers:
            answer = worker.peer.receive()
            same("DEADLINE_EXCEEDED", live.STATUSES[answer.status])
            assert "ranks 1, 3 of 4 did not join" in answer.message, answer
        eventually(lambda: happened(made, "boot timed out"), ["ranks 1, 3"])
        for worker in [Worker(made, 1), Worker(made, 3)]:  # later all the same
            worker.join()
        same("ready", workers[0].await_().state)


@test
def of_a_worker_that_starts_twice_the_newest_incarnation_wins():
    with live.daemon() as made:
        place(made)
        old, new = Worker(made, 0), Worker(made, 0, incarnation=2)
        old.join()
        old.send_await()
        new.join()
        answer = old.peer.receive()
        same("FAILED_PRECONDITION", live.STATUSES[answer.status])
        assert answer.message.startswith("STALE_INCARNATION: "), answer
        for call in old.join, old.await_:
            answer = refuses("FAILED_PRECONDITION", call)
            assert answer.message.startswith("STALE_INCARNATION: "), answer
        new.join()  # again, which is no fault
        others = [Worker(made, rank) for rank in (1, 2, 3)]
        for other in others:
            other.join()
        same("ready", new.await_().state)


@test
def an_old_generation_is_refused_wherever_it_shows():
    with live.daemon() as made:
        place(made)
        worker = Worker(made, 0)
        worker.join()
        worker.send_await()
        before = generation(worker.assignment)
        place(made)  # anew
        answer = worker.peer.receive()
        same("FAILED_PRECONDITION", live.STATUSES[answer.status])
        assert answer.message.startswith("STALE_GENERATION: "), answer
        for call in worker.join, worker.await_:
            answer = refuses("FAILED_PRECONDITION", call)
            assert answer.message.startswith("STALE_GENERATION: "), answer
        for method in "Leave", "ReportPort":
            answer = refuses("FAILED_PRECONDITION", worker.peer.ask,
                             f"Worker/{method}", **worker.who(), port=1)
            assert answer.message.startswith("STALE_GENERATION: "), answer
        worker.fetch()
        now = generation(worker.assignment)
        assert now != before
        other = dict(now, epoch=now["epoch"] + 1)  # as of another store
        for method in "GetAssignment", "Join", "Await", "Leave", "ReportPort":
            for stale in before, other:
                asked = dict(worker.who(), generation=stale, port=1)
                if method == "Join":
                    asked.update(worker.proof())
                answer = refuses("FAILED_PRECONDITION", worker.peer.ask,
                                 f"Worker/{method}", **asked)
                assert answer.message.startswith("STALE_GENERATION: "), answer
        refuses("FAILED_PRECONDITION", worker.await_)  # it has to join again
        same(1, worker.join().joined)
        worker.send_await()
        made.peer().ask("Placement/Release", name="wan",
                        idempotency_key=live.key())
        same("NOT_FOUND", live.STATUSES[worker.peer.receive().status])


@test
def another_digest_is_refused_with_the_first_list_that_differs():
    with live.daemon() as made:
        place(made)
        worker = Worker(made, 1)
        lists = list(worker.assignment.list_digests)
        names = [x.name for x in worker.assignment.lists]
        for n, name in enumerate(names):
            wrong = lists[:n] + [b"12345678"] + lists[n + 1:]
            answer = refuses("FAILED_PRECONDITION", worker.join,
                             digest=bytes(32), list_digests=wrong)
            assert answer.message.startswith("DIGEST_DIFFERS: "), answer
            assert f"of the list {name} are not those of wan" in answer.message
        assert "node_groups[0].cfg" in names
        answer = refuses("FAILED_PRECONDITION", worker.join, digest=bytes(32),
                         list_digests=[b"12345678"] + lists[1:])
        assert "rank 1 is in its group 0, of ranks 0, 1" in answer.message
        of = lambda *ranks: list_digest(names[0], [ranks])
        own = "rank 1 is in its group 0, of ranks 0, 1"
        last = "the first is its group 1, in the placement of ranks 2, 3"
        for said, words in (
                ([of(2, 3), of(0, 1)],
                 "the first is its group 0, in the placement of ranks 0, 1"),
                ([of(0, 1), of(3, 2)], last), ([of(0, 1)], last),
                ([of(0, 1), of(2, 3)[:5]], last),
                ([of(0, 1), of(2, 3), of(4)],
                 "the first is its group 2, which the placement does not have"),
                ([of(0, 1), of(2, 3)], own)):
            answer = refuses("FAILED_PRECONDITION", worker.join,
                             digest=bytes(32), differing_list=0,
                             list_digests=[b"12345678"] + lists[1:],
                             group_digests=b"".join(said))
            assert words in answer.message, answer
        answer = refuses("FAILED_PRECONDITION", worker.join, digest=bytes(32),
                         list_digests=[b"12345678"] + lists[1:],
                         differing_list=7, group_digests=bytes(8))
        assert own in answer.message, answer
        answer = refuses("FAILED_PRECONDITION", worker.join, digest=bytes(32),
                         sequence_digest=bytes(8))
        assert "in another order" in answer.message, answer
        answer = refuses("FAILED_PRECONDITION", worker.join, digest=bytes(32),
                         list_digests=lists[1:])
        assert f"{len(lists)} lists" in answer.message, answer
        refuses("INVALID_ARGUMENT", worker.join, digest=b"")
        same("placed", state(made))


@test
def a_worker_that_is_silent_is_lost_and_can_come_back():
    with live.daemon("--lease-ms", "1s") as made:
        place(made)
        workers = [Worker(made, rank) for rank in range(4)]
        for worker in workers:
            worker.join()
        for worker in workers[:3]:
            same("ready", worker.await_().state)
            worker.send_await(state="ready")
        for worker in workers[:3]:
            answer = worker.told()
            same(("degraded", [3]), (answer.state, answer.missing))
        same("degraded", state(made))
        eventually(lambda: happened(made, "degraded"), ["lost rank 3"])
        for worker in workers[:3]:
            worker.send_await(state="degraded")
        same("ready", workers[3].await_().state)
        for worker in workers[:3]:
            same("ready", worker.told().state)
        eventually(lambda: len(happened(made, "ready")), 2)


@test
def one_that_waits_is_alive_and_one_whose_connection_broke_is_not():
    with live.daemon("--lease-ms", "1s") as made:
        place(made, 2)
        here, gone = Worker(made, 0), Worker(made, 1)
        for worker in here, gone:
            worker.join()
            worker.send_await()
        for worker in here, gone:
            same("ready", worker.told().state)
            worker.send_await(state="ready")
        time.sleep(2)
        same("ready", state(made))
        gone.peer.close()
        same(("degraded", [1]), (lambda a: (a.state, a.missing))(here.told()))


@test
def signs_of_life_are_kept_in_memory_only():
    with live.daemon("--lease-ms", "1s") as made:
        place(made, 2)
        workers = [Worker(made, rank) for rank in range(2)]
        for worker in workers:
            worker.join()
        eventually(lambda: happened(made, "ready"), ["2 workers"])
        before = made.peer().ask("Admin/Status").position.revision
        until = time.monotonic() + 1.5  # longer than a lease
        while time.monotonic() < until:
            for worker in workers:
                same("ready", worker.await_(10, state="ready").state)
        same(before, made.peer().ask("Admin/Status").position.revision)


@test
def an_await_is_parked_for_thirty_seconds_at_most():
    with live.daemon() as made:
        place(made, 2)
        worker = Worker(made, 0)
        worker.join()
        watcher, began = made.peer(), time.monotonic()
        for peer in worker.peer, watcher:
            peer.socket.settimeout(60)
        worker.peer.send("Worker/Await", dict(worker.who(), wait_ms=3600000),
                         deadline_ms=50000)
        now = watcher.ask("Admin/Status").position
        watcher.send("Placement/Watch",
                     {"wait_ms": 3600000, "after": dict(
                         epoch=now.epoch, revision=now.revision)},
                     deadline_ms=50000)
        same(("booting", [1]),
             (lambda a: (a.state, a.missing))(worker.told()))
        same([], live.unpack("WatchReply", receive_ok(watcher)).events)
        assert 29 < time.monotonic() - began < 40


@test
def those_who_leave_degrade_nothing():
    with live.daemon("--lease-ms", "1s") as made:
        place(made, 2)
        workers = [Worker(made, rank) for rank in range(2)]
        for worker in workers:
            worker.join()
        workers[0].peer.ask("Worker/Leave", **workers[0].who())
        same("ready", workers[1].await_(1500, state="ready").state)
        same("ready", state(made))
        workers[1].peer.ask("Worker/Leave", **workers[1].who())
        same("placed", state(made))
        refuses("FAILED_PRECONDITION", workers[1].await_)
        same([], happened(made, "degraded"))


@test
def a_boot_completes_over_a_kill_of_the_daemon():
    with live.daemon() as made:
        place(made)
        workers = [Worker(made, rank) for rank in range(3)]
        for worker in workers:
            worker.join()
            worker.send_await()
        made.restart("kill")
        for worker in workers:
            worker.peer = made.peer()
            answer = refuses("FAILED_PRECONDITION", worker.await_)
            assert answer.message.startswith("NOT_JOINED: "), answer
            worker.join()
            worker.send_await()
        Worker(made, 3).join()
        same({"ready"}, {worker.told().state for worker in workers})
        eventually(lambda: len(happened(made, "ready")), 1)


@test
def ports_are_each_leased_to_one_placement():
    with live.daemon("--port-first", "30000", "--port-last", "30002",
                     "--port-rest-ms", "0") as made:
        ports = {}
        for name in "abc":
            place(made, 2, name)
            worker = Worker(made, 0, name)
            worker.join()
            ports[name] = worker.await_(0).master_port
        same({30000, 30001, 30002}, set(ports.values()))
        answer = refuses("RESOURCE_EXHAUSTED", place, made, 2, "d")
        assert "all 3 ports from 30000 to 30002" in answer.message, answer
        made.peer().ask("Placement/Release", name="b",
                        idempotency_key=live.key())
        place(made, 2, "d")
        worker = Worker(made, 0, "d")
        worker.join()
        same(ports["b"], worker.await_(0).master_port)
        made.restart("kill")
        worker = Worker(made, 0, "d")
        worker.join()
        same(ports["b"], worker.await_(0).master_port)


@test
def calls_that_mean_nothing_are_refused():
    with live.daemon() as made:
        place(made)
        worker = Worker(made, 0)
        who, proof = worker.who(), worker.proof()
        for method in "Join", "Await", "Leave":
            for name in "placement", "generation", "rank", "incarnation":
                some = {k: v for k, v in who.items() if k != name}
                more = proof if method == "Join" else {}
                refuses("INVALID_ARGUMENT", worker.peer.ask,
                        f"Worker/{method}", **some, **more)
            refuses("NOT_FOUND", worker.peer.ask, f"Worker/{method}",
                    **dict(who, placement="wann"), **more)
        refuses("NOT_FOUND", worker.join, rank=4)
        refuses("NOT_FOUND", worker.join, rank=(1 << 32) - 1)
        refuses("INVALID_ARGUMENT", worker.join, address="x" * 256)
        refuses("FAILED_PRECONDITION", worker.await_)
        worker.join()
        refuses("INVALID_ARGUMENT", worker.await_, state="happy")
        refuses("FAILED_PRECONDITION", worker.peer.ask, "Worker/Leave",
                **dict(who, incarnation=7))


@test
def nine_thousand_workers_wait_on_one_daemon():
    count = 9000
    if live.raise_descriptors() < count + 500:
        raise live.Skip("too few descriptors")
    if live.SANITIZED:
        count = 1000
    with live.daemon("--connections-max", "12000", descriptors=count + 500,
                     ) as made:
        place(made, count)
        first = Worker(made, 0)
        workers, began = [first], time.monotonic()
        for rank in range(1, count):
            worker = Worker.__new__(Worker)  # all have the same groups
            worker.__dict__.update(first.__dict__, rank=rank,
                                   peer=made.peer(buffer=1 << 10))
            workers.append(worker)
        for worker in workers[:-1]:
            worker.peer.send("Worker/Join",
                             dict(worker.who(), **worker.proof()))
        for worker in workers[:-1]:
            receive_ok(worker.peer)
        for worker in workers[:-1]:
            worker.send_await(30000)
        waiting, rss = time.monotonic(), made.rss_kib()
        workers[-1].join()
        same({"ready"}, {worker.told().state for worker in workers[:-1]})
        live.say(f"{count} workers joined and waited in "
                 f"{waiting - began:.2f} s, were told in "
                 f"{time.monotonic() - waiting:.2f} s; {rss} KiB")


if __name__ == "__main__":
    live.main()
