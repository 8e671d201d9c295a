# SPDX-License-Identifier: Apache-2.0
"""Every field of every message wrong in every way: one sentence each, and the
daemon goes on."""
import random
import time

import live
from live import (APPLY, PLACE, deployment, model, orderly, refuses, same,
                  test)

MIB = 1 << 20
MADE = None  # the daemon of all tests here but some
WORKER = {"placement": "p", "rank": 0, "incarnation": 1,  # of another life
          "generation": {"epoch": 1, "revision": 1 << 40}}
GOOD = {  # a request of each method that is answered OK
    "Catalog/Apply": {"document": model("m"), "idempotency_key": "",
                      "expected_revision": None},
    "Catalog/GetDeclaration": {"kind": "model", "name": "wan22"},
    "Catalog/ListDeclarations": {"kind": "runtime", "page_size": 2,
                                 "page_token": "d:halo"},
    "Cluster/ApplyHosts": {"document": {"text": '{"hosts": []}'},
                           "first_index": 0, "idempotency_key": ""},
    "Cluster/ListHosts": {"names": [], "page_size": 3, "page_token": ""},
    "Cluster/RemoveHosts": {"names": ["nobody"],
                            "idempotency_key": ""},  # NOT_FOUND
    "Cluster/SetHostState": {"names": ["nobody"], "state": "down",
                             "why": ""},  # NOT_FOUND
    "Placement/Check": {"document": deployment("p"), "lists": [],
                        "per_rank": True, "creation": True, "rank": 1, "evict": True},
    "Placement/Place": {"document": deployment("p")},
    "Placement/GetPlacement": {"name": "p"},
    "Placement/ListPlacements": {"page_size": 1, "page_token": "p:a"},
    "Placement/Release": {"name": "nobody"},  # NOT_FOUND
    "Placement/Watch": {"wait_ms": 0},
    "Placement/GetRouting": {"placement": "p"},
    "Placement/Suggest": {"document": deployment("p"),
                          "objective": "latency", "memory_bytes": 1 << 34,
                          "most": 3},
    "Worker/GetAssignment": {"placement": "p", "rank": 0},
    "Worker/Join": dict(WORKER, address="here", digest=bytes(32),
                        list_digests=[bytes(8)], sequence_digest=bytes(8),
                        differing_list=0, group_digests=bytes(8),
                        span={"list": 0, "first": 1, "groups": 2, "block": 1,
                              "count": 9}, span_digests=bytes(16)),
    "Worker/Await": dict(WORKER, wait_ms=0, state="booting"),
    "Worker/Leave": WORKER,
    "Worker/ReportPort": {"placement": "p", "generation": WORKER["generation"],
                          "rank": 0, "purpose": "master", "port": 1,
                          "group": 0, "instance": 0},
    "Admin/Status": {},
    "Admin/Events": {"limit": 3},
    "Admin/Diagnose": {"placement": "p"},
}


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
        fields[path[0]] = put(fields.get(path[0]) or {},
                              path[1:], value, repeated)
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
    answer = answer_to(peer, method="/serried.v1.Admin/Statu")
    assert "Admin/Status" in answer.message, answer
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
        odd = {"Placement/Release": 5, "Cluster/SetHostState": 5,
               "Cluster/RemoveHosts": 5,
               "Worker/Join": 9, "Worker/Await": 9, "Worker/Leave": 9,
               "Worker/ReportPort": 9}
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
def what_a_refusal_shows_of_a_long_string_is_text():
    """Wherever it is cut: the second begins its letters at odd bytes."""
    peer = MADE.peer()
    for name, (type_name, _) in live.METHODS.items():
        for path, field in fields_of(type_name):
            if field.type != "string":
                continue
            for long in "é" * 2000, "a" + "é" * 2000, "a" + "𝄞" * 2000:
                orderly(peer, name,
                        put(GOOD[name], path, long, field.repeated))


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
        answer = refuses("INVALID_ARGUMENT", peer.ask, name, request)
        assert said in answer.message, answer


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


if __name__ == "__main__":
    with live.daemon() as MADE:
        live.main()
