# SPDX-License-Identifier: Apache-2.0
"""Hosts that are started anew, exchanged, or two names of one machine."""
import json
import os
import subprocess

import live
from live import key, refuses, same, test
from live_guarded import ADMIN, WORKER, guarded
from live_worker import Worker, eventually, happened, state

MACHINES = [f"{n}" * 32 for n in "abcdef"]
BOOTS = [f"{n * 8}-{n * 4}-{n * 4}-{n * 4}-{n * 12}" for n in "0123"]
HERE = dict(machine_id=MACHINES[0], boot_id=BOOTS[0])
THERE = dict(machine_id=MACHINES[1], boot_id=BOOTS[1])


def declare(made, *hosts):
    return made.peer().ask(
        "Cluster/ApplyHosts", idempotency_key=key(),
        document={"text": json.dumps({"hosts": list(hosts)})})


def two_hosts(made, **second):
    """Ranks 0 and 1 on n0, 2 and 3 on n1."""
    declare(made, {"name": "n0", "devices": 2}, dict(
        {"name": "n1", "devices": 2}, **second))
    made.peer().ask("Placement/Place", idempotency_key=key(),
                    document=live.deployment("wan", ranks=4))


def found(made):
    report = json.loads(made.peer().ask("Admin/Diagnose").report_json)
    return [f["code"] for f in report["findings"]]


def host(made, name):
    return made.peer().ask("Cluster/ListHosts", names=[name]).hosts[0]


def boot(made, **there):
    """All four workers, ready, and waiting."""
    workers = [Worker(made, rank) for rank in range(4)]
    for worker in workers:
        worker.join(**(HERE if worker.rank < 2 else dict(THERE, **there)))
    for worker in workers:
        same("ready", worker.await_().state)
        worker.send_await(state="ready")
    return workers


@test
def what_workers_say_of_their_host_is_shown():
    with live.daemon() as made:
        two_hosts(made)
        assert not host(made, "n1").seen_ms
        boot(made)
        one = host(made, "n1")
        same((MACHINES[1], BOOTS[1]), (one.machine_id, one.boot_id))
        assert one.seen_ms > 1700000000000, one
        same([], happened(made, "host rebooted"))
        same([], found(made))


@test
def a_reboot_loses_the_workers_of_before_at_once():
    with live.daemon("--lease-ms", "3600s") as made:
        two_hosts(made)
        workers = boot(made)
        again = Worker(made, 2, incarnation=2)
        again.join(**dict(THERE, boot_id=BOOTS[2]))
        answer = workers[3].peer.receive()
        same("FAILED_PRECONDITION", live.STATUSES[answer.status])
        assert answer.message.startswith("STALE_BOOT: n1"), answer
        same([2, 3], workers[0].told().missing)  # not after an hour
        same("degraded", state(made))
        eventually(lambda: len(happened(made, "host rebooted")), 1)
        told = happened(made, "host rebooted")[0]
        assert BOOTS[2] in told and BOOTS[1] in told, told
        assert "2 workers of before are lost" in told, told
        same(["host.rebooted", "worker.lost"], found(made))
        Worker(made, 3, incarnation=2).join(**dict(THERE, boot_id=BOOTS[2]))
        same("ready", state(made))
        same([], found(made))
        same(BOOTS[2], host(made, "n1").boot_id)
        same(1, len(happened(made, "host rebooted")))


@test
def a_token_for_one_placement_loses_no_workers_of_another():
    """Both are on one host; the boot that wan's worker tells may be made up."""
    with guarded("--lease-ms", "3600s") as made:
        declare(made, {"name": "n0", "devices": 4})
        for name in "wan", "other":
            made.peer().ask("Placement/Place", idempotency_key=key(),
                            document=live.deployment(name, ranks=2))
            for rank in 0, 1:
                Worker(made, rank, name).join(**HERE)
        for token, found_in in (WORKER, "ready"), (ADMIN, "degraded"):
            worker = Worker(made, 0, incarnation=2)
            made.call(token, "Worker/Join", **worker.who(), **worker.proof(),
                      **dict(HERE, boot_id=BOOTS[2 + (token == ADMIN)]))
            same(("degraded", found_in), (state(made), state(made, "other")))


@test
def spares_are_no_ranks_of_a_host_that_is_started_anew():
    """Ranks 0 and 1 of a on n0, its spare on n1, and rank 0 of b beside it."""
    with live.daemon("--lease-ms", "3600s") as made:
        declare(made, {"name": "n0", "devices": 2}, {"name": "n1",
                                                     "devices": 2})
        for name, world, spares in ("a", 2, 1), ("b", 1, 0):
            made.peer().ask("Placement/Place", idempotency_key=key(), document={
                "text": json.dumps({
                    "deployment": name, "runtime": "torchtitan",
                    "world": world, "sizes": {"dp_shard": world},
                    "spares": spares})})
        same((["a"], ["a", "b"]),
             tuple(list(host(made, name).placements) for name in ("n0", "n1")))
        for rank in 0, 1:
            Worker(made, rank, "a").join(**HERE)
        same([], [code for code in found(made) if code == "host.not_seen"])
        Worker(made, 0, "b").join(**THERE)
        same(("ready", "ready"), (state(made, "a"), state(made, "b")))
        Worker(made, 0, "b", incarnation=2).join(
            **dict(THERE, boot_id=BOOTS[2]))
        eventually(lambda: len(happened(made, "host rebooted")), 1)
        same(("ready", "ready"), (state(made, "a"), state(made, "b")))


@test
def another_machine_under_a_name_is_told():
    with live.daemon() as made:
        two_hosts(made)
        boot(made)
        Worker(made, 2, incarnation=2).join(machine_id=MACHINES[2],
                                            boot_id=BOOTS[2])
        eventually(lambda: len(happened(made, "host is another machine")), 1)
        told = happened(made, "host is another machine")[0]
        assert MACHINES[2] in told and MACHINES[1] in told, told
        same(["worker.stale_incarnation", "host.other_machine"], found(made))
        same([], happened(made, "host rebooted"))


@test
def a_host_that_was_removed_is_not_known_again_under_its_name():
    with live.daemon() as made:
        two_hosts(made)
        boot(made)
        made.peer().ask("Placement/Release", name="wan", idempotency_key=key())
        made.peer().ask("Cluster/RemoveHosts", names=["n0", "n1"],
                        idempotency_key=key())
        two_hosts(made)
        one = host(made, "n1")
        same(("", "", 0), (one.machine_id, one.boot_id, one.seen_ms))
        Worker(made, 2).join(machine_id=MACHINES[2], boot_id=BOOTS[2])
        assert "host.other_machine" not in found(made), found(made)


@test
def workers_that_say_different_things_of_a_host_do_not_fill_the_journal():
    with live.daemon() as made:
        two_hosts(made)
        workers = [Worker(made, rank) for rank in range(2)]
        for n in range(40):
            for worker in workers:
                worker.join(machine_id=MACHINES[worker.rank],
                            boot_id=BOOTS[n % 2])
        eventually(lambda: len(happened(made, "host is another machine")) +
                   len(happened(made, "host rebooted")), 8)
        for code in "host.other_machine", "host.not_seen":  # found all the same
            assert code in found(made), (code, found(made))
        assert len(live.events(made.peer())) < 20


@test
def a_worker_on_another_machine_than_declared_is_refused():
    with live.daemon() as made:
        two_hosts(made, machine_id=MACHINES[1])
        same(MACHINES[1], host(made, "n1").machine_id)
        worker = Worker(made, 2)
        answer = refuses("FAILED_PRECONDITION", worker.join, **HERE)
        assert answer.message.startswith("WRONG_MACHINE: rank 2 of wan is "
                                         "bound to n1"), answer
        same("worker.wrong_machine", found(made)[0])
        declare(made, {"name": "n7", "machine_id": MACHINES[0]})
        answer = refuses("FAILED_PRECONDITION", worker.join, **HERE)
        assert f"runs on n7, {MACHINES[0]}" in answer.message, answer
        worker.join(**THERE)
        worker.join()  # one that does not say it is as before
        same([], [code for code in found(made) if code.startswith("worker")])


@test
def two_names_of_one_machine_are_told():
    with live.daemon() as made:
        two_hosts(made)
        boot(made, **HERE)
        same(["host.same_machine"], found(made))
    with live.daemon() as made:
        declare(made, {"name": "a", "machine_id": MACHINES[0]},
                {"name": "b", "machine_id": MACHINES[0]})
        same(["host.same_machine"], found(made))


@test
def hosts_that_nobody_was_heard_of_on_are_told():
    with live.daemon() as made:
        two_hosts(made)
        assert "host.not_seen" not in found(made)
        for rank in 0, 1:
            Worker(made, rank).join(**HERE)
        assert "host.not_seen" in found(made)


@test
def hosts_of_a_placement_that_is_not_started_are_not_missed():
    with live.daemon() as made:
        two_hosts(made)
        declare(made, {"name": "n2", "devices": 2})
        made.peer().ask("Placement/Place", idempotency_key=key(),
                        document=live.deployment("later", ranks=2))
        boot(made)
        same(["boot.not_started"], found(made))


@test
def what_is_no_id_is_refused():
    with live.daemon() as made:
        two_hosts(made)
        worker = Worker(made, 0)
        for wrong in "", "a" * 31, "a" * 33, "A" * 32, "g" * 32, "x" * 4096:
            refuses("INVALID_ARGUMENT", worker.join, machine_id=wrong)
            answer = refuses("INVALID_ARGUMENT", declare, made,
                             {"name": "n2", "machine_id": wrong or "z"})
            assert "machine_id" in answer.message, answer
        for wrong in "", "a" * 36, BOOTS[0][:-1], BOOTS[0] + "0", "-" * 36:
            refuses("INVALID_ARGUMENT", worker.join, boot_id=wrong)
        answer = refuses("INVALID_ARGUMENT", declare, made,
                         {"name": "n[2-3]", "machine_id": MACHINES[0]})
        assert "that of one" in answer.message, answer


@test
def serry_exec_says_where_it_runs():
    with live.daemon() as made:
        declare(made, {"name": "n0", "devices": 2})
        made.peer().ask("Placement/Place", idempotency_key=key(),
                        document=live.deployment("wan", ranks=2))
        path = os.path.join(made.folder, "machine-id")
        with open(path, "w") as file:
            file.write(MACHINES[3] + "\n")
        workers = [subprocess.Popen(
            [live.SERRY, "exec", "--placement", "wan", "--rank", str(rank),
             "--", "true"], env=dict(os.environ, SERRY_ADDRESS=made.socket,
                                     SERRY_MACHINE_ID_FILE=path))
            for rank in range(2)]
        same([0, 0], [worker.wait(30) for worker in workers])
        one = host(made, "n0")
        same(MACHINES[3], one.machine_id)
        with open("/proc/sys/kernel/random/boot_id") as file:
            same(file.read().strip(), one.boot_id)


if __name__ == "__main__":
    live.main()
