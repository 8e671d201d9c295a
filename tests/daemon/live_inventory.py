# SPDX-License-Identifier: Apache-2.0
"""The inventory at scale: pages of lists, hosts that are removed, hosts that
are declared by the thousand, and crashes in the middle of it."""
import json
import random
import threading
import time

import live
from live import PLACE, RELEASE, key, refuses, same, test
from live_hosts import (APPLY_HOSTS, LIST_HOSTS, SET_STATE, declare, document,
                        host, hosts, mesh, place)

REMOVE = "Cluster/RemoveHosts"
LIST_PLACEMENTS = "Placement/ListPlacements"


def pages(peer, method, field, most=None, between=None, **fields):
    """All pages of a list. between(page): called behind each."""
    found, token = [], None
    if most:
        fields["page_size"] = most
    while True:
        more = {"page_token": token} if token else {}
        reply = peer.ask(method, **fields, **more)
        page = list(getattr(reply, field))
        found.append(page)
        token = reply.next_page_token
        if between:
            between(page)
        if not token:
            return found


def all_names(found):
    return [one.name for page in found for one in page]


def many(made, n, devices=1):
    """n hosts of a short entry, 100 a call."""
    peer = made.peer()
    for first in range(0, n, 100):
        last = min(n, first + 100) - 1
        peer.ask(APPLY_HOSTS, document=document(
            [{"name": f"n[{first}-{last}]", "devices": devices}]))
    return peer


# ---- pages ------------------------------------------------------------------

@test
def thirty_thousand_hosts_are_listed_in_pages():
    with live.daemon() as made:
        peer, n = many(made, 30000), 30000
        want = [f"n{i}" for i in range(n)]
        found = pages(peer, LIST_HOSTS, "hosts")
        assert 2 <= len(found) < 10, len(found)
        same(want, all_names(found))
        found = pages(peer, LIST_HOSTS, "hosts", most=1000)
        same([1000] * 30, [len(page) for page in found])
        same(want, all_names(found))
        listed = json.loads(live.serry(made, "host", "list", "-o", "json"))
        same(want, [h["name"] for h in listed["hosts"]])
        same(n + 1, live.serry(made, "get", "hosts").count("\n"))


@test
def pages_go_on_while_hosts_come_and_go():
    with live.daemon() as made:
        peer, other, turn = many(made, 1000), made.peer(), iter(range(100))

        def change(page):
            i = next(turn)
            if not page or i >= 8:
                return
            other.ask(REMOVE, names=[page[-1].name])  # that the token names
            other.ask(APPLY_HOSTS, document=document(
                [{"name": f"new{i}", "devices": 1}]))

        names = all_names(pages(peer, LIST_HOSTS, "hosts", most=100,
                                between=change))
        same(len(names), len(set(names)))
        same([f"n{i}" for i in range(1000)], [n for n in names if n[1] != "e"])
        same([f"new{i}" for i in range(8)], names[1000:])


@test
def named_hosts_come_in_pages_with_their_documents():
    with live.daemon() as made:
        peer = made.peer()
        entry = dict(labels={f"key{i}": "v" * 250 for i in range(64)})
        for first in range(0, 100, 20):
            peer.ask(APPLY_HOSTS, document=document(
                {"name": f"n{i}", "devices": 1, **entry}
                for i in range(first, first + 20)))
        names = [f"n{i}" for i in range(99, -1, -1)]
        found = pages(peer, LIST_HOSTS, "hosts", names=names)
        assert len(found) > 1, len(found)
        same(names, all_names(found))
        same(64, len(json.loads(found[-1][-1].document)["labels"]))
        same(34, len(pages(peer, LIST_HOSTS, "hosts", names=names, most=3)))


@test
def placements_and_declarations_come_in_pages_too():
    with live.daemon() as made:
        peer = made.peer()
        want = sorted(f"p{i}" for i in range(30))
        for name in want:
            place(peer, name, 2)
        for most, n in (7, 5), (30, 1), (29, 2), (1, 30), (None, 1):
            found = pages(peer, LIST_PLACEMENTS, "placements", most=most)
            same((n, want), (len(found), all_names(found)))
        peer.ask(RELEASE, name="p14")
        after = peer.ask(LIST_PLACEMENTS, page_token="p:p14", page_size=1)
        same("p15", after.placements[0].name)
        for kind in "model", "runtime":
            ask = dict(field="declarations", kind=kind)
            whole = all_names(pages(peer, "Catalog/ListDeclarations", **ask))
            same(whole, sorted(whole))
            same(whole, all_names(pages(peer, "Catalog/ListDeclarations",
                                        most=2, **ask)))


@test
def a_token_that_no_page_had_is_refused():
    with live.daemon() as made:
        peer = declare(made, 3)
        place(peer, "p", 2)
        token = peer.ask(LIST_HOSTS, page_size=1).next_page_token
        wrong = ["x", "h", "h:", ":", "h:x", "h:1", "h:1 ", "h:-1 a", "h:1 a/b",
                 "h: 1 a", "h:4294967296 a", "h:99999999999999999999 a",
                 "n:1", "p:p", "h:1 " + "a" * 300, "h" * 70000, "h:1\ta"]
        for one in wrong:
            assert "page_token" in refuses("INVALID_ARGUMENT", peer.ask,
                                           LIST_HOSTS, page_token=one).message
        named = ["node0", "node1"]
        for one in [token, "n:3", "n:-1", "n:", "n:1x", "n:0x1", "n:+1"]:
            refuses("INVALID_ARGUMENT", peer.ask, LIST_HOSTS, names=named,
                    page_token=one)
        for one in [token, "d:a", "p:", "p"]:
            refuses("INVALID_ARGUMENT", peer.ask, LIST_PLACEMENTS,
                    page_token=one)
        noise = random.Random(7)
        for _ in range(200):
            text = token[:noise.randrange(5)] + "".join(
                chr(noise.randrange(1, 0x300)) for _ in range(9))
            live.orderly(peer, LIST_HOSTS, {"page_token": text})
        # behind the last host there is nothing
        same(0, len(peer.ask(LIST_HOSTS, page_token="h:4294967295 z").hosts))
        same(3, len(peer.ask(LIST_HOSTS, page_size=4294967295).hosts))


@test
def what_holds_a_host_is_counted_and_the_first_are_named():
    with live.daemon() as made:
        peer = declare(made, 1)
        names = sorted(f"p{i:03}" for i in range(100))
        for name in names:
            place(peer, name, 2, shared=True)
        for reply in (peer.ask(LIST_HOSTS),
                      peer.ask(SET_STATE, names=["node0"], state="drained")):
            same((100, names[:32]), (reply.hosts[0].all_placements,
                                     list(reply.hosts[0].placements)))
        said = live.serry(made, "host", "drain", "node0", "--why", "x")
        assert "p031; place" in said and "68 more of node0" in said, said


# ---- removing ---------------------------------------------------------------

@test
def hosts_are_removed_and_stay_removed():
    with live.daemon() as made:
        peer = declare(made, 12)
        position = peer.ask("Admin/Status").position
        once = key()
        for _ in range(2):  # the second is answered, not done
            reply = peer.ask(REMOVE, names=["node3", "node0"],
                             idempotency_key=once)
            same(["node3", "node0"], list(reply.names))
        refuses("NOT_FOUND", peer.ask, REMOVE, names=["node3"])
        refuses("NOT_FOUND", peer.ask, REMOVE, names=["node1", "nobody"])
        changes = peer.ask("Placement/Watch", after=position, wait_ms=5000)
        same([("host removed", "node3"), ("host removed", "node0")],
             [(e.what, e.subject) for e in changes.events])
        left = [f"node{i}" for i in range(12) if i not in (0, 3)]
        for how in None, "kill", "stop":
            if how:
                made.restart(how)
            peer = made.peer()
            same(left, list(hosts(peer)))
            refuses("NOT_FOUND", peer.ask, LIST_HOSTS, names=["node0"])
            peer.ask(REMOVE, names=["node3", "node0"], idempotency_key=once)
        # its devices are free for another, and a new one starts anew
        peer.ask(APPLY_HOSTS, document=document(
            [{"name": "other", "devices": [{"uuid": "GPU-0-0"}]}, host(3)]))
        same(("ready", ""), (hosts(peer)["node3"].state,
                             hosts(peer)["node3"].why))
        place(peer, "p", 11 * 8 + 1)


@test
def a_host_that_a_placement_holds_is_not_removed():
    with live.daemon() as made:
        peer = declare(made, 3)
        place(peer, "p", 8, links={"dp_shard": "nvlink"})
        place(peer, "q", 8, links={"dp_shard": "nvlink"})
        holds = {h.name: list(h.placements) for h in hosts(peer).values()}
        same({"node0": ["p"], "node1": ["q"], "node2": []}, holds)
        said = refuses("FAILED_PRECONDITION", peer.ask, REMOVE,
                       names=["node2", "node1"]).message
        assert "node1" in said and "q holds" in said, said
        same(3, len(hosts(peer)))  # all or none
        peer.ask(SET_STATE, names=["node1"], state="drained")
        refuses("FAILED_PRECONDITION", peer.ask, REMOVE, names=["node1"])
        place(peer, "q", 8, links={"dp_shard": "nvlink"})
        peer.ask(REMOVE, names=["node1"])
        same(["node0", "node2"], list(hosts(peer)))
        same("q", hosts(peer)["node2"].placements[0])
        peer.ask(RELEASE, name="p")
        peer.ask(REMOVE, names=["node0"])
        made.restart("kill")
        peer = made.peer()
        same(["node2"], list(hosts(peer)))
        same("node2", peer.ask("Worker/GetAssignment", placement="q",
                               rank=0).binding.host)


@test
def a_bad_removal_is_refused():
    with live.daemon() as made:
        peer = declare(made, 2)
        for names in [], ["node0", "node0"], [f"n{i}" for i in range(101)]:
            refuses("INVALID_ARGUMENT", peer.ask, REMOVE, names=names)
        refuses("NOT_FOUND", peer.ask, REMOVE, names=[""])
        refuses("NOT_FOUND", peer.ask, REMOVE, names=["node[0-1]"])
        same(2, len(hosts(peer)))


@test
def removing_and_placing_at_once_leaves_no_rank_nowhere():
    with live.daemon() as made:
        for turn in range(20):
            peer = declare(made, 1)
            other = made.peer()
            peers = [(other, PLACE, {"document": {"text": json.dumps({
                "deployment": "p", "runtime": "torchtitan", "world": 2,
                "sizes": {"dp_shard": 2}})}}),
                (peer, REMOVE, {"names": ["node0"]})]
            for one, method, fields in peers[::1 if turn % 2 else -1]:
                one.send(method, fields)
            placed, removed = [live.STATUSES[p.receive().status]
                               for p, _, _ in peers]
            bound = (placed == "OK" and "binding" in json.loads(
                other.ask("Placement/GetPlacement", name="p").verdict_json))
            assert not (bound and removed == "OK"), (placed, removed)
            if placed == "OK":
                other.ask(RELEASE, name="p")
            made.close_peers()


@test
def names_of_removed_hosts_take_no_memory_for_ever():
    with live.daemon() as made:
        peer = made.peer()

        def turn(number):
            for first in range(0, 2000, 100):
                names = [f"h{number}x{i}" for i in range(first, first + 100)]
                peer.ask(APPLY_HOSTS, document=document(
                    {"name": name, "devices": 8} for name in names))
                peer.ask(REMOVE, names=names)

        for number in range(3):
            turn(number)
        before = made.rss_kib()
        for number in range(3, 12):
            turn(number)
        grown = made.rss_kib() - before
        live.say(f"18,000 hosts that came and went left {grown} KiB")
        if not live.SANITIZED:
            assert grown < 4096, grown


# ---- held devices -----------------------------------------------------------

@test
def a_device_that_is_held_does_not_become_another():
    with live.daemon() as made:
        peer = declare(made, 1)
        place(peer, "p", 2)
        place(peer, "q", 2)

        def apply(devices):
            return peer.ask(APPLY_HOSTS,
                            document=document([host(0, devices=0) |
                                               {"devices": devices}]))

        devices = host(0)["devices"]
        said = refuses("FAILED_PRECONDITION", apply, devices[:3]).message
        assert "device 3" in said and "held by q" in said, said
        said = refuses("FAILED_PRECONDITION", apply, devices[1:]).message
        assert "device 0" in said and "held by p" in said, said
        swapped = [dict(d, uuid="GPU-new") if d["index"] == 2 else d
                   for d in devices]
        said = refuses("FAILED_PRECONDITION", apply, swapped).message
        assert "device 2" in said and "GPU-0-2" in said and "q" in said, said
        apply([dict(d, uuid="GPU-new") if d["index"] == 7 else d
               for d in devices])  # nobody's
        same("GPU-0-2", peer.ask("Worker/GetAssignment", placement="q",
                                 rank=0).binding.device)


# ---- many at once -----------------------------------------------------------

@test
def hosts_are_declared_one_by_one_and_all_at_once_alike():
    with live.daemon() as made:
        peer = made.peer()
        for i in range(2048):
            peer.ask(APPLY_HOSTS, document=document([host(i)]), first_index=i)
        one_by_one = {h.name: h.index for h in hosts(peer).values()}
        text = json.dumps({"hosts": [host(i) for i in range(2048)]})
        said = live.serry(made, "host", "apply", "-f", "-", "--first", "0",
                          text=text)
        assert "2048 declared, 0 of them changed" in said, said
        same(one_by_one, {h.name: h.index for h in hosts(peer).values()})
        place(peer, "p", 2048 * 8, links={"dp_shard": "any"})


@test
def a_crash_while_hosts_are_declared_loses_none_that_was_answered():
    with live.daemon() as made:
        answered, text = [], json.dumps(
            {"hosts": [host(i) for i in range(8192)]})

        def apply():
            peer = made.peer()
            try:
                for first in range(0, 8192, 64):
                    names = peer.ask(
                        APPLY_HOSTS, first_index=first, document=document(
                            host(i) for i in range(first, first + 64))).names
                    answered.extend(names)
            except (OSError, live.Gone):
                pass

        thread = threading.Thread(target=apply)
        thread.start()
        while len(answered) < 1000:
            assert thread.is_alive()
            time.sleep(0.005)
        made.kill()
        thread.join()
        made.close_peers()
        made.start()
        there = all_names(pages(made.peer(), LIST_HOSTS, "hosts"))
        assert set(answered) <= set(there), set(answered) - set(there)
        same(0, len(there) % 64)  # each call whole or not at all
        said = live.serry(made, "host", "apply", "-f", "-", "--first", "0",
                          text=text)
        changed = 8192 - len(there)
        assert f"8192 declared, {changed} of them changed" in said, said
        same([f"node{i}" for i in range(8192)],
             all_names(pages(made.peer(), LIST_HOSTS, "hosts")))


@test
def a_uuid_of_two_hosts_is_refused_whichever_way_it_comes():
    with live.daemon() as made:
        peer = declare(made, 300, devices=2)
        twice = dict(host(900, 2), devices=[{"uuid": "GPU-250-1"}])
        said = refuses("FAILED_PRECONDITION", peer.ask, APPLY_HOSTS,
                       document=document([twice])).message
        assert "GPU-250-1" in said and "node250" in said, said
        refuses("INVALID_ARGUMENT", peer.ask, APPLY_HOSTS, document=document(
            [twice, dict(twice, name="node901")]))
        peer.ask(REMOVE, names=["node250"])
        peer.ask(APPLY_HOSTS, document=document([twice]))
        refuses("FAILED_PRECONDITION", peer.ask, APPLY_HOSTS,
                document=document([host(250, 2)]))


@test
def a_store_in_which_a_uuid_is_twice_is_told_and_can_be_mended():
    with live.daemon() as made:
        declare(made, 2, devices=1)

        def twice():
            made.forge(node1=lambda body: body.replace(b"GPU-1-0",
                                                       b"GPU-0-0"))

        twice()
        said = refuses("INTERNAL", made.peer().ask, LIST_HOSTS).message
        assert "UUID" in said, said
        refuses("INTERNAL", place, made.peer(), "p", 1)
        for evict in False, True:  # as placing it would
            refuses("INTERNAL", made.peer().ask, "Placement/Check", bind=True,
                    evict=evict, document=mesh("p", 1, {"dp_shard": 1}))
        report = json.loads(made.peer().ask("Admin/Diagnose").report_json)
        same((False, "host.unreadable", said), (
            report["healthy"], report["findings"][0]["code"],
            report["findings"][0]["what"]))
        made.peer().ask(APPLY_HOSTS, document=document([host(1, 1)]))
        place(made.peer(), "p", 2)
        # or without the host
        made.peer().ask(RELEASE, name="p")
        twice()
        refuses("INTERNAL", place, made.peer(), "p", 1)
        made.peer().ask(REMOVE, names=["node1"])
        same(["node0"], list(hosts(made.peer())))


@test
def large_hosts_are_bounded():
    with live.daemon() as made:
        peer = made.peer()

        def refused(status, **entry):
            return refuses(status, peer.ask, APPLY_HOSTS, document=document(
                [dict({"name": "a"}, **entry)])).message

        for devices in 1000, [{"index": i} for i in range(1000)]:
            assert "256" in refused("INVALID_ARGUMENT", devices=devices)
        labels = {f"k{i}": "v" * 100 for i in range(5000)}
        assert "64" in refused("INVALID_ARGUMENT", labels=labels)
        assert "256 bytes" in refused("INVALID_ARGUMENT",
                                      labels={"k": "v" * 1000000})
        assert "bytes" in refused("INVALID_ARGUMENT",
                                  labels={"k" * 900000: "v"})
        names = [f"n{i:0{w}}" for w in (1, 2, 3) for i in (1, 2, 10)]
        peer.ask(APPLY_HOSTS, document={"text": json.dumps(
            {"order": "names", "hosts": [{"name": n} for n in set(names)]})})
        same(["n001", "n01", "n1", "n002", "n02", "n2", "n010", "n10"],
             list(hosts(peer)))


if __name__ == "__main__":
    live.main()
