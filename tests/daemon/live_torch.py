# SPDX-License-Identifier: Apache-2.0
"""Eight workers on PyTorch, each a whole boot by serry exec; the computation is
in torch_worker.py."""
import contextlib
import os
import re
import subprocess
import threading

import live
from live import Skip, same, test
from live_worker import (DIFFUSER, HERE, TRAINER, apply, environment,
                         eventually, happened, launch, needs_library,
                         own_ports, tell)

PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for


def needs_torch():
    needs_library()
    asked = ("import importlib.util as u, sys; "
             "sys.exit(u.find_spec('torch') is None)")
    if not os.path.exists(PYTHON) or subprocess.run(
            [PYTHON, "-c", asked]).returncode:
        raise Skip(f"{PYTHON} has no torch (Debian: python3-torch)")


WORKER = [PYTHON, os.path.join(HERE, "torch_worker.py")]


def as_alone(name, faults):
    return [f"rank {rank} of {name}: as alone; {faults} faults differ"
            for rank in range(8)]


def check_end(made):
    eventually(lambda: happened(made, "ready"), ["8 workers"])
    same([], happened(made, "degraded"))


@test
def guidance_sequence_and_tensor_parallel_ranks_compute_what_one_does():
    needs_torch()
    with live.daemon(*own_ports()) as made, contextlib.ExitStack() as stack:
        apply(made, DIFFUSER)
        workers = [stack.enter_context(subprocess.Popen(
            [live.SERRY, "exec", "--placement", "video", "--rank", str(rank),
             "--", *WORKER], env=environment(made), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)) for rank in range(8)]
        late = threading.Timer(100, lambda: [w.kill() for w in workers])
        stack.callback(late.cancel)
        late.start()
        said = [w.communicate()[0] for w in workers]
        for rank, text in enumerate(said):
            if workers[rank].returncode != 0:
                tell(f"rank {rank}", text)
        same([0] * 8, [w.returncode for w in workers])
        for text, want in zip(said, as_alone("video", 17)):
            assert want in text, text
        check_end(made)


@test
def ranks_folded_over_data_context_and_experts_compute_what_one_does():
    needs_torch()
    with live.daemon(*own_ports()) as made:
        apply(made, TRAINER)
        # torchrun says the ranks. That of torch 1.13 cannot read its own default
        # for --redirects under Python 3.11, but 1: standard output.
        out = launch(
            [PYTHON, "-m", "torch.distributed.run", "--rdzv_backend", "c10d",
             "--rdzv_endpoint", "localhost:0", "--nproc_per_node", "8",
             "--redirects", "1", "--tee", "1", "--log_dir", made.folder,
             "--no_python", live.SERRY, "exec", "--placement", "train", "--",
             *WORKER], env=environment(made))
        same(as_alone("train", 14), sorted(re.findall("rank .*", out)))
        check_end(made)


# ---- the module by itself ---------------------------------------------------


if __name__ == "__main__":
    live.main()
