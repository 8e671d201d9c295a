# SPDX-License-Identifier: Apache-2.0
"""A relay between workers and a daemon that binds ranks to devices: it puts a
binding into each assignment that passes, so that workers on several hosts can be
played on one machine."""
import os
import socket
import struct
import threading

from live_wire import pack, unpack


class Relay:
    """Listens at self.socket for as long as the with block. bindings: of each
    rank, as the message Binding has it."""

    def __init__(self, made, bindings):
        self.to, self.bindings = made.socket, bindings
        self.folder = made.folder
        self.socket = os.path.join(made.folder, "relay")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.socket)
        self.listener.listen(64)
        self.open = [self.listener]

    def __enter__(self):
        self.start(self.accept)
        return self

    def __exit__(self, *_):
        for one in self.open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def start(self, function, *arguments):
        threading.Thread(target=self.carry, daemon=True,
                         args=(function, *arguments)).start()

    @staticmethod
    def carry(function, *arguments):
        try:
            function(*arguments)
        except (OSError, struct.error):
            pass  # one end has closed

    def accept(self):
        while True:
            worker = self.listener.accept()[0]
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(self.to)
            self.open += [worker, daemon]
            asked = set()  # requests whose answers are assignments
            self.start(self.pass_on, worker, daemon, self.request, asked)
            self.start(self.pass_on, daemon, worker, self.answer, asked)

    def pass_on(self, source, sink, change, asked):
        try:
            with source.makefile("rb") as stream:
                sink.sendall(stream.read(8))  # the greeting
                while True:
                    head = stream.read(13)
                    length, number = struct.unpack(">xQI", head)
                    body = change(stream.read(length - 4), number, asked)
                    sink.sendall(struct.pack(">BQI", 1, len(body) + 4, number)
                                 + body)
        finally:
            sink.shutdown(socket.SHUT_RDWR)

    def request(self, body, number, asked):
        call = unpack("Call", body)
        if not call.method.endswith("/GetAssignment"):
            return body
        asked.add(number)
        request = unpack("GetAssignmentRequest", call.request)
        if "host" in request:
            where = request.pop("host"), request.pop("local_rank")
            request["rank"] = next(
                (rank for rank, b in enumerate(self.bindings)
                 if (b["host"], b["local_rank"]) == where), 1 << 20)
        call["request"] = pack("GetAssignmentRequest", request)
        return pack("Call", call)

    def answer(self, body, number, asked):
        answer = unpack("Answer", body)
        if number not in asked or answer.status:
            return body
        assignment = unpack("Assignment", answer.reply)
        assignment["binding"] = self.bindings[assignment.rank]
        answer["reply"] = pack("Assignment", assignment)
        return pack("Answer", answer)
