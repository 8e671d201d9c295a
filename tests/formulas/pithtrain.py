# SPDX-License-Identifier: Apache-2.0
"""PithTrain: one stage read as dp x cp and as dp x ep, samples, blocks, layers."""
import formulas
from formulas import by_first, groups, refused, runs

CODES = ["world_not_divisible_by_pp", "stage_not_divisible_by_cp",
         "stage_not_divisible_by_ep", "attn_group_not_divisible_by_hsdp",
         "expt_group_not_divisible_by_hsdp", "batch_not_divisible",
         "too_few_microbatches", "sequence_not_divisible_by_2cp",
         "experts_not_divisible_by_ep", "fewer_layers_than_chunks"]


def layers_of_chunks(layers, chunks):
    """Everyone gets the same; what is left goes out one by one, to the first of
    the inner chunks that has the fewest, to an edge when none of them has."""
    held = [layers // chunks] * chunks
    for _ in range(layers % chunks):
        least = min(held)
        inner = [i for i in range(1, chunks - 1) if held[i] == least]
        edges = [i for i in (0, chunks - 1) if held[i] == least]
        held[(inner + edges)[0]] += 1
    return held


def first_refusal(p):
    pp, cp, ep, copies = p["pp"], p["cp"], p["ep"], p["hsdp_replica"]
    stage = p["world"] // pp
    if p["world"] % pp:
        return "world_not_divisible_by_pp"
    if stage % cp:
        return "stage_not_divisible_by_cp"
    if stage % ep:
        return "stage_not_divisible_by_ep"
    if copies > 1 and stage % copies:
        return "attn_group_not_divisible_by_hsdp"
    if copies > 1 and stage // ep % copies:
        return "expt_group_not_divisible_by_hsdp"
    together = p["micro_batch_size"] * (stage // cp)
    if p["global_batch_size"] % together:
        return "batch_not_divisible"
    if p["global_batch_size"] // together < 2 * pp:
        return "too_few_microbatches"
    if p["sequence_length"] % (2 * cp):
        return "sequence_not_divisible_by_2cp"
    if ep > 1 and p["experts"] % ep:
        return "experts_not_divisible_by_ep"
    if p["layers"] < 2 * pp:
        return "fewer_layers_than_chunks"
    return None


def places(world, stage, inner, size):
    return [{"pp": r // stage, "dp": r % stage // size, inner: r % stage % size}
            for r in range(world)]


def lists(p, attn, expt, stage):
    copies, found = p["hsdp_replica"], {}
    for axes in (["pp"], ["dp"], ["cp"], ["dp", "cp"]):
        found["attn." + "+".join(axes)] = groups(attn, axes)
    for axes in (["pp"], ["dp"], ["ep"], ["dp", "ep"]):
        found["expt." + "+".join(axes)] = groups(expt, axes)
    if copies > 1:
        for view, whole in (("attn", found["attn.dp+cp"]),
                            ("expt", found["expt.dp"])):
            length = len(whole[0]) // copies
            found[view + ".fsdp_shard"] = by_first(
                [part for g in whole for part in runs(g, length)])
            found[view + ".fsdp_replica"] = by_first(
                [g[i::length] for g in whole for i in range(length)])
    return found


def samples(p, dp):
    """Of step 0: microbatches are dealt out in turn."""
    mbs = p["micro_batch_size"]
    dealt = [[] for _ in range(dp)]
    for sample in range(p["global_batch_size"]):
        dealt[sample // mbs % dp].append(sample)
    return dealt


def derived(p, stage):
    pp, cp, ep, dp = p["pp"], p["cp"], p["ep"], stage // p["cp"]
    block, share = p["sequence_length"] // (2 * cp), p["experts"] // ep
    held = layers_of_chunks(p["layers"], 2 * pp)
    starts = [sum(held[:i]) for i in range(2 * pp + 1)]
    return {
        "mesh_name": f"pp{pp}-dp{dp}-cp{cp}-ep{ep}",
        "samples_by_dp_rank": samples(p, dp),
        "spans_by_cp_rank": [
            [[b * block, (b + 1) * block] for b in (c, 2 * cp - 1 - c)]
            for c in range(cp)],
        "expert_range_by_ep_rank": [[e * share, (e + 1) * share]
                                    for e in range(ep)],
        "layers_per_chunk": held,
        "layers_by_pp_rank": [
            [[starts[i], starts[i + 1]] for i in (r, 2 * pp - 1 - r)]
            for r in range(pp)],
    }


def draw(random):
    pick = random.choice
    p = {"world": pick([8, 12, 16, 24, 32, 48, 64]),
         "pp": pick([1, 1, 2, 2, 3, 4]), "cp": pick([1, 1, 2, 4, 3]),
         "ep": pick([1, 2, 4, 8, 3]),
         "hsdp_replica": pick([1, 1, 1, 2, 3, 4, 8]),
         "micro_batch_size": pick([1, 1, 2]),
         "global_batch_size": pick([64, 96, 192, 384, 384, 768]),
         "sequence_length": pick([4096, 4096, 4096, 768, 1000, 1002]),
         "experts": pick([16, 48, 96, 128, 100]),
         "layers": pick([3, 5, 7, 24, 27, 36, 48, 61])}
    request = {"runtime": "pithtrain", "world": p["world"],
               "sizes": {a: p[a] for a in ("pp", "cp", "ep")},
               "options": {o: p[o] for o in (
                   "hsdp_replica", "micro_batch_size", "global_batch_size",
                   "sequence_length")},
               "facts": {f: p[f] for f in ("experts", "layers")}}
    code = first_refusal(p)
    if code is not None:
        return request, refused(code)
    stage = p["world"] // p["pp"]
    attn = places(p["world"], stage, "cp", p["cp"])
    expt = places(p["world"], stage, "ep", p["ep"])
    return request, {
        "code": None, "lists": lists(p, attn, expt, stage),
        "derived": derived(p, stage),
        "per_rank": {"attn.dp": [c["dp"] for c in attn],
                     "attn.cp": [c["cp"] for c in attn],
                     "expt.dp": [c["dp"] for c in expt],
                     "expt.ep": [c["ep"] for c in expt],
                     "data_rank": [c["dp"] for c in attn]}}


formulas.run("pithtrain", draw, CODES)
formulas.finish()
