# SPDX-License-Identifier: Apache-2.0
"""Who sends requests to workers: routing, and watching across a restart."""
import json
import random
import threading
import time

import live
import live_hosts
from live import APPLY, PLACE, RELEASE, key, model, position, refuses, same, test

ROUTING = "Placement/GetRouting"
WORLD = 1 << 20


def deployment(name, *groups):
    """Of wan22: (node names, ranks, keys beside)."""
    return {"text": json.dumps(dict(
        deployment=name, model="wan22", max_seq_len=512,
        node_groups=[dict(extra, node_names=nodes, ranks=ranks)
                     for nodes, ranks, extra in groups]))}


REST = ["text_encoder", "vae_encoder", "vae_decoder"]
THREE = (["dit"], [4, 5, 2, 3, 0, 1], {"cfg_size": 2}), (REST, [6, 4], {})


def place(made, name="wan", groups=THREE):
    return made.peer().ask(PLACE, document=deployment(name, *groups),
                           idempotency_key=key())


def expand(run):
    ranks = [run.start]
    for dim in reversed(run.dims):
        ranks = [r + i * dim.stride for i in range(dim.count) for r in ranks]
    return ranks


def workers(replicas):
    """Ranks of each instance."""
    wanted = replicas.workers
    ranks = [r for run in wanted.runs for r in expand(run)]
    ranks = [r + wanted.offset
             for r in ranks or range(wanted.positions)]
    assert len(ranks) == replicas.size * replicas.instances, replicas
    return [ranks[k:k + replicas.size]
            for k in range(0, len(ranks), replicas.size)]


def masked(replicas):
    found = [k for run in replicas.masked for k in expand(run)]
    same(replicas.instances, replicas.usable + len(found))
    return found


def join(made, rank, name="wan", incarnation=1):
    peer = made.peer()
    a = peer.ask("Worker/GetAssignment", placement=name, rank=rank)
    who = dict(placement=name, rank=rank, incarnation=incarnation,
               generation=dict(epoch=a.generation.epoch,
                               revision=a.generation.revision))
    peer.ask("Worker/Join", address=f"10.0.0.{rank}", digest=a.digest,
             list_digests=a.list_digests, sequence_digest=a.sequence_digest,
             **who)
    return peer, who


def join_all(made, name="wan", ranks=range(7)):
    return {rank: join(made, rank, name) for rank in ranks}


def eventually(check, seconds=10):
    until = time.monotonic() + seconds
    while not (got := check()):
        assert time.monotonic() < until, "it does not come"
        time.sleep(0.02)
    return got


# ---- routing ----------------------------------------------------------------

@test
def every_node_of_every_walk_has_its_instances_in_the_order_of_their_ranks():
    with live.daemon() as made:
        placed = place(made)
        got = made.peer().ask(ROUTING, placement="wan")
        same(position(placed.generation), position(got.generation))
        same("placed", got.state)
        at = {(r.walk, r.node): got.replicas[r.replicas or 0]
              for r in got.routes}
        same({("encode_text", "text_encoder"), ("encode_image", "vae_encoder"),
              ("video_gen", "dit"), ("video_gen", "vae_decoder"),
              ("video_gen_i2v", "dit"), ("video_gen_i2v", "vae_decoder")},
             set(at))
        for (_, node), replicas in at.items():
            group = 0 if node == "dit" else 1
            same(group, replicas.group or 0)
            same([[4, 5], [2, 3], [0, 1]] if group == 0 else [[6], [4]],
                 workers(replicas))
            same([], masked(replicas))
        same(2, len(got.replicas))
        same(([], 0), (got.gone, got.all_gone or 0))
        same([], got.crossings)


@test
def signals_that_leave_their_host_are_listed_with_both_hosts():
    with live.daemon() as made:
        peer = live_hosts.declare(made, 2, 2)
        place(made, groups=((["dit"], [0, 1], {"cfg_size": 2}), (REST, [2], {})))

        def crossings():
            got = peer.ask(ROUTING, placement="wan")
            return [(c.walk, getattr(c, "from"), c.to, c.signal,
                     list(c.from_hosts), list(c.to_hosts))
                    for c in got.crossings]

        same([(walk, "dit", "vae_decoder", "latents", ["node0"], ["node1"])
              for walk in ("video_gen", "video_gen_i2v")], crossings())
        table = live.serry(made, "routing", "wan")
        assert "node0" in table and "node1" in table, table
        shown = json.loads(live.serry(made, "routing", "wan", "-o", "json"))
        same(2, len(shown["crossings"]))
        place(made, groups=((["dit"], [0, 1], {"cfg_size": 2}), (REST, [1], {})))
        same([], crossings())


@test
def a_walk_goes_to_the_group_that_is_for_it():
    groups = ((["dit"], [0, 1], {"graph_walks": ["video_gen"]}),
              (["dit"], [2], {"graph_walks": ["video_gen_i2v"]}),
              (REST, [0], {}))
    with live.daemon() as made:
        place(made, groups=groups)
        got = made.peer().ask(ROUTING, placement="wan")
        at = {(r.walk, r.node): workers(got.replicas[r.replicas or 0])
              for r in got.routes}
        same([[0], [1]], at["video_gen", "dit"])
        same([[2]], at["video_gen_i2v", "dit"])


@test
def instances_without_a_worker_are_masked_until_it_is_back():
    with live.daemon("--lease-ms", "1s") as made:
        place(made)
        peers = join_all(made)

        def routing():
            return made.peer().ask(ROUTING, placement="wan")

        same("ready", routing().state)
        alive, stop = set(peers), threading.Event()

        def keep():  # a sign of life of those that live
            while not stop.wait(0.1):
                for rank in list(alive):
                    peer, who = peers[rank]
                    peer.ask("Worker/Await", **who, wait_ms=0, state="ready")

        keeper = threading.Thread(target=keep)
        keeper.start()
        try:
            alive.discard(3)
            alive.discard(4)
            got = eventually(lambda: (r := routing()).all_gone == 2 and r)
            same(("degraded", [3, 4]), (got.state, got.gone))
            by_group = {r.group or 0: r for r in got.replicas}
            same([0, 1], masked(by_group[0]))
            same([1], masked(by_group[1]))
            alive.discard(0)
            got = eventually(lambda: (r := routing()).all_gone == 3 and r)
            by_group = {r.group or 0: r for r in got.replicas}
            same(0, by_group[0].usable)  # none left, which is said
            table = live.serry(made, "routing", "wan")
            assert "none left" in table and "ranks 0, 3-4" in table, table
            shown = json.loads(live.serry(made, "routing", "wan", "-o", "json"))
            same([0, 1, 2], [r for r in shown["replicas"]
                             if r["group"] == 0][0]["masked"])
            peers[4] = join(made, 4, incarnation=2)
            alive.add(4)
            got = eventually(lambda: (r := routing()).all_gone == 2 and r)
            by_group = {r.group or 0: r for r in got.replicas}
            same([1, 2], masked(by_group[0]))
            same([], masked(by_group[1]))
        finally:
            stop.set()
            keeper.join()


@test
def a_worker_that_left_is_not_routed_to():
    with live.daemon() as made:
        place(made)
        peer, who = join_all(made)[5]
        peer.ask("Worker/Leave", **who)
        got = made.peer().ask(ROUTING, placement="wan")
        by_group = {r.group or 0: r for r in got.replicas}
        same(("ready", [5], [0]), (got.state, got.gone, masked(by_group[0])))


@test
def a_placement_anew_masks_nothing_of_before():
    with live.daemon("--lease-ms", "1s") as made:
        place(made)
        join_all(made)
        eventually(lambda: made.peer().ask(ROUTING, placement="wan").all_gone)
        placed = place(made)
        got = made.peer().ask(ROUTING, placement="wan")
        same((0, position(placed.generation)),
             (got.all_gone or 0, position(got.generation)))


@test
def what_is_not_placed_has_no_routing():
    with live.daemon() as made:
        place(made)
        peer = made.peer()
        answer = refuses("NOT_FOUND", peer.ask, ROUTING, placement="wam")
        assert "wan" in answer.message, answer
        refuses("INVALID_ARGUMENT", peer.ask, ROUTING)


@test
def a_million_instances_take_little_room_and_time():
    one = {"model": "one", "runtime": "mstar", "nodes": [{"name": "n"}],
           "walks": [{"name": "w", "nodes": ["n"]}]}
    with live.daemon() as made:
        peer = made.peer()
        peer.ask(APPLY, document={"text": json.dumps(one)})
        peer.ask(PLACE, document={"text": json.dumps(dict(
            deployment="span", model="one", max_seq_len=1, node_groups=[
                {"node_names": ["n"], "count": WORLD}]))})
        began = time.monotonic()
        answer = peer.answer(ROUTING, {"placement": "span"})
        took = time.monotonic() - began
        same(0, answer.status)
        live.say(f"{len(answer.reply)} bytes in {took * 1000:.1f} ms")
        assert len(answer.reply) < 200 and took < 1
        peers = [join(made, rank, "span") for rank in (5, 7, WORLD - 1)]
        for peer, who in peers[:2]:
            peer.ask("Worker/Leave", **who)
        began = time.monotonic()
        got = made.peer().ask(ROUTING, placement="span")
        live.say(f"masked: {(time.monotonic() - began) * 1000:.1f} ms")
        same([5, 7], masked(got.replicas[0]))
        shown = json.loads(live.serry(made, "routing", "span", "-o", "json"))
        same([{"start": 0, "dims": [{"count": WORLD, "stride": 1}]}],
             shown["replicas"][0]["workers_runs"])


# ---- watching ---------------------------------------------------------------

class Watcher(threading.Thread):
    """Watches on, over restarts; .seen is all it was told, in order."""

    def __init__(self, made, after):
        super().__init__(daemon=True)
        self.made, self.after, self.seen = made, after, []
        self.resets, self.stopping, self.fault = 0, False, None

    def once(self, peer):
        epoch, revision = self.after
        got = peer.ask("Placement/Watch", wait_ms=200,
                       after=dict(epoch=epoch, revision=revision))
        self.resets += bool(got.reset)
        self.seen += got.events
        self.after = position(got.position)

    def run(self):
        peer = None
        while not self.stopping:
            try:
                peer = peer or live.Peer(self.made.socket)
                self.once(peer)
            except (OSError, live.Gone):
                peer = None
                time.sleep(0.01)
            except live.Refused as refused:  # it stops
                if refused.status != "UNAVAILABLE":
                    self.fault = refused
                    return
        if peer:
            peer.close()


def now(made):
    return position(made.peer().ask("Admin/Status").position)


@test
def watchers_are_told_everything_in_order_across_restarts():
    chance = random.Random(7)
    with live.daemon("--lease-ms", "1s") as made:
        began = now(made)
        watchers = [Watcher(made, began) for _ in range(3)]
        for watcher in watchers:
            watcher.start()
        for turn in range(6):
            for n in range(chance.randrange(1, 12)):
                made.peer().ask(APPLY, document=model(f"m{n}", 8 << turn),
                                idempotency_key=key())
            place(made)
            join_all(made)  # ready; degraded when nothing is heard of them
            if turn % 2:
                eventually(lambda: any(
                    e.what == "degraded" and e.position.revision > mark
                    for e in live.events(made.peer())))
            made.restart("kill" if turn % 3 else "stop")
            mark = now(made)[1]
        made.peer().ask(RELEASE, name="wan", idempotency_key=key())
        wanted = [e for e in live.events(made.peer())
                  if position(e.position) > began]
        eventually(lambda: all(
            w.seen and w.seen[-1].sequence == wanted[-1].sequence
            for w in watchers))
        for watcher in watchers:
            watcher.stopping = True
            watcher.join()
            same((None, 0), (watcher.fault, watcher.resets))
            same([(e.sequence, position(e.position), e.what, e.detail)
                  for e in wanted],
                 [(e.sequence, position(e.position), e.what, e.detail)
                  for e in watcher.seen])
        whats = {e.what for e in wanted}
        live.say(f"{len(wanted)} events: {', '.join(sorted(whats))}")
        assert {"ready", "degraded", "placed", "placed anew",
                "released"} <= whats, whats


def watch_all(made, epoch, revision):
    """Everything after a position, and whether some was forgotten."""
    seen, reset, peer = [], False, made.peer()
    while True:
        got = peer.ask("Placement/Watch", wait_ms=0,
                       after=dict(epoch=epoch, revision=revision))
        seen, reset = seen + got.events, reset or bool(got.reset)
        epoch, revision = position(got.position)
        if not got.events:
            return [e.sequence for e in seen], reset


@test
def an_old_position_gets_everything_that_is_kept_or_is_told_of_the_gap():
    with live.daemon() as made:
        for n in range(5):
            made.peer().ask(APPLY, document=model("m", 8 << n),
                            idempotency_key=key())
        kept = live.events(made.peer())
        for how in None, "kill", "stop":
            if how:
                made.restart(how)
            all_there = [e.sequence for e in kept]
            same((all_there, False), watch_all(made, 0, 0))
            for e in kept:
                epoch, revision = position(e.position)
                later = [o.sequence for o in kept
                         if o.position.revision > revision]
                same((later, False), watch_all(made, epoch, revision))
        peers = [made.peer() for _ in range(60)]
        for turn in range(70):  # 4,200: more than are at hand
            for n, peer in enumerate(peers):
                peer.send(APPLY, {"document": model(f"n{n}", 8 + turn),
                                  "idempotency_key": key()})
            for peer in peers:
                same(0, peer.receive().status)
        middle = position(live.events(made.peer())[1000].position)
        for how in None, "kill":
            if how:
                made.restart(how)
            seen, reset = watch_all(made, 0, 0)
            same((True, 4096), (reset, len(seen)))
            same(list(range(seen[0], seen[0] + 4096)), seen)
            same(False, watch_all(made, *middle)[1])


@test
def a_commit_of_many_events_is_told_whole():
    with live.daemon() as made:
        peer = made.peer()
        for first in range(0, 1200, 90):  # which no reply's end falls behind
            peer.ask(live_hosts.APPLY_HOSTS, document={"text": json.dumps(
                {"hosts": [{"name": f"n[{first}-{first + 89}]",
                            "devices": 0}]})})
        wanted = [e.sequence for e in live.events(peer)]
        same((wanted, False), watch_all(made, 0, 0))


if __name__ == "__main__":
    live.main()
