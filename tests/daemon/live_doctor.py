# SPDX-License-Identifier: Apache-2.0
"""serry doctor: why boots hang, what is wrong first, what to do next."""
import json
import os
import signal
import socket
import subprocess

import live
import live_guarded
from live import refuses, same, test
from live_worker import Worker, eventually, happened, place


def doctor(made, *arguments, code, address=None):
    """Its report, of an address or of a daemon; it must end with this code."""
    done = subprocess.run(
        [live.SERRY, "doctor", "-o", "json", *arguments], text=True,
        timeout=60, capture_output=True,
        env=dict(os.environ, SERRY_ADDRESS=address or made.socket))
    same(code, done.returncode)
    same("", done.stderr)
    return json.loads(done.stdout)


def asked(made):
    """The report by the call itself."""
    return json.loads(made.peer().ask("Admin/Diagnose").report_json)


def codes(report):
    return [f["code"] for f in report["findings"]]


def first(report):
    return report["findings"][0]


def hosts(made, n, **extra):
    made.peer().ask("Cluster/ApplyHosts", idempotency_key=live.key(),
                    document={"text": json.dumps({"hosts": [dict(
                        {"name": f"n{i}", "devices": 1, "rack": "r"}, **extra)
                        for i in range(n)]})})


def place_on_hosts(made, ranks=4):
    document = json.loads(live.deployment("wan", ranks=ranks)["text"])
    document["links"] = {"cfg": "any"}
    return made.peer().ask("Placement/Place", idempotency_key=live.key(),
                           document={"text": json.dumps(document)})


# ---- boots ------------------------------------------------------------------

@test
def a_daemon_without_trouble_is_healthy():
    with live.daemon() as made:
        report = doctor(made, code=0)
        same((True, [], []), (report["healthy"], report["findings"],
                              report["placements"]))
        place(made)
        report = doctor(made, code=0)
        same((True, ["boot.not_started"]), (report["healthy"], codes(report)))
        assert "wan" in first(report)["next"], report
        workers = [Worker(made, rank) for rank in range(4)]
        for worker in workers:
            worker.join()
        report = doctor(made, "wan", code=0)
        same([], report["findings"])
        same((4, "ready"), (report["placements"][0]["joined"],
                            report["placements"][0]["state"]))


@test
def a_boot_that_waits_names_ranks_and_hosts():
    with live.daemon("--boot-ms", "2s", "--lease-ms", "1s") as made:
        hosts(made, 4)
        place_on_hosts(made)
        Worker(made, 2).join()
        waiting = Worker(made, 0)
        waiting.join()
        waiting.send_await()
        report = doctor(made, "wan", code=0)
        same(["boot.waiting"], codes(report))
        same([{"rank": 1, "state": "never joined", "host": "n1",
               "host_state": "ready"},
              {"rank": 3, "state": "never joined", "host": "n3",
               "host_state": "ready"}], report["placements"][0]["waits_for"])
        assert ("ranks 1, 3 of wan on n1, n3 did not join yet" in
                first(report)["what"]), report
        assert report["placements"][0]["master_port"] >= 29500
        same("n0", report["placements"][0]["master_address"])
        eventually(lambda: "boot.timed_out" in codes(asked(made)), True)
        report = doctor(made, "wan", code=1)
        timed_out = [f for f in report["findings"]
                     if f["code"] == "boot.timed_out"]
        same((1, 2), (timed_out[0]["rank"], timed_out[0]["ranks"]))
        assert "--placement wan --rank 1 " in timed_out[0]["next"], report
        made.peer().ask("Cluster/SetHostState", names=["n3"], state="down",
                        why="its fan", idempotency_key=live.key())
        report = doctor(made, "wan", code=1)
        same("boot.host_not_ready", first(report)["code"])
        assert ("rank 3 of wan on n3 is not there, and n3 is down (its fan)" ==
                first(report)["what"]), report
        assert "placement.on_host_not_ready" in codes(report), report


@test
def workers_that_fall_silent_are_told_before_and_after_they_are_lost():
    with live.daemon("--lease-ms", "2s") as made:
        place(made, 2)
        workers = [Worker(made, rank) for rank in range(2)]
        for worker in workers:
            worker.join()
        workers[0].await_()
        workers[0].send_await(state="ready")
        eventually(lambda: codes(asked(made)), ["worker.silent"])
        same("silent", doctor(made, "wan", code=1)["placements"][0]
             ["waits_for"][0]["state"])
        workers[0].told()
        report = doctor(made, "wan", code=1)
        same(["worker.lost"], codes(report))
        same(1, first(report)["rank"])
        assert report["placements"][0]["waits_for"][0]["silent_ms"] >= 2000


@test
def the_refused_are_told_with_their_reason_until_they_are_let_in():
    with live.daemon() as made:
        place(made)
        workers = [Worker(made, rank) for rank in range(4)]
        for worker in workers[:3]:
            worker.join()
        for _ in range(3):
            refuses("FAILED_PRECONDITION", workers[3].join, digest=bytes(32),
                    sequence_digest=bytes(8))
        refuses("NOT_FOUND", workers[0].peer.ask, "Worker/GetAssignment",
                placement="wan", rank=9)
        report = doctor(made, "wan", code=1)
        same(["worker.digest_differs", "worker.no_such_rank", "boot.waiting"],
             codes(report))
        assert "in another order" in first(report)["what"], report
        assert "--rank 3 " in first(report)["next"], report
        refused = report["placements"][0]["refused"]
        same([(3, 3), (9, 1)], [(r["rank"], r["count"]) for r in refused])
        assert refused[0]["who"].startswith("uid "), refused
        eventually(lambda: len(happened(made, "worker refused")), 2)
        workers[3].join()
        report = doctor(made, "wan", code=1)  # it keeps nobody waiting
        same([("worker.no_such_rank", "warning")],
             [(f["code"], f["weight"]) for f in report["findings"]])


@test
def workers_of_before_are_told_and_forgotten_with_their_generation():
    with live.daemon() as made:
        place(made, 2)
        old = Worker(made, 0)
        old.join()
        place(made, 2)
        refuses("FAILED_PRECONDITION", old.join)
        Worker(made, 0, incarnation=5).join()
        second = Worker(made, 0)
        refuses("FAILED_PRECONDITION", second.join)
        report = doctor(made, code=1)
        same(["worker.stale_generation", "worker.stale_incarnation",
              "boot.waiting"], codes(report))
        same([], happened(made, "worker refused"))  # they are only late
        place(made, 2)
        same(["boot.not_started"], codes(doctor(made, code=0)))
        made.peer().ask("Placement/Release", name="wan",
                        idempotency_key=live.key())
        same([], codes(doctor(made, code=0)))


@test
def what_is_kept_of_the_refused_is_bounded():
    with live.daemon() as made:
        place(made)
        peer = made.peer()
        for rank in range(100, 200):
            refuses("NOT_FOUND", peer.ask, "Worker/GetAssignment",
                    placement="wan", rank=rank)
        refused = doctor(made, "wan", code=1)["placements"][0]["refused"]
        same(32, len(refused))
        assert 199 in [r["rank"] for r in refused], refused
        eventually(lambda: len(happened(made, "worker refused")), 32)


@test
def an_address_that_is_missing_is_told():
    with live.daemon() as made:
        place(made, 2)
        Worker(made, 0).join(address="")
        report = doctor(made, code=1)
        same(["boot.no_address", "boot.waiting"], codes(report))


@test
def a_report_on_many_placements_is_bounded():
    with live.daemon() as made:
        for n in range(260):
            place(made, 2, f"p{n:03}")
        report = doctor(made, code=0)
        same(256, len(report["placements"]))
        same(260, len(report["findings"]))
        same(66, subprocess.run([live.SERRY, "doctor", "nobody", "--address",
                                 made.socket], capture_output=True).returncode)


@test
def what_is_wrong_is_told_before_any_number_of_notes():
    """Of the last of more placements than a report has findings."""
    with live.daemon("--call-bytes", "2560KiB", "--port-last", "30999") as made:
        for n in range(1100):
            place(made, 2, f"p{n:04}")
        report = doctor(made, code=0)
        same((1024, 76), (len(report["findings"]),
                          report["findings_left_out"]))
        refuses("NOT_FOUND", made.peer().ask, "Worker/GetAssignment",
                placement="p1099", rank=7)
        report = doctor(made, code=1)
        same((False, "worker.no_such_rank", "p1099"),
             (report["healthy"], first(report)["code"],
              first(report)["placement"]))
        same((1024, 77), (len(report["findings"]),
                          report["findings_left_out"]))


# ---- no daemon --------------------------------------------------------------

def away(made, address, code, reason):
    report = doctor(made, code=code, address=address)
    same((False, reason), (report["healthy"], report["tried"]["reason"]))
    same("SERRY_ADDRESS", report["tried"]["from"])
    return first(report)


@test
def a_daemon_that_gives_no_answer_is_told_by_how_it_does_not():
    made = live.Daemon()
    try:
        folder = made.folder
        assert "folder does not exist" in away(
            made, f"{folder}/no/s", 5, "absent")["what"]
        away(made, f"{folder}/s", 5, "absent")
        away(made, made.database, 5, "no_socket")
        away(made, "tcp://host.invalid:9", 5, "unknown_host")
        with socket.socket() as bound:  # to a port that nothing listens at
            bound.bind(("127.0.0.1", 0))
            away(made, f"tcp://127.0.0.1:{bound.getsockname()[1]}", 5,
                 "refused")
            bound.listen()
            same("daemon.no_answer", away(
                made, f"tcp://127.0.0.1:{bound.getsockname()[1]}", 5,
                "no_answer")["code"])
        made.process.send_signal(signal.SIGSTOP)
        same("daemon.no_answer", away(made, made.socket, 5, "no_answer")["code"])
        made.process.send_signal(signal.SIGCONT)
        made.kill()
        assert "left behind" in away(made, made.socket, 5, "refused")["what"]
    finally:
        made.close()


@test
def a_caller_that_may_not_ask_is_told_so():
    with live_guarded.guarded() as made:
        for token, code in ((None, 77), (live_guarded.WORKER, 77),
                            (live_guarded.OPERATOR, 0)):
            path = os.path.join(made.folder, "token")
            with open(path, "w") as file:
                file.write(token or "")
            environment = dict(os.environ, SERRY_ADDRESS=made.tcp)
            if token:
                environment["SERRY_TOKEN_FILE"] = path
            done = subprocess.run([live.SERRY, "doctor", "-o", "json"],
                                  capture_output=True, text=True,
                                  env=environment)
            same(code, done.returncode)
            report = json.loads(done.stdout)
            same(["daemon.not_permitted"] if code else [], codes(report))


@test
def a_socket_of_others_is_told():
    if os.geteuid() != 0:
        raise live.Skip("only root can become another user")
    with live.daemon() as made:
        try:
            done = subprocess.run(
                [live.SERRY, "doctor", "--address", made.socket], text=True,
                capture_output=True, user=65534, group=65534, extra_groups=[])
        except PermissionError:
            raise live.Skip("others cannot run serry here") from None
        same(77, done.returncode)
        assert "uid 65534 may not use" in done.stdout, done


if __name__ == "__main__":
    live.main()
