# SPDX-License-Identifier: Apache-2.0
"""What a sample says, what is asked because of it, and how an answer is
compared with what it expects."""
import hashlib
import json
import re


class Facts:
    """A map of a sample, of which every key must be taken."""

    def __init__(self, facts):
        self.left = dict(facts)

    def __contains__(self, key):
        return key in self.left

    def take(self, key, default=None):
        return self.left.pop(key, default)

    def take_map(self, key):
        return Facts(self.take(key) or {})

    def take_all(self, names):
        """Those that are there and not null, by the names they have here."""
        found = {here: self.left.pop(key) for key, here in names.items()
                 if key in self.left}
        return {key: value for key, value in found.items() if value is not None}

    def finish(self, what):
        if self.left:
            raise KeyError(f"nothing is done with {what} {sorted(self.left)}")


def same(*names):
    """Names that are called here what samples call them."""
    return {name: name for name in names}


# ---- questions ---------------------------------------------------------------

class Ask:
    """A question and what its answer must hold.

    how: "check", a line of serry check --batch; "work", an operation of
    tests/cases/runner, which compares by itself; "suggest", arguments and
    document of serry suggest.
    """

    def __init__(self, how, line, want):
        self.how, self.line, self.want = how, line, want
        self.answer = None


def check(deployment, want, facts=None):
    """Judges a request, whose model has these facts."""
    line = {"deployment": deployment}
    if facts is not None:
        deployment["model"] = "sample"
        line["declare"] = [{"model": "sample", "facts": facts,
                            "runtime": deployment["runtime"]}]
    return ask_for(line, want)


def ask_for(line, want):
    """Adds to a line what its answer must hold beside the verdict."""
    lists = list(want.get("lists", {})) + list(want.get("digests", {}))
    if lists:
        line["lists"] = lists
    if "per_rank" in want or "at_ranks" in want:
        line["per_rank"] = True
    if "created" in want:
        line["creation"] = True
    return Ask("check", line, want)


def work(op, given, expect):
    """Arithmetic that no document asks for."""
    return Ask("work", {"op": op, "input": given, "expect": expect}, expect)


# ---- comparing ---------------------------------------------------------------

def codes(answer):
    return [finding["code"] for finding in answer.get("findings", [])]


def equal(what, want, got):
    if want != got or type(want) is not type(got):
        yield f"{what}: want {want}, got {got}"


def part_of(what):
    """Compares the keys that are wanted of a map of the answer."""
    def compare(answer, want):
        got = answer.get(what, {})
        for key, value in want.items():
            yield from equal(f"{what}.{key}", value, got.get(key))
    return compare


def verdict(answer, want):
    """accept, or the codes of which one must stand first."""
    if want == "accept":
        yield from equal("findings", [], codes(answer))
        yield from equal("verdict", "accept", answer.get("verdict"))
    else:
        yield from equal("verdict", "refuse", answer.get("verdict"))
        if not codes(answer) or codes(answer)[0] not in want:
            yield f"first code: want {want}, got {codes(answer)}"


def among(answer, want):
    yield from equal("verdict", "refuse", answer.get("verdict"))
    if want not in codes(answer):
        yield f"codes: want {want} among {codes(answer)}"


def first_of(answer, want):
    """The first code of a layer of the rules."""
    layer, code = want
    yield from equal("verdict", "refuse", answer.get("verdict"))
    yield from equal(f"first code of {layer}", code,
                     next((finding["code"] for finding in answer["findings"]
                           if finding["layer"] == layer), None))


def by_first(lists):
    return sorted(lists, key=lambda ranks: ranks[0])


def lists(answer, want):
    """Lists by their first rank; the members in their own order."""
    for key, value in want.items():
        yield from equal(f"lists.{key}", by_first(value),
                         answer.get("lists", {}).get(key))


def digest(ranks):
    text = json.dumps(ranks, separators=(",", ":"))
    return {"count": len(ranks), "size": len(ranks[0]), "first": ranks[0][:16],
            "last": ranks[-1][:16],
            "sha256": hashlib.sha256(text.encode()).hexdigest()}


def digests(answer, want):
    for key, value in want.items():
        ranks = answer.get("lists", {}).get(key)
        yield from equal(f"digest of {key}", value, ranks and digest(ranks))


def at_ranks(answer, want):
    """[rank, name, value]: what some ranks have."""
    for rank, name, value in want:
        got = answer.get("per_rank", {}).get(name)
        yield from equal(f"{name} of rank {rank}", value, got and got[rank])


def alternatives(answer, want):
    """The first remedies, in their order."""
    got = [a["set"] for a in answer.get("alternatives", [])]
    yield from equal("alternatives", want, got[:len(want)])


def no_alternatives(answer, unwanted):
    for a in answer.get("alternatives", []):
        if a["set"] in unwanted:
            yield f"alternatives: {a['set']} is none"


def nested(answer, want):
    """A path of keys and indexes, and what is there."""
    for path, value in want:
        got = answer
        for step in path:
            got = got[step]
        yield from equal(".".join(map(str, path)), value, got)


def says(answer, want):
    """Words that the first finding must say, each a whole word; the last ones
    only if it has the code that they are about."""
    code, words, more = want
    finding = answer["findings"][0]
    words = words + more if finding["code"] == code else words
    text = " ".join([finding["subject"], finding["equation"], finding["reason"],
                     *finding.get("fixes", [])])
    for word in words:
        if not re.search(rf"(?<![\w]){re.escape(str(word))}(?![\w])", text):
            yield f"the finding does not say {word}: {text}"


def fixes(answer, want):
    """Whether the first finding says what would be right."""
    yield from equal("a fix", want, bool(answer["findings"][0].get("fixes")))


def workers(answer, want):
    ranks = {rank for group in answer["node_groups"]
             for instance in group["instances"] for rank in instance["ranks"]}
    yield from equal("workers", want, sorted(ranks))


def created(answer, want):
    """Groups of whole instances on the CPU, and behind them those of axes."""
    steps = answer.get("creation", [])
    whole = [step["ranks"] for step in steps if step["backend"] == "cpu"]
    yield from equal("whole instances", want["whole"], whole)
    yield from equal("axis groups", want["axis"],
                     [step["ranks"] for step in steps[len(whole):]])


def templates(answer, want):
    got = [{"nodes": group["node_names"], "tp_size": group["instance_size"],
            "graph_walks": group.get("graph_walks") and
            sorted(group["graph_walks"])}
           for group in answer["node_groups"] if group["instance_size"] > 1]
    yield from equal("shard templates", want, got)


def exactly(what):
    """Compares a whole value of the answer."""
    def compare(answer, want):
        yield from equal(what, want, answer.get(what))
    return compare


def node_groups(answer, want):
    """Groups by their index, with the keys that are wanted of each."""
    got = answer["node_groups"]
    yield from equal("number of node groups", len(want), len(got))
    for i, (wanted, group) in enumerate(zip(want, got)):
        for key, value in wanted.items():
            yield from equal(f"node_groups[{i}].{key}", value, group.get(key))


COMPARE = {
    "verdict": verdict, "among": among, "first_of": first_of,
    "says": says, "fixes": fixes,
    "derived": part_of("derived"), "active_axes": part_of("active_axes"),
    "per_rank": part_of("per_rank"), "at_ranks": at_ranks,
    "lists": lists, "digests": digests,
    "alternatives": alternatives, "no_alternatives": no_alternatives,
    "nested": nested,
    "node_groups": node_groups, "workers": workers, "created": created,
    "templates": templates, "resolution": exactly("resolution"),
}


def differences(ask):
    """What an answer has otherwise than is wanted, in words."""
    if "error" in ask.answer:
        return [json.dumps(ask.answer["error"])]
    found = []
    for key, want in ask.want.items():
        try:
            found += COMPARE[key](ask.answer, want)
        except (LookupError, TypeError) as missing:
            found.append(f"{key}: {missing!r}")
    return found
