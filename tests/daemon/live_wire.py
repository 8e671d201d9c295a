# SPDX-License-Identifier: Apache-2.0
"""Messages and peers, by hand: what the tests of a live daemon speak.

Messages are read from proto/serried.proto, so that a field or a method that is
added there is met by the tests without a line here."""
import collections
import os
import re
import socket
import struct

SOURCE = os.path.abspath(os.environ.get("srcdir", "."))
STATUSES = {0: "OK", 3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED",
            5: "NOT_FOUND", 6: "ALREADY_EXISTS", 7: "PERMISSION_DENIED",
            8: "RESOURCE_EXHAUSTED", 9: "FAILED_PRECONDITION", 10: "ABORTED",
            12: "UNIMPLEMENTED", 13: "INTERNAL", 14: "UNAVAILABLE"}

# ---- messages ---------------------------------------------------------------

Field = collections.namedtuple("Field", "number name type repeated")
FIELD = re.compile(r"  (optional|repeated) (\w+) (\w+) = (\d+);")
METHOD = re.compile(r"  rpc (\w+) \((\w+)\) returns \((\w+)\)")


def read_proto(path):
    """Messages by name, each a list of Field, and methods: name -> types."""
    messages, methods, inside = {}, {}, None
    for line in open(path, encoding="utf-8"):
        if match := re.match(r"(message|service) (\w+) \{", line):
            inside = match[2]
            messages.setdefault(inside, [])
        elif match := FIELD.match(line):
            messages[inside].append(Field(int(match[4]), match[3], match[2],
                                          match[1] == "repeated"))
        elif match := METHOD.match(line):
            methods[f"{inside}/{match[1]}"] = match[2], match[3]
    return messages, methods


MESSAGES, METHODS = read_proto(os.path.join(SOURCE, "proto/serried.proto"))


class Message(dict):
    """Fields that are present; as attributes also those that are not."""

    def __init__(self, type_name, **fields):
        super().__init__(fields)
        self.type_name = type_name

    def __getattr__(self, name):
        if name in self:
            return self[name]
        field = next(f for f in MESSAGES[self.type_name] if f.name == name)
        if field.repeated:
            return []
        if field.type in MESSAGES:
            return Message(field.type)
        return {"string": "", "bytes": b"", "bool": False}.get(field.type, 0)


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def length_prefixed(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def pack(type_name, fields):
    """Packs a dict. Strings may be given as bytes, to be wrong on purpose."""
    out = []
    for field in MESSAGES[type_name]:
        values = fields.get(field.name)
        for value in values or [] if field.repeated else [values]:
            if value is None:
                continue
            if field.type in MESSAGES:
                inner = pack(field.type, value)
                out.append(length_prefixed(field.number, inner))
            elif field.type in ("string", "bytes"):
                data = value.encode() if isinstance(value, str) else value
                out.append(length_prefixed(field.number, data))
            else:
                if field.type.startswith("sint"):
                    value = value << 1 ^ value >> 63
                out.append(varint(field.number << 3) + varint(int(value)))
    return b"".join(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def plain(field, value):
    """A number from the wire as its type has it."""
    if field.type.startswith("sint"):
        return value >> 1 ^ -(value & 1)
    if field.type == "int64" and value >> 63:
        return value - (1 << 64)
    return bool(value) if field.type == "bool" else value


def unpack(type_name, data):
    """A Message. Text that is not UTF-8 fails, as does what is no message."""
    out, at = Message(type_name), 0
    by_number = {f.number: f for f in MESSAGES[type_name]}
    while at < len(data):
        tag, at = read_varint(data, at)
        value, at = read_varint(data, at)
        field = by_number[tag >> 3]
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
            if field.type in MESSAGES:
                value = unpack(field.type, value)
            elif field.type == "string":
                value = value.decode()
        else:
            value = plain(field, value)
        if field.repeated:
            out.setdefault(field.name, []).append(value)
        else:
            out[field.name] = value
    return out


# ---- peers ------------------------------------------------------------------

class Refused(Exception):
    """An answer that is not OK."""

    def __init__(self, method, answer):
        self.answer, self.status = answer, STATUSES[answer.status]
        super().__init__(f"{method}: {self.status}: {answer.message}")


class Gone(Exception):
    """The daemon closed the connection."""


REQUEST_GREETING = bytes.fromhex("0053500000300000")
REPLY_GREETING = bytes.fromhex("0053500000310000")


class Peer:
    """One connection that speaks SP by hand. name: "METHOD" without package."""

    def __init__(self, address, timeout=20, greet=True, buffer=1 << 16):
        self.ipc = not address.startswith("tcp://")
        if self.ipc:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(address)
        else:
            host, port = address[6:].rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb", buffer)
        self.last = 0
        if greet:
            self.socket.sendall(REQUEST_GREETING)
            assert self.take(8) == REPLY_GREETING

    def close(self):
        self.stream.close()
        self.socket.close()

    def take(self, count):
        try:
            data = self.stream.read(count)
        except ConnectionError as error:
            raise Gone from error
        if len(data) < count:
            raise Gone
        return data

    def frame(self, body):
        """The bytes of a request with the next request id."""
        self.last += 1
        data = struct.pack(">QI", len(body) + 4, 1 << 31 | self.last) + body
        return b"\1" + data if self.ipc else data

    def send_body(self, body):
        try:
            self.socket.sendall(self.frame(body))
        except ConnectionError as error:
            raise Gone from error
        return self.last

    def receive_body(self):
        """The request id, and the body behind it."""
        if self.ipc:
            assert self.take(1) == b"\1"
        length, number = struct.unpack(">QI", self.take(12))
        return number & ~(1 << 31), self.take(length - 4)

    def send(self, name, request, deadline_ms=20000, **envelope):
        """Sends a request, a dict or packed already."""
        if not isinstance(request, bytes):
            request = pack(METHODS[name][0], request)
        call = dict(method="/serried.v1." + name, request_id=self.last + 1,
                    deadline_ms=deadline_ms, request=request)
        return self.send_body(pack("Call", dict(call, **envelope)))

    def receive(self):
        return unpack("Answer", self.receive_body()[1])

    def answer(self, name, request, **envelope):
        """The Answer, whatever its status is."""
        number = self.send(name, request, **envelope)
        got, body = self.receive_body()
        assert got == number, f"request {number} was answered as {got}"
        return unpack("Answer", body)

    def packed(self, name, request, **envelope):
        """The reply's bytes; raises Refused."""
        answer = self.answer(name, request, **envelope)
        if answer.status:
            assert answer.message and not answer.message.endswith(".")
            raise Refused(name, answer)
        return answer.reply

    def ask(self, name, request=None, /, **fields):
        """The reply; raises Refused."""
        reply = self.packed(name, dict(request or {}, **fields))
        return unpack(METHODS[name][1], reply)
