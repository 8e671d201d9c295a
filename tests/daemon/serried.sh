#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serried from outside: starting, being told, stopping.
#
# SERRIED, or SERRY beside it, names the program. Everything is kept in one
# folder under TMPDIR, on unix sockets, and removed at the end.
set -eu
serried=${SERRIED:-${SERRY%/client/serry}/daemon/serried}
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP python3, which plays the peers, is not here"
    exit 0
fi

folder=$(mktemp -d)
pid=
other=
leave()
{
    for process in $pid $other; do
        kill -9 "$process" 2>/dev/null || :
    done
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

number=0
# ok NAME COMMAND...: one test, true where the command is.
ok()
{
    name=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        tail -n 5 "$folder"/*.log | sed 's/^/# /'
    fi
}

# soon COMMAND...: within five seconds.
soon()
{
    tries=0
    until "$@" 2>/dev/null; do
        tries=$((tries + 1))
        test "$tries" -lt 100 || return 1
        sleep 0.05
    done
}

# Whether the log of the daemon last started, or another, has a line.
logged()
{
    grep -q -e "$1" "${2:-$folder/serried.log}"
}

# start ARGUMENT...: a daemon on the one state and socket, until it is ready.
start()
{
    : >"$folder/serried.log" # the line of a daemon before must not be found
    "$serried" --config "$folder/conf" "$@" >/dev/null 2>"$folder/serried.log" &
    pid=$!
    soon logged ' ready address='
}

# ends STATUS [PID]: whether it ends so, soon.
gone()
{
    ! kill -0 "$1" || grep -q '^State:.Z' "/proc/$1/status"
}
ends()
{
    soon gone "${2:-$pid}" || return 1
    status=0
    wait "${2:-$pid}" || status=$?
    test "$status" -eq "$1"
}

# refuses STATUS SENTENCE ARGUMENT...: it does not start, and says why.
refuses()
{
    expected=$1
    sentence=$2
    shift 2
    status=0
    timeout 10 "$serried" "$@" >"$folder/refused.log" 2>&1 || status=$?
    test "$status" -eq "$expected" && logged "$sentence" "$folder/refused.log"
}

# A peer that speaks SP by hand: METHOD REQUEST-IN-HEX, prints the status; or
# "deaf": asks for ever and never reads.
cat >"$folder/peer.py" <<'EOF'
import socket, struct, sys, time

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at

def status(answer):
    at = 0
    while at < len(answer):
        tag, at = varint(answer, at)
        value, at = varint(answer, at)
        if tag == 2 << 3:
            return value
        if tag & 7 == 2:
            at += value
    return 0

def take(peer, count):
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            sys.exit("closed")
        data += more
    return data

peer = socket.socket(socket.AF_UNIX)
peer.settimeout(20)
peer.connect(sys.argv[1])
peer.sendall(b"\0SP\0\0\x30\0\0")
take(peer, 8)
method = sys.argv[2].encode()
request = bytes.fromhex(sys.argv[3])
call = b"\x0a" + bytes([len(method)]) + method + b"\x2a" + \
    bytes([len(request)]) + request
body = struct.pack(">I", 0x80000001) + call
message = b"\1" + struct.pack(">Q", len(body)) + body
if sys.argv[4:] == ["deaf"]:
    peer.settimeout(0.5)
    try:
        while True:
            peer.sendall(message * 64)
    except (socket.timeout, OSError):
        print("deaf", flush=True)
        time.sleep(20)
peer.sendall(message)
print("asked", flush=True)
length = struct.unpack(">Q", take(peer, 9)[1:])[0]
print("status", status(take(peer, length)[4:]), flush=True)
EOF
peer()
{
    python3 "$folder/peer.py" "$folder/sock" "$@" 2>&1
}
served()
{
    peer /serried.v1.Admin/Status '' | grep -q '^status 0$'
}

cat >"$folder/conf" <<EOF
address = $folder/sock
state = sqlite:$folder/db
EOF
echo 1..35

# ---- what it is told ---------------------------------------------------------
ok "--version says the version" refuses 0 '^serried ' --version
ok "--help names every flag" refuses 0 '^  --drain-ms ' --help
ok "an unknown flag is usage" refuses 64 'did you mean --log-level' \
    --log-levle info
ok "a flag that cannot be is refused" refuses 65 \
    'watch_max is "many", must be a whole number' \
    --config "$folder/conf" --watch-max many
echo 'drain_ms = soon' >"$folder/bad"
ok "a file with a mistake is refused by its line" refuses 65 \
    'bad:1: drain_ms is "soon"' --config "$folder/bad"
ok "--show-config shows what is in force" refuses 0 \
    '^drain_ms = 3s  # command line' \
    --config "$folder/conf" --show-config --drain-ms 3s
ok "an address that is not loopback is refused" refuses 65 192.0.2.1 \
    --config "$folder/conf" --address tcp://192.0.2.1:5600
few_descriptors()
{
    (
        # shellcheck disable=SC3045 # dash and bash have it
        ulimit -n 40
        refuses 5 'limit of descriptors is 40, must be at least 64' \
            --config "$folder/conf"
    )
}
ok "too few descriptors are refused" few_descriptors
echo precious >"$folder/file"
ok "a file that is no socket is not replaced" refuses 5 "$folder/file" \
    --config "$folder/conf" --address "$folder/file"
ok "and is left as it was" grep -q precious "$folder/file"

# ---- serving -----------------------------------------------------------------
ok "it starts" start
ok "a call is answered" served
ok "the state is its owner's only" \
    test "$(stat -c %a "$folder/db")" = 600
ok "the socket is its group's too" \
    test "$(stat -c %a "$folder/sock")" = 660
ok "a second daemon on the same state is refused" refuses 5 \
    "process $pid" --config "$folder/conf" --address "$folder/sock2"
ok "before it listens" test ! -e "$folder/sock2"
ok "a second daemon on the same address is refused" refuses 5 \
    "another program listens on $folder/sock" \
    --config "$folder/conf" --state memory:
ok "and the first goes on" served

# ---- SIGHUP ------------------------------------------------------------------
echo 'log_level = debug' >>"$folder/conf"
sed -i 's/^address.*/&2/' "$folder/conf"
kill -HUP "$pid"
ok "SIGHUP changes what it may" \
    soon logged 'setting changed name=log_level'
ok "and tells what waits for the next start" \
    soon logged 'setting differs, .* name=address'
ok "calls are logged now" served
ok "with their method and status" \
    soon logged 'call ended method=/serried.v1.Admin/Status .* status=OK'
echo 'oops' >>"$folder/conf"
kill -HUP "$pid"
ok "a mistake leaves all as it was" \
    soon logged 'settings not reloaded.*conf:4: '
sed -i '/oops/d; s/sock2$/sock/' "$folder/conf"

# ---- stopping ----------------------------------------------------------------
peer /serried.v1.Placement/Watch 10b0ea01 >"$folder/watch.log" &
other=$!
soon logged asked "$folder/watch.log"
kill -TERM "$pid"
ok "SIGTERM ends it with 0" ends 0
ok "who waits is told UNAVAILABLE" soon logged '^status 14$' \
    "$folder/watch.log"
wait "$other" || :
other=
ok "its socket is gone" test ! -e "$folder/sock"

start
kill -INT "$pid"
ok "SIGINT ends it with 0" ends 0

start
kill -9 "$pid"
wait "$pid" 2>/dev/null || :
ok "after kill -9 it starts again, over its old socket" start
ok "and serves" served

peer /serried.v1.Admin/Status '' deaf >"$folder/deaf.log" &
other=$!
soon logged deaf "$folder/deaf.log"
kill -TERM "$pid"
soon logged 'told to stop'
sleep 0.2
kill -TERM "$pid"
ok "a second signal ends it at once with 1" ends 1
kill "$other"
wait "$other" 2>/dev/null || :

start --drain-ms 300
peer /serried.v1.Admin/Status '' deaf >"$folder/deaf.log" &
other=$!
soon logged deaf "$folder/deaf.log"
kill -TERM "$pid"
ok "a peer that does not read holds it up for drain_ms only" ends 0
kill "$other"
wait "$other" 2>/dev/null || :
other=

# ---- a service manager -------------------------------------------------------
cat >"$folder/manager.py" <<'EOF'
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
manager.settimeout(20)
text = ""
while "STOPPING=1" not in text:
    text = manager.recv(4096).decode()
    print(text.replace("\n", " "), flush=True)
EOF
python3 "$folder/manager.py" "$folder/notify" >"$folder/manager.log" 2>&1 &
other=$!
soon test -S "$folder/notify"
NOTIFY_SOCKET=$folder/notify WATCHDOG_USEC=100000
export NOTIFY_SOCKET WATCHDOG_USEC
start
unset NOTIFY_SOCKET WATCHDOG_USEC
ok "the manager hears that it is ready" soon logged \
    "^READY=1 STATUS=serving on .*sock" "$folder/manager.log"
ok "and that it lives" soon logged '^WATCHDOG=1' "$folder/manager.log"
kill -HUP "$pid"
soon logged '^RELOADING=1 MONOTONIC_USEC=' "$folder/manager.log"
kill -TERM "$pid"
ok "and that it reloads and stops" soon logged '^STOPPING=1' \
    "$folder/manager.log"
wait "$pid" || :
wait "$other" || :
other=

# ---- without standard descriptors --------------------------------------------
"$serried" --config "$folder/conf" <&- >&- 2>&- &
pid=$!
soon served
kill -TERM "$pid"
ends 0
ok "a log without a place does not get into the state" \
    sh -c "head -c 15 '$folder/db' | grep -q '^SQLite format 3'"
pid=
