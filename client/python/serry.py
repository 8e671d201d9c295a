# SPDX-License-Identifier: Apache-2.0
"""What a worker in Python needs of Serried: its assignment, its groups in the
order of their creation, and the calls of a boot. Made of libserry by ctypes.

    import serry
    a = serry.assignment()          # of the file that serry exec wrote
    a.rank, a.world, a.coordinate("dit", "tp")
    a.group("node_groups[0].tp")    # ranks of the group that this one is in
    groups = serry.torch_groups(a)  # torch.distributed, in the one right order
"""
import collections
import ctypes
import functools
import json
import os
from ctypes import (POINTER, byref, c_bool, c_char_p, c_int, c_int32, c_size_t,
                    c_uint8, c_uint32, c_uint64, c_void_p)

_LIBRARY = "libserry.so.0"

# ---- libserry as it is declared in serry.h ---------------------------------


class _Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("text", ctypes.c_char * 512),
                ("findings_json", c_char_p)]


class _Generation(ctypes.Structure):
    _fields_ = [("epoch", c_uint64), ("revision", c_uint64)]


class _Coordinate(ctypes.Structure):
    _fields_ = [("axis", c_char_p), ("coordinate", c_uint32),
                ("size", c_uint32)]


class _Share(ctypes.Structure):
    _fields_ = [("what", c_char_p), ("rule", c_char_p), ("resource", c_char_p),
                ("parts", c_uint32), ("part", c_uint32), ("has_range", c_bool),
                ("total", c_uint64), ("begin", c_uint64), ("end", c_uint64)]


class _Send(ctypes.Structure):
    _fields_ = [("to_rank", c_uint32), ("whole", c_bool), ("begin", c_uint64),
                ("end", c_uint64), ("local_begin", c_uint64)]


class _Transfer(ctypes.Structure):
    _fields_ = [("signal", c_char_p), ("walk", c_char_p), ("sharded", c_bool),
                ("dim", c_uint32), ("from_group", c_int32),
                ("to_group", c_int32), ("from_size", c_uint32),
                ("to_size", c_uint32), ("receives", c_bool),
                ("fan_in", c_uint32), ("n_sends", c_size_t),
                ("sends", POINTER(POINTER(_Send)))]


class _Node(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("group", c_uint32),
                ("instance", c_uint32), ("instance_rank", c_uint32),
                ("instance_size", c_uint32), ("n_coordinates", c_size_t),
                ("coordinates", POINTER(POINTER(_Coordinate))),
                ("n_shares", c_size_t), ("shares", POINTER(POINTER(_Share))),
                ("n_transfers", c_size_t),
                ("transfers", POINTER(POINTER(_Transfer)))]


class _Binding(ctypes.Structure):
    _fields_ = [("host", c_char_p), ("n_addresses", c_size_t),
                ("addresses", POINTER(c_char_p)), ("device", c_char_p),
                ("pci", c_char_p), ("index", c_uint32), ("numa", c_int32),
                ("local_rank", c_uint32), ("local_world_size", c_uint32),
                ("group_rank", c_uint32), ("hosts", c_uint32),
                ("n_local_devices", c_size_t),
                ("local_devices", POINTER(c_char_p))]


class _Port(ctypes.Structure):
    _fields_ = [("purpose", c_char_p), ("port", c_uint32), ("on", c_char_p),
                ("address", c_char_p), ("group", c_int32),
                ("instance", c_int32), ("confirms", c_bool)]


class _Groups(ctypes.Structure):
    _fields_ = [("count", c_size_t), ("length", c_size_t),
                ("begin", POINTER(c_uint32)), ("ranks", POINTER(c_uint32))]


class _Group(ctypes.Structure):
    _fields_ = [("index", c_size_t), ("position", c_size_t),
                ("length", c_size_t), ("ranks", POINTER(c_uint32))]


class _Created(ctypes.Structure):
    _fields_ = [("list", c_char_p), ("backend", c_char_p),
                ("length", c_size_t), ("ranks", POINTER(c_uint32))]


class _Boot(ctypes.Structure):
    _fields_ = [("state", c_int), ("joined", c_uint32), ("world", c_uint32),
                ("master_address", c_char_p), ("master_port", c_uint32),
                ("store_prefix", c_char_p), ("n_missing", c_size_t),
                ("missing", POINTER(c_uint32)), ("n_missing_hosts", c_size_t),
                ("missing_hosts", POINTER(c_char_p)), ("retry_ms", c_uint32),
                ("n_ports", c_size_t), ("ports", POINTER(_Port))]


_ERROR = POINTER(_Error)
_FUNCTIONS = {  # name without serry_: result, arguments
    "version": (c_char_p, []),
    "error_clear": (None, [_ERROR]),
    "status_name": (c_char_p, [c_int]),
    "free": (None, [c_void_p]),
    "open": (c_int, [c_char_p, POINTER(c_void_p), _ERROR]),
    "close": (None, [c_void_p]),
    "set_deadline": (None, [c_void_p, c_uint32]),
    "wait": (c_int, [c_void_p, c_uint32, _ERROR]),
    "assignment": (c_int, [c_void_p, c_char_p, c_uint32, POINTER(_Generation),
                           POINTER(c_void_p), _ERROR]),
    "assignment_bytes": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "assignment_parse": (c_int, [c_char_p, c_size_t, POINTER(c_void_p),
                                 _ERROR]),
    "assignment_placement": (c_char_p, [c_void_p]),
    "assignment_generation": (_Generation, [c_void_p]),
    "assignment_rank": (c_uint32, [c_void_p]),
    "assignment_world": (c_uint32, [c_void_p]),
    "assignment_model": (c_char_p, [c_void_p]),
    "assignment_runtime": (c_char_p, [c_void_p]),
    "assignment_carried_json": (c_char_p, [c_void_p]),
    "assignment_binding": (POINTER(_Binding), [c_void_p]),
    "node_count": (c_size_t, [c_void_p]),
    "node_at": (POINTER(_Node), [c_void_p, c_size_t]),
    "list_count": (c_size_t, [c_void_p]),
    "list_name": (c_char_p, [c_void_p, c_size_t]),
    "groups": (c_int, [c_void_p, c_char_p, POINTER(POINTER(_Groups)), _ERROR]),
    "group_of": (c_int, [c_void_p, c_char_p, c_uint32,
                         POINTER(POINTER(_Group)), _ERROR]),
    "creation_begin": (c_int, [c_void_p, POINTER(c_void_p), _ERROR]),
    "creation_next": (c_bool, [c_void_p, POINTER(_Created)]),
    "verify": (c_int, [c_void_p, _ERROR]),
    "incarnation": (c_uint64, []),
    "join": (c_int, [c_void_p, c_void_p, c_uint64, c_char_p, _ERROR]),
    "await": (c_int, [c_void_p, c_void_p, c_uint64, c_char_p, c_int, c_uint32,
                      POINTER(POINTER(_Boot)), _ERROR]),
    "assignment_listed_rank": (c_uint32, [c_void_p]),
    "assignment_ports": (POINTER(_Port), [c_void_p, POINTER(c_size_t)]),
    "report_port": (c_int, [c_void_p, c_void_p, POINTER(_Port),
                            POINTER(POINTER(_Port)), _ERROR]),
    "leave": (c_int, [c_void_p, c_void_p, c_uint64, _ERROR]),
}


@functools.lru_cache(maxsize=None)
def _library():
    """The library; SERRY_LIBRARY names its file if the system does not."""
    file = os.environ.get("SERRY_LIBRARY") or _LIBRARY
    try:
        library = ctypes.CDLL(file)
    except OSError as why:
        raise ImportError(f"libserry is not there ({why}): install it, or "
                          "name its file in SERRY_LIBRARY") from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "serry_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def _function(name):
    return getattr(_library(), "serry_" + name)


class Error(Exception):
    """A call that failed: its text is for the user; status is the name of a
    gRPC status ("FAILED_PRECONDITION")."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status, self.text = status, text


def _call(name, *arguments):
    error = _Error()
    if _function(name)(*arguments, byref(error)) == 0:
        return
    text = error.text.decode(errors="replace")
    status = _function("status_name")(error.status).decode()
    _function("error_clear")(byref(error))
    raise Error(status, text)


def _text(value):
    return None if value is None else value.decode()


# ---- assignments -----------------------------------------------------------

Coordinate = collections.namedtuple("Coordinate", "coordinate size")
Share = collections.namedtuple(
    "Share", "what rule resource parts part total begin end")
Share.__doc__ = ("A part of one quantity: items begin up to end of total, None "
                 "where they are known only with a request.")
Send = collections.namedtuple("Send", "to_rank begin end local_begin")
Transfer = collections.namedtuple(
    "Transfer", "signal walk dim from_group to_group from_size to_size "
    "fan_in sends")
Node = collections.namedtuple(
    "Node", "name group instance instance_rank instance_size coordinates "
    "shares transfers")
Created = collections.namedtuple("Created", "list backend ranks")
Binding = collections.namedtuple(
    "Binding", "host addresses device pci index numa local_rank "
    "local_world_size group_rank hosts local_devices")
Binding.__doc__ = "The device of a rank; None where a part is not known."


Port = collections.namedtuple(
    "Port", "purpose port on address group instance confirms")
Port.__doc__ = """A port that is leased to the placement's generation; group and
instance are None where it is no instance's."""


def _port(p):
    return Port(_text(p.purpose), p.port, _text(p.on), _text(p.address) or None,
                p.group if p.group >= 0 else None,
                p.instance if p.group >= 0 else None, p.confirms)


def _ports(count, ports):
    return [_port(ports[i]) for i in range(count)]


def _share(s):
    span = (s.total, s.begin, s.end) if s.has_range else (None, None, None)
    return Share(_text(s.what), _text(s.rule), _text(s.resource), s.parts,
                 s.part, *span)


def _send(s):
    span = (None, None, None) if s.whole else (s.begin, s.end, s.local_begin)
    return Send(s.to_rank, *span)


def _transfer(t):
    return Transfer(_text(t.signal), _text(t.walk),
                    t.dim if t.sharded else None, t.from_group, t.to_group,
                    t.from_size, t.to_size, t.fan_in if t.receives else None,
                    [_send(t.sends[i][0]) for i in range(t.n_sends)])


def _node(n):
    axes = [n.coordinates[i][0] for i in range(n.n_coordinates)]
    return Node(_text(n.name), n.group, n.instance, n.instance_rank,
                n.instance_size,
                {_text(c.axis): Coordinate(c.coordinate, c.size)
                 for c in axes},
                [_share(n.shares[i][0]) for i in range(n.n_shares)],
                [_transfer(n.transfers[i][0]) for i in range(n.n_transfers)])


def _texts(count, texts):
    return [_text(texts[i]) for i in range(count)]


def _binding(b):
    return Binding(_text(b.host), _texts(b.n_addresses, b.addresses),
                   _text(b.device) or None, _text(b.pci) or None, b.index,
                   None if b.numa < 0 else b.numa, b.local_rank,
                   b.local_world_size, b.group_rank, b.hosts,
                   _texts(b.n_local_devices, b.local_devices))


class Assignment:
    """What one rank gets. boot: how its boot ended (master_address, ...), as
    serry exec wrote it; else {}."""

    def __init__(self, message, boot=None):
        self._handle = c_void_p()
        _call("assignment_parse", message, len(message), byref(self._handle))
        self.message, self.boot = message, boot or {}
        generation = self._get("generation")
        self.generation = generation.epoch, generation.revision
        self.rank, self.world = self._get("rank"), self._get("world")
        self.listed_rank = self._get("listed_rank")  # in the request
        self.placement = _text(self._get("placement"))
        self.model = _text(self._get("model"))
        self.runtime = _text(self._get("runtime"))
        self.carried = json.loads(self._get("carried_json") or "{}")
        binding = self._get("binding")
        self.binding = _binding(binding[0]) if binding else None
        count = c_size_t()
        ports = _function("assignment_ports")(self._handle, byref(count))
        self.ports = _ports(count.value, ports)
        if "ports" in self.boot:  # those the others were told too
            self.ports = [Port(*(p.get(field) for field in Port._fields))
                          for p in self.boot["ports"]]
        count = _function("node_count")(self._handle)
        self.nodes = [_node(_function("node_at")(self._handle, i)[0])
                      for i in range(count)]
        count = _function("list_count")(self._handle)
        self.lists = [_text(_function("list_name")(self._handle, i))
                      for i in range(count)]

    def __del__(self):
        if getattr(self, "_handle", None):
            _function("free")(self._handle)

    def _get(self, what):
        return _function("assignment_" + what)(self._handle)

    def port(self, purpose, group=None):
        """The port for a purpose (of the rank's instance of a node group);
        None: it has none."""
        return next((p for p in self.ports if p.purpose == purpose and
                     group in (None, p.group)), None)

    def node(self, name):
        """The first node of this name; None: the rank does not host it."""
        return next((n for n in self.nodes if n.name == name), None)

    def coordinate(self, node, axis):
        """The rank's place on an axis of a node."""
        return self.node(node).coordinates[axis].coordinate

    def group(self, name, rank=None):
        """The ranks of the one group of a list that a rank, else this one, is
        in; Error NOT_FOUND: in none, or there is no such list."""
        found = POINTER(_Group)()
        rank = self.rank if rank is None else rank
        _call("group_of", self._handle, name.encode(), rank, byref(found))
        ranks = tuple(found[0].ranks[:found[0].length])
        _function("free")(found)
        return ranks

    def groups(self, name):
        """All groups of a list, each a tuple of ranks."""
        found = POINTER(_Groups)()
        _call("groups", self._handle, name.encode(), byref(found))
        begin = found[0].begin[:found[0].count + 1]
        ranks = found[0].ranks[:begin[-1]]
        _function("free")(found)
        return [tuple(ranks[a:b]) for a, b in zip(begin, begin[1:])]

    def creation(self):
        """Yields every group that every worker must create, or take part in
        creating, in the one order that all keep."""
        sequence, created = c_void_p(), _Created()
        _call("creation_begin", self._handle, byref(sequence))
        try:
            while _function("creation_next")(sequence, byref(created)):
                yield Created(_text(created.list), _text(created.backend),
                              tuple(created.ranks[:created.length]))
        finally:
            _function("free")(sequence)

    def verify(self):
        """Compares the digests of this side's expansion with the daemon's."""
        _call("verify", self._handle)


def assignment(path=None):
    """Reads the file that serry exec wrote; path: default: what
    SERRY_ASSIGNMENT says."""
    path = path or os.environ.get("SERRY_ASSIGNMENT")
    if not path:
        raise Error("INVALID_ARGUMENT", "SERRY_ASSIGNMENT is not set: start "
                    "this program by serry exec, or fetch an assignment with "
                    "serry.Client().assignment(PLACEMENT, RANK)")
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    return Assignment(bytes.fromhex(kept["message"]), kept["boot"])


# ---- the daemon: for workers that are not started by serry exec ------------

Boot = collections.namedtuple(
    "Boot", "state joined world master_address master_port store_prefix "
    "missing missing_hosts retry_ms ports")
STATES = "booting", "ready", "degraded"


def incarnation():
    """A number that rises with each start."""
    return _function("incarnation")()


class Client:
    """A connection to the daemon, for one thread at a time. Not for use over
    os.fork()."""

    def __init__(self, address=None):
        self._handle = c_void_p()
        _call("open", address.encode() if address else None,
              byref(self._handle))

    def close(self):
        _function("close")(self._handle)
        self._handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def set_deadline(self, seconds):
        """How long each later call may take."""
        _function("set_deadline")(self._handle, int(seconds * 1000))

    def wait(self, seconds):
        """Until the daemon answers."""
        _call("wait", self._handle, int(seconds * 1000))

    def assignment(self, placement, rank, generation=None):
        found, length = c_void_p(), c_size_t()
        wanted = _Generation(*generation) if generation else None
        _call("assignment", self._handle, placement.encode(), rank,
              byref(wanted) if wanted else None, byref(found))
        data = _function("assignment_bytes")(found, byref(length))
        message = ctypes.string_at(data, length.value)
        _function("free")(found)
        return Assignment(message)

    def join(self, assigned, incarnation, address=""):
        """Tells that this rank is here, and proves its groups."""
        _call("join", self._handle, assigned._handle, incarnation,
              address.encode())

    def await_(self, assigned, incarnation, address="", known="booting",
               seconds=30):
        """Waits for another state than the known one, at most so long."""
        found = POINTER(_Boot)()
        _call("await", self._handle, assigned._handle, incarnation,
              address.encode(), STATES.index(known), int(seconds * 1000),
              byref(found))
        b = found[0]
        boot = Boot(STATES[b.state], b.joined, b.world,
                    _text(b.master_address), b.master_port,
                    _text(b.store_prefix),
                    [b.missing[i] for i in range(b.n_missing)],
                    _texts(b.n_missing_hosts, b.missing_hosts), b.retry_ms,
                    _ports(b.n_ports, b.ports))
        _function("free")(found)
        return boot

    def report_port(self, assigned, port):
        """Tells that a port which this rank confirms is in use by something
        else; returns what it has instead. Best before join()."""
        told = _Port(port.purpose.encode(), port.port, port.on.encode(), b"",
                     -1 if port.group is None else port.group,
                     -1 if port.instance is None else port.instance,
                     port.confirms)
        found = POINTER(_Port)()
        _call("report_port", self._handle, assigned._handle, byref(told),
              byref(found))
        instead = _port(found[0])
        _function("free")(found)
        return instead

    def leave(self, assigned, incarnation):
        _call("leave", self._handle, assigned._handle, incarnation)


# ---- torch.distributed -----------------------------------------------------


def torch_groups(assigned, backends=None, more=()):
    """Creates the groups of the creation sequence, then those of the lists in
    more, in torch.distributed, which must have been initialized. Every rank
    must call it alike. Returns the groups that this rank is in, {backend:
    {key: group}}: each under the names of the lists that have it and under its
    ranks, a tuple. "device" is the backend of most. Groups of one rank are left
    out.
      backends  torch's name for one of the sequence, {"device": "nccl"};
                default: "cpu" is gloo, others are torch's default"""
    import torch.distributed as dist
    backends = {"cpu": "gloo", **(backends or {})}
    made = {}

    def make(backend, ranks):
        if len(ranks) > 1 and (backend, ranks) not in made:
            made[backend, ranks] = dist.new_group(
                list(ranks), backend=backends.get(backend))

    for created in assigned.creation():
        make(created.backend, created.ranks)
    for name in more:
        for ranks in assigned.groups(name):
            make("device", ranks)
    return _own_groups(assigned, made)


def _own_groups(assigned, made):
    """Equal groups of several lists are created once: found by their ranks."""
    found = {}
    for (backend, ranks), group in made.items():
        if assigned.rank in ranks:
            found.setdefault(backend, {})[ranks] = group
    for name in assigned.lists:
        try:
            ranks = assigned.group(name)
        except Error:  # this rank is in no group of the list
            continue
        for groups in found.values():
            if ranks in groups:
                groups[name] = groups[ranks]
    return found
