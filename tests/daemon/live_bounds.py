# SPDX-License-Identifier: Apache-2.0
"""Keys, names, documents and counts at and just beyond every bound of the
protocol."""
import json

import live
from live import (APPLY, PLACE, RELEASE, deployment, events, key, model,
                  orderly, refuses, same, test)

DECLARED = "Catalog/GetDeclaration"
MIB = 1 << 20
MADE = None  # the daemon of all tests here but some


# ---- keys and names ---------------------------------------------------------

@test
def an_idempotency_key_holds_128_bytes_and_no_more():
    peer, fresh = MADE.peer(), iter(range(99))

    def requests():
        number = next(fresh)
        peer.ask(PLACE, document=deployment(f"key{number}"))
        return ((PLACE, {"document": deployment(f"new{number}")}),
                (APPLY, {"document": model(f"new{number}")}),
                (RELEASE, {"name": f"key{number}"}))

    for beyond in "x" * 129, "é" * 65, "x" * 100000:
        for name, request in requests():
            request["idempotency_key"] = beyond
            before = events(peer)
            answer = refuses("INVALID_ARGUMENT", peer.ask, name, request)
            assert "128" in answer.message, answer
            same(before, events(peer))
    for n in range(3):
        name, request = requests()[n]
        request["idempotency_key"] = f"{n}" + "é" * 63 + "x"
        same(128, len(request["idempotency_key"].encode()))
        same(peer.packed(name, request), peer.packed(name, request))
    placed = [peer.ask(PLACE, document=deployment("p"), idempotency_key="")
              for _ in range(2)]  # an empty key is none
    assert placed[0].generation != placed[1].generation


def declared_runtime(name):
    return {"text": json.dumps({"runtime": name, "version": 1,
                                "axes": [{"name": "a"}]})}


@test
def a_name_holds_255_bytes_and_no_more():
    peer = MADE.peer()
    for letter in "x", "é":
        fits = (letter * 255).encode()[:254].decode() + "y"
        same(255, len(fits.encode()))
        for beyond in fits + "é", "x" * 256, "x" * 70000, "é" * 40000:
            for name, document in ((PLACE, deployment(beyond)),
                                   (APPLY, model(beyond)),
                                   (APPLY, declared_runtime(beyond))):
                before = events(peer)
                answer = orderly(peer, name, {"document": document})
                assert live.STATUSES[answer.status] in (
                    "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"), answer
                same(before, events(peer))
            for name, request in (
                    ("Placement/GetPlacement", {"name": beyond}),
                    (DECLARED, {"kind": "model", "name": beyond}),
                    (DECLARED, {"kind": "runtime", "name": beyond}),
                    ("Worker/GetAssignment", {"placement": beyond, "rank": 0}),
                    (RELEASE, {"name": beyond})):
                refuses("NOT_FOUND", peer.ask, name, request)
        peer.ask(PLACE, document=deployment(fits))
        same(fits, peer.ask("Placement/GetPlacement", name=fits).name)
        same(0, peer.ask("Worker/GetAssignment", placement=fits, rank=0).rank)
        peer.ask(RELEASE, name=fits)


@test
def a_declaration_of_a_name_that_fits_is_there_after_a_restart():
    with live.daemon() as made:
        peer, refused = made.peer(), []
        for length in 64, 127, 128, 200, 254, 255:
            name = "n" * length
            for document in model(name), declared_runtime(name):
                if peer.answer(APPLY, {"document": document}).status:
                    refused.append(length)
        live.say(f"lengths refused: {sorted(set(refused))}")
        lists = [peer.ask("Catalog/ListDeclarations", kind=k).declarations
                 for k in ("model", "runtime")]
        made.restart("kill")
        peer = made.peer()
        same(lists, [peer.ask("Catalog/ListDeclarations", kind=k).declarations
                     for k in ("model", "runtime")])


# ---- documents --------------------------------------------------------------

def padded(document, size):
    """The same document with a comment, size bytes long."""
    text = document["text"] + "\n# "
    return {"text": text + "x" * (size - len(text))}


def largest(accepts, low, high):
    """The largest size that is accepted."""
    if accepts(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepts(middle) else (low, middle)
    return low


@test
def a_document_of_almost_1_MiB_is_taken_or_told_that_it_is_too_large():
    with live.daemon() as made:
        peer = made.peer()

        def accepts(name, make):
            def one(size):
                answer = peer.answer(name, {"document": padded(make(), size)})
                status = live.STATUSES[answer.status]
                assert status in ("OK", "RESOURCE_EXHAUSTED",
                                  "INVALID_ARGUMENT"), answer
                return status == "OK"
            return one

        sizes = {  # 200: with its call it still fits in a message
            name: largest(accepts(name, make), MIB * 3 // 4, MIB - 200)
            for name, make in (
                ("Placement/Check", lambda: deployment("p")),
                (PLACE, lambda: deployment("p")),
                (APPLY, lambda: model(key())))}
        live.say(f"largest documents: {sizes}")
        assert min(sizes.values()) > MIB * 3 // 4
        answer = refuses("RESOURCE_EXHAUSTED", peer.ask, PLACE,
                         document=padded(deployment("q"), MIB - 200))
        assert "the record of q, with its documents and 1 port" in (
            answer.message), answer
        # What was placed is whole, now and later.
        text = padded(deployment("p"), sizes[PLACE])
        peer.ask(PLACE, document=text)
        before = peer.answer("Placement/GetPlacement", {"name": "p"})
        assert before.status in (0, 8), before
        assigned = peer.packed("Worker/GetAssignment",
                               {"placement": "p", "rank": 1})
        made.restart("kill")
        peer = made.peer()
        same(before.reply,
             peer.answer("Placement/GetPlacement", {"name": "p"}).reply)
        same(assigned,
             peer.packed("Worker/GetAssignment", {"placement": "p", "rank": 1}))


@test
def a_document_must_be_one_and_of_the_kind_that_is_asked_for():
    peer = MADE.peer()
    two = deployment("a")["text"] + "\n---\n" + deployment("b")["text"]
    for name in PLACE, APPLY, "Placement/Check":
        for text in (two, "", "\n", "# nothing", "---", "[", "1", "null", "[]",
                     "{}", "a: &a b", "\ufeff", "x" * 1000, "{" * 200, "!x y"):
            answer = refuses("INVALID_ARGUMENT", peer.ask, name,
                             document={"text": text})
            assert len(answer.message) < 400
        refuses("INVALID_ARGUMENT", peer.ask, name, document={
            "text": "[", "source": "s" * 100000, "line": (1 << 32) - 1})
    refuses("INVALID_ARGUMENT", peer.ask, APPLY, document=deployment("a"))
    for document in model("a"), declared_runtime("mstar"):
        assert orderly(peer, PLACE, {"document": document}).status
        assert not peer.ask("Placement/Check", document=document).accepts


def place_of_fault(name):
    answer = refuses("INVALID_ARGUMENT", MADE.peer().ask, name, document={
        "text": "a: 1\nb: {c: [1}\n", "source": "f.yaml", "line": 7})
    return answer.message.split(",")[0]


@test
def a_fault_in_a_declaration_is_told_by_its_line_in_the_file():
    same("f.yaml: line 8", place_of_fault(APPLY))


@test
def a_fault_in_a_deployment_is_told_by_its_line_in_the_file():
    same("f.yaml: line 8", place_of_fault("Placement/Check"))
    same("f.yaml: line 8", place_of_fault(PLACE))


@test
def lists_that_are_asked_for_are_bounded():
    peer = MADE.peer()
    for lists in (["x"] * 20000, ["y" * 100000], [""] * 1000,
                  [f"node_groups[0].{n}" for n in range(20000)]):
        orderly(peer, "Placement/Check",
                {"document": deployment("p"), "lists": lists})


@test
def an_unknown_name_is_told_in_whole_letters():
    peer = MADE.peer()
    for length in range(60, 260):
        for name, request in (
                ("Placement/GetPlacement", {"name": "é" * length}),
                (RELEASE, {"name": "x" + "é" * length}),
                (DECLARED, {"kind": "model", "name": "日" * length}),
                (DECLARED, {"kind": "é" * length})):
            orderly(peer, name, request)  # its text is decoded strictly


# ---- Watch and Events -------------------------------------------------------

@test
def Events_gives_at_most_a_thousand():
    with live.daemon() as made:
        peer = made.peer()
        for n in range(1050):
            peer.send(PLACE, {"document": deployment(f"p{n % 31}")})
            if n % 30 == 29:
                for _ in range(30):
                    same(0, peer.receive().status)
        for limit, count in ((1, 1), (999, 999), (1000, 1000), (1001, 1000),
                             ((1 << 32) - 1, 1000)):
            found = peer.ask("Admin/Events", limit=limit).events
            same(count, len(found))
            same(list(range(1050, 1050 - count, -1)),
                 [e.sequence for e in found])
        for before, first in ((1050, 1049), (2, 1), (1, None), (1 << 63, 1050),
                              ((1 << 64) - 1, 1050), (1051, 1050)):
            found = peer.ask("Admin/Events", limit=1, before=before).events
            same([first] if first else [], [e.sequence for e in found])


@test
def Watch_waits_at_most_as_long_as_it_may():
    with live.daemon() as made:
        peer = made.peer()
        for wait in 30000, 30001, (1 << 32) - 1:
            peer.send("Placement/Watch", {"wait_ms": wait})
        future = {"epoch": (1 << 64) - 1, "revision": (1 << 64) - 1}
        peer.send("Placement/Watch", {"wait_ms": 200, "after": future})
        same(0, peer.receive().status)  # the last one, alone
        made.peer().ask(PLACE, document=deployment("p"))
        for _ in range(3):
            reply = live.unpack("WatchReply", peer.receive().reply)
            same(["placed"], [e.what for e in reply.events])


# ---- what is suggested ------------------------------------------------------

def suggest(request, **wants):
    return MADE.peer().ask("Placement/Suggest", document={
        "text": json.dumps(request)}, **wants)


def declare_hull():
    peer = MADE.peer()
    peer.ask(APPLY, document={"text": json.dumps({
        "runtime": "hull", "version": 1, "request": "world",
        "axes": [{"name": "a"}, {"name": "b"}],
        "rules": [{"check": "sizes"}, {"check": "product"}]})})
    peer.ask(APPLY, document={"text": json.dumps({
        "model": "boat", "runtime": "hull", "nodes": [{"name": "n"}],
        "estimate": {"run": {"peak_gib": "16 / a"}},
        "measured": [{"sizes": {"a": 2, "b": 2}, "step_s": 2}]})})
    peer.ask(APPLY, document={"text": json.dumps({
        "model": "adrift", "nodes": [{"name": "n"}]})})
    return {"model": "boat", "world": 4}


@test
def suggestions_are_those_that_are_wanted():
    asked = declare_hull()

    def sets(**wants):
        reply = suggest(asked, **wants)
        found = json.loads(reply.suggestions_json)
        same(found["valid"], reply.valid)
        return reply.valid, [s["set"] for s in found["suggestions"]]

    all_of_them = [{"a": 4}, {"a": 2, "b": 2}, {"b": 4}]
    same((3, all_of_them), sets())
    same((3, all_of_them[:1]), sets(most=1))
    same((3, [all_of_them[k] for k in (1, 0, 2)]), sets(objective="latency"))
    same((2, all_of_them[:2]), sets(memory_bytes=8 << 30))
    same((1, all_of_them[:1]), sets(memory_bytes=(8 << 30) - 1))
    same((0, []), sets(memory_bytes=1))


@test
def what_nothing_can_be_suggested_for_is_said():
    asked = declare_hull()
    for request, wants, status, reason in (
            (asked, {"memory_bytes": 0}, "INVALID_ARGUMENT",
             "memory_bytes is 0; it is above 0, or absent where memory does "
             "not matter"),
            (asked, {"objective": "speed"}, "NOT_FOUND",
             "there is no objective speed; use memory, latency or throughput"),
            ({"model": "adrift", "world": 4}, {}, "INVALID_ARGUMENT",
             "the key runtime is missing, and the model names none"),
            ({"world": 4}, {}, "INVALID_ARGUMENT",
             "the key runtime is missing, and the model names none"),
            ({"model": "boot", "world": 4}, {}, "NOT_FOUND", "boat"),
            ({"model": "boat", "runtime": "hulk", "world": 4}, {}, "NOT_FOUND",
             "hull"),
            ([asked], {}, "INVALID_ARGUMENT", "expected a map"),
            ({"model": "adrift", "runtime": "mstar", "node_groups": [],
              "max_seq_len": 1}, {}, "INVALID_ARGUMENT",
             "there are no ranks to give sizes to; give world, or node_groups "
             "with ranks")):
        answer = refuses(status, suggest, request, **wants)
        assert reason in answer.message, answer.message


if __name__ == "__main__":
    with live.daemon() as MADE:
        live.main()
