# SPDX-License-Identifier: Apache-2.0
"""What the tests of a live daemon share: messages, peers, a daemon, TAP.

Messages are read from proto/serried.proto, so that a field or a method that is
added there is met by the tests without a line here."""
import collections
import contextlib
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

SOURCE = os.path.abspath(os.environ.get("srcdir", "."))
SERRIED = os.path.abspath(os.environ.get("SERRIED", "daemon/serried"))
SERRY = os.path.abspath(os.environ.get("SERRY", "client/serry"))
STATUSES = {0: "OK", 3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED",
            5: "NOT_FOUND", 6: "ALREADY_EXISTS", 7: "PERMISSION_DENIED",
            8: "RESOURCE_EXHAUSTED", 9: "FAILED_PRECONDITION", 10: "ABORTED",
            12: "UNIMPLEMENTED", 13: "INTERNAL", 14: "UNAVAILABLE"}

# ---- messages ---------------------------------------------------------------

Field = collections.namedtuple("Field", "number name type repeated")


def read_proto(path):
    """Messages by name, each a list of Field, and methods: name -> types."""
    messages, methods, inside = {}, {}, None
    for line in open(path, encoding="utf-8"):
        if match := re.match(r"(message|service) (\w+) \{", line):
            inside = match[2]
            messages.setdefault(inside, [])
        elif match := re.match(r"  (optional|repeated) (\w+) (\w+) = (\d+);", line):
            messages[inside].append(
                Field(int(match[4]), match[3], match[2], match[1] == "repeated"))
        elif match := re.match(r"  rpc (\w+) \((\w+)\) returns \((\w+)\)", line):
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
        for value in values if field.repeated and values else [values]:
            if value is None:
                continue
            if field.type in MESSAGES:
                out.append(length_prefixed(field.number, pack(field.type, value)))
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

    def __init__(self, address, timeout=20, greet=True):
        self.ipc = not address.startswith("tcp://")
        if self.ipc:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(address)
        else:
            host, port = address[6:].rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb", 1 << 16)
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


# ---- a daemon ---------------------------------------------------------------

SANITIZED = b"__asan_init" in open(SERRIED, "rb").read()


class Daemon:
    """A daemon with a state and a socket of its own in a folder of its own."""

    def __init__(self, *flags, folder=None, descriptors=None):
        self.folder = folder or tempfile.mkdtemp(prefix="serried-test.")
        self.socket = os.path.join(self.folder, "sock")
        self.database = os.path.join(self.folder, "db")
        self.log = os.path.join(self.folder, "log")
        self.flags, self.descriptors, self.process = flags, descriptors, None
        self.start()

    def start(self):
        """Starts it (again, on what is there); returns when it greets."""
        def limit():
            if self.descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors,) * 2)

        conf = os.path.join(self.folder, "conf")
        open(conf, "a").close()
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("SERRIED_", "NOTIFY_"))}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [SERRIED, "--config", conf, "--address", self.socket,
                 "--state", "sqlite:" + self.database, *self.flags],
                stderr=log, stdin=subprocess.DEVNULL, env=environment,
                preexec_fn=limit)
        until = time.monotonic() + 20
        while True:
            try:
                Peer(self.socket).close()
                return
            except (OSError, Gone):
                assert self.process.poll() is None, "it did not start"
                assert time.monotonic() < until, "it does not greet"
                time.sleep(0.002)

    def peer(self, **options):
        return Peer(self.socket, **options)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """SIGTERM; it must end with 0."""
        self.process.terminate()
        status = self.process.wait(20)
        assert status == 0, f"it ended with {status}"

    def restart(self, how):
        getattr(self, how)()
        self.start()

    def rss_kib(self):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1])

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().split(") ")[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def daemon(*flags, **options):
    """A daemon for the length of a block, in which nothing may go wrong: it
    must be alive at the end, and stop when it is told."""
    made = Daemon(*flags, **options)
    try:
        yield made
        if made.process.poll() is None:
            made.stop()
        assert made.process.returncode in (0, -9), "it died"
    except BaseException:
        for line in open(made.log, errors="replace").read().splitlines()[-15:]:
            print("# log:", line)
        raise
    finally:
        made.close()


def serry(made, *arguments, text=None):
    """Runs the tool against a daemon; its standard output, if it ends with 0."""
    done = subprocess.run([SERRY, *arguments], input=text, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, SERRY_ADDRESS=made.socket))
    assert done.returncode == 0, f"serry: {done.returncode}: {done.stderr}"
    return done.stdout


def raise_descriptors():
    """How many descriptors this process may have, after asking for all."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


# ---- tests ------------------------------------------------------------------

class Skip(Exception):
    """The test cannot be made here; says why."""


TESTS = []


def test(function):
    """A test: its name is a sentence that is true."""
    TESTS.append((function.__name__.replace("_", " "), function))
    return function


def known_fault(why):
    """A test that fails until a fault of the program is mended."""
    def mark(function):
        function.fault = why
        return function
    return mark


def refuses(status, function, *arguments, **named):
    """The refusal; anything else fails."""
    try:
        got = function(*arguments, **named)
    except Refused as refused:
        assert refused.status == status, f"want {status}, got {refused}"
        return refused.answer
    raise AssertionError(f"want {status}, got the answer {str(got)[:300]}")


def same(want, got):
    assert want == got, f"want {str(want)[:300]}, got {str(got)[:300]}"


def say(text):
    print("#", text, flush=True)


def run_one(function, seconds):
    def late(*_):
        raise TimeoutError(f"no end after {seconds} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        function()
    finally:
        signal.alarm(0)


def main(seconds=120):
    """Runs all tests, or those whose name holds the argument."""
    chosen = [t for t in TESTS if len(sys.argv) < 2 or sys.argv[1] in t[0]]
    print(f"1..{len(chosen)}", flush=True)
    for number, (name, function) in enumerate(chosen, 1):
        began = time.monotonic()
        fault = getattr(function, "fault", None)
        try:
            run_one(function, seconds)
            line = f"ok {number} - {name}"
        except Skip as skip:
            line = f"ok {number} - {name} # SKIP {skip}"
        except Exception:
            for part in traceback.format_exc().splitlines():
                print("#", part[:400])
            line = f"not ok {number} - {name}"
        if fault and "# SKIP" not in line:
            line = line.replace("\n", " ") + " # TO" + f"DO {fault}"
        print(line, flush=True)
        if time.monotonic() - began > 1:
            say(f"took {time.monotonic() - began:.1f} s")
