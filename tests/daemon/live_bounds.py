# SPDX-License-Identifier: Apache-2.0
"""A message at and just beyond every bound of the protocol, and every field
wrong in every way: one sentence each, and the daemon goes on."""
import json
import random
import time

import live
from live import (APPLY, PLACE, RELEASE, deployment, events, key, known_fault, model,
                  refuses, same, test)

MIB = 1 << 20
MADE = None  # the daemon of all tests here but some
GOOD = {  # a request of each method that is answered OK
    "Catalog/Apply": {"document": model("m"), "idempotency_key": "",
                      "expected_revision": None},
    "Catalog/GetDeclaration": {"kind": "model", "name": "wan22"},
    "Catalog/ListDeclarations": {"kind": "runtime"},
    "Placement/Check": {"document": deployment("p"), "lists": [],
                        "per_rank": True, "creation": True, "rank": 1},
    "Placement/Place": {"document": deployment("p")},
    "Placement/GetPlacement": {"name": "p"},
    "Placement/ListPlacements": {},
    "Placement/Release": {"name": "nobody"},  # NOT_FOUND
    "Placement/Watch": {"wait_ms": 0},
    "Placement/Suggest": {},  # UNIMPLEMENTED
    "Worker/GetAssignment": {"placement": "p", "rank": 0},
    "Admin/Status": {},
    "Admin/Events": {"limit": 3},
}
# What a refusal may be; INTERNAL and UNAVAILABLE would be faults.
ORDERLY = {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION",
           "ABORTED", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED", "ALREADY_EXISTS"}


def orderly(peer, name, request):
    """Sends it; the answer is orderly, and says one short sentence."""
    answer = peer.answer(name, request)
    status = live.STATUSES[answer.status]
    assert status in ORDERLY, f"{name} {str(request)[:200]}: {answer}"
    assert status == "OK" or 0 < len(answer.message) < 1000, answer
    assert "\n" not in answer.message and "\0" not in answer.message
    return answer


def fields_of(type_name, path=()):
    """Every field of a message and of those within it, with its path."""
    for field in live.MESSAGES[type_name]:
        yield path + (field.name,), field
        if field.type in live.MESSAGES:
            yield from fields_of(field.type, path + (field.name,))


def put(fields, path, value, repeated=False):
    """A copy with one field set, also within messages."""
    fields = dict(fields)
    if len(path) > 1:
        fields[path[0]] = put(fields.get(path[0]) or {}, path[1:], value, repeated)
    else:
        fields[path[0]] = [value] if repeated else value
    return fields


# ---- envelope ---------------------------------------------------------------

def answer_to(peer, **call):
    """The answer to an envelope as given."""
    peer.send_body(live.pack("Call", call))
    return live.unpack("Answer", peer.receive_body()[1])


@test
def an_unknown_method_is_told_and_the_nearest_is_named():
    peer = MADE.peer()
    for method in ("/serried.v1.Admin/Statu", "/serried.v2.Admin/Status",
                   "serried.v1.Admin/Status", "/serried.v1.Placement/Status",
                   "/serried.v1.Admin/", "/", "x" * 1000, "é" * 500,
                   "/grpc.health.v1.Health/Check"):
        answer = answer_to(peer, method=method, request_id=3)
        same((12, 3), (answer.status, answer.request_id))
    assert "Admin/Status" in answer_to(peer, method="/serried.v1.Admin/Statu").message
    assert answer_to(peer, method="").status in (3, 12)
    same(3, answer_to(peer, request_id=1).status)  # no method at all


@test
def a_call_that_is_no_message_is_refused_and_the_peer_goes_on():
    peer, noise = MADE.peer(), random.Random(1)
    for n in range(300):
        peer.send_body(noise.randbytes(n))
        body = peer.receive_body()[1]
        assert live.unpack("Answer", body).status in (3, 12), n
    for request in b"\xff" * 40, b"\x0a\x7f", b"\x0a", b"\x0b", b"\x80" * 11:
        same(3, peer.answer(PLACE, request).status)
    same(0, peer.answer("Admin/Status", {}).status)


@test
def the_request_id_comes_back_whatever_it_is():
    peer = MADE.peer()
    for number in 0, 1, (1 << 63), (1 << 64) - 1:
        answer = answer_to(peer, method="/serried.v1.Admin/Status",
                           request_id=number)
        same((0, number), (answer.status, answer.request_id))


@test
def metadata_is_taken_in_any_number():
    peer = MADE.peer()
    pairs = [{"key": f"k{n}", "value": "v" * 9} for n in range(10000)]
    same(0, peer.answer("Admin/Status", {}, metadata=pairs).status)
    for wrong in b"\xff", b"a\0b":
        for field in "key", "value":
            answer = peer.answer("Admin/Status", {}, metadata=[{field: wrong}])
            same(3, answer.status)
            assert f"metadata.{field}" in answer.message, answer


@test
def a_message_at_the_bound_is_answered_and_beyond_it_the_peer_is_closed():
    for size, taken in ((MIB, True), (MIB + 1, False)):
        peer = MADE.peer()
        call = {"method": "/serried.v1.Admin/Status", "request": b""}
        spare = size - 4 - len(live.pack("Call", call)) - 3
        body = live.pack("Call", dict(call, request=bytes(spare)))
        body += bytes(size - 4 - len(body))
        same(size, len(body) + 4)
        try:
            peer.send_body(body)
            same(True, peer.receive_body() is not None and taken)
        except live.Gone:
            assert not taken, "a message at the bound was not taken"
    same(0, MADE.peer().answer("Admin/Status", {}).status)


@test
def deadlines_at_both_ends_are_kept():
    peer = MADE.peer()
    for deadline in 1, 0, None, 1 << 31, (1 << 32) - 1:
        answer = peer.answer("Admin/Status", {}, deadline_ms=deadline)
        assert answer.status == 0 or (answer.status, deadline) == (4, 1), answer
    began = time.monotonic()
    answer = peer.answer("Placement/Watch", {"wait_ms": 30000}, deadline_ms=200)
    same("DEADLINE_EXCEEDED", live.STATUSES[answer.status])
    assert 0.15 < time.monotonic() - began < 2
    with live.daemon("--deadline-ms", "300ms") as made:
        for deadline in None, 0, 301, (1 << 32) - 1:
            began = time.monotonic()
            answer = made.peer().answer("Placement/Watch", {"wait_ms": 30000},
                                        deadline_ms=deadline)
            same("DEADLINE_EXCEEDED", live.STATUSES[answer.status])
            assert 0.25 < time.monotonic() - began < 2


# ---- fields -----------------------------------------------------------------

@test
def every_method_has_a_good_request_here():
    same(set(live.METHODS), set(GOOD))
    peer = MADE.peer()
    for name in live.METHODS:
        answer = orderly(peer, name, GOOD[name])
        odd = {"Placement/Release": 5, "Placement/Suggest": 12}
        same((name, odd.get(name, 0)), (name, answer.status))


@test
def every_string_of_every_request_must_be_text():
    peer, count = MADE.peer(), 0
    wrongs = (b"\0", b"a\0", b"a\0b", b"\xff", b"\xc0\x80", b"\xed\xa0\x80",
              b"\xf4\x90\x80\x80", b"ab\xe2\x82", b"\x80")
    for name, (type_name, _) in live.METHODS.items():
        for path, field in fields_of(type_name):
            if field.type != "string":
                continue
            for wrong in wrongs:
                request = put(GOOD[name], path, wrong, field.repeated)
                answer = peer.answer(name, request)
                same((3, name), (answer.status, name))
                assert ".".join(path) in answer.message, answer
                count += 1
    live.say(f"{count} strings")
    assert count > 100


@test
def every_field_may_be_absent_or_empty():
    peer = MADE.peer()
    for name, (type_name, _) in live.METHODS.items():
        orderly(peer, name, b"")
        for path, field in fields_of(type_name):
            orderly(peer, name, put(GOOD[name], path, None))
            if field.type in ("string", "bytes"):
                orderly(peer, name, put(GOOD[name], path, "", field.repeated))
            elif field.type in live.MESSAGES:
                orderly(peer, name, put(GOOD[name], path, {}))
    for name, request, said in (
            (APPLY, {}, "document"), (APPLY, {"document": {}}, "document"),
            (PLACE, {}, "document"), ("Placement/Check", {}, "document"),
            ("Worker/GetAssignment", {"rank": 0}, "placement"),
            ("Worker/GetAssignment", {"placement": "p"}, "rank"),
            ("Catalog/GetDeclaration", {"name": "x"}, "kind"),
            ("Catalog/ListDeclarations", {}, "kind")):
        assert said in refuses("INVALID_ARGUMENT", peer.ask, name, request).message


@test
def every_number_may_be_any_number():
    peer = MADE.peer()
    for name, (type_name, _) in live.METHODS.items():
        for path, field in fields_of(type_name):
            if field.type in ("string", "bytes") or field.type in live.MESSAGES:
                continue
            if path == ("wait_ms",):
                continue  # it would wait
            for number in (0, 1, 1000, 1001, (1 << 31) - 1, 1 << 31,
                           (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63,
                           (1 << 64) - 1):
                orderly(peer, name, put(GOOD[name], path, number))


@test
def every_field_may_come_as_another_type_twice_or_cut():
    peer = MADE.peer()
    for name, (type_name, _) in live.METHODS.items():
        good = live.pack(type_name, GOOD[name])
        for end in range(0, len(good), 7):
            orderly(peer, name, good[:end])
        for field in live.MESSAGES[type_name]:
            for wire, value in ((0, b"\x05"), (1, bytes(8)), (2, b"\x00"),
                                (2, b"\x02\x08\x01"), (3, b""), (4, b""),
                                (5, bytes(4)), (6, b""), (7, b"")):
                tag = live.varint(field.number << 3 | wire)
                if field.name == "wait_ms" and wire == 0:
                    continue
                orderly(peer, name, tag + value)
                orderly(peer, name, good + tag + value)
        orderly(peer, name, good + live.varint(999 << 3) + b"\x01")  # unknown


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
        fits = letter * (255 // len(letter.encode())) + "y"
        fits = fits.encode()[:255].decode(errors="ignore").ljust(255 if letter == "x" else 0, "z")
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
                    ("Catalog/GetDeclaration", {"kind": "model", "name": beyond}),
                    ("Catalog/GetDeclaration", {"kind": "runtime", "name": beyond}),
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

        most = MIB - 200  # with its call it still fits in a message
        sizes = {
            "check": largest(accepts("Placement/Check",
                                     lambda: deployment("p")), MIB * 3 // 4, most),
            "place": largest(accepts(PLACE, lambda: deployment("p")), MIB * 3 // 4, most),
            "apply": largest(accepts(APPLY, lambda: model(key())), MIB * 3 // 4, most)}
        live.say(f"largest documents: {sizes}")
        assert min(sizes.values()) > MIB * 3 // 4
        # What was placed is whole, now and later.
        text = padded(deployment("p"), sizes["place"])
        peer.ask(PLACE, document=text)
        before = peer.answer("Placement/GetPlacement", {"name": "p"})
        assert before.status in (0, 8), before
        assigned = peer.packed("Worker/GetAssignment", {"placement": "p", "rank": 1})
        made.restart("kill")
        peer = made.peer()
        same(before.reply,
             peer.answer("Placement/GetPlacement", {"name": "p"}).reply)
        same(assigned,
             peer.packed("Worker/GetAssignment", {"placement": "p", "rank": 1}))


@test
def a_document_must_be_one_and_of_the_kind_that_is_asked_for():
    peer = MADE.peer()
    two = {"text": deployment("a")["text"] + "\n---\n" + deployment("b")["text"]}
    for name in PLACE, APPLY, "Placement/Check":
        for text in two["text"], "", "\n", "# nothing", "---", "[", "1", "null", \
                "[]", "{}", "a: &a b", "\ufeff", "x" * 1000, "{" * 200, "!x y":
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
@known_fault("4: Check and Place do not count from document.line")
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
@known_fault("3: the text of an error is cut within a letter")
def an_unknown_name_is_told_in_whole_letters():
    peer = MADE.peer()
    for length in range(60, 260):
        for name, request in (
                ("Placement/GetPlacement", {"name": "é" * length}),
                (RELEASE, {"name": "x" + "é" * length}),
                ("Catalog/GetDeclaration",
                 {"kind": "model", "name": "日" * length}),
                ("Catalog/GetDeclaration", {"kind": "é" * length})):
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
            same(list(range(1050, 1050 - count, -1)), [e.sequence for e in found])
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


if __name__ == "__main__":
    with live.daemon() as MADE:
        live.main()
