# SPDX-License-Identifier: Apache-2.0
"""Eight workers on PyTorch, each a whole boot by serry exec (the computation
is in torch_worker.py), and the Python module by itself."""
import contextlib
import json
import os
import re
import subprocess
import sys

import live
import live_guarded
from live import Skip, same, test
from live_worker import (DIFFUSER, HERE, LIBRARY, MODULE, TRAINER, apply,
                         environment, eventually, happened, launch,
                         module, needs_library, of_other_rules)

PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for


def needs_torch():
    needs_library()
    asked = ("import importlib.util as u, sys; "
             "sys.exit(u.find_spec('torch') is None)")
    if not os.path.exists(PYTHON) or subprocess.run(
            [PYTHON, "-c", asked]).returncode:
        raise Skip(f"{PYTHON} has no torch (Debian: python3-torch)")


WORKER = [PYTHON, os.path.join(HERE, "torch_worker.py")]


def as_alone(name):
    return [f"rank {rank} of {name}: as alone" for rank in range(8)]


def check_end(made):
    eventually(lambda: happened(made, "ready"), ["8 workers"])
    same([], happened(made, "degraded"))


@test
def guidance_sequence_and_tensor_parallel_ranks_compute_what_one_does():
    needs_torch()
    with live.daemon() as made, contextlib.ExitStack() as stack:
        apply(made, DIFFUSER)
        workers = [stack.enter_context(subprocess.Popen(
            [live.SERRY, "exec", "--placement", "video", "--rank", str(rank),
             "--", *WORKER], env=environment(made), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)) for rank in range(8)]
        stack.callback(lambda: [w.kill() for w in workers])
        said = [w.communicate(timeout=110)[0] for w in workers]
        for worker, text, want in zip(workers, said, as_alone("video")):
            assert worker.returncode == 0, f"{worker.args}: {text[-2000:]}"
            assert want in text, text
        check_end(made)


@test
def ranks_folded_over_data_context_and_experts_compute_what_one_does():
    needs_torch()
    with live.daemon() as made:
        apply(made, TRAINER)
        # torchrun says the ranks. That of torch 1.13 cannot read its own default
        # for --redirects under Python 3.11, but 1: standard output.
        out = launch(
            [PYTHON, "-m", "torch.distributed.run", "--standalone",
             "--nproc_per_node", "8", "--redirects", "1", "--tee", "1",
             "--log_dir", made.folder, "--no_python", live.SERRY, "exec",
             "--placement", "train", "--", *WORKER], env=environment(made))
        same(as_alone("train"), sorted(re.findall("rank .*", out)))
        check_end(made)


# ---- the module by itself ---------------------------------------------------

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
