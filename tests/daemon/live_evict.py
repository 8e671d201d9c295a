# SPDX-License-Identifier: Apache-2.0
"""Plans that search for whom to release: others are served meanwhile."""
import contextlib
import json
import threading
import time

import live
from live import RELEASE, key, same, test
from live_hosts import (APPLY_HOSTS, SET_STATE, declare, document, host, mesh,
                        place)
from live_wire import STATUSES, Gone, unpack

HOSTS, HELD, WANTED = 8192, 1024, 16384  # 65,536 devices; ranks of requests
PLANS = 8  # at a time
MOST = 16  # searches that are made or wait; ASIDE_LIST
SEARCH = "Placement/Check"


def wanted(name="late", world=WANTED):
    return mesh(name, world, {"dp_shard": world})


def send_plan(peer, asked, **more):
    return peer.send(SEARCH, dict(document=asked, bind=True, evict=True),
                     **more)


def eviction(reply):
    binding = json.loads(reply.verdict_json)["binding"]
    same("place.not_now", binding["refused"]["code"])
    return binding["evict"]


def plan(peer, asked):
    return eviction(peer.ask(SEARCH, document=asked, bind=True, evict=True))


def filled(made):
    peer = declare(made, HOSTS)
    for number in range(HOSTS * 8 // HELD):
        place(peer, f"job{number}", HELD)
    return peer


@contextlib.contextmanager
def plans_made(made):
    """Peers that plan all the time, for the length of a block."""
    stop, found, faults = threading.Event(), [], []

    def ask():
        try:
            peer = live.Peer(made.socket, timeout=60)
            while not stop.is_set():
                found.append(plan(peer, wanted()))
            peer.close()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=ask, daemon=True)
               for _ in range(PLANS)]
    for thread in threads:
        thread.start()
    yield found
    stop.set()
    for thread in threads:
        thread.join(60)
    assert not faults and not any(t.is_alive() for t in threads), faults


def ask_for_seconds(peer, seconds):
    """How long each call of a worker took."""
    waits, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        peer.ask("Worker/GetAssignment", placement="job7",
                 rank=len(waits) % HELD)
        waits.append(time.monotonic() - began)
        time.sleep(0.002)
    return sorted(waits)


@test
def a_worker_waits_for_no_search():
    """Searches on the loop would let it wait for all that are asked for."""
    with live.daemon() as made:
        peer = filled(made)
        with plans_made(made) as found:
            began = time.monotonic()
            waits = ask_for_seconds(peer, 6)
            one = (time.monotonic() - began) / len(found)
        half, most = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
        live.say(f"a plan each {one * 1000:.0f} ms, {PLANS} at a time; "
                 f"{len(waits)} calls of a worker: "
                 f"p50 {half * 1000:.1f} ms, p99 {most * 1000:.1f} ms")
        assert len(found) >= PLANS
        assert all(e["possible"] and e["devices"] >= WANTED for e in found)
        # on the loop it would be PLANS times as long as one
        assert half < PLANS / 2 * one, (half, one)
        assert most < PLANS * one, (most, one)


@test
def hosts_and_holders_may_go_while_it_is_searched():
    with live.daemon() as made:
        peer, other = filled(made), made.peer()
        before = plan(peer, wanted())
        for number in range(12):
            send_plan(peer, wanted())
            host_number = HOSTS - 1 - number
            changes = {
                0: (SET_STATE, dict(names=[f"node{host_number}"],
                                    state="cordoned")),
                1: (APPLY_HOSTS, dict(document=document(
                    [host(host_number, rack="elsewhere")]))),
                2: (RELEASE, dict(name=f"job{60 - number}")),
            }
            name, request = changes[number % 3]
            other.ask(name, idempotency_key=key(), **request)
            place(other, f"more{number}", 8) if number % 3 == 2 else None
            found = eviction(reply_of(peer))
            same(True, found["possible"])
        assert before["devices"] >= WANTED, before
        peer.ask(SET_STATE, names=[f"node{HOSTS - 1}"], state="ready")
        same(True, plan(peer, wanted())["possible"])


def reply_of(peer):
    return unpack("CheckReply", peer.receive().reply)


def plan_anew(made):
    """By a new peer, which a busy machine may cut off before it has greeted."""
    while True:
        try:
            return plan(made.peer(), wanted())
        except Gone:
            time.sleep(0.1)


@test
def searches_are_counted_and_those_that_nobody_waits_for_end():
    with live.daemon() as made:
        filled(made)
        crowd = [live.Peer(made.socket) for _ in range(MOST + 8)]
        for one in crowd:
            send_plan(one, wanted())
        answers = [one.receive() for one in crowd]
        full = [a for a in answers
                if STATUSES[a.status] == "RESOURCE_EXHAUSTED"]
        live.say(f"{len(full)} of {len(crowd)} were too many")
        assert all("ask again later" in a.message for a in full), full
        assert sum(STATUSES[a.status] == "OK" for a in answers) >= MOST
        for one in crowd[:MOST]:
            send_plan(one, wanted(), deadline_ms=20)
        for one in crowd:
            one.close()
        same(True, plan_anew(made)["possible"])


if __name__ == "__main__":
    live.main()
