# SPDX-License-Identifier: Apache-2.0
"""A daemon that listens on tcp and knows some tokens."""
import hashlib
import os
import re

import live

ADMIN, OPERATOR, WORKER, OTHER = (f"{n}" * 40 for n in "aowx")


def line(role, name, token, *placement):
    return " ".join([role, name, hashlib.sha256(token.encode()).hexdigest(),
                     *placement]) + "\n"


TOKENS = ("# who calls\n\n" + line("admin", "ann", ADMIN) +
          line("operator", "olga", OPERATOR) +
          line("worker", "w1", WORKER, "wan"))


class Guarded(live.Daemon):
    """A daemon that listens on tcp too, with a file of tokens."""

    def __init__(self, *extra):
        self.extra = extra
        super().__init__()

    def start(self):
        self.tokens = os.path.join(self.folder, "tokens")
        if not os.path.exists(self.tokens):
            self.write(TOKENS)
        self.flags = ("--tokens", self.tokens, *self.extra)
        self.addresses = self.socket + ",tcp://127.0.0.1:0"
        super().start()
        self.tcp = re.findall(r"tcp://127\.0\.0\.1:\d+", open(self.log).read())
        self.tcp = self.tcp[-1]

    def write(self, text, mode=0o600):
        with open(self.tokens, "w") as file:
            file.write(text)
        os.chmod(self.tokens, mode)

    def call(self, token, name, **fields):
        peer = live.Peer(self.tcp)
        metadata = token and [{"key": "authorization",
                               "value": f"Bearer {token}"}]
        try:
            answer = peer.answer(name, fields, metadata=metadata or [])
        finally:
            peer.close()
        if answer.status:
            raise live.Refused(name, answer)
        return live.unpack(live.METHODS[name][1], answer.reply)


class guarded:
    """One for the length of a block; flags beside those that guard it."""

    def __init__(self, *flags):
        self.flags = flags

    def __enter__(self):
        self.made = Guarded(*self.flags)
        return self.made

    def __exit__(self, kind, *_):
        if kind is None:
            self.made.close_peers()
            self.made.stop()
        self.made.close()


def place(made, token=OPERATOR, name="wan"):
    return made.call(token, "Placement/Place", document=live.deployment(name),
                     idempotency_key=live.key())
