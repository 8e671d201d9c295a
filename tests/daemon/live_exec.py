# SPDX-License-Identifier: Apache-2.0
"""serry exec: whole boots of workers with their programs, and their faults."""
import glob
import json
import os
import signal
import socket
import time

import live
import live_guarded
from live import same, test
from live_relay import Relay
from live_worker import (LAUNCHERS, RUNS, STAYS, Exec, Worker, all_of,
                         eventually, happened, place, state)


def running(made, count):
    """Waits until so many programs have touched a file run-RANK."""
    eventually(lambda: len(glob.glob(f"{made.folder}/run-*")), count, 30)


@test
def a_program_finds_its_place_in_its_environment():
    with live.daemon() as made:
        now = place(made).generation
        line = ('env; echo "FILE $(tr -d "\\n" <"$SERRY_ASSIGNMENT")"; '
                'exit "$RANK"')
        began = time.time()
        workers = [Exec(made, rank, line, "--address-of-me", f"10.1.1.{rank}",
                        TORCHELASTIC_USE_AGENT_STORE="True")
                   for rank in range(4)]
        ports = set()
        for rank, worker in enumerate(workers):
            out = worker.ends(rank).splitlines()
            found = dict(x.split("=", 1) for x in out if "=" in x)
            for name, value in dict(
                    RANK=rank, LOCAL_RANK=rank, WORLD_SIZE=4,
                    LOCAL_WORLD_SIZE=4, GROUP_RANK=0,
                    MASTER_ADDR="10.1.1.0").items():
                same(str(value), found.get(name))
            assert "TORCHELASTIC_USE_AGENT_STORE" not in found
            assert "CUDA_VISIBLE_DEVICES" not in found
            same("ipc://" + made.socket, found["SERRY_ADDRESS"])
            ports.add(found["MASTER_PORT"])
            kept = json.loads(out[-1].removeprefix("FILE "))
            printed = json.loads(live.serry(
                made, "assignment", "wan", "--rank", str(rank), "-o", "json"))
            for key in printed:
                same(printed[key], kept[key])
            port, boot = int(found["MASTER_PORT"]), kept["boot"]
            assert began < boot.pop("incarnation") / 1e6 < time.time()
            same(dict(address=f"10.1.1.{rank}", master_address="10.1.1.0",
                      master_port=port, world=4, ports=printed["ports"],
                      store_prefix=f"wan/{now.epoch}.{now.revision}"), boot)
            same([port], [p["port"] for p in boot["ports"]])
            bytes.fromhex(kept["message"])
            assert not os.path.exists(found["SERRY_ASSIGNMENT"])
        same(1, len(ports))
        eventually(lambda: happened(made, "ready"), ["4 workers"])


@test
def its_end_is_that_of_the_program():
    with live.daemon("--lease-ms", "1s") as made:
        place(made)
        workers = all_of(made, "exit 0", (0, 1))
        workers += [Exec(made, 2, "kill -9 $$"), Exec(made, 3, "exit 77")]
        for worker, code in zip(workers, (0, 0, 128 + 9, 77)):
            worker.ends(code)
        # who failed is missed, who was done is not
        looks = Worker(made, 0, incarnation=1 << 62)
        looks.join()
        eventually(lambda: list(looks.await_(0).missing), [2, 3])
        eventually(lambda: len(happened(made, "degraded")), 1)
        place(made, 2)
        missing = [Exec(made, rank, "", command=["no-such-program"])
                   for rank in (0, 1)]
        for worker in missing:
            worker.ends(127, "no-such-program cannot be run: No such file")


@test
def the_rank_comes_from_the_launcher():
    with live.daemon() as made:
        place(made)
        workers = [Exec(made, None, "exit $RANK", **{name: str(rank)})
                   for rank, name in enumerate(LAUNCHERS)]
        for rank, worker in enumerate(workers):
            worker.ends(rank)
        # one launcher in another: the inner one says it
        for rank, worker in enumerate(
                [Exec(made, None, "exit $RANK", RANK=str(rank),
                      SLURM_PROCID=str(3 - rank)) for rank in range(4)]):
            worker.ends(rank)
        Exec(made, None).ends(64, "--rank N is missing")
        Exec(made, None, RANK="first").ends(64, 'RANK: "first" is no rank')
        Exec(made, None, RANK=str(1 << 32)).ends(64, "is no rank")
        Exec(made, 4).ends(66, "lists the rank 4")
        Exec(made, 0, name="wann").ends(66, "the nearest name is wan")


def two_hosts():
    """Ranks 0 and 3 on the first, 1 and 2 on the second."""
    bindings = []
    for host, local in ((0, 0), (1, 0), (1, 1), (0, 1)):
        devices = [f"GPU-{host}-{n}" for n in (5, 2)]
        bindings.append(dict(
            host=f"node{host}", address=[f"10.7.0.{host}", "10.8.0.1"],
            device=devices[local], pci="0000:01:00.0", index=(5, 2)[local],
            numa=0, local_rank=local, local_world_size=2, group_rank=host,
            hosts=2, local_devices=devices))
    return bindings


@test
def a_program_that_is_bound_to_a_device_finds_it():
    bindings = two_hosts()
    line = ("echo $RANK $LOCAL_RANK $LOCAL_WORLD_SIZE $GROUP_RANK "
            "$MASTER_ADDR $CUDA_VISIBLE_DEVICES; tr -d ' \\n' "
            '<"$SERRY_ASSIGNMENT"')
    with live.daemon() as made, Relay(made, bindings) as relay:
        place(made)
        workers = [
            Exec(relay, None, line, "--host", "node0", "--local-rank", "0"),
            Exec(relay, 1, line, CUDA_VISIBLE_DEVICES="7"),
            Exec(relay, None, line, "--host", "node1", SLURM_LOCALID="1"),
            Exec(relay, None, line, "--host", "node0", LOCAL_RANK="1",
                 RANK="9")]
        for rank, (worker, b) in enumerate(zip(workers, bindings)):
            said, kept = worker.ends(0).split("\n")
            same(f"{rank} {b['local_rank']} 2 {b['group_rank']} 10.7.0.0 "
                 + ",".join(b["local_devices"]), said)
            same(b, json.loads(kept)["binding"])
        Exec(relay, None, line, "--local-rank", "2", "--host", "node0").ends(
            66, "lists the rank")
    with live.daemon() as made:
        place(made)
        Exec(made, None, line, "--local-rank", "0").ends(
            66, "wan is bound to no hosts; its workers go by their ranks")
        Exec(made, 0, line, "--local-rank", "0").ends(64, "--rank says it all")
        Exec(made, None, line, "--host", "a").ends(
            64, "--local-rank N is missing, and no launcher set one of LOCAL_R")


@test
def workers_of_declared_hosts_find_their_ranks_by_host_and_number():
    line = ("echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $GROUP_RANK "
            "$MASTER_ADDR $CUDA_VISIBLE_DEVICES")
    here = socket.gethostname()  # the default of --host
    other = "node0" if here != "node0" else "node1"
    with live.daemon() as made:
        made.peer().ask("Cluster/ApplyHosts", document={"text": json.dumps(
            {"hosts": [{"name": name, "addresses": [f"10.7.0.{h}"],
                        "own_domain": True, "devices": 2}
                       for h, name in enumerate((other, here))]})})
        place(made)
        hosts = ["--host", other], []
        workers = [Exec(made, None, line, *hosts[rank // 2],
                        "--local-rank", str(rank % 2)) for rank in range(4)]
        for rank, worker in enumerate(workers):
            same(f"{rank} 4 {rank % 2} 2 {rank // 2} 10.7.0.0 0,1",
                 worker.ends(0).strip())
        Exec(made, None, line, "--host", other, "--local-rank", "2").ends(
            66, f"wan has 2 ranks on {other}")
        place(made)
        Exec(made, 0, line, "--timeout", "2").ends(
            5, f"ranks 1, 2, 3 on {other}, {here} of 4 did not join")


@test
def signals_are_handed_on_and_one_that_is_told_to_end_leaves():
    with live.daemon("--lease-ms", "1s") as made:
        place(made, 2)
        line = 'trap "exit 3" TERM; trap "touch $TMPDIR/got-$RANK" USR1; '
        line += RUNS + "while :; do sleep 0.05; done"
        workers = all_of(made, line, range(2))
        running(made, 2)
        for worker in workers:
            worker.process.send_signal(signal.SIGUSR1)
        eventually(lambda: len(glob.glob(made.folder + "/got-*")), 2)
        for worker in workers:
            worker.process.send_signal(signal.SIGTERM)
        for worker in workers:
            worker.ends(3)
        same("placed", state(made))
        same([], happened(made, "degraded"))


@test
def the_program_does_not_outlive_its_heartbeat():
    with live.daemon("--lease-ms", "1s") as made:
        place(made, 2)
        workers = all_of(made, RUNS + 'echo $$ >"$TMPDIR/pid-$RANK"; '
                         "exec sleep 60", range(2))
        eventually(lambda: len(glob.glob(made.folder + "/pid-*")), 2, 30)
        pid = int(open(made.folder + "/pid-1").read() or 0)
        workers[1].process.kill()
        eventually(lambda: os.path.exists(f"/proc/{pid}") and
                   open(f"/proc/{pid}/stat").read().split()[2] != "Z", False)
        eventually(lambda: happened(made, "degraded"), ["lost rank 1"])
        workers[0].process.terminate()
        workers[0].ends(128 + signal.SIGTERM)


@test
def over_tcp_a_workers_token_is_enough():
    with live_guarded.guarded() as made:
        live_guarded.place(made)
        workers = []
        for name, token in ("token", live_guarded.WORKER), (
                "wrong", live_guarded.OTHER):
            with open(os.path.join(made.folder, name), "w") as file:
                file.write(token + "\n")
            os.chmod(file.name, 0o600)
            workers += all_of(made, "echo $MASTER_ADDR", range(2), "--address",
                              made.tcp, SERRY_TOKEN_FILE=file.name)
        for worker in workers[2:]:
            worker.ends(77, "token")
        for worker in workers[:2]:
            same("127.0.0.1\n", worker.ends(0))
        eventually(lambda: happened(made, "ready"), ["2 workers"])
        # none but those of the wrong token
        eventually(lambda: {e.subject for e in live.events(made.peer())
                            if e.what == "call refused"},
                   {"/serried.v1.Worker/GetAssignment"})
        eventually(lambda: state(made), "placed")


# ---- faults -------------------------------------------------------------------

@test
def of_one_that_never_starts_all_others_hear_in_time():
    with live.daemon("--boot-ms", "4s") as made:
        place(made)
        began = time.monotonic()
        for worker in all_of(made, RUNS, (0, 1, 3)):
            worker.ends(5, "wan is not whole in time: rank 2 of 4 did not join")
        assert time.monotonic() - began < 20
        eventually(lambda: happened(made, "boot timed out"), ["rank 2"])
    with live.daemon() as made:  # a time-out of the workers' own
        place(made)
        for worker in all_of(made, RUNS, (0, 3), "--timeout", "2"):
            worker.ends(5, "wan is not whole after 2 s: ranks 1, 2 of 4 did")
        same([], glob.glob(made.folder + "/run-*"))


@test
def of_one_that_starts_twice_the_older_one_ends():
    with live.daemon() as made:
        place(made, 2)
        older = Exec(made, 0, STAYS)
        eventually(lambda: state(made), "booting")
        newer = Exec(made, 0, STAYS)
        older.ends(4, "STALE_INCARNATION: a newer worker has joined wan as "
                   "rank 0")  # while it waited
        report = json.loads(made.peer().ask("Admin/Diagnose").report_json)
        same("worker.stale_incarnation", report["findings"][0]["code"])
        same([(0, f"uid {os.geteuid()} pid {older.process.pid}")],
             [(r["rank"], r["who"])
              for r in report["placements"][0]["refused"]])
        other = Exec(made, 1, STAYS)
        running(made, 2)
        newest = Exec(made, 0, STAYS.replace("run", "new"))
        newer.ends(4, "rank 0 of wan was ended: STALE_INCARNATION")
        eventually(lambda: len(glob.glob(made.folder + "/new-*")), 1, 30)
        for worker in newest, other:
            worker.process.terminate()
            worker.ends(128 + signal.SIGTERM)


@test
def one_of_an_old_generation_is_ended():
    with live.daemon() as made:
        first = place(made, 2).generation
        waits = Exec(made, 0, STAYS)
        eventually(lambda: state(made), "booting")
        place(made, 2)
        waits.ends(4, "STALE_GENERATION: wan was placed anew")
        late = Exec(made, 0, STAYS, "--generation",
                    f"{first.epoch}.{first.revision}")
        late.ends(4, "STALE_GENERATION")
        workers = all_of(made, STAYS, range(2))
        running(made, 2)
        place(made, 2)
        for rank, worker in enumerate(workers):
            worker.ends(4, f"rank {rank} of wan was ended: STALE_GENERATION")


@test
def a_program_that_does_not_want_to_end_is_made_to():
    with live.daemon() as made:
        place(made, 2)
        line = 'trap "" TERM; ' + RUNS + "while :; do sleep 0.1; done"
        workers = all_of(made, line, range(2))
        running(made, 2)
        made.peer().ask(live.RELEASE, name="wan", idempotency_key=live.key())
        for worker in workers:
            worker.ends(4, "was ended: wan was released")


class OtherGroups(Relay):
    """What passes is read as a worker with other rules would: the groups of the
    first list are made over its other ranks."""

    def answer(self, body, number, asked):
        answer = live.unpack("Answer", body)
        if number not in asked or answer.status:
            return body
        message = live.unpack("Assignment", answer.reply)
        first = message.lists[0]
        first["inner"], first["outer"] = first.outer, first.inner
        answer["reply"] = live.pack("Assignment", message)
        return live.pack("Answer", answer)


@test
def one_of_other_groups_is_refused_and_missed():
    with live.daemon("--boot-ms", "5s") as made, OtherGroups(made, []) as relay:
        place(made)
        others = all_of(made, RUNS, (0, 2, 3))
        Exec(relay, 1, RUNS).ends(
            2, "DIGEST_DIFFERS: this worker's groups of the list "
            "node_groups[0].cfg are not those of wan")
        eventually(lambda: len(happened(made, "worker refused")), 1)
        found, = happened(made, "worker refused")
        assert found.startswith("DIGEST_DIFFERS: "), found
        report = json.loads(made.peer().ask("Admin/Diagnose").report_json)
        same(("worker.digest_differs", 1), (report["findings"][0]["code"],
                                            report["findings"][0]["rank"]))
        for other in others:
            other.ends(5, "rank 1 of 4 did not join")
        same([], glob.glob(made.folder + "/run-*"))


# ---- the daemon's absence -----------------------------------------------------

@test
def a_boot_completes_over_a_kill_of_the_daemon():
    with live.daemon() as made:
        place(made)
        line = "echo $MASTER_ADDR; exit $RANK"
        workers = all_of(made, line, (0, 1, 2), "--address-of-me", "10.1.1.1")
        time.sleep(1.5)  # they have joined and wait
        made.close_peers()
        made.kill()
        time.sleep(1)
        made.start()
        workers.append(Exec(made, 3, line))
        for rank, worker in enumerate(workers):
            same("10.1.1.1", worker.ends(rank).strip())
        eventually(lambda: happened(made, "ready"), ["4 workers"])


@test
def workers_may_start_before_the_daemon():
    with live.daemon() as made:
        place(made, 2)
        made.close_peers()
        made.kill()
        workers = all_of(made, "exit 0", range(2))
        time.sleep(2)
        made.start()
        for worker in workers:
            worker.ends(0)


@test
def programs_run_on_while_the_daemon_is_away():
    with live.daemon("--lease-ms", "2s") as made:
        place(made, 2)
        line = RUNS + 'until test -e "$TMPDIR/go"; do sleep 0.1; done'
        workers = all_of(made, line, range(2))
        running(made, 2)
        made.close_peers()
        made.kill()
        time.sleep(2)
        made.start()
        eventually(lambda: state(made), "ready", 30)  # they have joined again
        made.restart("stop")  # which ends what they wait in
        eventually(lambda: state(made), "ready", 30)
        open(made.folder + "/go", "w").close()
        for worker in workers:  # it may say that it goes on alone
            worker.process.communicate(timeout=30)
            same(0, worker.process.returncode)
        same([], happened(made, "degraded"))
        eventually(lambda: state(made), "placed")  # they have left


@test
def a_program_ends_while_the_daemon_is_away():
    with live.daemon() as made:
        place(made, 2)
        line = RUNS + 'until test -e "$TMPDIR/go"; do sleep 0.1; done'
        workers = all_of(made, line, range(2))
        running(made, 2)
        made.close_peers()
        made.kill()
        open(made.folder + "/go", "w").close()
        for worker in workers:
            worker.ends(0)
        same([], glob.glob(made.folder + "/serry-*"))


@test
def a_mask_of_devices_that_does_not_go_with_the_placement_is_warned_of():
    def masked(made, rank, mask):
        worker = Exec(made, rank, "echo $CUDA_VISIBLE_DEVICES",
                      CUDA_VISIBLE_DEVICES=mask)
        return worker

    def said(made, mask, shown):
        """What the worker of rank 0 says with a mask."""
        workers = [masked(made, 0, mask), masked(made, 1, "")]
        workers[1].process.communicate(timeout=30)
        out, said = workers[0].process.communicate(timeout=30)
        same((0, shown), (workers[0].process.returncode, out.strip()))
        return said

    with live.daemon() as made:
        place(made, 2)
        for mask in "0,1", "5", "GPU-b,GPU-a", "":  # of none that are bound
            same("", said(made, mask, mask))
        assert "device.mask_permuted" in said(made, "1,0", "1,0")
    with live.daemon() as made:
        made.peer().ask("Cluster/ApplyHosts", document={"text": json.dumps(
            {"hosts": [{"name": "node0", "devices": 3}]})})
        place(made, 2)
        for mask in "0,1", "0,1,2", "0, 2,1", "GPU-7", "2,0,1":
            same("", said(made, mask, "0,1"))
        assert "device.mask_permuted" in said(made, "2,1,0", "0,1")
        for mask in "2", "1,2", "0":
            assert "device.mask_hides" in said(made, mask, "0,1"), mask


@test
def devices_that_are_not_in_the_order_of_ranks_are_warned_of():
    with live.daemon() as made:
        peer = made.peer()
        peer.ask("Cluster/ApplyHosts", document={"text": json.dumps(
            {"hosts": [{"name": "node0", "devices": 4}]})})
        place(made, 2, "first")
        place(made, 2)
        peer.ask("Placement/Release", name="first",
                 idempotency_key=live.key())
        verdict = peer.ask("Placement/GetPlacement", name="wan").verdict_json
        same([], json.loads(verdict)["warnings"])
        place(made, 4)  # grows into 0 and 1
        verdict = peer.ask("Placement/GetPlacement", name="wan").verdict_json
        same([("device.order", "node0")],
             [(w["code"], w["subject"])
              for w in json.loads(verdict)["warnings"]])
        workers = all_of(made, "echo $CUDA_VISIBLE_DEVICES")
        for rank, worker in enumerate(workers):
            words = ["device.order"] if rank == 0 else []
            same("2,3,0,1", worker.ends(0, *words).strip())


if __name__ == "__main__":
    live.main()
