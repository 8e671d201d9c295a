# SPDX-License-Identifier: Apache-2.0
"""A worker on PyTorch: one rank of a split computation, started by serry exec.

Every rank draws the same numbers, computes its part with the others over the
groups of its assignment, and compares with what one process gets alone. Then it
does so again for each fault that an assignment could have, two ranks with each
other's shards or in each other's groups: the results have to differ.
"""
import collections
import sys

import serry
import torch
import torch.distributed as dist

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


class Comparison:
    """What differs from what one process gets; nothing is raised, so that all
    ranks go on together."""

    def __init__(self):
        self.differs = []

    def __call__(self, what, want, got):
        assert want.shape == got.shape, (what, want.shape, got.shape)
        assert want.abs().max() > 1e-3, f"{what}: nothing was compared"
        worst = (want - got).abs().max().item()
        if not worst < 1e-9:
            self.differs.append(f"{what}: differs by {worst}")


def attention(q, k, v, allowed=None):
    """[tokens, heads, width] each; every head by itself."""
    scores = torch.einsum("qhw,khw->hqk", q, k) / q.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.einsum("hqk,khw->qhw", scores.softmax(-1), v)


def gathered(tensor, group):
    """Of all ranks of a group, in its order."""
    parts = [torch.empty_like(tensor) for _ in range(group.size())]
    dist.all_gather(parts, tensor.contiguous(), group=group)
    return parts


def all_reduced(tensor, group):
    tensor = tensor.clone()
    dist.all_reduce(tensor, group=group)
    return tensor


# ---- what a rank is told ------------------------------------------------------

# coordinates: by axis; shares: by quantity those that it holds, in order
Place = collections.namedtuple("Place", "coordinates shares")

# What a framework makes of a placement: lists, by name the axis and the shares
# that go with it; more, those of them that are not in the creation sequence; cpu,
# its groups for the processor; place(rank), the coordinates by the framework's
# own reckoning; compute(place, groups by list, comparison)
Layout = collections.namedtuple("Layout", "node lists more cpu place compute")


def told(a, node):
    shares = collections.defaultdict(list)
    for s in a.node(node).shares:
        shares[s.what].append(s)
    return Place({axis: c.coordinate
                  for axis, c in a.node(node).coordinates.items()},
                 dict(shares))


def check_places(layout, a, place, groups):
    """Each rank is where the framework has it, its position in its groups is
    its coordinate there, and the groups hold whom the lists say."""
    want = layout.place(a.rank)
    assert want == {axis: place.coordinates[axis] for axis in want}, place
    for name, (axis, _) in layout.lists.items():
        ranks = a.group(name)
        assert ranks in a.groups(name), (name, ranks)
        size = a.node(layout.node).coordinates[axis].size
        assert (ranks.index(a.rank), len(ranks)) == (
            place.coordinates[axis], size), (name, ranks)
        here = gathered(torch.tensor([float(a.rank)]), groups[name])
        assert [int(t.item()) for t in here] == list(ranks), (name, here)


# ---- faults of it -------------------------------------------------------------

def swapped(place, other, axes, shares):
    """A place with some of another one's."""
    return Place({**place.coordinates,
                  **{axis: other.coordinates[axis] for axis in axes}},
                 {**place.shares,
                  **{what: other.shares[what] for what in shares}})


def wrong_groups(a, name, pair):
    """The rank's group of a list in which two ranks have changed places."""
    change = dict(zip(pair, pair[::-1]))
    for ranks in a.groups(name):
        ranks = [change.get(rank, rank) for rank in ranks]
        group = dist.new_group(ranks)
        if a.rank in ranks:
            own = group
    return own


def faults(layout, a, groups):
    """Yields (name, place, groups), the same on all ranks: neighbours on an axis
    with each other's coordinate, share, or both; ranks of two groups of a list,
    which are neighbours on another axis, in each other's group."""
    places = [None] * a.world
    dist.all_gather_object(places, told(a, layout.node))
    pairs = {name: a.groups(name)[0][:2] for name in layout.lists}
    for name, (axis, shares) in layout.lists.items():
        pair = pairs[name]
        other = places[dict(zip(pair, pair[::-1])).get(a.rank, a.rank)]
        each = [([axis], [])] + [([], [what]) for what in shares]
        for axes, whats in each + [([axis], shares)] * bool(shares):
            yield (f"{pair} with each other's {axes + whats}",
                   swapped(places[a.rank], other, axes, whats), groups)
        for pair in sorted(set(pairs.values())):
            if not any(set(pair) <= set(ranks) for ranks in a.groups(name)):
                yield (f"{pair} in each other's {name}", places[a.rank],
                       {**groups, name: wrong_groups(a, name, pair)})


def check_faults(layout, a, groups):
    """Every fault makes a result differ, of some rank. Returns how many there
    are."""
    count = 0
    for count, (name, place, wrong) in enumerate(faults(layout, a, groups), 1):
        found = Comparison()
        layout.compute(place, wrong, found)
        differ = all_reduced(torch.tensor([float(len(found.differs))]), None)
        assert differ > 0, f"ranks {name}: no result differs"
    return count


# ---- a diffusion transformer: guidance, sequence and tensor parallel ----------

TOKENS, WIDTH, HEADS, HIDDEN, SCALE = 8, 16, 8, 24, 1.5


def block_alone(x, w):
    """What one process computes of one branch."""
    q, k, v = ((x @ w[n]).view(len(x), HEADS, -1) for n in "qkv")
    x = x + attention(q, k, v).reshape(len(x), -1) @ w["o"]
    return x + torch.relu(x @ w["up"]) @ w["down"]


def to_heads(x, group):
    """Ulysses: from [some tokens, my heads] to [all tokens, some of them]."""
    n, (tokens, heads, width) = group.size(), x.shape
    x = x.view(tokens, n, heads // n, width).transpose(0, 1).contiguous()
    out = torch.empty_like(x)
    dist.all_to_all_single(out, x, group=group)
    return out.view(n * tokens, heads // n, width)


def to_tokens(x, group):
    """And back."""
    n, (tokens, heads, width) = group.size(), x.shape
    x = x.view(n, tokens // n, heads, width).contiguous()
    out = torch.empty_like(x)
    dist.all_to_all_single(out, x, group=group)
    return out.transpose(0, 1).reshape(tokens // n, n * heads, width)


def block_split(place, x, w, sp, tp, same):
    """The same on a rank: x holds its tokens, w is cut here for its part."""
    of, (held,) = tp.size(), place.shares["weights"]
    columns = {n: w[n].chunk(of, 1)[place.coordinates["tp"]]
               for n in ("q", "k", "v", "up")}
    rows = {n: w[n].chunk(of, 0)[held.part] for n in ("o", "down")}
    q, k, v = (to_heads((x @ columns[n]).view(len(x), HEADS // of, -1), sp)
               for n in "qkv")
    everyone = torch.cat(gathered(x, sp))
    for n, found, what in ("q", q, "query_heads"), ("k", k, "kv_heads"):
        heads, = place.shares[what]
        full = w[n].view(WIDTH, HEADS, -1)[:, heads.begin:heads.end]
        same(f"{what} after the all-to-all",
             torch.einsum("td,dhw->thw", everyone, full), found)
    mine = to_tokens(attention(q, k, v), sp).reshape(len(x), -1)
    x = x + all_reduced(mine @ rows["o"], tp)
    return x + all_reduced(torch.relu(x @ columns["up"]) @ rows["down"], tp)


def video(place, groups, same):
    here = place.coordinates
    cfg, sp, tp = (groups["node_groups[0]." + x] for x in ("cfg", "sp", "tp"))
    torch.manual_seed(1)
    branches = torch.randn(2, TOKENS, WIDTH)
    position = torch.randn(TOKENS, WIDTH)
    shapes = dict.fromkeys("qkvo", (WIDTH, WIDTH))
    shapes.update(up=(WIDTH, HIDDEN), down=(HIDDEN, WIDTH))
    w = {n: torch.randn(s) / 4 for n, s in shapes.items()}
    alone = torch.stack([block_alone(x + position, w) for x in branches])
    same("a matrix product over tensor-parallel ranks",
         branches[0] @ w["up"],
         torch.cat(gathered(branches[0] @ w["up"].chunk(tp.size(), 1)[
             here["tp"]], tp), 1))

    (tokens,), (rows,) = place.shares["tokens"], place.shares["rows"]
    assert (rows.total, rows.end - rows.begin) == (2, 1), rows
    mine = (branches[rows.begin].chunk(tokens.parts)[tokens.part] +
            position.chunk(sp.size())[here["sp"]])
    mine = block_split(place, mine, w, sp, tp, same)
    branch = torch.cat(gathered(mine, sp))
    same("a block of one branch", alone[rows.begin], branch)
    same("both branches", alone, torch.stack(gathered(branch, cfg)))
    # each tensor-parallel rank guides its part of the width
    weight = SCALE if here["cfg"] == 0 else 1 - SCALE
    guided = all_reduced(weight * mine.chunk(tp.size(), 1)[here["tp"]], cfg)
    same("the guided result", alone[1] + SCALE * (alone[0] - alone[1]),
         torch.cat(gathered(torch.cat(gathered(guided, tp), 1), sp)))


VIDEO = Layout(
    node="dit", compute=video, more=[], cpu=[tuple(range(8))],
    lists={"node_groups[0].cfg": ("cfg", ["rows"]),
           "node_groups[0].sp": ("sp", ["tokens"]),
           "node_groups[0].tp": ("tp", ["query_heads", "kv_heads", "weights"])},
    place=lambda rank: {"cfg": rank // 4, "sp": rank // 2 % 2, "tp": rank % 2})


# ---- a mixture of experts: attention and experts read the ranks differently ---

BATCH, LENGTH, EXPERTS = 4, 16, 8


def experts_alone(x, chosen, w, bias):
    return torch.stack([torch.tanh(t @ w[e]) + bias[e]
                        for t, e in zip(x, chosen)])


def exchange(x, counts, group):
    """All-to-all of rows: counts[i] of mine go to member i."""
    theirs = torch.empty(len(counts), dtype=torch.int64)
    dist.all_to_all_single(theirs, torch.tensor(counts), group=group)
    out = x.new_empty(sum(theirs.tolist()), *x.shape[1:])
    dist.all_to_all_single(out, x.contiguous(), theirs.tolist(), counts,
                           group=group)
    return out, theirs.tolist()


def experts_split(place, x, chosen, w, bias, ep):
    """Sends each token to the rank of its expert, and takes it back."""
    held, = place.shares["experts"]
    n = held.end - held.begin
    owner = chosen // n
    order = owner.argsort(stable=True)
    counts = [int((owner == i).sum()) for i in range(ep.size())]
    came, back = exchange(x[order], counts, ep)
    which, _ = exchange(chosen[order], counts, ep)
    here = bias.chunk(ep.size())[place.coordinates["ep"]]
    done, _ = exchange(experts_alone(came, which % n, w[held.begin:held.end],
                                     here) if len(came) else came, back, ep)
    result = torch.empty_like(done)
    result[order] = done
    return result


def train(place, groups, same):
    here, cp = place.coordinates, groups["attn.cp"]
    torch.manual_seed(2)
    batch = torch.randn(BATCH, LENGTH, WIDTH)
    position = torch.randn(LENGTH, WIDTH)
    w = {n: torch.randn(WIDTH, WIDTH) / 4 for n in "qkv"}
    experts, bias = torch.randn(EXPERTS, WIDTH, WIDTH) / 4, torch.randn(
        EXPERTS, WIDTH)
    chosen = torch.randint(EXPERTS, (BATCH, LENGTH))
    causal = torch.ones(LENGTH, LENGTH).tril() > 0

    def attend(x, keys, allowed):
        q, (k, v) = x @ w["q"], (keys @ w[n] for n in "kv")
        split = [t.view(len(t), 4, -1) for t in (q, k, v)]
        return x + attention(*split, allowed).reshape(len(x), -1)

    alone = torch.stack([attend(x + position, x + position, causal)
                         for x in batch])

    # attention: this rank's sample, and two blocks of it, one from either end
    sample, blocks = here["attn.dp"], place.shares["tokens"]
    index = torch.arange(LENGTH).chunk(blocks[0].parts)
    mine = torch.cat([index[b.part] for b in blocks])
    ends = position.chunk(2 * cp.size())
    x = batch[sample][mine] + torch.cat([ends[here["cp"]],
                                         ends[-1 - here["cp"]]])
    order = torch.cat(gathered(mine, cp))
    keys = torch.empty(LENGTH, WIDTH)
    keys[order] = torch.cat(gathered(x, cp))
    hidden = attend(x, keys, causal[mine])
    same("attention over context-parallel ranks", alone[sample][mine], hidden)
    same("the same part of all samples", alone[:, mine],
         torch.stack(gathered(hidden, groups["attn.dp"])))

    # experts: the same ranks, folded in another way
    ep, copies = groups["expt.ep"], groups["expt.dp"]
    same("experts over expert-parallel ranks",
         experts_alone(alone[sample][mine], chosen[sample][mine], experts,
                       bias),
         experts_split(place, hidden, chosen[sample][mine], experts, bias, ep))

    # gradients: attention's over dp and cp, an expert's over its copies, each
    # of which keeps a part of it
    total = all_reduced(all_reduced(hidden.sum(0), cp), groups["attn.dp"])
    same("a sum over all tokens", alone.sum((0, 1)), total)
    nothing = torch.zeros(EXPERTS, WIDTH)
    part = nothing.index_add(0, chosen[sample][mine], hidden)
    part = all_reduced(part, ep)  # of the ranks that send here
    whole = nothing.index_add(0, chosen.flatten(), alone.flatten(0, 1))
    held, = place.shares["experts"]
    part = all_reduced(part[held.begin:held.end], copies)
    part = part.chunk(copies.size(), 1)[here["expt.dp"]]
    same("an expert's sum over its copies", whole[held.begin:held.end],
         torch.cat(gathered(part, copies), 1))


TRAIN = Layout(
    node="trunk", compute=train, more=["attn.dp", "expt.dp"], cpu=[],
    lists={"attn.dp": ("attn.dp", []), "attn.cp": ("cp", ["tokens"]),
           "expt.dp": ("expt.dp", []), "expt.ep": ("ep", ["experts"])},
    place=lambda rank: {"attn.dp": rank // 2, "data_rank": rank // 2,
                        "cp": rank % 2, "expt.dp": rank // 4, "ep": rank % 4})


def main():
    a = serry.assignment()
    a.verify()
    dist.init_process_group("gloo")
    assert (dist.get_rank(), dist.get_world_size()) == (a.rank, a.world)
    layout = {"video": VIDEO, "train": TRAIN}[a.placement]
    made = serry.torch_groups(a, more=layout.more)
    assert [g for g in made.get("cpu", ()) if g in layout.cpu] == layout.cpu
    groups, place = made["device"], told(a, layout.node)
    check_places(layout, a, place, groups)
    found = Comparison()
    layout.compute(place, groups, found)
    assert not found.differs, found.differs
    count = check_faults(layout, a, groups)
    dist.barrier()
    print(f"rank {a.rank} of {a.placement}: as alone; {count} faults differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
