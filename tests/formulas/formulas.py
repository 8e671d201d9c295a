# SPDX-License-Identifier: Apache-2.0
"""Random requests under a shipped runtime against what its framework computes
from them, rank by rank, in TAP.

A module for each framework draws a request and says what must come out; nothing
in it knows of views, groups or rules. Each draws under a fixed seed.
"""
import json
import os
import random
import subprocess
import sys

SERRY = os.environ.get("SERRY", "client/serry")

number = 0


def report(ok, name, *details):
    global number
    number += 1
    print("ok" if ok else "not ok", number, "-", name)
    if not ok:
        for line in details:
            print("#  ", str(line)[:1200])


# ---- ranks ------------------------------------------------------------------

def groups(coordinates, varying):
    """Ranks that differ in nothing but these coordinates, by their first rank.

    coordinates: of each rank in turn, a map from axes to numbers."""
    found = {}
    for rank, place in enumerate(coordinates):
        rest = tuple(sorted((axis, at) for axis, at in place.items()
                            if axis not in varying))
        found.setdefault(rest, []).append(rank)
    return sorted(found.values())


def runs(members, length):
    """The members in pieces of this length; the last may be short."""
    return [members[i:i + length] for i in range(0, len(members), length)]


def by_first(lists):
    return sorted(lists, key=lambda ranks: ranks[0])


def refused(code):
    return {"code": code}


# ---- asking -----------------------------------------------------------------

def answers(trials):
    """What serry says to each request, in turn."""
    lines = []
    for i, (request, want) in enumerate(trials):
        line = {"id": i, "lists": list(want.get("lists", {})),
                "per_rank": "per_rank" in want}
        model = request.pop("facts", None)
        if model is not None:
            line["declare"] = [{"model": "m", "runtime": request["runtime"],
                                "facts": model}]
            request["model"] = "m"
        line["deployment"] = request
        lines.append(json.dumps(line))
    done = subprocess.run([SERRY, "check", "--batch"], text=True,
                          input="\n".join(lines) + "\n", capture_output=True,
                          timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(want, got):
    """What of a map of wanted values an answer has otherwise."""
    return [(key, "want", value, "got", got.get(key))
            for key, value in want.items() if got.get(key) != value]


def compare(name, trials, kind):
    """One kind of values in the accepted requests that expect any."""
    compared = 0
    for request, want, got in trials:
        if want["code"] is None and kind in want:
            compared += len(want[kind])
            wrong = differences(want[kind], got.get(kind, {}))
            if wrong:
                report(False, f"{name}: {kind}", request, *wrong)
                return
    if compared:
        report(True, f"{name}: {compared} values of {kind}")


def run(name, draw, codes, count=1500):
    """Draws requests and compares; every code must come up."""
    source = random.Random(name)
    trials = [draw(source) for _ in range(count)]
    got = answers(trials)
    if len(got) != count:
        print(f"Bail out! {len(got)} answers to {count} requests")
        sys.exit(1)
    trials = [(request, want, answer)
              for (request, want), answer in zip(trials, got)]
    wrong = [(request, "want", want["code"], "got", answer)
             for request, want, answer in trials
             if want["code"] != next((f["code"] for f in answer.get(
                 "findings", [{"code": "no answer"}])), None)]
    report(not wrong, f"{name}: the verdicts on {count} requests", *wrong[:3])
    for kind in ("lists", "per_rank", "derived", "active_axes"):
        compare(name, trials, kind)
    drawn = [want["code"] for _, want, _ in trials]
    accepted = drawn.count(None)
    report(accepted >= count // 10, f"{name}: a tenth or more is accepted",
           f"{accepted} of {count}")
    missing = set(codes) - set(drawn)
    report(not missing, f"{name}: every refusal comes up", sorted(missing))


def finish():
    print(f"1..{number}")
