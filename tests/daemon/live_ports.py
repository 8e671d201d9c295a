# SPDX-License-Identifier: Apache-2.0
"""Ports: leased by host, placement and purpose, with the generation."""
import json
import socket
import sqlite3
import subprocess
import sys
import time

import live
from live import PLACE, RELEASE, key, refuses, same, say, test
from live_worker import (Worker, environment, eventually, generation, happened,
                         launch, needs_library)

RANGE = ("--port-first", "31000", "--port-last", "31003")
EACH = [{"purpose": "rpc", "on": "each_host"}, {"purpose": "zmq",
        "on": "each_instance"}, {"purpose": "side", "on": "each_rank"}]


def declare(made, n, devices):
    """Hosts node0, node1, ... at 10.0.0.1, 10.0.0.2, ..."""
    peer = made.peer()
    peer.ask("Cluster/ApplyHosts", idempotency_key=key(), document={
        "text": json.dumps({"hosts": [
            {"name": f"node{i}", "addresses": [f"10.0.0.{i + 1}"],
             "own_domain": True, "rack": "r", "devices": devices}
            for i in range(n)]})})
    return peer


def mesh(name, world, sizes, **extra):
    return {"text": json.dumps(dict(
        deployment=name, runtime="torchtitan", world=world, sizes=sizes,
        **extra))}


def place(peer, name, world=2, **extra):
    return peer.ask(PLACE, document=mesh(name, world, {"dp_shard": world},
                                         **extra), idempotency_key=key())


def release(peer, name):
    return peer.ask(RELEASE, name=name, idempotency_key=key())


def listed(peer, name):
    """{(purpose, host): [ports by seat]} of a placement."""
    found = {}
    for lease in peer.ask("Placement/GetPlacement", name=name).ports:
        for run in lease.runs:
            found.setdefault((lease.purpose, run.host or ""), []).extend(
                run.first + k * (run.stride or 1)
                for k in range(run.count or 1))
    return found


def ports_of(answer):
    return {(p.purpose, p.instance): p.port for p in answer.ports}


def told(peer, name, rank):
    return peer.ask("Worker/GetAssignment", placement=name, rank=rank)


def report(peer, name, rank, port, **fields):
    now = told(peer, name, rank)
    return peer.ask("Worker/ReportPort", placement=name, rank=rank,
                    generation=generation(now), port=port,
                    **dict({"purpose": "master"}, **fields)).port


def faults(made):
    return happened(made, "invariant broken")


# ---- what is leased ---------------------------------------------------------

@test
def every_purpose_has_its_ports_where_it_wants_them():
    with live.daemon("--audit-ms", "100") as made:
        peer = declare(made, 4, 2)
        place(peer, "a", 4, ports=EACH)
        place(peer, "b", 4, ports=EACH)
        seen = {}
        for name in "ab":
            found = listed(peer, name)
            first, second = {"a": ("node0", "node1"),
                             "b": ("node2", "node3")}[name]
            same({("master", first): 1, ("rpc", first): 1, ("rpc", second): 1,
                  ("zmq", first): 1, ("side", first): 2, ("side", second): 2},
                 {at: len(ports) for at, ports in found.items()})
            for (_, where), ports in found.items():
                for port in ports:
                    same(None, seen.get((where, port)))
                    seen[where, port] = name
        for rank in range(4):
            answer = told(peer, "a", rank)
            mine = {p.purpose: (p.port, p.address, bool(p.confirms))
                    for p in answer.ports}
            node = f"node{rank // 2}"
            address = f"10.0.0.{rank // 2 + 1}"
            found = listed(peer, "a")
            same({"master": (found["master", "node0"][0], "10.0.0.1",
                             rank == 0),
                  "rpc": (found["rpc", node][0], address, rank % 2 == 0),
                  "zmq": (found["zmq", "node0"][0], "10.0.0.1", rank == 0),
                  "side": (found["side", node][rank % 2], address, True)},
                 mine)
        before = {n: listed(peer, n) for n in "ab"}
        made.restart("kill")
        same(before, {n: listed(made.peer(), n) for n in "ab"})
        time.sleep(0.3)
        same([], faults(made))


@test
def instances_have_ports_of_their_own_also_where_they_share_ranks():
    text = {"deployment": "s", "model": "tiny", "ports": [
        {"purpose": "zmq", "on": "each_instance"}], "node_groups": [
            {"node_names": ["n"], "ranks": [0, 1, 2, 3], "sizes": {"a": 2}},
            {"node_names": ["m"], "ranks": [1, 2]}]}
    with live.daemon() as made:
        peer = declare(made, 2, 2)
        peer.ask("Catalog/Apply", document={"text": json.dumps(
            {"runtime": "tiny", "axes": [{"name": "a", "field": "a"}],
             "ports": ["store", {"purpose": "master", "on": "first_rank"}]})})
        peer.ask("Catalog/Apply", document={"text": json.dumps(
            {"model": "tiny", "runtime": "tiny",
             "nodes": [{"name": "n"}, {"name": "m"}]})})
        peer.ask(PLACE, document={"text": json.dumps(text)})
        found = listed(peer, "s")
        same({("master", "node0"): 1, ("store", "node0"): 1,
              ("zmq", "node0"): 2, ("zmq", "node1"): 2},
             {at: len(ports) for at, ports in found.items()})
        zmq = found["zmq", "node0"] + found["zmq", "node1"]
        # seats: instances 0 and 1 of group 0, then those of group 1
        seat = {(0, 0): zmq[0], (1, 0): zmq[1]}
        at = {rank: {(p.group, p.instance): (p.port, bool(p.confirms))
                     for p in told(peer, "s", rank).ports
                     if p.purpose == "zmq"} for rank in range(4)}
        same([{(0, 0)}, {(0, 0), (1, 0)}, {(0, 1), (1, 1)}, {(0, 1)}],
             [set(at[rank]) for rank in range(4)])
        same(at[0][0, 0][0], at[1][0, 0][0])
        same(at[2][0, 1][0], at[3][0, 1][0])
        same([True, False, True, False],
             [at[0][0, 0][1], at[1][0, 0][1], at[2][0, 1][1], at[3][0, 1][1]])
        same({seat[0, 0], seat[1, 0]}, {at[0][0, 0][0], at[1][1, 0][0]})
        same(4, len({port for ports in at.values()
                     for port, _ in ports.values()}))


@test
def the_instances_of_a_large_sparse_world_have_their_ports_soon():
    ranks = [rank for rank in range(65536) if rank % 3000 != 1]
    with live.daemon("--audit-ms", "60s") as made:
        peer = made.peer()
        for n in range(0, 512, 64):
            peer.ask("Cluster/ApplyHosts", idempotency_key=key(), document={
                "text": json.dumps({"hosts": [
                    {"name": f"node{k}", "devices": 128}
                    for k in range(n, n + 64)]})})
        peer.ask("Catalog/Apply", document={"text": json.dumps(
            {"runtime": "tiny", "axes": [{"name": "a", "field": "a"}]})})
        peer.ask("Catalog/Apply", document={"text": json.dumps(
            {"model": "tiny", "runtime": "tiny", "nodes": [{"name": "n"}]})})
        began = made.cpu_seconds()
        peer.ask(PLACE, document={"text": json.dumps({
            "deployment": "s", "model": "tiny",
            "ports": [{"purpose": "zmq", "on": "each_instance"}],
            "node_groups": [{"node_names": ["n"], "ranks": ranks,
                             "sizes": {"a": 1}}]})})
        took = made.cpu_seconds() - began
        say(f"{len(ranks)} ports of instances in {took:.2f} s")
        assert took < 0.5 or live.SANITIZED, took
        last, = [p for p in told(peer, "s", 65535).ports
                 if p.purpose == "zmq"]
        same((len(ranks) - 1, "node511"), (last.instance, last.address))


@test
def a_placement_has_all_its_ports_or_none():
    with live.daemon(*RANGE) as made:
        peer = declare(made, 2, 4)
        place(peer, "a", 2, ports=["x"])
        answer = refuses("RESOURCE_EXHAUSTED", place, peer, "b", 2,
                         ports=["x", "y"])
        for said in ("no port for y is free on node0",
                     "all 4 ports from 31000 to 31003 are taken, by a (2), "
                     "b itself (2); release", "port_last"):
            assert said in answer.message, answer.message
        place(peer, "b", 2, ports=["x"])  # nothing was left behind
        same(2, len({p for n in "ab" for ports in listed(peer, n).values()
                     for p in ports} & {31000, 31001}))


@test
def what_cannot_be_a_purpose_is_refused():
    with live.daemon() as made:
        peer = made.peer()
        for ports, status, said in (
                (["Rpc"], "INVALID_ARGUMENT", "cannot be a port's purpose"),
                (["x" * 33], "INVALID_ARGUMENT", "at most 32"),
                (["x" * 10000], "INVALID_ARGUMENT", "cannot be"),
                (["1x"], "INVALID_ARGUMENT", "cannot be"),
                ([""], "INVALID_ARGUMENT", "cannot be"),
                (["x", "x"], "INVALID_ARGUMENT", "name each purpose once"),
                ([{"purpose": "master", "on": "each_rank"}],
                 "INVALID_ARGUMENT", "first_rank in every placement"),
                ([{"purpose": "x", "on": "each_rack"}], "INVALID_ARGUMENT",
                 "each_instance or each_rank, not on \"each_rack\""),
                ([{"on": "each_host"}], "INVALID_ARGUMENT", "purpose"),
                ([{"purpose": "x", "of": 1}], "INVALID_ARGUMENT", "of"),
                ([7], "INVALID_ARGUMENT", "map"), ("x", "INVALID_ARGUMENT",
                                                   "list"),
                ([f"p{i}" for i in range(1000)], "RESOURCE_EXHAUSTED",
                 "at most 16 purposes")):
            answer = refuses(status, place, peer, "a", ports=ports)
            assert said in answer.message, (ports, answer.message)
        place(peer, "a", ports=["master"] + [f"p{i}" for i in range(15)])
        same(16, len(listed(peer, "a")))


# ---- when a generation ends -------------------------------------------------

@test
def a_port_that_a_worker_may_have_rests_when_its_generation_ends():
    with live.daemon(*RANGE, "--port-rest-ms", "2s", "--audit-ms",
                     "100") as made:
        peer = declare(made, 1, 8)
        place(peer, "a", 2)
        old = told(peer, "a", 0).ports[0].port
        Worker(made, 0, "a").join()
        began = time.monotonic()
        place(peer, "a", 2)
        mine = told(peer, "a", 0).ports[0].port
        assert mine != old
        place(peer, "b", 2)
        place(peer, "c", 2)
        others = {told(peer, n, 0).ports[0].port for n in "bc"}
        same({31000, 31001, 31002, 31003}, others | {old, mine})
        answer = refuses("RESOURCE_EXHAUSTED", place, peer, "d", 2)
        assert "1 rest for at most 2 s" in answer.message, answer.message
        made.restart("kill")  # the record knows
        peer = made.peer()
        assert time.monotonic() - began < 2, "too slow a machine"
        refuses("RESOURCE_EXHAUSTED", place, peer, "d", 2)
        time.sleep(max(0.0, began + 2.1 - time.monotonic()))
        place(peer, "d", 2)
        same(old, told(peer, "d", 0).ports[0].port)
        same([], faults(made))


@test
def a_port_rests_too_after_a_release_and_over_a_crash():
    with live.daemon("--port-first", "31000", "--port-last", "31000",
                     "--port-rest-ms", "3s", "--audit-ms", "200") as made:
        peer = made.peer()
        place(peer, "a")
        place_b = dict(document=mesh("b", 2, {"dp_shard": 2}))
        release(peer, "a")
        place(peer, "a")  # nobody had joined: the port was free at once
        worker = Worker(made, 0, "a")
        worker.join()
        worker.peer.ask("Worker/Leave", **worker.who())
        release(peer, "a")
        place(peer, "a")  # all had left
        Worker(made, 0, "a").join()
        release(peer, "a")
        refuses("NOT_FOUND", peer.ask, "Placement/GetPlacement", name="a")
        same(0, len(peer.ask("Placement/ListPlacements").placements))
        began = time.monotonic()
        answer = refuses("RESOURCE_EXHAUSTED", peer.ask, PLACE, place_b)
        assert "are taken: 1 rest for at most 3 s; " in answer.message, answer.message
        refuses("RESOURCE_EXHAUSTED", place, peer, "a")  # its own name too
        made.restart("kill")
        peer = made.peer()
        if time.monotonic() - began < 2.5:
            refuses("RESOURCE_EXHAUSTED", peer.ask, PLACE, place_b)
        time.sleep(max(0.0, began + 3.1 - time.monotonic()))
        place(peer, "b")
        same(31000, told(peer, "b", 0).ports[0].port)
        eventually(lambda: made_records(made), ["b"])
        place_a = dict(document=mesh("a", 2, {"dp_shard": 2}))
        refuses("RESOURCE_EXHAUSTED", peer.ask, PLACE, place_a)


@test
def a_port_rests_on_when_its_name_is_placed_again():
    with live.daemon("--port-first", "31000", "--port-last", "31001",
                     "--port-rest-ms", "60s") as made:
        peer = made.peer()
        place(peer, "a")
        old = told(peer, "a", 0).ports[0].port
        Worker(made, 0, "a").join()
        release(peer, "a")
        place(peer, "a")
        same(1, abs(old - told(peer, "a", 0).ports[0].port))
        for how in None, "kill":
            if how:
                made.restart(how)
                peer = made.peer()
            answer = refuses("RESOURCE_EXHAUSTED", place, peer, "b")
            assert "1 rest for at most" in answer.message, answer.message


def made_records(made):
    with sqlite3.connect(f"file:{made.database}?mode=ro", uri=True) as rows:
        return [name for name, in rows.execute("SELECT name FROM placement")]


def end(made, names):
    """Places and releases; ports rest, as it is not known of workers of before
    a restart whether they run."""
    for name in names:
        place(made.peer(), name)
    made.restart("kill")
    for name in names:
        release(made.peer(), name)
    made.close_peers()
    same(sorted(names), sorted(made_records(made)))


@test
def names_whose_ports_have_rested_go_all_at_once():
    """Also more than one change of the store holds."""
    with live.daemon("--port-rest-ms", "10ms", "--audit-ms", "15s") as made:
        end(made, [f"p{n}" for n in range(250)])
        eventually(lambda: len(made_records(made)) < 250, True, seconds=30)
        eventually(lambda: made_records(made), [], seconds=8)


@test
def a_name_is_free_again_where_what_rests_of_it_cannot_be_read():
    with live.daemon() as made:
        end(made, "a")
        made.forge(a=lambda body: b"\xff")
        place(made.peer(), "a")


# ---- ports that are in use --------------------------------------------------

@test
def a_port_rests_on_a_host_that_is_removed_and_declared_again():
    """Of very many removed hosts, those that nothing points to are forgotten;
    a port that rests points to its own."""
    calls = [[f"node{k}" for k in range(n, n + 100)]
             for n in range(0, 1100, 100)]
    with live.daemon("--port-first", "31000", "--port-last", "31000",
                     "--port-rest-ms", "60s", "--audit-ms", "100") as made:
        peer = declare(made, 1, 1)
        place(peer, "a", 1)
        Worker(made, 0, "a").join()
        release(peer, "a")
        for names in calls:
            peer.ask("Cluster/ApplyHosts", idempotency_key=key(), document={
                "text": json.dumps({"hosts": [{"name": name, "devices": 1}
                                              for name in names]})})
        for names in calls:
            peer.ask("Cluster/RemoveHosts", idempotency_key=key(), names=names)
        declare(made, 1, 1)
        for how in None, "kill":
            if how:
                made.restart(how)
            answer = refuses("RESOURCE_EXHAUSTED", place, made.peer(), "b", 1)
            assert "1 rest for at most 60 s" in answer.message, answer.message
        same([], faults(made))


@test
def ports_that_rest_on_very_many_hosts_of_long_names_leave_room():
    """Of 900 hosts with names of 248 bytes."""
    hosts = [f"n{i:03}." + ".".join(["long" * 15] * 4) for i in range(900)]
    with live.daemon("--port-rest-ms", "60s", "--port-first", "31000",
                     "--port-last", "31099") as made:
        peer = made.peer()
        for n in range(0, 900, 100):
            peer.ask("Cluster/ApplyHosts", idempotency_key=key(), document={
                "text": json.dumps({"hosts": [{"name": name, "devices": 1}
                                              for name in hosts[n:n + 100]]})})
        had = set()
        for _ in range(5):  # without a bound, each leaves 240 KiB of rests
            place(peer, "a", 900, ports=EACH)
            Worker(made, 0, "a").join()
            had.update(*listed(peer, "a").values())
        release(peer, "a")
        made.restart("kill")
        place(made.peer(), "a", 900)
        same(set(), had.intersection(*listed(made.peer(), "a").values()))


@test
def a_port_in_use_is_reported_and_replaced():
    with live.daemon(*RANGE) as made:
        peer = declare(made, 2, 2)
        place(peer, "a", 4, ports=[{"purpose": "rpc", "on": "each_host"}])
        workers = [Worker(made, rank, "a") for rank in range(4)]
        for worker in workers[:3]:
            worker.join()
        workers[1].send_await()
        before = ports_of(told(peer, "a", 0))
        was = generation(told(peer, "a", 0))
        old = before["master", 0]
        moved = report(peer, "a", 0, old)
        assert moved.port != old and moved.confirms, moved
        same(moved.port, ports_of(workers[1].told())["master", 0])
        same(was, generation(told(peer, "a", 3)))
        same(moved.port, told(peer, "a", 3).ports[0].port)
        same(moved.port, report(peer, "a", 0, old).port)  # said again
        workers[3].join()
        answer = workers[3].await_()
        same(("ready", moved.port), (answer.state, answer.master_port))
        rpc = ports_of(told(peer, "a", 2))["rpc", 0]
        other = report(peer, "a", 2, rpc, purpose="rpc")
        assert other.port != rpc and other.address == "10.0.0.2", other
        made.restart("kill")
        same(moved.port, told(made.peer(), "a", 0).ports[0].port)
        answer = refuses("FAILED_PRECONDITION", report, made.peer(), "a", 1,
                         moved.port)
        assert "by the lowest rank" in answer.message, answer.message
        answer = refuses("FAILED_PRECONDITION", report, made.peer(), "a", 3,
                         other.port, purpose="rpc")
        assert "lowest rank of the host" in answer.message, answer.message
        answer = refuses("NOT_FOUND", report, made.peer(), "a", 0, 1,
                         purpose="rcp")
        assert "nearest is rpc" in answer.message, answer.message
        refuses("NOT_FOUND", report, made.peer(), "a", 9, 1)
        # node0 has four ports: two are leased, one was reported, one is left
        peer = made.peer()
        left = report(peer, "a", 0, moved.port).port
        answer = refuses("RESOURCE_EXHAUSTED", report, peer, "a", 0, left)
        assert "2 rest" in answer.message, answer.message
        same(3, len(happened(made, "port in use")))


@test
def one_generation_may_report_so_many():
    with live.daemon("--port-rest-ms", "0") as made:
        peer = made.peer()
        place(peer, "a")
        for _ in range(32):
            report(peer, "a", 0, told(peer, "a", 0).ports[0].port)
        answer = refuses("RESOURCE_EXHAUSTED", report, peer, "a", 0,
                         told(peer, "a", 0).ports[0].port)
        assert "32 ports of a were in use" in answer.message, answer.message
        made.restart("kill")
        peer = made.peer()
        refuses("RESOURCE_EXHAUSTED", report, peer, "a", 0,
                told(peer, "a", 0).ports[0].port)
        place(peer, "a")
        report(peer, "a", 0, told(peer, "a", 0).ports[0].port)


@test
def a_report_of_an_older_generation_is_stale():
    with live.daemon() as made:
        peer = made.peer()
        place(peer, "a")
        old = generation(told(peer, "a", 0))
        place(peer, "a")
        answer = refuses("FAILED_PRECONDITION", peer.ask, "Worker/ReportPort",
                         placement="a", rank=0, generation=old,
                         purpose="master", port=29500)
        assert answer.message.startswith("STALE_GENERATION"), answer.message
        refuses("INVALID_ARGUMENT", peer.ask, "Worker/ReportPort",
                placement="a", rank=0, purpose="master", port=29500)


@test
def a_report_without_a_rank_is_nobodys():
    with live.daemon() as made:
        peer = made.peer()
        place(peer, "a")
        port = told(peer, "a", 0).ports[0].port
        answer = refuses("INVALID_ARGUMENT", peer.ask, "Worker/ReportPort",
                         placement="a", purpose="master", port=port,
                         generation=generation(told(peer, "a", 0)))
        assert "no rank" in answer.message, answer.message
        same(port, told(peer, "a", 0).ports[0].port)


# ---- what programs find -----------------------------------------------------

def run_all(made, name, ranks, line):
    """What the programs of all workers print, by rank."""
    workers = [subprocess.Popen(
        [live.SERRY, "exec", "--placement", name, "--rank", str(rank),
         "--address-of-me", "127.0.0.1", "--", *line],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        env=dict(environment(made))) for rank in range(ranks)]
    out = [worker.communicate(timeout=60)[0] for worker in workers]
    same([0] * ranks, [worker.returncode for worker in workers])
    return out


def variables(text):
    return dict(x.split("=", 1) for x in text.splitlines()
                if x.startswith(("SERRY_PORT", "MASTER_PORT")))


@test
def programs_find_their_ports_and_none_that_is_in_use():
    with live.daemon("--port-first", "23100", "--port-last", "23199") as made, \
            socket.socket() as taken:
        peer = declare(made, 2, 2)
        place(peer, "a", 4, ports=EACH)
        old = ports_of(told(peer, "a", 0))["master", 0]
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", old))
        taken.listen()
        found = [variables(text) for text in run_all(made, "a", 4, ["env"])]
        now = listed(peer, "a")
        assert now["master", "node0"] != [old], now
        for rank, mine in enumerate(found):
            node = f"node{rank // 2}"
            same({"SERRY_PORT_MASTER": now["master", "node0"][0],
                  "MASTER_PORT": now["master", "node0"][0],
                  "SERRY_PORT_RPC": now["rpc", node][0],
                  "SERRY_PORT_ZMQ": now["zmq", "node0"][0],
                  "SERRY_PORT_ZMQ_GROUP0": now["zmq", "node0"][0],
                  "SERRY_PORT_SIDE": now["side", node][rank % 2]},
                 {name: int(value) for name, value in mine.items()})
        assert [d for d in happened(made, "port in use")
                if d.startswith(f"master: {old} of node0, now ")]
        said = live.serry(made, "describe", "a")
        for words in (f"master (first_rank) {now['master', 'node0'][0]} on "
                      "node0", f"{now['rpc', 'node1'][0]} on node1"):
            assert words in said, said
        printed = json.loads(live.serry(made, "get", "placement", "a", "-o",
                                        "json"))["ports"]
        same(["master", "rpc", "zmq", "side"], [p["purpose"] for p in printed])
        same([1, 2, 1, 4], [p["seats"] for p in printed])
        said = live.serry(made, "assignment", "a", "--rank", "3")
        assert f"rpc {now['rpc', 'node1'][0]} at 10.0.0.2" in said, said


PYTHON = """
import socket, serry
with serry.Client() as daemon:
    a = daemon.assignment("a", 0)
    old = a.port("master")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert old.confirms and old.on == "first_rank" and old.group is None
        new = daemon.report_port(a, old)
    zmq = a.port("zmq", 0)
    assert (zmq.group, zmq.instance) == (0, 0), zmq
    assert a.port("zmq", 1) is None and a.port("none") is None
    moved = daemon.report_port(a, zmq)
    assert (moved.purpose, moved.group) == ("zmq", 0) and moved != zmq, moved
    me = serry.incarnation()
    daemon.join(a, me)
    told = {p.purpose: p.port for p in daemon.await_(a, me, seconds=0).ports}
    assert told["master"] == new.port != old.port, told
    assert told["zmq"] == moved.port, told
    print("good")
"""


@test
def the_module_for_python_tells_ports_and_reports_them():
    needs_library()
    with live.daemon() as made:
        place(made.peer(), "a", 2, ports=EACH)
        same("good\n", launch([sys.executable, "-c", PYTHON],
                              env=environment(made)))
        line = [sys.executable, "-c", "import os, serry; "
                "a = serry.assignment(); b = a.boot; "
                "assert a.port('master').port == b['master_port'] == "
                "int(os.environ['SERRY_PORT_MASTER']); print(a.ports[2])"]
        release(made.peer(), "a")
        place(made.peer(), "a", 2, ports=EACH)
        out = run_all(made, "a", 2, line)
        assert "purpose='zmq'" in out[0] and "instance=0" in out[1], out


@test
def ports_leased_twice_are_an_invariant_broken():
    with live.daemon("--audit-ms", "100") as made:
        peer = declare(made, 2, 4)
        for name in "abc":
            place(peer, name, 2, ports=["x"], bind=name != "c")
        port = told(peer, "a", 0).ports[0].port

        def with_port(body, purpose):
            forged = live.unpack("PlacementRecord", body)
            forged.ports[purpose].runs[0]["first"] = port
            return live.pack("PlacementRecord", forged)

        made.forge(b=lambda body: with_port(body, 1),
                   c=lambda body: with_port(body, 0))
        eventually(lambda: len(faults(made)), 1)
        for said in (f"port {port} of node0 is leased to ", " too",
                     " of node0 is leased"):
            assert said in faults(made)[0], faults(made)


# ---- many, and at once ------------------------------------------------------

@test
def a_thousand_placements_on_one_host_share_no_port():
    with live.daemon("--port-first", "20000", "--port-last", "21999",
                     "--audit-ms", "100") as made:
        peer = declare(made, 1, 1)
        began = time.monotonic()
        for i in range(1000):
            place(peer, f"p{i}", 1, shared=True, ports=["x"])
        say(f"1,000 placements in {time.monotonic() - began:.2f} s")
        answer = refuses("RESOURCE_EXHAUSTED", place, peer, "more", 1,
                         shared=True)
        assert "placements more" in answer.message, answer.message
        ports = [port for i in range(1000)
                 for found in listed(peer, f"p{i}").values() for port in found]
        same((2000, 2000), (len(ports), len(set(ports))))
        made.restart("kill")
        time.sleep(0.3)
        same([], faults(made))


@test
def calls_at_once_never_get_one_port_twice():
    with live.daemon("--port-first", "20000", "--port-last", "20011",
                     "--port-rest-ms", "0", "--audit-ms", "100") as made:
        peers = [made.peer() for _ in range(8)]
        for turn in range(20):
            for i, peer in enumerate(peers):
                if turn % 5 == 4 and i % 2 == 0:
                    peer.send(RELEASE, dict(name=f"p{i // 2}"))
                else:
                    peer.send(PLACE, dict(document=mesh(
                        f"p{i // 2}", 2, {"dp_shard": 2}, ports=["x"])))
            for peer in peers:
                peer.receive()
            found = [(p, n.name) for n in
                     peers[0].ask("Placement/ListPlacements").placements
                     for ports in listed(peers[0], n.name).values()
                     for p in ports]
            same(len(found), len({port for port, _ in found}))
        same([], faults(made))


@test
def a_range_that_is_empty_or_privileged_is_said_to_be():
    with live.daemon("--port-first", "30001", "--port-last", "30000") as made:
        answer = refuses("RESOURCE_EXHAUSTED", place, made.peer(), "a")
        assert "the range of ports is empty" in answer.message, answer.message
    try:
        with live.daemon("--port-first", "1000"):
            raise SystemExit("a privileged port was taken")
    except AssertionError:
        pass


if __name__ == "__main__":
    live.main()
