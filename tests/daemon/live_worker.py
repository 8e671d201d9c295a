# SPDX-License-Identifier: Apache-2.0
"""A placement and its workers, for the tests of boots."""
import contextlib
import hashlib
import importlib
import os
import subprocess
import sys
import time

import live
from live import Skip, same


def generation(assignment):
    """As a request has it."""
    now = assignment.generation
    return dict(epoch=now.epoch, revision=now.revision)


def receive_ok(peer):
    answer = peer.receive()
    same("OK", live.STATUSES[answer.status])
    return answer.reply


class Worker:
    """One worker of a placement, with a connection of its own."""

    def __init__(self, made, rank, name="wan", incarnation=1):
        self.peer, self.rank = made.peer(), rank
        self.name, self.incarnation = name, incarnation
        self.fetch()

    def fetch(self):
        self.assignment = self.peer.ask("Worker/GetAssignment",
                                        placement=self.name, rank=self.rank)

    def who(self):
        return dict(placement=self.name, rank=self.rank,
                    incarnation=self.incarnation,
                    generation=generation(self.assignment))

    def proof(self):
        a = self.assignment
        return dict(digest=a.digest, list_digests=a.list_digests,
                    sequence_digest=a.sequence_digest)

    def join(self, **fields):
        asked = dict(self.who(), address=f"10.0.0.{self.rank}", **self.proof())
        return self.peer.ask("Worker/Join", **dict(asked, **fields))

    def await_(self, wait_ms=20000, **fields):
        return self.peer.ask("Worker/Await", **self.who(), wait_ms=wait_ms,
                             **fields)

    def send_await(self, wait_ms=20000, **fields):
        """Sends it; the answer is read by self.peer.receive()."""
        self.peer.send("Worker/Await",
                       dict(self.who(), wait_ms=wait_ms, **fields))

    def told(self):
        return live.unpack("AwaitReply", receive_ok(self.peer))


def place(made, ranks=4, name="wan"):
    return made.peer().ask("Placement/Place", idempotency_key=live.key(),
                           document=live.deployment(name, ranks=ranks))


def state(made, name="wan"):
    return made.peer().ask("Placement/GetPlacement", name=name).state


def happened(made, what):
    return [e.detail for e in live.events(made.peer()) if e.what == what]


def eventually(check, want, seconds=10):
    until = time.monotonic() + seconds
    while (got := check()) != want:
        assert time.monotonic() < until, f"want {want}, got {got}"
        time.sleep(0.02)


# ---- workers that serry exec starts -----------------------------------------

LAUNCHERS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
LOCAL = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
         "SLURM_LOCALID")


class Exec:
    """A serry exec that runs a line of shell, or another command."""

    def __init__(self, made, rank, line="exit 0", *options, name="wan",
                 command=None, **environment):
        self.folder, self.rank = made.folder, rank
        asked = [] if rank is None else ["--rank", str(rank)]
        inherited = {k: v for k, v in os.environ.items()
                     if k not in LAUNCHERS + LOCAL}
        self.process = subprocess.Popen(
            [live.SERRY, "exec", "--placement", name, *asked, *options, "--",
             *(command or ["sh", "-c", line])],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env=dict(inherited, SERRY_ADDRESS=made.socket,
                     TMPDIR=made.folder, **environment))

    def ends(self, code, *words, seconds=30):
        """It ends with this code, having said these words and no others."""
        out, said = self.process.communicate(timeout=seconds)
        assert self.process.returncode == code, (
            f"rank {self.rank}: want {code}, got {self.process.returncode}: "
            f"{said}")
        for word in words:
            assert word in said, f"want {word!r}, got {said!r}"
        assert words or not said, said
        return out


def all_of(made, line, ranks=range(4), *options, **named):
    return [Exec(made, rank, line, *options, **named) for rank in ranks]


RUNS = 'touch "$TMPDIR/run-$RANK"; '
STAYS = RUNS + "exec sleep 60"


# ---- workers that are programs of their own ---------------------------------

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(HERE, "../../client/python")
LIBRARY = os.path.join(os.path.dirname(live.SERRY),
                       "libserry/.libs/libserry.so.0")

DIFFUSER = """
model: diffuser
runtime: mstar
nodes:
  - name: dit
    axes: {cfg: {branches: 2}, sp: {}, tp: {}}
    facts: {heads: 8, kv_heads: 8}
walks: [{name: image_gen, nodes: [dit]}]
---
deployment: video
model: diffuser
max_seq_len: 512
node_groups:
  - {node_names: [dit], ranks: [0, 1, 2, 3, 4, 5, 6, 7],
     cfg_size: 2, sp_size: 2, tp_size: 2}
"""

TRAINER = """
model: moe
runtime: pithtrain
nodes:
  - name: trunk
    axes: {pp: {}, cp: {}, ep: {}}
    facts: {experts: 8, layers: 4}
---
deployment: train
model: moe
world: 8
sizes: {cp: 2, ep: 4}
options: {global_batch_size: 8, sequence_length: 16}
"""


def needs_library():
    if live.SANITIZED:
        raise Skip("other programs cannot load a library with sanitizers")
    if not os.path.exists(LIBRARY):
        raise Skip("libserry was built without its shared library")


def apply(made, text):
    live.serry(made, "apply", "-f", "-", text=text)


def tell(who, text):
    for line in text.splitlines()[-200:]:
        live.say(f"{who}: {line}")


def launch(command, **options):
    """Runs a launcher of workers, which ends them when it is told to end.
    Returns what they said; it must end with 0, in time."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options) as launcher:
        try:
            out, said = launcher.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            launcher.terminate()
            out, said = launcher.communicate()
        finally:
            if launcher.poll() is None:
                launcher.terminate()
    if launcher.returncode != 0:
        tell("output", out)
        tell("error", said)
    same(0, launcher.returncode)
    return out


def own_ports():
    """Flags of a daemon whose ports no daemon of another process leases: there,
    serry exec binds one for a moment to see whether it is free, and a program
    that binds it at that moment fails."""
    first = 20000 + os.getpid() % 900 * 10
    return ["--port-first", str(first), "--port-last", str(first + 9)]


def environment(made):
    return dict(os.environ, SERRY_ADDRESS=made.socket, TMPDIR=made.folder,
                SERRY_LIBRARY=LIBRARY, PYTHONPATH=MODULE, OMP_NUM_THREADS="1",
                PYTHONDONTWRITEBYTECODE="1")


@contextlib.contextmanager
def module(made):
    """serry.py with libserry, in this process."""
    os.environ.update(SERRY_LIBRARY=LIBRARY, SERRY_ADDRESS=made.socket)
    sys.path.insert(0, MODULE)
    try:
        yield importlib.import_module("serry")
    finally:
        sys.path.remove(MODULE)


def list_digest(name, groups):
    """The short digest of a list of these groups, or of a block of one."""
    u32 = lambda number: number.to_bytes(4, "big")
    return hashlib.sha256(b"".join([
        b"serried-list-1\0", u32(len(name)), name.encode(), u32(len(groups)),
        *[u32(len(group)) + b"".join(map(u32, group)) for group in groups]
    ])).digest()[:8]


def of_other_rules(message):
    """An assignment as a worker with other rules would make it: its second and
    third list have each other's groups."""
    message = live.unpack("Assignment", message)
    one, other = message.lists[1], message.lists[2]
    for key in "outer", "inner":
        one[key], other[key] = getattr(other, key), getattr(one, key)
    return live.pack("Assignment", message)
