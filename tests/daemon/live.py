# SPDX-License-Identifier: Apache-2.0
"""What the tests of a live daemon share: a daemon, requests, TAP."""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

from live_wire import (  # noqa: F401  (the tests find all of it here)
    MESSAGES, METHODS, REQUEST_GREETING, SOURCE, STATUSES, Gone, Message, Peer,
    Refused, pack, unpack, varint)

SERRIED = os.path.abspath(os.environ.get("SERRIED", "daemon/serried"))
SERRY = os.path.abspath(os.environ.get("SERRY", "client/serry"))

# ---- a daemon ---------------------------------------------------------------

SANITIZED = b"__asan_init" in open(SERRIED, "rb").read()


class Daemon:
    """A daemon with a state and a socket of its own in a folder of its own."""

    def __init__(self, *flags, folder=None, descriptors=None):
        self.folder = folder or tempfile.mkdtemp(prefix="serried-test.")
        self.socket = os.path.join(self.folder, "sock")
        self.addresses = self.socket
        self.database = os.path.join(self.folder, "db")
        self.log = os.path.join(self.folder, "log")
        self.flags, self.descriptors, self.process = flags, descriptors, None
        self.peers = []
        self.start()

    def start(self):
        """Starts it (again, on what is there); returns when it greets."""
        def limit():
            if self.descriptors:
                both = self.descriptors, self.descriptors
                resource.setrlimit(resource.RLIMIT_NOFILE, both)

        conf = os.path.join(self.folder, "conf")
        open(conf, "a").close()
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("SERRIED_", "NOTIFY_"))}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [SERRIED, "--config", conf, "--address", self.addresses,
                 "--state", "sqlite:" + self.database, *self.flags],
                stderr=log, stdin=subprocess.DEVNULL, env=environment,
                preexec_fn=limit)
        until = time.monotonic() + 20
        while True:
            try:
                Peer(self.socket).close()
                return
            except (OSError, Gone):
                assert self.process.poll() is None, "it did not start"
                assert time.monotonic() < until, "it does not greet"
                time.sleep(0.002)

    def peer(self, **options):
        self.peers.append(Peer(self.socket, **options))
        return self.peers[-1]

    def close_peers(self):
        while self.peers:
            self.peers.pop().close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """SIGTERM; it must end with 0."""
        self.process.terminate()
        status = self.process.wait(20)
        assert status == 0, f"it ended with {status}"

    def restart(self, how):
        """By "stop" or "kill". Peers of before are closed."""
        self.close_peers()
        getattr(self, how)()
        self.start()

    def forge(self, **changes):
        """Starts it again with other records: each change gives the bytes in
        place of those of its name."""
        self.close_peers()
        self.stop()
        with contextlib.closing(sqlite3.connect(self.database)) as rows, rows:
            for name, change in changes.items():
                (body,), = rows.execute("SELECT body FROM record WHERE id = ?",
                                        (name,))
                rows.execute("UPDATE record SET body = ? WHERE id = ?",
                             (change(body), name))
        self.start()

    def rss_kib(self):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1])

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_seconds(self):
        text = open(f"/proc/{self.process.pid}/stat").read()
        fields = text.split(") ")[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.close_peers()
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def daemon(*flags, **options):
    """A daemon for the length of a block, in which nothing may go wrong: it
    must be alive at the end, and stop when it is told."""
    made = Daemon(*flags, **options)
    try:
        yield made
        made.close_peers()
        if made.process.poll() is None:
            made.stop()
        assert made.process.returncode in (0, -9), "it died"
    except BaseException:
        for line in open(made.log, errors="replace").read().splitlines()[-15:]:
            print("# log:", line)
        raise
    finally:
        made.close()


def serry(made, *arguments, text=None):
    """Runs the tool against a daemon; its standard output. It must end with 0.
    """
    done = subprocess.run([SERRY, *arguments], input=text, text=True,
                          timeout=60, capture_output=True,
                          env=dict(os.environ, SERRY_ADDRESS=made.socket))
    assert done.returncode == 0, f"serry: {done.returncode}: {done.stderr}"
    return done.stdout


def raise_descriptors():
    """How many descriptors this process may have, after asking for all."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


# ---- requests ---------------------------------------------------------------

PLACE, RELEASE, APPLY = "Placement/Place", "Placement/Release", "Catalog/Apply"


def deployment(name, first=0, ranks=2, **extra):
    """A request that is accepted: two guidance ranks for each instance."""
    return {"text": json.dumps(dict(
        deployment=name, model="wan22", max_seq_len=512, **extra,
        node_groups=[
            {"node_names": ["dit"], "ranks": list(range(first, first + ranks)),
             "cfg_size": 2},
            {"node_names": ["text_encoder", "vae_encoder", "vae_decoder"],
             "ranks": [0]}]))}


def model(name, heads=8):
    return {"text": json.dumps({
        "model": name, "runtime": "mstar",
        "nodes": [{"name": "LLM", "facts": {"heads": heads}}],
        "walks": [{"name": "decode", "nodes": ["LLM"]}]})}


def key():
    return uuid.uuid4().hex


def position(generation):
    return generation.epoch, generation.revision


def events(peer):
    """All there are, oldest first."""
    found, before = [], 0
    while True:
        asked = {"before": before} if before else {}
        page = peer.ask("Admin/Events", limit=1000, **asked).events
        if not page:
            return found[::-1]
        found += page
        before = page[-1].sequence


# ---- tests ------------------------------------------------------------------

class Skip(Exception):
    """The test cannot be made here; says why."""


TESTS = []


def test(function):
    """A test: its name is a sentence that is true."""
    TESTS.append((function.__name__.replace("_", " "), function))
    return function


def refuses(status, function, *arguments, **named):
    """The refusal; anything else fails."""
    try:
        got = function(*arguments, **named)
    except Refused as refused:
        assert refused.status == status, f"want {status}, got {refused}"
        return refused.answer
    raise AssertionError(f"want {status}, got the answer {str(got)[:300]}")


# What a refusal may be; INTERNAL and UNAVAILABLE would be faults.
ORDERLY = {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION",
           "ABORTED", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED", "ALREADY_EXISTS"}


def orderly(peer, name, request):
    """Sends it; the answer is orderly, and says one short sentence."""
    answer = peer.answer(name, request)
    status = STATUSES[answer.status]
    assert status in ORDERLY, f"{name} {str(request)[:200]}: {answer}"
    assert status == "OK" or 0 < len(answer.message) < 1000, answer
    assert "\n" not in answer.message and "\0" not in answer.message
    return answer


def same(want, got):
    assert want == got, f"want {str(want)[:300]}, got {str(got)[:300]}"


def say(text):
    print("#", text, flush=True)


def run_one(function, seconds):
    def late(*_):
        raise TimeoutError(f"no end after {seconds} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        function()
    finally:
        signal.alarm(0)


def main(seconds=120):
    """Runs all tests, or those whose name holds the argument."""
    chosen = [t for t in TESTS if len(sys.argv) < 2 or sys.argv[1] in t[0]]
    print(f"1..{len(chosen)}", flush=True)
    for number, (name, function) in enumerate(chosen, 1):
        began = time.monotonic()
        try:
            run_one(function, seconds)
            line = f"ok {number} - {name}"
        except Skip as skip:
            line = f"ok {number} - {name} # SKIP {skip}"
        except Exception:
            for part in traceback.format_exc().splitlines():
                print("#", part[:400])
            line = f"not ok {number} - {name}"
        print(line, flush=True)
        if time.monotonic() - began > 1:
            say(f"took {time.monotonic() - began:.1f} s")
