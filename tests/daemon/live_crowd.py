# SPDX-License-Identifier: Apache-2.0
"""Others keep being served, whatever some peers do; nothing grows."""
import contextlib
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import threading
import time

import live
from live import PLACE, Skip, deployment, model, same, test

CALLS = int(os.environ.get("CALLS", 20000 if live.SANITIZED else 100000))
SLOWEST = 5 if live.SANITIZED else 2  # seconds; others are served in this


@contextlib.contextmanager
def others_served(made):
    """A peer that asks all the time, and new ones that come, for the length of
    a block; every call must be answered soon."""
    peer, waits, stop = made.peer(), [], threading.Event()
    faults = []

    def ask():
        try:
            while not stop.is_set():
                began = time.monotonic()
                peer.ask("Admin/Status")
                if len(waits) % 10 == 0:
                    new = live.Peer(made.socket)
                    new.ask("Placement/ListPlacements")
                    new.close()
                waits.append(time.monotonic() - began)
                time.sleep(0.002)
        except Exception as error:
            faults.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join(30)
    assert not faults and not thread.is_alive(), faults
    live.say(
        f"{len(waits)} calls of others, the slowest {max(waits) * 1000:.0f} ms")
    assert max(waits) < SLOWEST


def settles(measure, most, seconds=10):
    """Waits until what is measured is at most so much."""
    until = time.monotonic() + seconds
    while measure() > most:
        assert time.monotonic() < until, f"{measure()}, not {most}"
        time.sleep(0.05)


def strangers(made, count, data):
    """Peers that send what they like, and leave."""
    for _ in range(count):
        try:
            peer = made.peer(greet=False)
            peer.socket.sendall(data())
        except OSError:
            pass
        if len(made.peers) > 200:
            made.peers.pop(random.randrange(1, 100)).close()


@test
def others_are_served_while_garbage_comes():
    noise, greeted = random.Random(2), live.REQUEST_GREETING
    with live.daemon() as made:
        before = made.open_descriptors()
        with others_served(made):
            strangers(made, 400,
                      lambda: noise.randbytes(noise.randrange(1, 3000)))
            strangers(made, 200, lambda: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            for protocol in 0x10, 0x31, 0x62:  # none of them asks
                strangers(made, 50, lambda p=protocol: b"\0SP\0\0%c\0\0" % p)
            strangers(made, 100, lambda: greeted + b"\1" + b"\xff" * 8)
            strangers(made, 100, lambda: greeted + b"\7" * 9)
            strangers(made, 100, lambda: greeted + b"\1" + bytes(8))
        made.close_peers()
        settles(made.open_descriptors, before)
        lines = open(made.log, errors="replace").read().count("\n")
        live.say(f"{lines} lines of log")
        assert lines < 100


@test
def others_are_served_while_peers_greet_by_half_or_not_at_all():
    with live.daemon("--greet-ms", "300ms") as made:
        before = made.open_descriptors()
        with others_served(made):
            for n in range(400):
                made.peer(greet=False).socket.sendall(
                    live.REQUEST_GREETING[:n % 8])
            settles(made.open_descriptors, before + 3)
        made.close_peers()


@test
def others_are_served_while_peers_send_half_a_message():
    with live.daemon() as made:
        before = made.rss_kib()
        with others_served(made):
            peers = [made.peer() for _ in range(500)]
            for n, peer in enumerate(peers):
                announced = b"\1" + struct.pack(">Q", 1 << 20)
                peer.socket.sendall(announced + bytes(n * 10))
            time.sleep(0.3)
        live.say(f"{before} KiB, {made.rss_kib()} KiB with 500 halves of 1 MiB")
        if not live.SANITIZED:
            assert made.rss_kib() < before + (64 << 10)


@test
def others_are_served_while_peers_never_read():
    flags = "--backlog-bytes", "64KiB", "--stall-ms", "500ms"
    with live.daemon(*flags) as made:
        text = model("large")["text"]
        text += "\n# " + "x" * 100000
        made.peer().ask("Catalog/Apply", document={"text": text})
        before, memory = made.open_descriptors(), made.rss_kib()
        with others_served(made):
            deaf = [made.peer(timeout=0.2) for _ in range(30)]
            for peer in deaf:
                with contextlib.suppress(OSError, live.Gone):
                    for _ in range(64):
                        peer.send("Catalog/GetDeclaration",
                                  {"kind": "model", "name": "large"})
            most = made.rss_kib()
            settles(made.open_descriptors, before + 3)  # they are closed
        live.say(f"{memory} KiB, {most} KiB with 30 peers that do not read")
        if not live.SANITIZED:
            assert most < memory + (64 << 10)


@test
def two_thousand_connections_are_served_and_so_are_others():
    count = min(2000, live.raise_descriptors() // 2 - 200)
    with live.daemon() as made:
        before = made.open_descriptors()
        with others_served(made):
            began = time.monotonic()
            peers = [made.peer() for _ in range(count)]
            for peer in peers:
                peer.send("Admin/Status", {})
            for peer in peers:
                same(0, peer.receive().status)
            live.say(f"{count} connections served in "
                     f"{time.monotonic() - began:.2f} s, {made.rss_kib()} KiB")
            connections = peers[0].ask("Admin/Status").connections
            assert connections >= count, connections
        made.close_peers()
        settles(made.open_descriptors, before)
        status = made.peer().ask("Admin/Status")
        assert status.connections <= 2, status


@test
def beyond_what_the_descriptors_allow_a_peer_is_closed_and_others_go_on():
    with live.daemon(descriptors=80) as made:
        first = made.peer()
        for _ in range(150):
            made.peer(greet=False)
        same(0, first.answer("Admin/Status", {}).status)
        first.ask(PLACE, document=deployment("p"))
        made.close_peers()
        settles(made.open_descriptors, 40)
        same(0, made.peer().answer("Admin/Status", {}).status)


@test
def out_of_descriptors_it_does_not_spin_and_recovers():
    with live.daemon() as made:
        first, leaving = made.peer(), [made.peer() for _ in range(5)]
        hard = resource.prlimit(made.process.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(made.process.pid, resource.RLIMIT_NOFILE,
                         (made.open_descriptors(), hard))
        waiting = [made.peer(greet=False, timeout=10) for _ in range(40)]
        for peer in waiting:
            with contextlib.suppress(OSError):
                peer.socket.sendall(live.REQUEST_GREETING)
        began, used = time.monotonic(), made.cpu_seconds()
        while time.monotonic() < began + 1.5:
            same(0, first.answer("Admin/Status", {}).status)
            time.sleep(0.05)
        first.ask(PLACE, document=deployment("p"))  # and it writes
        share = (made.cpu_seconds() - used) / (time.monotonic() - began)
        live.say(f"out of {made.open_descriptors()} descriptors: "
                 f"{share * 100:.0f} % of a core")
        assert share < 0.3
        for peer in leaving + waiting:
            peer.close()
        until = time.monotonic() + 10
        while True:
            try:
                made.peer(timeout=10).ask("Admin/Status")
                break
            except (OSError, live.Gone):
                assert time.monotonic() < until, "it did not recover"
                time.sleep(0.1)


# ---- nothing grows ----------------------------------------------------------

def exchange(peer, bodies, count):
    """So many calls, 32 under way at a time; every answer must be OK."""
    sent = 0
    while sent < count:
        batch = min(32, count - sent)
        frames = [peer.frame(bodies[(sent + n) % len(bodies)])
                  for n in range(batch)]
        peer.socket.sendall(b"".join(frames))
        for _ in range(batch):
            body = peer.receive_body()[1]
            # status, field 2, is written only if it is not OK
            assert b"\x10" != body[:1] and b"\x10" != body[2:3], body[:200]
        sent += batch


def memory_bodies(peer):
    """Calls that are packed once: mostly assignments, some checks."""
    asked = []
    for n in range(2):
        name = f"p{n}"
        peer.ask(PLACE, document=deployment(name, ranks=16))
        asked += [("Worker/GetAssignment", {"placement": name, "rank": rank})
                  for rank in (3 * n, 15 - n, 7, 8 + n)]
        asked += [("Placement/Check", {"document": deployment(name)}),
                  ("Placement/GetPlacement", {"name": name})]
    return [live.pack("Call", {
        "method": "/serried.v1." + name, "request_id": 7,
        "request": live.pack(live.METHODS[name][0], fields)})
        for name, fields in asked]


@test
def memory_and_descriptors_are_flat_over_many_calls():
    with live.daemon() as made:
        peer = made.peer()
        bodies = memory_bodies(peer)
        exchange(peer, bodies, CALLS // 10)
        before, open_before = made.rss_kib(), made.open_descriptors()
        began = time.monotonic()
        exchange(peer, bodies, CALLS)
        after, open_after = made.rss_kib(), made.open_descriptors()
        live.say(f"{CALLS} calls in {time.monotonic() - began:.1f} s: "
                 f"{before} KiB before, {after} KiB after; {open_before} "
                 f"descriptors before, {open_after} after")
        same(open_before, open_after)
        if not live.SANITIZED:  # it keeps what was freed for a while
            assert after - before < 1024


@test
def memory_and_descriptors_are_flat_over_many_connections_and_writes():
    with live.daemon("--answers-kept", "100", "--events-kept", "100") as made:
        def write(count):
            """Places anew, 50 names at a time, each time as somebody new."""
            for _ in range(count):
                peer = live.Peer(made.socket)
                for n in range(50):
                    peer.send(PLACE, {"document": deployment(f"p{n}"),
                                      "idempotency_key": live.key()})
                for _ in range(50):
                    same(0, peer.receive().status)
                peer.close()

        write(90)  # until what is kept in memory for watching is full
        before, open_before = made.rss_kib(), made.open_descriptors()
        write(60)
        settles(made.open_descriptors, open_before)
        after = made.rss_kib()
        live.say(
            f"3000 writes of 60 peers: {before} KiB before, {after} KiB after")
        if not live.SANITIZED:
            assert after - before < 1024


# ---- other programs ---------------------------------------------------------

@test
def nanocat_is_answered():
    if not shutil.which("nanocat"):
        raise Skip("nanocat (Debian: nanomsg-utils) is not here")
    with live.daemon() as made:
        call = live.pack("Call", {"method": "/serried.v1.Admin/Status",
                                  "request_id": 77})
        path = os.path.join(made.folder, "call")
        with open(path, "wb") as out:
            out.write(call)
        done = subprocess.run(
            ["nanocat", "--req", "--connect", "ipc://" + made.socket,
             "--recv-timeout", "10", "--raw", "--file", path],
            stdout=subprocess.PIPE, timeout=20, check=True)
        answer = live.unpack("Answer", done.stdout)
        same((77, 0), (answer.request_id, answer.status))
        status = live.unpack("StatusReply", answer.reply)
        same("ipc://" + made.socket, status.address)
        assert re.match(r"\d+\.\d+", status.version) and status.models > 10
        live.say(f"nanocat: version {status.version}, {status.models} models, "
                 f"{status.runtimes} runtimes, address {status.address}")


if __name__ == "__main__":
    live.main(240)
