# SPDX-License-Identifier: Apache-2.0
"""Plans that search for whom to release, while others are served."""
import collections
import json
import os

import live
from live import RELEASE, key, same, test
from live_hosts import (APPLY_HOSTS, SET_STATE, declare, document, host, mesh,
                        place)
from live_wire import STATUSES, unpack

HOSTS, HELD, WANTED = 8192, 1024, 16384  # 65,536 devices; ranks of requests
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


def thread_ticks(made):
    """The processor time of each thread of the daemon."""
    ticks = {}
    for thread in os.listdir(f"/proc/{made.process.pid}/task"):
        with open(f"/proc/{made.process.pid}/task/{thread}/stat") as stat:
            # behind the name, which may hold anything
            fields = stat.read().rpartition(")")[2].split()
        ticks[int(thread)] = int(fields[11]) + int(fields[12])
    return ticks


@test
def a_search_is_made_in_another_thread_than_calls():
    with live.daemon() as made:
        peer, loop = filled(made), made.process.pid
        before = thread_ticks(made)
        spent = collections.Counter()
        while sum(spent.values()) < 100:
            found = plan(peer, wanted())
            assert found["possible"] and found["devices"] >= WANTED, found
            spent = collections.Counter(thread_ticks(made))
            spent.subtract(before)
        other = sum(spent.values()) - spent[loop]
        live.say(f"ticks of the loop {spent[loop]}, of others {other}")
        assert other > 25, spent


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
        same(True, plan(made.peer(), wanted())["possible"])


if __name__ == "__main__":
    live.main()
