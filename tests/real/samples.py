# SPDX-License-Identifier: Apache-2.0
"""Samples of requests with their right answers, through the built programs, in
TAP: one line for each file, with how many of its samples agree.

They are not part of this tree: SERRIED_REAL_CASES names the folder that holds
them, if there is one. Every key of a sample is read, and every key of what it
expects is compared: one that nothing is done with is a failure.
"""
import json
import os
import subprocess
import sys
import tempfile

import samples_diffusion
import samples_halo
import samples_mstar
import samples_trainers
from samples_compare import Facts, differences

SERRY = os.environ.get("SERRY", "client/serry")
RUNNER = os.path.join(os.path.dirname(SERRY), "..", "tests", "cases", "runner")

FILES = {
    "diffusers": samples_diffusion, "xdit": samples_diffusion,
    "halo-rules": samples_halo, "halo-grid": samples_halo,
    "megatron": samples_trainers, "pithtrain": samples_trainers,
    "torchtitan": samples_trainers, "mstar": samples_mstar,
}
# Samples that no request can say.
UNSAID = {
    ("megatron", "reject-one-view-ep-and-cp"):
    "what one generator refuses; no layout is made of only one",
}


class Sample:
    """One sample while it is mapped: all of it must be taken."""

    def __init__(self, source, entry):
        self.source, self.entry = source, Facts(entry)
        self.name = entry["name"]
        for remark in ("name", "source", "note"):
            self.entry.take(remark)
        self.given = Facts(self.entry.take("input"))
        self.expect = Facts(self.entry.take("expect"))
        self.asks, self.wrong = [], []

    def take(self, key):
        return self.entry.take(key)

    def map(self, module):
        try:
            self.asks = list(module.asks(self))
            self.entry.finish("sample")
            self.given.finish("input")
            self.expect.finish("expect")
        except (LookupError, TypeError, ValueError, AttributeError) as why:
            self.wrong.append(f"is not mapped: {why!r}")
        if not any(ask.want for ask in self.asks) and not self.wrong:
            self.wrong.append("nothing is compared")


# ---- asking ------------------------------------------------------------------

def ask_batch(asks):
    """All requests in one run."""
    lines = [json.dumps({"id": i, **ask.line}) for i, ask in enumerate(asks)]
    done = subprocess.run([SERRY, "check", "--offline", "--batch"], text=True,
                          input="\n".join(lines) + "\n", capture_output=True,
                          timeout=1200)
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        asks[answer["id"]].answer = answer


def ask_runner(asks):
    """All arithmetic in one run of the program that runs the cases."""
    with tempfile.TemporaryDirectory() as folder:
        cases = os.path.join(folder, "tests", "cases")
        os.makedirs(cases)
        with open(os.path.join(cases, "samples.jsonl"), "w") as out:
            for i, ask in enumerate(asks):
                out.write(json.dumps({"id": str(i), **ask.line}) + "\n")
        done = subprocess.run([RUNNER], text=True, capture_output=True,
                              env=dict(os.environ, srcdir=folder), timeout=600)
    said = done.stdout.splitlines()
    for i, line in enumerate(said):
        if line.startswith(("ok ", "not ok ")):
            ask = asks[int(line.rsplit(" ", 1)[1])]
            ask.answer = "" if line.startswith("ok ") else said[i + 1]


def ask_suggest(ask):
    arguments = ["suggest", "--offline", "-o", "json", *ask.line]
    done = subprocess.run([SERRY, *arguments], text=True, capture_output=True,
                          timeout=60)
    ask.answer = json.loads(done.stdout) if done.stdout else None


# ---- comparing ---------------------------------------------------------------

def suggested(ask):
    """The best suggestion against what is wanted of it."""
    found, want = ask.answer.get("suggestions"), ask.want
    if "none" in want or not found:
        return [] if found == [] and "none" in want else [f"found: {found}"]
    best = found[0]
    wrong = [f"{axis}: want {size}, got {best['sizes'].get(axis)}"
             for axis, size in want["best"].items()
             if best["sizes"].get(axis) != size]
    if "step_s" in want and best.get("step_s") != want["step_s"]:
        wrong.append(f"step_s: want {want['step_s']}, got {best.get('step_s')}")
    if "peak" in want:
        peak, tolerance = want["peak"]
        got = {s["stage"]: s["peak_gib"] for s in best["stages"]}["denoise"]
        if abs(got - peak) > tolerance:
            wrong.append(f"peak: want {peak}, got {got}")
    return wrong


def compare(ask):
    if ask.answer is None:
        return ["no answer"]
    if ask.how == "work":
        return [ask.answer] if ask.answer else []
    return suggested(ask) if ask.how == "suggest" else differences(ask)


def entries(source, data):
    return samples_halo.grid_samples(data) if source == "halo-grid" else data


def read(folder, source):
    with open(os.path.join(folder, source + ".json")) as file:
        data = json.load(file)
    found = [Sample(source, entry) for entry in entries(source, data)]
    for sample in found:
        sample.map(FILES[source])
    return found


def report(number, source, samples):
    """The line of one file, and before it what disagrees."""
    rows = {name for of, name in UNSAID if of == source}
    unsaid = {s.name for s in samples if s.wrong} & rows
    failed = [s for s in samples if s.wrong and s.name not in unsaid]
    stale = rows - unsaid
    for sample in failed:
        print(f"# {source} {sample.name}")
        for line in sample.wrong[:8]:
            print("#    ", line[:600])
    for name in sorted(stale):
        print(f"# {source} {name} is missing, or can be said")
    passed = sum(1 for s in samples if not s.wrong)
    print("not ok" if failed or stale or not samples else "ok", number, "-",
          f"{source}: {passed} of {len(samples)}"
          + (f", {len(unsaid)} cannot be said" if unsaid else ""))


def main():
    folder = os.environ.get("SERRIED_REAL_CASES", "")
    if not os.path.isdir(folder):
        print("1..0 # SKIP SERRIED_REAL_CASES names no folder")
        return
    files = {source: read(folder, source) for source in FILES}
    asks = [ask for samples in files.values() for sample in samples
            for ask in sample.asks]
    ask_batch([ask for ask in asks if ask.how == "check"])
    ask_runner([ask for ask in asks if ask.how == "work"])
    for ask in asks:
        if ask.how == "suggest":
            ask_suggest(ask)
    for number, (source, samples) in enumerate(files.items(), 1):
        for sample in samples:
            for ask in sample.asks:
                sample.wrong += compare(ask)
        report(number, source, samples)
    print(f"1..{len(files)}")


if __name__ == "__main__":
    main()
