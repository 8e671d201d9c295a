#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client from docs/protocol.md alone: ADDRESS PLACEMENT RANK FILE"""
import hashlib, itertools, socket, struct, sys
import serried_pb2 as pb

_, address, placement, rank, file = sys.argv
ipc = not address.startswith("tcp://")
if ipc:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(address.removeprefix("ipc://"))
else:
    sock = socket.create_connection(address[6:].rsplit(":", 1))
sock.settimeout(10)
stream = sock.makefile("rb")
sock.sendall(bytes.fromhex("0053500000300000"))
assert stream.read(8).hex() == "0053500000310000", "not a REP socket"

def call(method, request, reply):
    body = pb.Call(method="/serried.v1." + method, request_id=7, deadline_ms=5000,
                   request=request.SerializeToString()).SerializeToString()
    sock.sendall(b"\1" * ipc + struct.pack(">QI", len(body) + 4, 1 << 31 | 7) + body)
    length, request_id = struct.unpack(">QI", stream.read(ipc + 12)[ipc:])
    answer = pb.Answer.FromString(stream.read(length - 4))
    assert request_id == 1 << 31 | 7 and answer.request_id == 7
    if answer.status:
        sys.exit(f"{method}: {answer.status}: {answer.message}")
    return reply.FromString(answer.reply)

def groups(glist):
    m = a.rank_maps[glist.rank_map]
    ranks = [run.start + s for run in m.runs for s in sums(
        [i * d.stride for i in range(d.count)] for d in run.dims)] or range(m.positions)
    wide = max([d.stride for d in glist.inner], default=0)
    coarse, fine, inner = ([range(0, d.size * d.stride, d.stride) for d in dims] for dims in (
        [d for d in glist.outer if d.stride > wide],
        [d for d in glist.outer if d.stride <= wide], glist.inner))
    within = sums(inner)
    runs = [within[k:k + (glist.run or len(within))]
            for k in range(0, len(within), glist.run or len(within))]
    took = {0: lambda g: g, 1: lambda g: g[:1], 2: lambda g: g[-1:],
            3: lambda g: g[::max(1, len(g) - 1)]}[glist.take]
    return [took([ranks[c + f + i] + m.offset for i in run])
            for c in sums(coarse) for run in runs for f in sums(fine)]

sums = lambda dims: [sum(digits) for digits in itertools.product(*dims)]
u32 = struct.Struct(">I").pack
text = lambda t: u32(len(t.encode())) + t.encode()
packed = lambda group: u32(len(group)) + b"".join(map(u32, group))
sha = lambda tag, n, parts: hashlib.sha256(tag + b"\0" + n + b"".join(parts)).digest()

print("status", call("Admin/Status", pb.StatusRequest(), pb.StatusReply).version)
check = pb.CheckRequest(document=pb.Document(text=open(file).read(), source=file))
print("accepts", call("Placement/Check", check, pb.CheckReply).accepts)
asked = pb.GetAssignmentRequest(placement=placement, rank=int(rank))
a = call("Worker/GetAssignment", asked, pb.Assignment)
made = {}  # of equal groups the first stays
for step in a.creation:
    new = [(tuple(g), x.name) for x in step.lists for g in groups(x) if len(g) > 1]
    for g, name in sorted(new, key=lambda n: n[0]) if step.sorted else new:
        made.setdefault((step.backend, g), name)
lists = [sha(b"serried-list-1", text(x.name) + u32(len(groups(x))),
             map(packed, groups(x))) for x in a.lists]
created = sha(b"serried-sequence-1", u32(len(made)),
              (text(name) + text(b) + packed(g) for (b, g), name in made.items()))
total = sha(b"serried-table-1", u32(len(lists)), lists + [created])
assert [d[:8] for d in lists] == list(a.list_digests) and created[:8] == a.sequence_digest
print("digest", "agrees" if total == a.digest else "differs", total.hex())
