# SPDX-License-Identifier: Apache-2.0
"""A daemon killed again and again while several write, and what must hold.

Every writer sends one write after another and sends what was not answered
again, with the same key, until it is. So every write ends as acknowledged or as
refused, and the checker knows of each commit that there should be."""
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time

import live
from live import (APPLY, PLACE, RELEASE, deployment, key, model, position, same,
                  test)

KILLS = int(os.environ.get("KILLS", 60))
WRITERS = 5
NAMES = [f"p{n}" for n in range(6)]  # few, so that writers meet
MODELS = [f"m{n}" for n in range(3)]


class Write:
    """One write: what was sent, and how it ended."""

    def __init__(self, method, subject, fields):
        fields["idempotency_key"] = key()
        self.method, self.subject, self.fields = method, subject, fields
        self.packed = live.pack(live.METHODS[method][0], fields)
        self.sent = self.ended = 0  # when
        self.tries = 0
        self.instance = 0  # which start of the daemon answered
        self.answer = self.revision = None  # revision: None where refused

    def end(self, answer):
        self.ended, self.answer = time.monotonic(), answer
        if answer.status:
            assert live.STATUSES[answer.status] in (
                "ABORTED", "NOT_FOUND"), answer
            return
        reply = live.unpack(live.METHODS[self.method][1], answer.reply)
        self.revision = reply.revision if self.method == APPLY \
            else reply.generation.revision
        assert self.revision > 0


class Writer(threading.Thread):
    """Writes until it is told to stop; fault: what went wrong."""

    def __init__(self, made, number):
        super().__init__(daemon=True)
        self.made, self.random = made, random.Random(number)
        self.writes, self.fault, self.stopping = [], None, False
        self.peer, self.instance = None, 0

    def next_write(self):
        chance, name = self.random.random(), self.random.choice(NAMES)
        if chance < 0.2:
            return Write(RELEASE, name, {"name": name})
        if chance < 0.35:
            name = self.random.choice(MODELS)
            heads = self.random.randrange(1, 1 << 30)  # none is there already
            return Write(APPLY, name, {"document": model(name, heads)})
        document = deployment(name, ranks=2 * self.random.randrange(1, 9))
        return Write(PLACE, name, {"document": document})

    def carry_out(self, write):
        write.sent = time.monotonic()
        while write.answer is None:
            try:
                if self.peer is None:
                    self.peer = live.Peer(self.made.socket)
                    self.instance = self.made.instance
                write.tries, write.instance = write.tries + 1, self.instance
                answer = self.peer.answer(write.method, write.packed)
                if answer.status == 14:  # UNAVAILABLE: send it again
                    continue
                write.end(answer)
            except (OSError, live.Gone):
                self.peer = None
                time.sleep(0.002)

    def run(self):
        try:
            while not self.stopping:
                self.writes.append(self.next_write())
                self.carry_out(self.writes[-1])
        except BaseException as error:
            self.fault = repr(error)


# ---- what must hold ---------------------------------------------------------

WHAT = {PLACE: ("placed", "placed anew"), RELEASE: ("released",),
        APPLY: ("declared",)}


def check_events(events, writes):
    """Every acknowledged write is one event and every event one write."""
    same(list(range(1, len(events) + 1)), [e.sequence for e in events])
    revisions = [e.position.revision for e in events]
    same(sorted(set(revisions)), revisions)
    by_revision = {e.position.revision: e for e in events}
    acknowledged = [w for w in writes if w.revision]
    same(len(acknowledged), len({w.revision for w in acknowledged}))
    for write in acknowledged:
        event = by_revision.get(write.revision)
        assert event, f"{write.method} {write.subject} {write.revision} is lost"
        same(write.subject, event.subject)
        assert event.what in WHAT[write.method], event
    same({w.revision for w in acknowledged}, set(revisions))


def check_chains(events):
    """placed, placed anew, ..., released, placed, ... for each name; returns
    the generation of each that is in force."""
    there = {}
    for event in events:
        if event.what == "declared":
            continue
        same(event.what != "placed", event.subject in there)
        if event.what == "released":
            del there[event.subject]
        else:
            there[event.subject] = position(event.position)
    return there


def check_order(writes):
    """What was sent after something was acknowledged came after it."""
    acknowledged = sorted((w for w in writes if w.revision),
                          key=lambda w: w.ended)
    later = sorted(acknowledged, key=lambda w: w.sent)
    highest = n = 0
    for write in later:
        while acknowledged[n].ended < write.sent:
            highest = max(highest, acknowledged[n].revision)
            n += 1
        assert write.revision > highest, f"{write.revision} after {highest}"


def check_in_force(peer, there, writes):
    """Placements and declarations are those of the last writes."""
    by_revision = {w.revision: w for w in writes if w.revision}
    listed = peer.ask("Placement/ListPlacements").placements
    same(there, {p.name: position(p.generation) for p in listed})
    for name, generation in there.items():
        got = peer.ask("Placement/GetPlacement", name=name)
        write = by_revision[generation[1]]
        same(write.fields["document"]["text"], got.document.text)
        placed = live.unpack("PlaceReply", write.answer.reply)
        same(placed.digest, got.digest)
        for rank in range(got.ranks):
            assigned = peer.ask("Worker/GetAssignment", placement=name,
                                rank=rank)
            same((generation, got.digest),
                 (position(assigned.generation), assigned.digest))
    for name in MODELS:
        applied = [w for w in writes if w.method == APPLY and w.subject == name
                   and w.revision]
        if applied:
            last = max(applied, key=lambda w: w.revision)
            got = peer.ask("Catalog/GetDeclaration", kind="model", name=name)
            same(last.revision, got.revision)
            same(last.fields["document"]["text"], got.text)


def check_repeated(peer, writes):
    """All that were acknowledged are answered again, with the same bytes."""
    acknowledged = [w for w in writes if w.revision]
    for write in acknowledged:
        same(write.answer.reply, peer.packed(write.method, write.packed))
    return len(acknowledged)


def check_file(made, events):
    """The state as an operator sees it with sqlite3, the daemon being off."""
    database = sqlite3.connect(f"file:{made.database}?mode=ro", uri=True)
    same([("ok",)], database.execute("PRAGMA integrity_check").fetchall())
    rows = database.execute(
        "SELECT seq, rev, what, subject FROM event ORDER BY seq")
    same([(e.sequence, e.position.revision, e.what, e.subject) for e in events],
         rows.fetchall())
    highest = database.execute("SELECT revision FROM meta").fetchone()[0]
    assert highest >= events[-1].position.revision
    used = database.execute("SELECT rev, generation_rev FROM record").fetchall()
    assert all(max(row) <= highest for row in used)
    database.close()


def count_answered_again(made, writes):
    """Writes that were done before a kill and answered after it: those of a
    revision that the daemon which answered had when it started."""
    log = open(made.log, encoding="utf-8").read()
    loaded = [int(n) for n in re.findall(r"state loaded .*revision=(\d+)", log)]
    return sum(bool(w.revision) and w.revision <= loaded[w.instance]
               for w in writes)


# ---- the loop ---------------------------------------------------------------

def check_start(made, reached):
    """A daemon that was started anew is where it was, or further; returns the
    revision that it is at."""
    peer = live.Peer(made.socket)
    revision = peer.ask("Admin/Status").position.revision
    peer.close()
    assert revision >= reached, f"from revision {reached} it fell to {revision}"
    return revision


def let_write(made, writers, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert made.process.poll() is None, "it died by itself"
        assert not [w.fault for w in writers if w.fault]
        time.sleep(0.001)


def kill_while_writing(made, writers):
    pause, reached = random.Random(1), 0
    for _ in range(KILLS):
        reached = check_start(made, reached)
        let_write(made, writers, pause.uniform(0, 0.12))
        made.kill()
        made.instance += 1
        acknowledged = [w.revision for writer in writers for w in writer.writes
                        if w.revision]
        reached = max(reached, *acknowledged, 0)
        made.start()
    check_start(made, reached)


def run_writers(made):
    made.instance = 0
    writers = [Writer(made, n) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    kill_while_writing(made, writers)
    for writer in writers:
        writer.stopping = True
    for writer in writers:
        writer.join(30)
        assert not writer.is_alive() and writer.fault is None, writer.fault
    return [w for writer in writers for w in writer.writes]


@test
def no_acknowledged_write_is_lost_or_done_twice_by_kills():
    # However many kills are asked for, nothing is forgotten.
    flags = "--answers-kept", "1000000", "--events-kept", "1000000"
    with live.daemon(*flags) as made:
        writes = run_writers(made)
        made.restart("kill")
        peer = made.peer()
        events = live.events(peer)
        check_events(events, writes)
        check_in_force(peer, check_chains(events), writes)
        check_order(writes)
        repeated = check_repeated(peer, writes)
        same(events, live.events(peer))
        made.restart("stop")
        same(events, live.events(made.peer()))
        made.close_peers()
        made.stop()
        check_file(made, events)
        acknowledged = [w for w in writes if w.revision]
        again = [w for w in acknowledged if w.tries > 1]
        replayed = count_answered_again(made, writes)
        refused = len(writes) - len(acknowledged)
        live.say(f"{KILLS} kills, {len(writes)} writes of {WRITERS} writers: "
                 f"{len(acknowledged)} acknowledged, {refused} refused")
        live.say(f"{len(again)} were sent again until they were answered, "
                 f"{replayed} of them had been done before the kill")
        live.say(f"{repeated} repeated afterwards and answered; {len(events)} "
                 f"events, revision {events[-1].position.revision}")
        assert len(acknowledged) > KILLS and replayed > 0


@test
def told_to_stop_at_any_moment_of_its_start_it_ends_in_order():
    with live.daemon() as made:
        for first in range(0, 1000, 100):
            made.peer().ask("Cluster/ApplyHosts", document={"text": json.dumps(
                {"hosts": [{"name": f"n[{first}-{first + 99}]"}]})})
        made.close_peers()
        made.stop()
        for step in range(25):
            made.process = subprocess.Popen(
                [live.SERRIED, "--config", os.path.join(made.folder, "conf"),
                 "--address", made.socket, "--state",
                 "sqlite:" + made.database], stderr=open(made.log, "ab"))
            time.sleep(0.002 * step)
            made.process.terminate()
            status = made.process.wait(20)
            # before it listens to signals, the system ends it
            assert status in (0, -signal.SIGTERM), (step, status)
        made.start()
        same(1000, len(made.peer().ask("Cluster/ListHosts").hosts))


if __name__ == "__main__":
    live.main(240)
