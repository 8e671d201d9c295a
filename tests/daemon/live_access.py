# SPDX-License-Identifier: Apache-2.0
"""Who may call what: tokens over tcp, and what gets into logs and events."""
import hashlib
import os
import re
import signal
import subprocess
import time

import live
from live import refuses, same, test
from live_guarded import ADMIN, OPERATOR, OTHER, WORKER, guarded, line, place

PLACE = "Placement/Place"
ADMINS = {"Catalog/Apply", "Cluster/ApplyHosts", "Cluster/RemoveHosts"}


@test
def over_tcp_every_call_needs_a_token_that_is_known():
    with guarded() as made:
        for token in None, OTHER, "", "a", ADMIN[:-1], ADMIN + "a":
            for name in "Admin/Status", "Worker/GetAssignment", PLACE:
                refuses("PERMISSION_DENIED", made.call, token, name)
        assert made.call(OPERATOR, "Admin/Status").version
        peer = live.Peer(made.tcp)
        for value in "bearer " + ADMIN, ADMIN, "Basic " + ADMIN, "x" * 70000:
            answer = peer.answer("Admin/Status", {}, metadata=[
                {"key": "authorization", "value": value}])
            same("PERMISSION_DENIED", live.STATUSES[answer.status])
        assert made.peer().ask("Admin/Status").version  # by the socket: none


@test
def each_role_may_do_its_own_and_no_more():
    with guarded() as made:
        model = {"document": live.model("m"), "idempotency_key": live.key()}
        for token in WORKER, OPERATOR:
            refuses("PERMISSION_DENIED", made.call, token, "Catalog/Apply",
                    **model)
        made.call(ADMIN, "Catalog/Apply", **model)
        entry = {"document": {"text": '{"hosts": [{"name": "a"}]}'}}
        for name, fields in (("Cluster/ApplyHosts", entry),
                             ("Cluster/RemoveHosts", {"names": ["a"]})):
            for token in WORKER, OPERATOR:
                refuses("PERMISSION_DENIED", made.call, token, name, **fields)
            made.call(ADMIN, name, **fields)
        refuses("PERMISSION_DENIED", place, made, WORKER)
        place(made)
        place(made, ADMIN, "other")
        for name in live.METHODS:
            if not name.startswith("Worker/"):
                refuses("PERMISSION_DENIED", made.call, WORKER, name)
            try:
                made.call(OPERATOR, name)
                denied = False
            except live.Refused as refused:  # for what it asks, or who it is
                denied = refused.status == "PERMISSION_DENIED"
            same(name in ADMINS, denied)
        for name in "Placement/GetRouting", "Admin/Diagnose":
            refuses("PERMISSION_DENIED", made.call, WORKER, name,
                    placement="wan")


@test
def a_worker_reads_its_own_placement_and_no_other():
    with guarded() as made:
        place(made)
        place(made, name="other")
        ask = {"placement": "wan", "rank": 0}
        assert made.call(WORKER, "Worker/GetAssignment", **ask).digest
        assert made.call(OPERATOR, "Worker/GetAssignment", **ask).digest
        for placement in "other", "nobody", "", "wanx", None:
            for name in live.METHODS:
                if name.startswith("Worker/"):
                    answer = refuses("PERMISSION_DENIED", made.call, WORKER,
                                     name, **dict(ask, placement=placement))
                    assert "for the placement wan only" in answer.message


@test
def tokens_are_read_again_by_sighup_and_a_bad_file_changes_nothing():
    with guarded() as made:
        made.write(line("operator", "new", OTHER))
        made.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 10
        while True:
            try:
                made.call(OTHER, "Admin/Status")
                break
            except live.Refused:
                assert time.monotonic() < until
                time.sleep(0.02)
        refuses("PERMISSION_DENIED", made.call, OPERATOR, "Admin/Status")
        made.write("operator new " + "z" * 64)
        made.process.send_signal(signal.SIGHUP)
        while "tokens not reloaded" not in open(made.log).read():
            assert time.monotonic() < until + 10
            time.sleep(0.02)
        assert made.call(OTHER, "Admin/Status").version


@test
def files_of_tokens_that_cannot_be_right_stop_the_start():
    digest = hashlib.sha256(b"x").hexdigest()
    bad = {
        "line 1: expected": "boss x " + digest,
        "line 2: expected": "\nadmin x",
        "line 1: expected worker": "admin x " + digest[1:],
        "line 3: expected": f"# a\n# b\nadmin x {digest.upper()}",
        "line 1: a worker's token": f"worker x {digest}",
        "line 1: a worker's": f"admin x {digest} wan",
        "expected worker, operator": f"admin x {digest} wan more",
        "has a NUL byte": f"admin x {digest}\n\0admin y {digest}\n",
    }
    folder = live.tempfile.mkdtemp(prefix="serried-test.")
    path = os.path.join(folder, "tokens")

    def start(*flags):
        done = subprocess.run(
            [live.SERRIED, "--state", "memory:", "--address",
             os.path.join(folder, "sock"), *flags], text=True, timeout=20,
            capture_output=True)
        return done.returncode, done.stderr

    for said, text in bad.items():
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o600)
        status, log = start("--tokens", path)
        assert status == 65 and said in log and digest not in log, (said, log)
    os.chmod(path, 0o622)
    assert "others than its owner" in start("--tokens", path)[1]
    assert "cannot be read" in start("--tokens", path + "x")[1]
    assert "is no file" in start("--tokens", folder)[1]
    assert "remote is on" in start("--remote", "on")[1]
    assert "admin_group" in start("--admin-group", "no such group")[1]
    live.shutil.rmtree(folder)


@test
def no_token_gets_into_a_log_an_event_or_the_state():
    with guarded("--log-level", "debug") as made:
        place(made)
        for token in OTHER, WORKER:
            refuses("PERMISSION_DENIED", place, made, token)
        place(made, ADMIN)
        until = time.monotonic() + 10
        while len([e for e in live.events(made.peer())
                   if e.what == "call refused"]) < 2:
            assert time.monotonic() < until
        events = live.events(made.peer())
        same(["token olga", "token ann"],
             [e.who for e in events if e.what.startswith("placed")])
        refused = [e for e in events if e.what == "call refused"]
        same({"/serried.v1." + PLACE}, {e.subject for e in refused})
        assert refused[0].who.startswith("127.0.0.1:"), refused
        same("token w1", refused[1].who)
        made.restart("stop")
        for name in os.listdir(made.folder):
            path = os.path.join(made.folder, name)
            if os.path.isfile(path):
                data = open(path, "rb").read()
                for token in ADMIN, OPERATOR, WORKER, OTHER:
                    assert token.encode() not in data, name
        assert b"x" * 64 not in open(made.log, "rb").read()


@test
def a_flood_of_refused_calls_does_not_fill_the_journal():
    with guarded() as made:
        peer = live.Peer(made.tcp)
        for _ in range(300):
            same(7, peer.answer("Admin/Status", {}).status)
        peer.close()
        assert len(live.events(made.peer())) < 20
        assert open(made.log).read().count("\n") < 40


def refused_calls(made):
    """How often who called what and was refused, by all the events."""
    counts = {}
    for event in live.events(made.peer()):
        if event.what == "call refused":
            said = re.search(r" \((\d+) calls?\)$", event.detail)
            who = re.sub(r"^127\.0\.0\.1(:\d+)?$", "tcp", event.who)
            kind = who, event.subject.removeprefix("/serried.v1.")
            counts[kind] = counts.get(kind, 0) + int(said[1] if said else 1)
    return counts


def flood(made):
    """300 calls of strangers that connect anew, and two of a worker."""
    for _ in range(30):
        peer = live.Peer(made.tcp)
        for _ in range(10):
            same(7, peer.answer("Admin/Status", {}).status)
        peer.close()
    for name in "Admin/Events", "Admin/Status":
        refuses("PERMISSION_DENIED", made.call, WORKER, name)


FLOOD = {("tcp", "Admin/Status"): 300, ("token w1", "Admin/Events"): 1,
         ("token w1", "Admin/Status"): 1}


@test
def every_call_of_a_flood_is_in_an_event_when_the_daemon_stops():
    with guarded() as made:
        flood(made)
        made.restart("stop")
        same(FLOOD, refused_calls(made))


@test
def every_call_of_a_flood_is_in_an_event_after_a_while():
    with guarded() as made:
        flood(made)
        until = time.monotonic() + 30
        while refused_calls(made) != FLOOD:
            assert time.monotonic() < until, refused_calls(made)
            time.sleep(0.2)
        assert len(live.events(made.peer())) < 20
        refuses("PERMISSION_DENIED", made.call, OTHER, "Admin/Status")
        until = time.monotonic() + 5  # a new window begins with one at once
        while sum(refused_calls(made).values()) != 303:
            assert time.monotonic() < until
            time.sleep(0.02)


@test
def more_kinds_of_refused_calls_than_are_told_apart_are_counted():
    with guarded() as made:
        names = [n for n in live.METHODS if not n.startswith("Worker/")]
        assert len(names) > 13, names  # at once, and told apart
        for _ in range(3):
            for name in names:
                refuses("PERMISSION_DENIED", made.call, WORKER, name)
        made.restart("stop")
        found = refused_calls(made)
        same(3 * len(names), sum(found.values()))
        assert found["others", ""] > 0, found
        assert len(live.events(made.peer())) < 20


@test
def loopback_is_open_only_where_that_is_set():
    with guarded("--loopback-open", "on") as made:
        assert made.call(None, "Admin/Status").version
        place(made, None)
        refuses("PERMISSION_DENIED", made.call, OTHER, "Admin/Status")


@test
def the_tool_makes_tokens_and_shows_them():
    with guarded() as made:
        path = os.path.join(made.folder, "token")

        def tool(*arguments, **environment):
            return subprocess.run(
                [live.SERRY, *arguments], text=True, capture_output=True,
                timeout=60, env=dict(os.environ, SERRY_ADDRESS=made.tcp,
                                     **environment))

        def with_token(*arguments):
            return tool(*arguments, SERRY_TOKEN_FILE=path)

        same(77, tool("status").returncode)
        done = tool("token", "operator", "tim", "--append", made.tokens)
        same((0, 65), (done.returncode, len(done.stdout)))
        with open(path, "w") as file:
            file.write(done.stdout)
        same(77, with_token("status").returncode)
        made.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 10
        while with_token("status").returncode != 0:
            assert time.monotonic() < until
        assert done.stdout.strip() not in open(made.tokens).read()
        both = tool("token", "worker", "w", "--placement", "wan").stdout
        hashed, token = both.split("\n")[:2]
        same(line("worker", "w", token, "wan"), hashed + "\n")
        for wrong in (["boss", "x"], ["worker", "x"], ["admin", "a b"],
                      ["admin", "x", "--placement", "wan"]):
            same(64, tool("token", *wrong).returncode)
        same(65, tool("status", SERRY_TOKEN_FILE=path + "x").returncode)
        with open(path + "z", "w") as file:
            file.write("token\0hidden\n")
        done = tool("status", SERRY_TOKEN_FILE=path + "z")
        same(65, done.returncode)
        assert "has a NUL byte" in done.stderr, done.stderr
        open(path, "w").close()
        same(65, with_token("status").returncode)


if __name__ == "__main__":
    live.main()
