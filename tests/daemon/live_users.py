# SPDX-License-Identifier: Apache-2.0
"""Who connects: users of the unix socket and their groups, and other hosts."""
import contextlib
import grp
import os
import pwd
import re
import subprocess
import time

import live
from live import PLACE, refuses, same, test
from live_guarded import OPERATOR, TOKENS

NOBODY = 65534


@contextlib.contextmanager
def calling_as(uid, gid):
    """Who connects in this block is this user to the daemon."""
    if os.geteuid() != 0:
        raise live.Skip("only root can call as another user")
    before = os.getegid(), os.getgroups()
    os.setgroups([])
    os.setegid(gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(before[0])
        os.setgroups(before[1])


def a_group():
    """The name and number of some group that is nobody's own."""
    for group in grp.getgrall():
        if group.gr_gid not in (os.getegid(), NOBODY) and not group.gr_mem:
            return group.gr_name, group.gr_gid
    raise live.Skip("there is no group to be in")


def may_declare(made, uid, gid):
    """Whether this user may do what only admins may, and it may place."""
    with calling_as(uid, gid):
        peer = live.Peer(made.socket)
    try:
        peer.ask(PLACE, document=live.deployment("wan"),
                 idempotency_key=live.key())
        answer = peer.answer("Catalog/Apply", {
            "document": live.model("m"), "idempotency_key": live.key()})
    finally:
        peer.close()
    assert answer.status in (0, 7), answer
    return answer.status == 0


@test
def users_of_the_socket_are_admins_by_their_group():
    name, number = a_group()
    with live.daemon("--admin-group", name, "--socket-mode", "0666") as made:
        os.chmod(made.folder, 0o755)
        assert may_declare(made, 0, 0)
        assert may_declare(made, NOBODY, number)
        assert not may_declare(made, NOBODY, NOBODY)
        until = time.monotonic() + 10
        while not (events := [e for e in live.events(made.peer())
                              if e.what == "call refused"]):
            assert time.monotonic() < until
        same((1, "/serried.v1.Catalog/Apply"),
             (len(events), events[0].subject))
        assert events[0].who.startswith(f"uid {NOBODY} pid "), events[0]
        placed = [e.who for e in live.events(made.peer())
                  if e.what.startswith("placed")]
        assert placed[1].startswith(f"uid {NOBODY} "), placed
    with live.daemon("--socket-mode", "0666") as made:  # no group is named
        os.chmod(made.folder, 0o755)
        assert may_declare(made, NOBODY, NOBODY)


@contextlib.contextmanager
def a_machine_with(groups):
    """Daemons that start in this block see this as /etc/group."""
    folder = live.tempfile.mkdtemp(prefix="serried-test.")
    path, program = os.path.join(folder, "group"), live.SERRIED
    wrapper = os.path.join(folder, "serried")
    with open(path, "w") as file:
        file.write(groups)
    with open(wrapper, "w") as file:
        file.write("#!/bin/sh\nexec unshare -m sh -c 'mount --bind "
                   f"{path} /etc/group && exec \"$@\"' sh {program} \"$@\"\n")
    os.chmod(wrapper, 0o755)
    if os.geteuid() != 0 or subprocess.run(
            ["unshare", "-m", "mount", "--bind", path, "/etc/group"],
            capture_output=True, check=False).returncode:
        live.shutil.rmtree(folder)
        raise live.Skip("only root can give a daemon an /etc/group of its own")
    live.SERRIED = wrapper
    try:
        yield
    finally:
        live.SERRIED = program
        live.shutil.rmtree(folder)


@test
def members_listed_in_the_group_are_admins_whatever_group_they_call_with():
    user = pwd.getpwuid(NOBODY).pw_name
    with a_machine_with("root:x:0:\n"
                        f"wheel:x:61234:root,no-such-user,{user}\n"
                        "others:x:61235:root\n"):
        for name, may in ("wheel", True), ("others", False):
            with live.daemon("--admin-group", name,
                             "--socket-mode", "0666") as made:
                os.chmod(made.folder, 0o755)
                same(may, may_declare(made, NOBODY, NOBODY))
                assert not may_declare(made, NOBODY - 1, NOBODY)


@test
def a_log_that_says_less_lets_no_flood_into_the_journal():
    with live.daemon("--log-level", "error", "--admin-group", a_group()[0],
                     "--socket-mode", "0666") as made:
        os.chmod(made.folder, 0o755)
        with calling_as(NOBODY, NOBODY):
            peer = live.Peer(made.socket)
        for _ in range(300):
            refuses("PERMISSION_DENIED", peer.ask, "Catalog/Apply",
                    document=live.model("m"))
        peer.close()
        assert len(live.events(made.peer())) < 20


@test
def the_group_of_the_socket_decides_who_may_connect():
    name, number = a_group()
    with live.daemon("--socket-group", name) as made:
        os.chmod(made.folder, 0o755)
        assert may_declare(made, NOBODY, number)
        try:
            may_declare(made, NOBODY, NOBODY)
        except PermissionError:
            return
        raise AssertionError("a stranger connected")


@test
def beyond_loopback_it_serves_with_tokens_and_a_warning():
    folder = live.tempfile.mkdtemp(prefix="serried-test.")
    tokens = os.path.join(folder, "tokens")
    with open(tokens, "w") as file:
        file.write(TOKENS)
    os.chmod(tokens, 0o600)
    sock = os.path.join(folder, "sock")
    address = "tcp://0.0.0.0:0"

    def start(*flags):
        return subprocess.Popen(
            [live.SERRIED, "--state", "memory:", "--address",
             f"{sock},{address}", "--tokens", tokens, *flags], text=True,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    refused = start()
    assert "remote" in refused.communicate(timeout=20)[1]
    same(65, refused.returncode)
    made = start("--remote", "on")
    try:
        said = ""
        while "not encrypted" not in said:
            line = made.stderr.readline()
            assert line, said
            said += line
        assert " warn " in said.splitlines()[-1], said
        port = re.search(r"tcp://0\.0\.0\.0:(\d+)", said)[1]
        peer = live.Peer(f"tcp://127.0.0.1:{port}")
        same(7, peer.answer("Admin/Status", {}).status)
        same(0, peer.answer("Admin/Status", {}, metadata=[{
            "key": "authorization", "value": "Bearer " + OPERATOR}]).status)
        peer.close()
    finally:
        made.terminate()
        made.communicate(timeout=20)
        live.shutil.rmtree(folder)


if __name__ == "__main__":
    live.main()
