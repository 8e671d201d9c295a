# SPDX-License-Identifier: Apache-2.0
"""Eight workers on Open MPI: mpi_worker.c, which boots by libserry or is started
by serry exec, makes a communicator of each group and reduces over it."""
import os
import shutil
import subprocess

import live
from live import Skip, same, test
from live_worker import (DIFFUSER, HERE, LIBRARY, TRAINER, apply, environment,
                         eventually, happened, launch, needs_library, state)


def needs_mpi():
    needs_library()
    for program, package in (("mpicc", "libopenmpi-dev"),
                             ("mpirun", "openmpi-bin")):
        if not shutil.which(program):
            raise Skip(f"there is no {program} (Debian: {package})")


def build(folder):
    program = os.path.join(folder, "mpi_worker")
    subprocess.run(
        ["mpicc", "-O1", "-Wall", "-Werror", "-o", program,
         os.path.join(HERE, "mpi_worker.c"),
         "-I" + os.path.join(HERE, "../../client/libserry"), LIBRARY,
         "-Wl,-rpath," + os.path.dirname(LIBRARY)], check=True)
    return program


def run_eight(made, *command):
    """Returns what each rank said."""
    allowed = dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT",
                             "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1")
    out = launch(["mpirun", "--oversubscribe", "-np", "8", *command],
                 env=dict(environment(made),
                          **allowed if os.geteuid() == 0 else {}))
    return sorted(out.splitlines())


# What the ranks of one group of a list have in common, by the frameworks' own
# reckoning: cfg 2, sp 2, tp 2; and one stage as dp 4, cp 2 or as dp 2, ep 4.
COMMON = {
    "video": {"node_groups[0].cfg": lambda rank: rank % 4,
              "node_groups[0].sp": lambda rank: (rank // 4, rank % 2),
              "node_groups[0].tp": lambda rank: rank // 2},
    "train": {"attn.pp": lambda rank: rank, "attn.dp": lambda rank: rank % 2,
              "attn.cp": lambda rank: rank // 2,
              "expt.pp": lambda rank: rank, "expt.dp": lambda rank: rank % 4,
              "expt.ep": lambda rank: rank // 4}}


def says(name, groups, own, lists):
    """Every rank creates all groups, is in its own, and finds its lists', over
    each of which 1 << rank adds up to this."""
    def total(common, rank):
        return sum(1 << other for other in range(8)
                   if common(other) == common(rank))

    return [f"rank {rank} of {name}: {groups} groups, in {own}; {lists} lists;"
            + "".join(f" {x} {total(common, rank)}"
                      for x, common in COMMON[name].items())
            for rank in range(8)]


@test
def ranks_of_mpi_boot_by_the_library():
    needs_mpi()
    with live.daemon() as made:
        program = build(made.folder)
        apply(made, DIFFUSER)
        # one of all ranks, and four for each of three axes
        same(says("video", 13, 4, 3), run_eight(made, program, "video"))
        eventually(lambda: happened(made, "ready"), ["8 workers"])
        same("placed", state(made, "video"))  # they have left


@test
def ranks_of_mpi_are_started_by_the_tool():
    needs_mpi()
    with live.daemon() as made:
        program = build(made.folder)
        apply(made, TRAINER)
        # four groups for the context, two for the experts
        same(says("train", 6, 2, 2),
             run_eight(made, live.SERRY, "exec", "--placement", "train", "--",
                       program, "train"))
        eventually(lambda: happened(made, "ready"), ["8 workers"])
        same("placed", state(made, "train"))


if __name__ == "__main__":
    live.main()
