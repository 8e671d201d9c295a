# SPDX-License-Identifier: Apache-2.0
"""How long a worker of serry exec pauses between two calls of Await: many that
wait for one daemon do not ask it all at one time."""
import contextlib
import itertools
import time

import live
from live import test
from live_relay import Relay
from live_wire import pack, unpack
from live_worker import STAYS, all_of, eventually, place

TOLD_MS = 0, 900
PARK_MS = 30000  # of one Await, and of the heartbeat too
INTERNAL = 13


class Clock(Relay):
    """Lets no Await wait, tells pauses of its own, and keeps how long each was:
    [(state that the worker knew, what it was told, seconds)]. Where refuses is
    set, workers that have booted are refused, and are told None."""

    def __init__(self, made, refuses=False):
        super().__init__(made, [])
        self.refuses, self.kept = refuses, []
        self.waits = set()  # (state that the worker knew, wait asked for)
        self.told = {}  # by connection: state, pause told, time
        self.asking = {}  # by connection and number: state

    def request(self, body, number, asked):
        call = unpack("Call", body)
        if not call.method.endswith("/Await"):
            return body
        request = unpack("AwaitRequest", call.request)
        before = self.told.pop(id(asked), None)
        if before and before[0] == request.state:
            self.kept.append((*before[:2], time.monotonic() - before[2]))
        self.asking[id(asked), number] = request.state
        self.waits.add((request.state, request.wait_ms))
        request["wait_ms"] = 1
        call["request"] = pack("AwaitRequest", request)
        return pack("Call", call)

    def answer(self, body, number, asked):
        state = self.asking.pop((id(asked), number), None)
        answer = unpack("Answer", body)
        if state is None or answer.status:
            return body
        reply = unpack("AwaitReply", answer.reply)
        pause = next(self.pauses)
        reply["retry_ms"] = pause
        if self.refuses and state == "ready":
            pause, answer["status"] = None, INTERNAL
            answer["message"] = "not now"
        answer["reply"] = pack("AwaitReply", reply)
        self.told[id(asked)] = state, pause, time.monotonic()
        return pack("Answer", answer)

    pauses = itertools.cycle(TOLD_MS)

    def pauses_of(self, state, told):
        return [p for s, t, p in list(self.kept) if (s, t) == (state, told)]


@contextlib.contextmanager
def workers(relay, *rounds):
    """Of the ranks of each round, the next after a call of the one before."""
    found = []
    try:
        for ranks, check in rounds:
            found += all_of(relay, STAYS, ranks)
            check()
        yield found
    finally:
        for worker in found:
            worker.process.kill()
            worker.process.communicate()


def seen(relay, state, told, count):
    """A check that so many pauses were seen."""
    return lambda: eventually(
        lambda: len(relay.pauses_of(state, told)) >= count, True, 60)


@test
def workers_pause_as_long_as_they_are_told_before_the_boot_is_whole_and_after():
    with live.daemon() as made, Clock(made) as relay:
        place(made)
        short, long = TOLD_MS
        with workers(relay, ((0, 1, 2), seen(relay, "booting", long, 6)),
                     ((3,), seen(relay, "ready", long, 6))):
            for state in "booting", "ready":
                least = min(relay.pauses_of(state, long))
                assert least > 0.899, (state, relay.kept)
                least = min(relay.pauses_of(state, short))
                assert least < 0.4, (state, relay.kept)
            live.same({("booting", PARK_MS), ("ready", PARK_MS)}, relay.waits)


@test
def workers_that_are_refused_do_not_come_again_all_at_one_time():
    with live.daemon() as made, Clock(made, refuses=True) as relay:
        place(made)
        with workers(relay, (range(4), seen(relay, "ready", None, 40))):
            pauses = sorted(relay.pauses_of("ready", None))
            # of 40 none in one half: once in 10^12 runs
            assert 0.499 < pauses[0] < 0.95, pauses
            assert pauses[-1] > 1.05, pauses


if __name__ == "__main__":
    live.main()
