# SPDX-License-Identifier: Apache-2.0
"""The cases of mstar through a live daemon: declared, checked, placed, and
every worker's assignment fetched, expanded and compared."""
import hashlib
import itertools
import json
import struct
import subprocess

import live
from live import same

# ---- what a worker expands, from docs/protocol.md alone ---------------------


def sums(dimensions):
    return [sum(digits) for digits in itertools.product(*dimensions)]


class Expansion:
    """The groups of an assignment, and the digest of them."""

    def __init__(self, assignment):
        self.assignment = assignment
        self.ranks = [self.map_ranks(m) for m in assignment.rank_maps]
        self.lists = {x.name: self.groups(x) for x in assignment.lists}
        self.creation = self.make_creation()

    def map_ranks(self, rank_map):
        runs = [run.start + s for run in rank_map.runs for s in sums(
            [i * d.stride for i in range(d.count)] for d in run.dims)]
        ranks = runs or range(rank_map.positions)
        return [rank + rank_map.offset for rank in ranks]

    def groups(self, listed):
        ranks = self.ranks[listed.rank_map]
        wide = max([d.stride for d in listed.inner], default=0)
        dims = [[d for d in listed.outer if d.stride > wide],
                [d for d in listed.outer if d.stride <= wide], listed.inner]
        coarse, fine, within = (
            sums([range(0, d.size * d.stride, d.stride) for d in some])
            for some in dims)
        n = listed.run or len(within)
        take = {0: slice(None), 1: slice(0, 1), 2: slice(-1, None),
                3: slice(None, None, max(1, len(within) - 1))}[listed.take]
        return [tuple(ranks[c + f + i] for i in within[k:k + n][take])
                for c in coarse for k in range(0, len(within), n) for f in fine]

    def make_creation(self):
        made = {}  # of equal groups the first stays
        for step in self.assignment.creation:
            new = [(group, x.name) for x in step.lists
                   for group in self.groups(x) if len(group) > 1]
            if step.sorted:
                new.sort(key=lambda pair: pair[0])
            for group, name in new:
                made.setdefault((step.backend, group), name)
        return [(backend, group, name)
                for (backend, group), name in made.items()]

    def check_digest(self):
        """Whether it is what the daemon says; returns it."""
        lists = [
            sha(b"serried-list-1", text(name), u32(len(groups)),
                *map(packed, groups)) for name, groups in self.lists.items()]
        sequence = sha(b"serried-sequence-1", u32(len(self.creation)),
                       *(text(name) + text(backend) + packed(group)
                         for backend, group, name in self.creation))
        total = sha(b"serried-table-1", u32(len(lists)), *lists, sequence)
        same(self.assignment.list_digests, [d[:8] for d in lists])
        same(self.assignment.sequence_digest, sequence[:8])
        same(self.assignment.digest, total)
        return total


def u32(number):
    return struct.pack(">I", number)


def text(string):
    return u32(len(string.encode())) + string.encode()


def packed(group):
    return struct.pack(f">{len(group) + 1}I", len(group), *group)


def sha(tag, *parts):
    return hashlib.sha256(tag + b"\0" + b"".join(parts)).digest()


# ---- one case ---------------------------------------------------------------

def check_groups(case, expansion, number, group):
    """All instances of a node group, list by list, as the case has them."""
    shaped = [i for i in group["instances"] if i["groups"]]
    for axis in shaped[0]["groups"] if shaped else []:
        want = [tuple(g) for i in shaped for g in i["groups"][axis]]
        same(want, expansion.lists[f"node_groups[{number}].{axis}"])


def check_node(shard, rank, group):
    """A node's place: its instance, its rank there, a coordinate per axis."""
    instance = group["instances"][shard.instance]
    assert shard.node in group["node_names"]
    same(rank, instance["ranks"][shard.instance_rank])
    same(group["instance_size"], shard.tp_size)
    for coordinate in shard.coordinates:
        same(group["sizes"][coordinate.axis], coordinate.size)
        mine = [g for g in instance["groups"].get(coordinate.axis, [[rank]])
                if rank in g]
        same([coordinate.coordinate], [g.index(rank) for g in mine])


def check_assignment(case, expansion, rank):
    """What one worker gets against everything the case says of it."""
    want, a = case["expect"], expansion.assignment
    same(rank, a.rank)
    for number, group in enumerate(want["node_groups"]):
        check_groups(case, expansion, number, group)
        hosted = [s for s in a.nodes if s.group == number]
        there = any(rank in i["ranks"] for i in group["instances"])
        same(sorted(group["node_names"]) if there else [],
             sorted(s.node for s in hosted))
        for shard in hosted:
            check_node(shard, rank, group)
    whole = [list(g) for b, g, _ in expansion.creation if b == "cpu"]
    others = [list(g) for b, g, _ in expansion.creation if b != "cpu"]
    same(want["creation_instance_first"], whole)
    same(want["creation_axis"], others)
    same(sorted(e[0] == "cpu" for e in expansion.creation)[::-1],
         [e[0] == "cpu" for e in expansion.creation])


def check_accepted(made, peer, case, document):
    placed = peer.ask("Placement/Place", document=document)
    workers = case["expect"]["workers"]
    for rank in workers:
        a = peer.ask("Worker/GetAssignment", placement=placed.name, rank=rank)
        same(placed.generation, a.generation)
        expansion = Expansion(a)
        same(placed.digest, expansion.check_digest())
        check_assignment(case, expansion, rank)
        # and as libserry expands it
        live.serry(made, "assignment", placed.name, "--rank", str(rank),
                   "-o", "json")
    nobody = max(workers) + 1
    live.refuses("NOT_FOUND", peer.ask, "Worker/GetAssignment",
                 placement=placed.name, rank=nobody)
    return len(workers)


def check_refused(peer, verdict, document):
    unknown = verdict["findings"][0]["code"] == "model.unknown"
    answer = live.refuses("NOT_FOUND" if unknown else "FAILED_PRECONDITION",
                          peer.ask, "Placement/Place", document=document)
    if not unknown:
        same(["findings"], [d.type for d in answer.details])
        same(verdict, json.loads(answer.details[0].json))
    return 0


def check_verdict(case, verdict):
    want = case["expect"]
    same(want["verdict"], verdict["verdict"])
    if "code" in want:
        codes = [want["code"], *want.get("codes_also_allowed", [])]
        assert verdict["findings"][0]["code"] in codes, verdict["findings"]
    for group, got in zip(want.get("node_groups", []), verdict["node_groups"]):
        same(group, {key: got[key] for key in group})
    if "node_groups" in want:
        same(len(want["node_groups"]), len(verdict["node_groups"]))
    if "resolution" in want:
        same(want["resolution"], verdict["resolution"])


def run_case(made, peer, case, offline):
    """Returns how many assignments were compared."""
    for declared in case["declare"]:
        peer.ask("Catalog/Apply", document={"text": json.dumps(declared)})
    document = {"text": json.dumps(case["deployment"])}
    reply = peer.ask("Placement/Check", document=document,
                     creation=case.get("creation"))
    verdict = json.loads(reply.verdict_json)
    same(json.dumps(offline), json.dumps(verdict))  # and in the same order
    same(verdict["verdict"] == "accept", reply.accepts)
    check_verdict(case, verdict)
    if reply.accepts:
        return check_accepted(made, peer, case, document)
    reply = peer.ask("Placement/Check", document=document)
    plain = json.loads(reply.verdict_json)
    return check_refused(peer, plain, document)


# ---- worlds -----------------------------------------------------------------

WORLDS = "diffusers", "halo", "megatron", "pithtrain", "torchtitan", "xdit"
WORLD_MAX = 256  # ranks of the worlds that are placed


def check_world(made, peer, case, tables):
    """Places what a case accepts; what some workers expand is what the case
    says. tables: digests of those that libserry has expanded. Returns how many
    lists were compared."""
    for declared in case.get("declare", []):
        peer.ask("Catalog/Apply", document={"text": json.dumps(declared)})
    deployment = dict(case["deployment"], deployment="world")
    if "up_to" in case:
        document = {"text": json.dumps(deployment)}
        assert peer.ask("Placement/Check", document=document,
                        up_to=case["up_to"]).accepts, case["id"]
        if not peer.ask("Placement/Check", document=document).accepts:
            return 0  # a later layer refuses, and placing asks all
    placed = peer.ask("Placement/Place",
                      document={"text": json.dumps(deployment)})
    options = deployment.get("options", {})
    first = options.get("rank_offset", options.get("first_rank", 0))
    compared, new = 0, placed.digest not in tables
    tables.add(placed.digest)
    middle = first + deployment["world"] // 2
    for rank in {first, middle, first + deployment["world"] - 1}:
        a = peer.ask("Worker/GetAssignment", placement="world", rank=rank)
        expansion = Expansion(a)
        same(placed.digest, expansion.check_digest())
        for name, want in case["expect"].get("lists", {}).items():
            if name in expansion.lists:
                same(want, sorted(map(list, expansion.lists[name])))
                compared += 1
    if new:  # a process each, and many worlds have the same table
        live.serry(made, "assignment", "world", "--rank", str(middle), "-o",
                   "json")
    return compared


def is_world(case):
    return (case["op"] == "check" and case["expect"].get("verdict") == "accept"
            and 0 < case.get("deployment", {}).get("world", 0) <= WORLD_MAX)


def add_worlds(made, peer):
    for name in WORLDS:
        def run(name=name):
            cases = [c for c in read_cases(name) if is_world(c)]
            tables = set()
            lists = sum(check_world(made, peer, case, tables)
                        for case in cases)
            live.say(f"{len(cases)} worlds, {len(tables)} tables, "
                     f"{lists} lists compared")
            assert cases
        live.TESTS.append((f"worlds of {name} are expanded as it has them",
                           run))


# ---- all of them ------------------------------------------------------------

def read_cases(name):
    path = f"{live.SOURCE}/tests/cases/{name}.jsonl"
    cases, defaults = [], {}
    with open(path, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "defaults" in line:
                defaults = line["defaults"]
            else:
                cases.append({**defaults, **line})
    return cases


def check_offline(cases):
    """What serry answers without a daemon, by the case's id."""
    lines = "".join(json.dumps({k: v for k, v in case.items() if k in (
        "id", "declare", "deployment", "creation")}) + "\n" for case in cases)
    done = subprocess.run([live.SERRY, "check", "--offline", "--batch"],
                          input=lines, text=True, timeout=60,
                          stdout=subprocess.PIPE, check=False)
    answers = {}
    for answer in map(json.loads, done.stdout.splitlines()):
        answers[answer.pop("id")] = answer
    return answers


def add_tests(made, counts):
    cases = [c for c in read_cases("mstar") if c["op"] == "check"]
    offline = check_offline(cases)
    peer = made.peer()

    def add(case):
        def run():
            counts.append(run_case(made, peer, case, offline[case["id"]]))
        live.TESTS.append((case["id"], run))

    for case in cases:
        add(case)
    add_worlds(made, peer)

    @live.test
    def an_unknown_model_is_a_verdict_in_check_and_not_found_in_place():
        document = {"text": json.dumps({
            "model": "wan23", "max_seq_len": 1,
            "node_groups": [{"node_names": ["dit"], "ranks": [0]}]})}
        verdict = peer.ask("Placement/Check", document=document)
        assert not verdict.accepts and "model.unknown" in verdict.verdict_json
        answer = live.refuses("NOT_FOUND", peer.ask, "Placement/Place",
                              document=document)
        assert "wan22" in answer.message, answer.message

    @live.test
    def a_view_of_a_part_of_the_world_is_expanded_from_a_map_of_its_own():
        document = {"text": json.dumps({
            "deployment": "parts", "runtime": "xdit", "world": 8,
            "sizes": {"ring": 3, "ulysses": 2}, "options": {"vae": 2}})}
        placed = peer.ask("Placement/Place", document=document)
        for rank in range(8):
            a = peer.ask("Worker/GetAssignment", placement="parts", rank=rank)
            expansion = Expansion(a)
            same(placed.digest, expansion.check_digest())
            same([(0, 1), (2, 3), (4, 5)], expansion.lists["dit.ulysses"])
            same([(0, 2, 4), (1, 3, 5)], expansion.lists["dit.ring"])
            same([(6, 7)], expansion.lists["vae"])
            assert ("device", (6, 7), "vae") in expansion.creation
            live.serry(made, "assignment", "parts", "--rank", str(rank),
                       "-o", "json")

    @live.test
    def every_accepted_case_gave_its_workers_assignments():
        live.say(f"{len(counts)} cases, {sum(counts)} assignments compared")
        assert len(counts) == len(cases) and sum(counts) > len(cases)


if __name__ == "__main__":
    with live.daemon() as shared:
        add_tests(shared, [])
        live.main()
