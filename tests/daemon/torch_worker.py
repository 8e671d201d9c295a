# SPDX-License-Identifier: Apache-2.0
"""A worker on PyTorch: one rank of a split computation, started by serry exec.

Every rank draws the same numbers, computes its part with the others over the
groups of its assignment, and compares with what one process gets alone.
"""
import sys

import serry
import torch
import torch.distributed as dist

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def same(what, want, got):
    assert want.shape == got.shape, (what, want.shape, got.shape)
    worst = (want - got).abs().max().item()
    assert worst < 1e-9, f"{what}: differs by {worst}"
    assert want.abs().max() > 1e-3, f"{what}: nothing was compared"


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


def check_places(a, groups, lists):
    """Each rank's position in its groups is its coordinate there, and the
    groups hold whom the lists say."""
    for name, (node, axis) in lists.items():
        ranks = a.group(name)
        assert ranks in a.groups(name), (name, ranks)
        place = a.node(node).coordinates[axis]
        assert (ranks.index(a.rank), len(ranks)) == tuple(place), (name, ranks)
        here = gathered(torch.tensor([float(a.rank)]), groups[name])
        assert [int(t.item()) for t in here] == list(ranks), (name, here)


def share(a, node, what):
    """The parts of a quantity that this rank holds, in order."""
    return [s for s in a.node(node).shares if s.what == what]


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


def block_split(a, x, w, sp, tp):
    """The same on a rank: x holds its tokens, w is cut here for its part."""
    here, of = a.node("dit").coordinates["tp"]
    columns = {n: w[n].chunk(of, 1)[here] for n in ("q", "k", "v", "up")}
    rows = {n: w[n].chunk(of, 0)[here] for n in ("o", "down")}
    q, k, v = (to_heads((x @ columns[n]).view(len(x), HEADS // of, -1), sp)
               for n in "qkv")
    heads, = share(a, "dit", "query_heads")
    assert q.shape[1] == heads.end - heads.begin, (q.shape, heads)
    full = w["q"].view(WIDTH, HEADS, -1)[:, heads.begin:heads.end]
    everyone = torch.cat(gathered(x, sp))
    same("query heads after the all-to-all",
         torch.einsum("td,dhw->thw", everyone, full), q)
    mine = to_tokens(attention(q, k, v), sp).reshape(len(x), -1)
    x = x + all_reduced(mine @ rows["o"], tp)
    return x + all_reduced(torch.relu(x @ columns["up"]) @ rows["down"], tp)


def video(a):
    groups = serry.torch_groups(a)
    assert groups["cpu"][tuple(range(8))].size() == 8, groups
    groups, list_of = groups["device"], "node_groups[0].{}".format
    check_places(a, groups, {list_of(x): ("dit", x)
                             for x in ("cfg", "sp", "tp")})
    cfg, sp, tp = (groups[list_of(x)] for x in ("cfg", "sp", "tp"))
    torch.manual_seed(1)
    branches = torch.randn(2, TOKENS, WIDTH)
    shapes = dict.fromkeys("qkvo", (WIDTH, WIDTH))
    shapes.update(up=(WIDTH, HIDDEN), down=(HIDDEN, WIDTH))
    w = {n: torch.randn(s) / 4 for n, s in shapes.items()}
    alone = [block_alone(x, w) for x in branches]
    same("a matrix product over tensor-parallel ranks",
         branches[0] @ w["up"],
         torch.cat(gathered(branches[0] @ w["up"].chunk(tp.size(), 1)[
             tp.rank()], tp), 1))

    tokens, = share(a, "dit", "tokens")
    rows, = share(a, "dit", "rows")
    assert (rows.total, rows.end - rows.begin) == (2, 1), rows
    mine = branches[rows.begin].chunk(tokens.parts)[tokens.part]
    mine = block_split(a, mine, w, sp, tp)
    same("a block of one branch", alone[rows.begin],
         torch.cat(gathered(mine, sp)))
    with_prompt, without = gathered(mine, cfg)
    guided = without + SCALE * (with_prompt - without)
    same("the guided result", alone[1] + SCALE * (alone[0] - alone[1]),
         torch.cat(gathered(guided, sp)))


# ---- a mixture of experts: attention and experts read the ranks differently ---

BATCH, LENGTH, EXPERTS = 4, 16, 8


def experts_alone(x, chosen, w):
    return torch.stack([torch.tanh(t @ w[e]) for t, e in zip(x, chosen)])


def exchange(x, counts, group):
    """All-to-all of rows: counts[i] of mine go to member i."""
    theirs = torch.empty(len(counts), dtype=torch.int64)
    dist.all_to_all_single(theirs, torch.tensor(counts), group=group)
    out = x.new_empty(sum(theirs.tolist()), *x.shape[1:])
    dist.all_to_all_single(out, x.contiguous(), theirs.tolist(), counts,
                           group=group)
    return out, theirs.tolist()


def experts_split(a, x, chosen, w, ep):
    """Sends each token to the rank of its expert, and takes it back."""
    held, = share(a, "trunk", "experts")
    owner = chosen // (held.end - held.begin)
    order = owner.argsort(stable=True)
    counts = [int((owner == i).sum()) for i in range(ep.size())]
    came, back = exchange(x[order], counts, ep)
    which, _ = exchange(chosen[order], counts, ep)
    assert ((which >= held.begin) & (which < held.end)).all(), (which, held)
    done, _ = exchange(experts_alone(came, which - held.begin,
                                     w[held.begin:held.end])
                       if len(came) else came, back, ep)
    result = torch.empty_like(done)
    result[order] = done
    return result


def train(a):
    groups = serry.torch_groups(a, more=["attn.dp", "expt.dp"])["device"]
    check_places(a, groups, {"attn.dp": ("trunk", "attn.dp"),
                             "attn.cp": ("trunk", "cp"),
                             "expt.dp": ("trunk", "expt.dp"),
                             "expt.ep": ("trunk", "ep")})
    torch.manual_seed(2)
    batch = torch.randn(BATCH, LENGTH, WIDTH)
    w = {n: torch.randn(WIDTH, WIDTH) / 4 for n in "qkv"}
    experts = torch.randn(EXPERTS, WIDTH, WIDTH) / 4
    chosen = torch.randint(EXPERTS, (BATCH, LENGTH))
    causal = torch.ones(LENGTH, LENGTH).tril() > 0

    def attend(x, keys, allowed):
        q, (k, v) = x @ w["q"], (keys @ w[n] for n in "kv")
        split = [t.view(len(t), 4, -1) for t in (q, k, v)]
        return x + attention(*split, allowed).reshape(len(x), -1)

    alone = torch.stack([attend(x, x, causal) for x in batch])

    # attention: this rank's sample, and two blocks of it
    sample = a.coordinate("trunk", "attn.dp")
    blocks = [s.part for s in share(a, "trunk", "tokens")]
    index = torch.arange(LENGTH).chunk(2 * groups["attn.cp"].size())
    mine = torch.cat([index[b] for b in blocks])
    x = batch[sample][mine]
    order = torch.cat(gathered(mine, groups["attn.cp"]))
    keys = torch.empty(LENGTH, WIDTH)
    keys[order] = torch.cat(gathered(x, groups["attn.cp"]))
    hidden = attend(x, keys, causal[mine])
    same("attention over context-parallel ranks", alone[sample][mine], hidden)

    # experts: the same ranks, folded in another way
    want = experts_alone(alone[sample][mine], chosen[sample][mine], experts)
    got = experts_split(a, hidden, chosen[sample][mine], experts,
                        groups["expt.ep"])
    same("experts over expert-parallel ranks", want, got)

    # gradients: attention's over dp and cp, an expert's over its copies
    total = all_reduced(all_reduced(hidden.sum(0), groups["attn.cp"]),
                        groups["attn.dp"])
    same("a sum over all tokens", alone.sum((0, 1)), total)
    nothing = torch.zeros(EXPERTS, WIDTH)
    part = nothing.index_add(0, chosen[sample][mine], hidden)
    part = all_reduced(part, groups["expt.ep"])  # of the ranks that send here
    whole = nothing.index_add(0, chosen.flatten(), alone.flatten(0, 1))
    held, = share(a, "trunk", "experts")
    same("an expert's sum over its copies", whole[held.begin:held.end],
         all_reduced(part[held.begin:held.end], groups["expt.dp"]))


def main():
    a = serry.assignment()
    a.verify()
    dist.init_process_group("gloo")
    assert (dist.get_rank(), dist.get_world_size()) == (a.rank, a.world)
    {"video": video, "train": train}[a.placement](a)
    dist.barrier()
    print(f"rank {a.rank} of {a.placement}: as alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
