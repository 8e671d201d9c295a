# SPDX-License-Identifier: Apache-2.0
"""Hosts, devices and what is bound to them, over the wire."""
import json
import time

import live
from live import PLACE, RELEASE, events, key, refuses, same, say, test
from live_hosts import (APPLY_HOSTS, LIST_HOSTS, SET_STATE, binding, declare,
                        devices, document, host, hosts, mesh, place, verdict)
from live_worker import Worker


# ---- inventory --------------------------------------------------------------

@test
def hosts_are_declared_listed_and_kept_over_a_crash():
    with live.daemon() as made:
        peer = made.peer()
        declared = [host(66, labels={"zone": "a", "feature/x": "yes"}),
                    host(7), host(1)]
        reply = peer.ask(APPLY_HOSTS, document=document(declared),
                         idempotency_key=key())
        same(["node66", "node7", "node1"], list(reply.names))
        same([True] * 3, list(reply.changed))
        peer.ask(SET_STATE, names=["node7"], state="drained", why="ECC errors")
        for how in (None, "kill", "stop"):
            if how:
                made.restart(how)
            listed = made.peer().ask(LIST_HOSTS).hosts
            same(["node66", "node7", "node1"], [h.name for h in listed])
            told = made.peer().ask(LIST_HOSTS, names=[h.name for h in listed])
            same(declared, [json.loads(h.document) for h in told.hosts])
            same([0, 1, 2], [h.index for h in listed])
            same(["ready", "drained", "ready"], [h.state for h in listed])
            same("ECC errors", listed[1].why)
            assert "uid" in listed[1].who and listed[1].since_ms > 0, listed[1]
            same((8, 8, "node7", "rack1"),
                 (listed[1].devices, listed[1].free, listed[1].domain,
                  listed[1].rack))


@test
def declaring_again_changes_nothing_and_keeps_a_state():
    with live.daemon() as made:
        peer = declare(made, 2)
        peer.ask(SET_STATE, names=["node1"], state="cordoned", why="new disk")
        seen = hosts(peer)["node1"].revision
        reply = peer.ask(APPLY_HOSTS, document=document([host(0), host(1)]))
        same([False, False], list(reply.changed))
        same(("cordoned", seen), (hosts(peer)["node1"].state,
                                  hosts(peer)["node1"].revision))
        reply = peer.ask(APPLY_HOSTS,
                         document=document([host(0), host(1, rack="far")]))
        same([False, True], list(reply.changed))
        same(("cordoned", "far"), (hosts(peer)["node1"].state,
                                   hosts(peer)["node1"].rack))
        peer.ask(SET_STATE, names=["node1"], state="ready")
        same(("ready", ""), (hosts(peer)["node1"].state,
                             hosts(peer)["node1"].why))


@test
def a_new_state_is_answered_with_its_own_revision():
    with live.daemon() as made:
        peer = declare(made, 2)
        mine = key()
        before = hosts(peer)["node0"].revision
        peer.ask(SET_STATE, names=["node0"], state="drained")

        def revisions():
            reply = peer.ask(SET_STATE, names=["node0", "node1"],
                             state="drained", idempotency_key=mine)
            return [h.revision for h in reply.hosts]

        answered = revisions()
        same([hosts(peer)[n].revision for n in ("node0", "node1")], answered)
        assert before < answered[0] < answered[1], (before, answered)
        same(answered, revisions())
        made.restart("kill")
        peer = made.peer()
        same(answered, revisions())


@test
def every_change_of_a_host_is_an_event():
    with live.daemon() as made:
        peer = declare(made, 1)
        for state in ("cordoned", "drained", "down", "ready"):
            peer.ask(SET_STATE, names=["node0"], state=state, why="because")
        for why in "because", "its fan", "its fan":  # which is no change
            peer.ask(SET_STATE, names=["node0"], state="ready", why=why)
        same("its fan", hosts(peer)["node0"].why)
        found = [(e.what, e.subject, e.detail) for e in events(peer)]
        same([("host declared", "node0", "")] +
             [("host " + s, "node0", "because")
              for s in ("cordoned", "drained", "down", "ready")] +
             [("host ready", "node0", "its fan")], found)


@test
def what_cannot_be_declared_is_refused():
    with live.daemon() as made:
        peer = declare(made, 2)

        def refused(status, *given, **more):
            return refuses(status, peer.ask, APPLY_HOSTS,
                           document=document(given), **more).message

        stolen = dict(host(9), devices=[{"uuid": "GPU-0-0"}])
        assert "GPU-0-0" in refused("FAILED_PRECONDITION", stolen)
        assert "twice" in refused("INVALID_ARGUMENT", host(3), host(3))
        assert "colour" in refused("INVALID_ARGUMENT",
                                   dict(host(3), colour="red"))
        assert "100" in refused("RESOURCE_EXHAUSTED",
                                {"name": "n[0-100]", "devices": 1})
        refuses("INVALID_ARGUMENT", peer.ask, APPLY_HOSTS)
        refuses("INVALID_ARGUMENT", peer.ask, APPLY_HOSTS,
                document={"text": "{}"})
        assert "node0" in refuses("NOT_FOUND", peer.ask, SET_STATE,
                                  names=["node00"], state="down").message
        refuses("NOT_FOUND", peer.ask, LIST_HOSTS, names=["node9"])
        same("rack0", json.loads(peer.ask(LIST_HOSTS, names=["node1"])
                                 .hosts[0].document)["rack"])
        refuses("INVALID_ARGUMENT", peer.ask, SET_STATE, names=["node0"],
                state="tired")
        refuses("INVALID_ARGUMENT", peer.ask, SET_STATE, names=[],
                state="down")
        refuses("INVALID_ARGUMENT", peer.ask, SET_STATE, state="down",
                names=["node0", "node0"])
        same({"node0": "ready", "node1": "ready"},
             {h.name: h.state for h in hosts(peer).values()})


@test
def hosts_of_several_calls_fit_together():
    with live.daemon() as made:
        peer = made.peer()

        def apply(*given):
            return peer.ask(APPLY_HOSTS, document=document(given))

        def refused(status, *given):
            return refuses(status, apply, *given).message

        apply({"name": "a", "own_domain": True, "devices": [{"uuid": "U1"}]},
              {"name": "b", "domain": "rail", "devices": [{"uuid": "U2"}]})
        assert "own" in refused("FAILED_PRECONDITION",
                                {"name": "c", "domain": "a", "devices": 1})
        assert "own" in refused("FAILED_PRECONDITION", {
            "name": "c", "devices": [{"domain": "a"}]})
        assert "b" in refused("FAILED_PRECONDITION", {
            "name": "rail", "own_domain": True, "devices": 1})
        # devices that change places are known where they are now
        apply({"name": "a", "own_domain": True, "devices": [{"uuid": "U2"}]},
              {"name": "b", "devices": [{"uuid": "U1"}]})
        apply({"name": "rail", "own_domain": True, "devices": 1})
        for uuid, owner in ("U2", "a"), ("U1", "b"):
            said = refused("FAILED_PRECONDITION",
                           {"name": "d", "devices": [{"uuid": uuid}]})
            assert f"one of {owner} " in said, said
        same(["a", "b", "rail"], list(hosts(peer)))
        place(peer, "x", 2)


@test
def devices_of_all_calls_are_counted():
    with live.daemon() as made:
        peer = made.peer()
        for first in range(0, 4000, 100):
            peer.ask(APPLY_HOSTS, document=document([
                {"name": f"n[{first}-{first + 99}]", "devices": 256}]))
        said = refuses("RESOURCE_EXHAUSTED", peer.ask, APPLY_HOSTS,
                       document=document([{"name": "n[4000-4099]",
                                           "devices": 256}])).message
        assert "1048576" in said, said
        peer.ask(APPLY_HOSTS, document=document([
            {"name": "n[4000-4095]", "devices": 256}]))
        peer.ask(APPLY_HOSTS, document=document([
            {"name": "n[0-99]", "devices": 256, "rack": "r"}]))
        same(4096, len(hosts(peer)))


@test
def what_is_said_of_all_hosts_is_bounded():
    with live.daemon() as made:
        peer, n = made.peer(), 0

        def apply(first):
            return peer.ask(APPLY_HOSTS, document=document(
                {"name": f"n{h}", "devices": [
                    {"model": "m" * 256, "domain": "d" * 256, "numa": 0}
                    for _ in range(256)]} for h in range(first, first + 6)))

        while n * 140000 < 64 << 20:
            apply(n)
            n += 6
        said = refuses("RESOURCE_EXHAUSTED", lambda: [
            apply(first) for first in range(n, n + 120, 6)]).message
        assert str(64 << 20) in said, said
        apply(0)  # what is there may be declared again
        place(peer, "x", 2)


@test
def two_calls_that_declare_one_device_at_once():
    with live.daemon() as made:
        peers = [made.peer() for _ in range(8)]
        for i, peer in enumerate(peers):
            peer.send(APPLY_HOSTS, {"document": document([
                {"name": f"h{i}", "devices": [{"uuid": "U1"}]}])})
        found = [live.STATUSES[peer.receive().status] for peer in peers]
        same(1, found.count("OK"))
        assert set(found) <= {"OK", "ABORTED", "FAILED_PRECONDITION"}, found
        same(1, len(hosts(made.peer())))


@test
def a_placement_takes_nothing_that_another_call_takes_away():
    with live.daemon() as made:
        peer, other = declare(made, 1), made.peer()
        for method, fields in (
                (APPLY_HOSTS, {"document": document([host(0, 4)])}),
                (SET_STATE, {"names": ["node0"], "state": "drained"})):
            for _ in range(10):
                peer.send(method, fields)
                other.send(PLACE, {"document": mesh("x", 8, {"dp_shard": 8})})
                ended = [live.STATUSES[p.receive().status]
                         for p in (peer, other)]
                assert method == SET_STATE or ended.count("OK") == 1, ended
                if ended[1] == "OK":  # it came first
                    same(["x"], list(hosts(peer)["node0"].placements))
                    peer.ask(RELEASE, name="x")
                else:
                    same("OK", ended[0])
                peer.ask(APPLY_HOSTS, document=document([host(0)]))
                peer.ask(SET_STATE, names=["node0"], state="ready")
        assert not [e for e in events(peer) if "invariant" in e.what]


@test
def devices_that_are_held_may_not_vanish():
    with live.daemon() as made:
        peer = declare(made, 1)
        place(peer, "p", 8)
        message = refuses("FAILED_PRECONDITION", peer.ask, APPLY_HOSTS,
                          document=document([host(0, 4)])).message
        assert "held by p" in message, message
        peer.ask(RELEASE, name="p")
        peer.ask(APPLY_HOSTS, document=document([host(0, 4)]))
        same(4, hosts(peer)["node0"].devices)


# ---- binding ----------------------------------------------------------------

@test
def nothing_is_bound_without_hosts_or_where_it_is_not_wanted():
    with live.daemon() as made:
        peer = made.peer()
        place(peer, "before", 4)
        assert "binding" not in verdict(peer, "before")
        declare(made, 1)
        place(peer, "unbound", 64, bind=False)
        assert "binding" not in verdict(peer, "unbound")
        same(8, hosts(peer)["node0"].free)
        assignment = peer.ask("Worker/GetAssignment", placement="unbound",
                              rank=3)
        same("", assignment.binding.host)


@test
def ranks_are_bound_and_the_answer_says_how_groups_lie():
    with live.daemon() as made:
        peer = declare(made, 4)
        reply = place(peer, "p", 32, {"dp_shard": 4, "tp": 8},
                      links={"tp": "nvlink"})
        for said in (json.loads(reply.verdict_json)["binding"],
                     binding(peer, "p")):
            same(4, said["hosts"])
            tp, dp = said["axes"]["tp"], said["axes"]["dp_shard"]
            same(("nvlink", 4, 4), (tp["wants"], tp["groups"], tp["inside"]))
            same({"nvlink": 4, "host": 0, "block": 0, "any": 0},
                 tp["joined_by"])
            same((8, {"nvlink": 0, "host": 0, "block": 8, "any": 0}),
                 (dp["groups"], dp["joined_by"]))
        same([(f"node{i // 8}", i % 8) for i in range(32)],
             devices(peer, "p"))
        same([0] * 4, [h.free for h in hosts(peer).values()])
        same(["p"], list(hosts(peer)["node2"].placements))
        for rank in (0, 13, 31):
            at = peer.ask("Worker/GetAssignment", placement="p",
                          rank=rank).binding
            same((f"node{rank // 8}", [f"10.0.0.{rank // 8 + 1}"],
                  f"GPU-{rank // 8}-{rank % 8}",
                  f"0000:{rank % 8 + 16:02x}:00.0", rank % 8, rank % 8 // 4,
                  rank % 8, 8, rank // 8, 4,
                  [f"GPU-{rank // 8}-{i}" for i in range(8)]),
                 (at.host, list(at.address), at.device, at.pci, at.index,
                  at.numa, at.local_rank, at.local_world_size, at.group_rank,
                  at.hosts,
                  list(at.local_devices)))


@test
def the_answer_is_looked_at_afresh_when_hosts_are_declared_otherwise():
    with live.daemon() as made:
        peer = declare(made, 2)
        place(peer, "p", 16, {"dp_shard": 2, "tp": 8}, links={"tp": "nvlink"})
        halves = [dict(d, domain=f"half{i // 4}")
                  for i, d in enumerate(host(1)["devices"])]
        other = {k: v for k, v in host(1).items() if k != "own_domain"}
        peer.ask(APPLY_HOSTS, document=document([dict(other, devices=halves)]))
        tp = binding(peer, "p")["axes"]["tp"]
        same((2, 1, {"nvlink": 1, "host": 1, "block": 0, "any": 0}),
             (tp["groups"], tp["inside"], tp["joined_by"]))


@test
def node_groups_get_as_many_ranks_and_devices_as_they_count():
    with live.daemon() as made:
        peer = declare(made, 2, 4)
        served = {"text": json.dumps({
            "deployment": "s", "model": "cosmos3", "max_seq_len": 1024,
            "links": {"tp": "host", "sp": "any"}, "node_groups": [
                {"node_names": ["dit"], "count": 8, "tp_size": 4,
                 "sp_size": 2},
                {"node_names": ["vae_encoder", "vae_decoder",
                                "audio_decoder"], "count": 1}]})}
        never = refuses("FAILED_PRECONDITION", peer.ask, PLACE,
                        document=served)
        assert "9 devices are wanted, and 8 that fit" in never.message, never
        same([8, 0], [sum(h.free for h in hosts(peer).values()),
                      len(peer.ask("Placement/ListPlacements").placements)])
        peer.ask(APPLY_HOSTS, document=document([host(2, 4)]))
        peer.ask(PLACE, document=served)
        same([("node0", i) for i in range(4)] + [("node1", i) for i in range(4)]
             + [("node2", 0)], devices(peer, "s"))
        axes = binding(peer, "s")["axes"]
        same((2, 2, "host"), (axes["tp"]["groups"], axes["tp"]["inside"],
                              axes["tp"]["wants"]))
        same(4, axes["sp"]["groups"])


@test
def the_order_of_declaring_makes_no_difference():
    found = []
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        with live.daemon() as made:
            peer = made.peer()
            for i in order:
                peer.ask(APPLY_HOSTS, first_index=i,
                         document=document([host(i)]))
            place(peer, "a", 12, {"dp_shard": 3, "tp": 4})
            place(peer, "b", 8)
            found.append((devices(peer, "a"), devices(peer, "b")))
    same(found[0], found[1])


@test
def the_three_refusals_are_told_apart():
    with live.daemon() as made:
        peer = declare(made, 2)
        never = refuses("FAILED_PRECONDITION", place, peer, "p", 64)
        assert "place.never" in never.message, never.message
        place(peer, "holder", 12, {"dp_shard": 12})
        not_now = refuses("RESOURCE_EXHAUSTED", place, peer, "p", 8)
        assert "place.not_now" in not_now.message, not_now.message
        assert "holder" in not_now.message, not_now.message
        peer.ask(APPLY_HOSTS, document=document([{"name": "bare"}]))
        place(peer, "rest", 4)
        not_declared = refuses("FAILED_PRECONDITION", place, peer, "p", 24)
        assert "place.not_declared" in not_declared.message, not_declared
        assert not_declared.message.endswith(" for bare"), not_declared
        same(["bare"], json.loads(not_declared.details[0].json)["binding"]
             ["without_devices"])
        findings = json.loads(not_now.details[0].json)
        same("refuse", findings["verdict"])
        same("place.not_now", findings["findings"][0]["code"])
        same([{"placement": "holder", "devices": 12}],
             findings["binding"]["holders"])
        peer.ask(SET_STATE, names=["node0"], state="cordoned")
        peer.ask(RELEASE, name="holder")
        refuses("RESOURCE_EXHAUSTED", place, peer, "p", 12)
        peer.ask(SET_STATE, names=["node0"], state="ready")
        place(peer, "p", 12)


@test
def two_placements_that_fight_for_the_last_devices():
    with live.daemon() as made:
        peer = declare(made, 1)
        fighters = [made.peer() for _ in range(8)]
        for i, fighter in enumerate(fighters):
            fighter.send(PLACE, {"document": mesh(f"p{i}", 4,
                                                  {"dp_shard": 4})})
        answers = [live.STATUSES[f.receive().status] for f in fighters]
        same({"OK": 2, "RESOURCE_EXHAUSTED": 6},
             {s: answers.count(s) for s in answers})
        taken = [d for i, a in enumerate(answers) if a == "OK"
                 for d in devices(peer, f"p{i}")]
        same([("node0", i) for i in range(8)], sorted(taken))


@test
def shared_devices_are_only_those_of_shared_placements():
    with live.daemon("--audit-ms", "100ms") as made:
        peer = declare(made, 1)
        place(peer, "a", 8, shared=True)
        place(peer, "b", 8, shared=True)
        same(devices(peer, "a"), devices(peer, "b"))
        time.sleep(0.5)  # some looks at what must hold
        refuses("RESOURCE_EXHAUSTED", place, peer, "c", 8)
        peer.ask(RELEASE, name="a")
        refuses("RESOURCE_EXHAUSTED", place, peer, "c", 8)
        peer.ask(RELEASE, name="b")
        place(peer, "c", 8)
        refuses("RESOURCE_EXHAUSTED", place, peer, "a", 8, shared=True)
        same([], [e for e in events(peer) if "invariant" in e.what])


@test
def bindings_and_occupancy_outlive_a_crash():
    with live.daemon() as made:
        peer = declare(made, 4)
        place(peer, "p", 16, {"dp_shard": 2, "tp": 8})
        place(peer, "q", 4)
        before = devices(peer, "p"), devices(peer, "q")
        free = [h.free for h in hosts(peer).values()]
        for how in ("kill", "stop"):
            made.restart(how)
            peer = made.peer()
            same(before, (devices(peer, "p"), devices(peer, "q")))
            same(free, [h.free for h in hosts(peer).values()])
        refuses("RESOURCE_EXHAUSTED", place, peer, "r", 16)
        place(peer, "r", 12)
        for name in "pqr":
            peer.ask(RELEASE, name=name)
        same([8] * 4, [h.free for h in hosts(peer).values()])
        same([], [e for e in events(peer) if "invariant" in e.what])


def give_away_twice(made):
    """A daemon that starts with a state in which node0 has two placements."""
    peer = declare(made, 2)
    place(peer, "p", 8)
    place(peer, "q", 8)
    made.forge(q=lambda body: body.replace(b"node1", b"node0"))
    return made.peer()


@test
def a_start_looks_at_what_must_hold_before_it_serves():
    with live.daemon("--audit-ms", "3600s") as made:
        give_away_twice(made)
        log = open(made.log).read()
        assert "error invariant broken" in log.split("info ready")[-2], log


@test
def a_device_that_one_placement_has_twice_or_nobody_declared_is_told():
    for name, said in (b"node0", "of node0 has two of its ranks"), (
            b"node9", "device 0 of node9 is not declared"):
        with live.daemon("--audit-ms", "3600s") as made:
            place(declare(made, 2), "p", 16)
            made.forge(p=lambda body: body.replace(b"node1", name))
            assert said in open(made.log).read(), open(made.log).read()
            made.peer().ask(RELEASE, name="p")


@test
def a_device_of_two_placements_is_found_and_told():
    with live.daemon("--audit-ms", "100ms") as made:
        peer = give_away_twice(made)
        until = time.monotonic() + 5
        while not any("invariant" in e.what for e in events(peer)):
            assert time.monotonic() < until, "nobody says so"
            time.sleep(0.05)
        told = [e for e in events(peer) if "invariant" in e.what]
        assert "of node0 is held too by" in told[0].detail, told[0]
        # 8 devices a look: the start's, and more than one of the timer
        while open(made.log).read().count("error invariant broken") < 4 * 8:
            assert time.monotonic() < until + 10, "it looks no more"
            time.sleep(0.05)
        same(1, sum("invariant" in e.what for e in events(peer)))
        peer.ask(RELEASE, name="q")


@test
def a_boot_says_where_it_waits_for_whom():
    with live.daemon("--boot-ms", "1s") as made:
        peer = declare(made, 2)
        place(peer, "p", 16, {"dp_shard": 2, "tp": 8})
        assignment = peer.ask("Worker/GetAssignment", placement="p", rank=9)
        worker = {"placement": "p", "generation": assignment.generation,
                  "rank": 9, "incarnation": 1}
        peer.ask("Worker/Join", worker, address="elsewhere",
                 digest=assignment.digest,
                 list_digests=assignment.list_digests,
                 sequence_digest=assignment.sequence_digest)
        reply = peer.ask("Worker/Await", worker, wait_ms=0)
        same(("10.0.0.1", ["node0", "node1"], 15),
             (reply.master_address, list(reply.missing_hosts),
              len(reply.missing)))
        late = refuses("DEADLINE_EXCEEDED", peer.ask, "Worker/Await", worker,
                       wait_ms=20000)
        assert "on node0, node1 of 16 did not join" in late.message, late


@test
def check_says_where_ranks_would_be_and_takes_nothing():
    with live.daemon() as made:
        peer = declare(made, 1)

        def would(*given, **more):
            reply = peer.ask("Placement/Check", bind=True,
                             document=mesh(*given, **more))
            return json.loads(reply.verdict_json).get("binding")

        same(1, would("p", 8, {"dp_shard": 8})["hosts"])
        same(8, hosts(peer)["node0"].free)
        said = would("p", 16, {"dp_shard": 16})
        same(("place.never", 16), (said["refused"]["code"], said["wanted"]))
        place(peer, "p", 8)
        same(0, would("p", 8, {"dp_shard": 8})["moves"]["ranks"])
        said = would("q", 4, {"dp_shard": 4})
        same([{"placement": "p", "devices": 8}], said["holders"])
        same(None, would("q", 4, {"dp_shard": 4}, bind=False))
        job = {"deployment": "h", "runtime": "halo", "world": 8}
        asked = {"document": {"text": json.dumps(job)}, "up_to": "config"}
        assert peer.ask("Placement/Check", **asked).accepts
        assert "layers" in refuses("INVALID_ARGUMENT", peer.ask,
                                   "Placement/Check", bind=True,
                                   **asked).message


# ---- lifecycle --------------------------------------------------------------

@test
def placing_anew_moves_only_the_ranks_of_hosts_that_failed():
    with live.daemon() as made:
        peer = declare(made, 5)
        place(peer, "p", 32, {"dp_shard": 4, "tp": 8}, links={"tp": "host"})
        before = devices(peer, "p")
        peer.ask(SET_STATE, names=["node4"], state="cordoned")
        peer.ask(SET_STATE, names=["node4"], state="ready")
        reply = peer.ask(SET_STATE, names=["node1"], state="down", why="fire")
        same(["p"], list(reply.hosts[0].placements))
        place(peer, "p", 32, {"dp_shard": 4, "tp": 8}, links={"tp": "host"})
        after = devices(peer, "p")
        same([(f"node{4 if i // 8 == 1 else i // 8}", i % 8)
              for i in range(32)], after)
        same(8, sum(a != b for a, b in zip(before, after)))
        same([], list(hosts(peer)["node1"].placements))


@test
def ranks_stay_on_cordoned_hosts_and_new_ones_do_not_come():
    with live.daemon() as made:
        peer = declare(made, 3)
        place(peer, "p", 8)
        same("node0", devices(peer, "p")[0][0])
        peer.ask(SET_STATE, names=["node0"], state="cordoned")
        place(peer, "p", 8)
        same("node0", devices(peer, "p")[0][0])
        peer.ask(RELEASE, name="p")
        place(peer, "p", 8)
        same("node1", devices(peer, "p")[0][0])


@test
def spares_are_used_first_and_freed_at_the_end():
    with live.daemon() as made:
        peer = declare(made, 4)
        place(peer, "p", 16, spares=8)
        spares = binding(peer, "p")["spares"]
        same(8, sum(s["count"] for s in spares))
        same(8, sum(h.free for h in hosts(peer).values()))
        lost, *stays = devices(peer, "p")[::8]
        peer.ask(SET_STATE, names=[lost[0]], state="down")
        place(peer, "p", 16, spares=8)
        same([(spares[0]["host"], 0), *stays], devices(peer, "p")[::8])
        last, = set(hosts(peer)) - {lost[0], stays[0][0], spares[0]["host"]}
        same([last], [s["host"] for s in binding(peer, "p")["spares"]])
        peer.ask(RELEASE, name="p")
        same(32, sum(h.free for h in hosts(peer).values()))
        peer.ask(SET_STATE, names=[lost[0]], state="ready")
        place(peer, "q", 8)
        place(peer, "p", 8, spares=8)
        same(["node0", "node1", "node2"], [
            d[0][0] for d in (devices(peer, "q"), devices(peer, "p"))] +
            [s["host"] for s in binding(peer, "p")["spares"]])
        peer.ask(RELEASE, name="q")
        peer.ask(SET_STATE, names=["node1"], state="down")
        place(peer, "p", 8, spares=8)  # node0 is free too, and comes before
        same("node2", devices(peer, "p")[0][0])


@test
def spares_are_filled_again_from_hosts_that_take_ranks():
    with live.daemon() as made:
        peer = declare(made, 4)
        peer.ask(APPLY_HOSTS, document=document([host(0, spare=True)]))
        place(peer, "p", 8, spares=8)
        same(["node2"], [s["host"] for s in binding(peer, "p")["spares"]])
        peer.ask(SET_STATE, names=["node1"], state="down")
        place(peer, "p", 8, spares=8)
        same("node2", devices(peer, "p")[0][0])
        # node0 is for those who have no other, node1 is down
        same(["node3"], [s["host"] for s in binding(peer, "p")["spares"]])


@test
def a_sparse_world_keeps_its_numbers_and_places():
    def sparse(ranks):
        return {"text": json.dumps({
            "deployment": "s", "model": "tiny", "node_groups": [
                {"node_names": ["n"], "ranks": ranks, "sizes": {"a": 2}}]})}

    with live.daemon() as made:
        peer = declare(made, 3, 2)
        peer.ask("Catalog/Apply", document={"text": json.dumps(
            {"runtime": "tiny", "axes": [{"name": "a", "field": "a"}]})})
        peer.ask("Catalog/Apply", document={"text": json.dumps(
            {"model": "tiny", "runtime": "tiny", "nodes": [{"name": "n"}]})})
        peer.ask(PLACE, document=sparse([3, 9, 20, 21]))
        at = {r: peer.ask("Worker/GetAssignment", placement="s", rank=r).binding
              for r in (3, 9, 20, 21)}
        same([("node0", 0), ("node0", 1), ("node1", 0), ("node1", 1)],
             [(b.host, b.index) for b in at.values()])
        same([(0, 0), (0, 1), (1, 0), (1, 1)],
             [(b.group_rank, b.local_rank) for b in at.values()])
        for rank, b in at.items():
            same(rank, peer.ask("Worker/GetAssignment", placement="s",
                                host=b.host, local_rank=b.local_rank).rank)
        for ranks in [5, 9, 20, 22], [9, 20, 30, 31]:  # by number, not by place
            peer.ask(PLACE, document=sparse(ranks))
            for rank in (9, 20):
                b = peer.ask("Worker/GetAssignment", placement="s",
                             rank=rank).binding
                same((at[rank].host, at[rank].index), (b.host, b.index))


@test
def a_worker_is_found_by_its_host_and_its_number_there():
    with live.daemon() as made:
        peer = declare(made, 3, 4)
        peer.ask(SET_STATE, names=["node1"], state="cordoned")

        def at(host, local, placement="p"):
            return peer.ask("Worker/GetAssignment", placement=placement,
                            host=host, local_rank=local)

        place(peer, "p", 8, {"dp_shard": 2, "tp": 4}, links={"tp": "host"})
        for rank in range(8):
            found = at(f"node{rank // 4 * 2}", rank % 4)
            same((rank, f"node{rank // 4 * 2}", rank % 4),
                 (found.rank, found.binding.host, found.binding.local_rank))
        refused = refuses("NOT_FOUND", at, "node0", 4)
        same("p has 4 ranks on node0, and none is number 4 there: they count "
             "from 0", refused.message)
        refused = refuses("NOT_FOUND", at, "node1", 0)
        assert refused.message.startswith(
            "p has no rank on node1; it is on 2 hosts, of which the nearest "
            "is node"), refused.message
        refuses("NOT_FOUND", at, "node0", 2 ** 32 - 1)
        refuses("INVALID_ARGUMENT", peer.ask, "Worker/GetAssignment",
                placement="p", host="node0")
        place(peer, "loose", 4, bind=False)
        refused = refuses("NOT_FOUND", at, "node0", 0, "loose")
        assert "bound to no hosts" in refused.message, refused.message


@test
def a_port_is_leased_on_the_host_of_the_lowest_rank():
    with live.daemon("--port-first", "31000", "--port-last", "31000") as made:
        peer = declare(made, 2)
        place(peer, "a", 8)
        place(peer, "b", 8)
        for name in "ab":
            at = peer.ask("Worker/GetAssignment", placement=name, rank=0)
            same({"a": "node0", "b": "node1"}[name], at.binding.host)
        refuses("RESOURCE_EXHAUSTED", peer.ask, PLACE,
                document=mesh("c", 4, {"dp_shard": 4}, bind=False))


# ---- bounds -----------------------------------------------------------------

def revision(peer):
    """It rises by one with each commit."""
    return peer.ask("Admin/Status").position.revision


@test
def a_world_of_65536_ranks_on_8192_hosts():
    with live.daemon() as made:
        began = time.monotonic()
        peer = declare(made, 8192)
        say(f"8,192 hosts declared in {time.monotonic() - began:.2f} s")
        place(peer, "warm", 8)
        peer.ask(RELEASE, name="warm")
        sizes = {"pp": 16, "dp_shard": 512, "tp": 8}
        unbound = time.monotonic()
        place(peer, "u", 65536, sizes, bind=False)
        unbound = time.monotonic() - unbound
        peer.ask(RELEASE, name="u")
        for _ in range(2):  # what a placement takes for a time stays the heap's
            place(peer, "warm", 65536, sizes, links={"tp": "nvlink"})
            peer.ask(RELEASE, name="warm")
        memory, commits = made.rss_kib(), revision(peer)
        began = time.monotonic()
        place(peer, "p", 65536, sizes, links={"tp": "nvlink"})
        bound = time.monotonic() - began
        same(commits + 1, revision(peer))
        kept = (made.rss_kib() - memory) * 1024 / 65536
        say(f"65,536 ranks placed in {bound * 1000:.1f} ms, "
            f"{unbound * 1000:.1f} ms of them without devices; "
            f"{kept:.1f} bytes a rank")
        if not live.SANITIZED:
            assert kept < 64 and bound < 0.5, (kept, bound)
        said = binding(peer, "p")
        same(8192, said["axes"]["tp"]["inside"])
        same(8192, said["n_runs"])
        same(0, sum(h.free for h in hosts(peer).values()))
        peer.ask(RELEASE, name="p")
        place(peer, "p", 65024, dict(sizes, dp_shard=508), spares=64,
              links={"tp": "nvlink"})
        lost = devices(peer, "p")[::8][1000:1008]
        peer.ask(SET_STATE, names=[h for h, _ in lost], state="down")
        began = time.monotonic()
        place(peer, "p", 65024, dict(sizes, dp_shard=508),
              links={"tp": "nvlink"})
        say(f"8 hosts of 8,128 replaced in "
            f"{(time.monotonic() - began) * 1000:.1f} ms")
        moves = binding(peer, "p")["moves"]
        same((64, 8), (moves["ranks"], moves["rebuilt"]["tp"]))
        Worker(made, 0, "p").join()
        began = made.cpu_seconds()
        report = json.loads(peer.ask("Admin/Diagnose").report_json)
        took = made.cpu_seconds() - began
        same("boot.waiting", report["findings"][0]["code"])
        say(f"65,023 missing workers told in {took * 1000:.0f} ms")
        assert took < 0.2, took  # nobody else is answered meanwhile


if __name__ == "__main__":
    live.main()
