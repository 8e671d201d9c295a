# SPDX-License-Identifier: Apache-2.0
"""The Python module by itself: what it tells, in which order it has groups of
torch created, and the boot of a worker on it."""
import json
import os
import signal
import subprocess
import sys
import time
import types
from unittest import mock

import live
import live_guarded
from live import same, test
from live_worker import (DIFFUSER, MODULE, TRAINER, apply,
                         environment, module, needs_library, of_other_rules,
                         place, state)


def error_of(serry, function, *arguments):
    try:
        raise AssertionError(f"it was told: {function(*arguments)}")
    except serry.Error as error:
        return error


def seconds_of(function, *arguments, **named):
    began = time.monotonic()
    return function(*arguments, **named), time.monotonic() - began


@test
def a_library_that_is_not_there_is_named():
    ended = subprocess.run(
        [sys.executable, "-c", "import serry; serry.incarnation(); "
         "serry.Client()"], capture_output=True, text=True, check=False,
        env=dict(os.environ, PYTHONPATH=MODULE, SERRY_LIBRARY="/nowhere.so"))
    assert "/nowhere.so" in ended.stderr, ended.stderr
    assert "SERRY_LIBRARY" in ended.stderr.splitlines()[-1], ended.stderr


@test
def the_python_module_boots_a_worker():
    needs_library()
    with live.daemon() as made, module(made) as serry:
        apply(made, DIFFUSER)
        clients = [serry.Client() for _ in range(8)]
        for rank, client in enumerate(clients):
            client.wait(5)
            a = client.assignment("video", rank)
            a.verify()
            same((rank, 8, "diffuser", "mstar"),
                 (a.rank, a.world, a.model, a.runtime))
            same({"max_seq_len": 512}, a.carried)
            client.join(a, serry.incarnation(), "here")
            if rank == 0:
                first = serry.incarnation()
                client.join(a, first, "10.9.8.7")
                boot = client.await_(a, first, seconds=0)
                same(("booting", 1, list(range(1, 8))),
                     (boot.state, boot.joined, boot.missing))
        a = clients[0].assignment("video", 0, a.generation)
        boot = clients[0].await_(a, first)
        same(("ready", 8, "10.9.8.7", []), (boot.state, boot.joined,
                                            boot.master_address, boot.missing))
        clients[0].leave(a, first)
        for client in clients:
            client.close()


@test
def the_python_module_uses_a_workers_token():
    needs_library()
    with live_guarded.guarded() as made, module(made) as serry:
        live_guarded.place(made)
        path = os.path.join(made.folder, "token")
        with open(path, "w") as file:
            file.write(live_guarded.WORKER + "\n")
        os.environ["SERRY_TOKEN_FILE"] = path
        try:
            client = serry.Client(made.tcp)
        finally:
            del os.environ["SERRY_TOKEN_FILE"]
        with client:
            client.wait(5)
            same(1, client.assignment("wan", 1).rank)
        with serry.Client(made.tcp) as nobody:
            try:
                nobody.assignment("wan", 1)
                raise AssertionError("it was told")
            except serry.Error as error:
                same("PERMISSION_DENIED", error.status)


@test
def the_python_module_tells_what_the_tool_prints():
    needs_library()
    with live.daemon() as made, module(made) as serry, serry.Client() as client:
        for name, text in ("video", DIFFUSER), ("train", TRAINER):
            apply(made, text)
            printed = json.loads(live.serry(
                made, "assignment", name, "--rank", "6", "--creation", "-o",
                "json"))
            a = client.assignment(name, 6)
            same(printed["groups"], {x: list(a.group(x)) for x in a.lists})
            same([(c["list"], c["backend"], tuple(c["ranks"]))
                  for c in printed["creation"]],
                 [tuple(c) for c in a.creation()])
            node, shown = a.nodes[0], printed["nodes"][0]
            same(shown["coordinates"], {k: v.coordinate for k, v in
                                        node.coordinates.items()})
            same([(s["what"], s["parts"], s["part"], s.get("range"))
                  for s in shown["shares"]],
                 [(s.what, s.parts, s.part,
                   None if s.total is None else [s.begin, s.end])
                  for s in node.shares])
            for name in a.lists:
                groups = a.groups(name)
                same(sorted(range(8)), sorted(sum(groups, ())))
                for group in groups:
                    same({group}, {a.group(name, rank) for rank in group})


def created_by(serry, assigned, **options):
    """What torch is told to create, in order, and what torch_groups makes of
    the answers, which are (ranks, backend) here."""
    torch = types.ModuleType("torch")
    torch.distributed = types.ModuleType("torch.distributed")
    calls = []

    def new_group(ranks, backend=None):
        calls.append((tuple(ranks), backend))
        return calls[-1]

    torch.distributed.new_group = new_group
    with mock.patch.dict(sys.modules, {"torch": torch, "torch.distributed":
                                       torch.distributed}):
        return calls, serry.torch_groups(assigned, **options)


@test
def groups_of_torch_are_created_in_the_one_order_by_all_ranks():
    needs_library()
    backends = {"cpu": "gloo", "device": "nccl"}
    lists = [f"node_groups[0].{axis}" for axis in ("cfg", "sp", "tp")]
    of_six = {
        "video": {"cpu": {}, "device": dict(zip(
            lists, [(2, 6), (4, 6), (6, 7)]))},
        "train": {"device": {"attn.cp": (6, 7), "expt.ep": (4, 5, 6, 7),
                             "attn.dp": (0, 2, 4, 6), "expt.dp": (2, 6)}}}
    with live.daemon() as made, module(made) as serry, serry.Client() as client:
        for name, text, more in (("video", DIFFUSER, lists),
                                 # groups of one rank are not created
                                 ("train", TRAINER, ["attn.pp", "attn.dp",
                                                     "expt.dp"])):
            apply(made, text)
            for rank in range(8):
                a = client.assignment(name, rank)
                want = [(c.ranks, backends[c.backend]) for c in a.creation()]
                # those of more are there already, or come behind it
                want += [(ranks, "nccl") for x in more for ranks in a.groups(x)
                         if len(ranks) > 1 and (ranks, "nccl") not in want]
                calls, found = created_by(serry, a, more=more,
                                          backends={"device": "nccl"})
                same(want, calls)
                if rank != 6:
                    continue
                same(of_six[name], {
                    backend: {x: group[0] for x, group in groups.items()
                              if isinstance(x, str)}
                    for backend, groups in found.items()})
                for backend, groups in found.items():
                    same({backends[backend]}, {g[1] for g in groups.values()})
                    same({x for x in groups if not isinstance(x, str)},
                         {g[0] for g in groups.values()})
                    assert all(6 in g[0] for g in groups.values()), groups
            # torch chooses where it is not told
            calls, _ = created_by(serry, a)
            same({"gloo", None} if name == "video" else {None},
                 {backend for _, backend in calls})
        # of the same ranks, one for each backend
        sequence = [serry.Created("a", backend, (0, 1))
                    for backend in ("cpu", "device", "cpu")]
        calls, found = created_by(serry, types.SimpleNamespace(
            rank=1, lists=[], creation=lambda: sequence))
        both = {"cpu": ((0, 1), "gloo"), "device": ((0, 1), None)}
        same(list(both.values()), calls)
        same({backend: {(0, 1): call} for backend, call in both.items()},
             found)
        # lists that a rank is in no group of
        place(made)
        a = client.assignment("wan", 3)
        assert [x for x in a.lists if not any(3 in g for g in a.groups(x))]
        created_by(serry, a)


def filled(assignment):
    """Every part of an assignment with values of its own."""
    def node(name, n):
        return dict(
            node=name, group=n, instance=n + 10, instance_rank=n + 20,
            tp_size=n + 30, coordinates=[
                dict(axis=axis, coordinate=at + n, size=at + n + 5)
                for at, axis in enumerate("xyz")],
            shares=[dict(what="heads", rule="even", parts=9, part=n + 2,
                         total=90, begin=20 + n, end=30 + n),
                    dict(what="cache", rule="longer", resource="kv", parts=8,
                         part=n)],
            transfers=[dict(signal="latent", walk="edit", dim=n, from_group=1,
                            to_group=-1, from_size=4, to_size=3, fan_in=2,
                            sends=[dict(to_rank=2, begin=5, end=9,
                                        local_begin=1), dict(to_rank=1)]),
                       dict(signal="mask", walk="", from_group=-1, to_group=2,
                            from_size=2, to_size=6)])

    return dict(
        assignment, rank=6, listed_rank=60, model="m", runtime="r",
        carried_json='{"key": [1]}', world=9,
        generation=dict(epoch=71, revision=72),
        nodes=[node("first", 1), node("second", 2), node("second", 3)],
        binding=dict(host="node3", address=["10.0.0.3", "10.1.0.3"],
                     device="GPU-7", pci="0000:0a:00.0", index=5, numa=1,
                     local_rank=2, local_world_size=4, group_rank=3, hosts=6,
                     local_devices=list("abcd")),
        ports=[dict(purpose="rpc", port=1001, on="each_instance",
                    address="10.0.0.3", group=2, instance=5, confirms=True),
               dict(purpose="rpc", port=1002, on="each_instance", group=3,
                    instance=1),
               dict(purpose="master", port=1003, on="first_rank")])


@test
def the_python_module_tells_all_that_an_assignment_says():
    needs_library()
    with live.daemon() as made, module(made) as serry, serry.Client() as client:
        apply(made, DIFFUSER)
        message = live.unpack("Assignment", client.assignment("video",
                                                              6).message)
        packed = live.pack("Assignment", filled(message))
        a = serry.Assignment(packed)
        # as a file, in which the ports are those of the end of the boot
        port = dict(purpose="rpc", port=7, on="each_rank")
        boot = {"master_port": 3, "ports": [port]}
        other = live.pack("Assignment", message)
        for name, about in ("kept", (packed, boot)), ("other", (other, {})):
            with open(os.path.join(made.folder, name), "w") as file:
                json.dump({"message": about[0].hex(), "boot": about[1]}, file)
        with mock.patch.dict(os.environ, SERRY_ASSIGNMENT=file.name):
            kept = serry.assignment(os.path.join(made.folder, "kept"))
            same("diffuser", serry.assignment().model)
        same("INVALID_ARGUMENT", error_of(serry, serry.assignment).status)
    same(("m", boot), (kept.model, kept.boot))
    same([serry.Port("rpc", 7, "each_rank", None, None, None, None)],
         kept.ports)
    same((6, 60, "video", (71, 72), "m", "r", {"key": [1]}, {}),
         (a.rank, a.listed_rank, a.placement, a.generation, a.model, a.runtime,
          a.carried, a.boot))
    first, second, third = a.nodes
    for n, node in enumerate(a.nodes, 1):
        same((n, n + 10, n + 20, n + 30),
             (node.group, node.instance, node.instance_rank,
              node.instance_size))
        same({axis: (at + n, at + n + 5) for at, axis in enumerate("xyz")},
             {axis: tuple(c) for axis, c in node.coordinates.items()})
        same([("heads", "even", None, 9, n + 2, 90, 20 + n, 30 + n),
              ("cache", "longer", "kv", 8, n, None, None, None)],
             [(s.what, s.rule, s.resource, s.parts, s.part, s.total, s.begin,
               s.end) for s in node.shares])
        same([("latent", "edit", n, 1, -1, 4, 3, 2, [(2, 5, 9, 1),
                                                     (1, None, None, None)]),
              ("mask", "", None, -1, 2, 2, 6, None, [])],
             [(t.signal, t.walk, t.dim, t.from_group, t.to_group, t.from_size,
               t.to_size, t.fan_in,
               [(s.to_rank, s.begin, s.end, s.local_begin) for s in t.sends])
              for t in node.transfers])
    same((first, second, None), (a.node("first"), a.node("second"),
                                 a.node("third")))
    same([2, 3, 4], [a.coordinate("second", axis) for axis in "xyz"])
    b = a.binding
    same(("node3", ["10.0.0.3", "10.1.0.3"], "GPU-7", "0000:0a:00.0", 5, 1, 2,
          4, 3, 6, list("abcd")),
         (b.host, b.addresses, b.device, b.pci, b.index, b.numa, b.local_rank,
          b.local_world_size, b.group_rank, b.hosts, b.local_devices))
    same([("rpc", 1001, "each_instance", "10.0.0.3", 2, 5, True),
          ("rpc", 1002, "each_instance", None, 3, 1, False),
          ("master", 1003, "first_rank", None, None, None, False)],
         [(p.purpose, p.port, p.on, p.address, p.group, p.instance, p.confirms)
          for p in a.ports])
    same([1001, 1002, 1003, None],
         [getattr(p, "port", None) for p in (
             a.port("rpc"), a.port("rpc", 3), a.port("master"),
             a.port("rpc", 4))])


@test
def the_python_module_tells_how_a_boot_stands():
    needs_library()
    with live.daemon("--lease-ms", "1s") as made, module(made) as serry, \
            serry.Client() as client:
        made.peer().ask("Cluster/ApplyHosts", document={"text": json.dumps(
            {"hosts": [{"name": f"node{h}", "addresses": [f"10.7.0.{h}"],
                        "own_domain": True, "devices": 4}
                       for h in range(2)]})})
        apply(made, DIFFUSER)
        every = [client.assignment("video", rank) for rank in range(8)]
        a, me = every[0], serry.incarnation()
        client.join(a, me)
        boot = client.await_(a, me, seconds=0)
        port = a.port("master").port
        same(("booting", 1, 8, "10.7.0.0", port, "video/%d.%d" % a.generation,
              list(range(1, 8)), ["node0", "node1"], a.ports),
             (boot.state, boot.joined, boot.world, boot.master_address,
              boot.master_port, boot.store_prefix, boot.missing,
              boot.missing_hosts, boot.ports))
        pauses = {client.await_(a, me, seconds=0).retry_ms for _ in range(20)}
        assert len(pauses) > 10 and max(pauses) < 1000, pauses
        boot, took = seconds_of(client.await_, a, me, seconds=0.5)
        assert 0.4 < took < 10, took
        for other in every[1:]:
            client.join(other, me)
        same("ready", client.await_(a, me).state)
        boot, took = seconds_of(client.await_, a, me, known="ready",
                                seconds=0.5)
        assert boot.state == "ready" and took > 0.4, (boot, took)
        boot = client.await_(a, me, known="ready")  # nobody else is heard of
        same("degraded", boot.state)
        assert boot.missing and set(boot.missing) <= set(range(1, 8)), boot
        for one in every:
            client.join(one, me)
            client.leave(one, me)
        same("placed", state(made, "video"))
        assert serry.incarnation() > me


@test
def the_python_module_joins_again_after_a_restart_and_keeps_its_deadline():
    needs_library()
    with live.daemon() as made, module(made) as serry, serry.Client() as client:
        apply(made, DIFFUSER)
        a, me = client.assignment("video", 0), serry.incarnation()
        client.join(a, me, "10.9.8.7")
        made.restart("kill")
        boot = client.await_(a, me, "10.9.8.7", seconds=0)
        same((1, "10.9.8.7"), (boot.joined, boot.master_address))
        made.process.send_signal(signal.SIGSTOP)
        client.set_deadline(1)
        try:
            refused, took = seconds_of(error_of, serry, client.assignment,
                                       "video", 0)
        finally:
            made.process.send_signal(signal.SIGCONT)
        same("DEADLINE_EXCEEDED", refused.status)
        assert 0.9 < took < 8, took  # 10 s where nothing is set
        client.set_deadline(60)
        apply(made, DIFFUSER.replace("max_seq_len: 512", "max_seq_len: 256"))
        refused = error_of(serry, client.assignment, "video", 0, a.generation)
        same("FAILED_PRECONDITION", refused.status)
        assert client.assignment("video", 0).generation > a.generation
        before = len(os.listdir("/proc/self/fd"))
        with serry.Client() as other:
            other.wait(5)
            assert len(os.listdir("/proc/self/fd")) > before
        same(before, len(os.listdir("/proc/self/fd")))


@test
def a_worker_that_computes_other_digests_is_refused_and_missed():
    needs_library()
    with live.daemon("--boot-ms", "5s") as made, module(made) as serry:
        apply(made, DIFFUSER)
        with serry.Client() as client:
            a = client.assignment("video", 3)
            wrong = serry.Assignment(of_other_rules(a.message))
            other = list(a.lists)[1]
            assert wrong.groups(other) != a.groups(other)
            try:
                wrong.verify()
                raise AssertionError("it passed")
            except serry.Error as error:
                assert other in error.text, error.text
            try:
                client.join(wrong, serry.incarnation())
                raise AssertionError("it joined")
            except serry.Error as error:
                same("FAILED_PRECONDITION", error.status)
                assert error.text.startswith("DIGEST_DIFFERS: "), error.text
                assert other in error.text, error.text
                first = next(n for n, (mine, right) in enumerate(zip(
                    wrong.groups(other), a.groups(other)))
                    if mine != right)
                right = ", ".join(map(str, a.groups(other)[first]))
                assert (f"the first is its group {first}, in the placement of "
                        f"ranks {right}" in error.text), error.text
        others = [live_exec(made, rank) for rank in (0, 1, 2, 4, 5, 6, 7)]
        for other in others:
            text = other.communicate(timeout=60)[0]
            same(5, other.returncode)
            assert "rank 3 of 8 did not join" in text, text


def live_exec(made, rank):
    return subprocess.Popen(
        [live.SERRY, "exec", "--placement", "video", "--rank", str(rank),
         "--", "true"], env=environment(made), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


if __name__ == "__main__":
    live.main()
