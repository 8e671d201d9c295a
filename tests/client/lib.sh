# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the tests of serry share: run it, say what holds, in TAP.
#
# SERRY names the program, srcdir the tree.
set -u
SERRY=${SERRY:?names the program to test}
srcdir=$(cd "${srcdir:-.}" && pwd)
SERRIED_SHARE= # what is installed on this machine does not matter
LC_ALL=C
export SERRIED_SHARE LC_ALL
unset NO_COLOR TERM

number=0
failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/serry-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# run ARGUMENT...: runs serry; leaves $status and the files out and err.
run()
{
    status=0
    "$SERRY" "$@" >out 2>err </dev/null || status=$?
}

# Runs it with standard input taken from the file named first.
run_with()
{
    input=$1
    shift
    status=0
    "$SERRY" "$@" >out 2>err <"$input" || status=$?
}

# verdict NAME COMMAND...: reports whether the command succeeds.
verdict()
{
    name=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failures=$((failures + 1))
        {
            echo "exit code ${status-}"
            head -n 20 out
            head -n 5 err
        } 2>/dev/null | sed 's/^/#   /'
    fi
}

# Ends the test here unless there is a daemon, which SERRIED names.
needs_daemon()
{
    SERRIED=${SERRIED:-${SERRY%/client/serry}/daemon/serried}
    if [ ! -x "$SERRIED" ]; then
        echo "1..0 # SKIP there is no daemon at $SERRIED"
        exit 0
    fi
    SERRY_ADDRESS=$work/s
    export SERRY_ADDRESS
    trap 'daemon_end; rm -rf "$work"' EXIT
}

# Starts a daemon at $SERRY_ADDRESS, on the state in $work, and waits until it
# answers.
daemon=
daemon_begin()
{
    "$SERRIED" --address "$work/s" --state "sqlite:$work/db" --share '' \
        2>>log &
    daemon=$!
    tries=0
    until "$SERRY" status >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ $tries -eq 200 ]; then
            sed 's/^/# /' log
            echo "Bail out! the daemon does not answer"
            exit 1
        fi
        sleep 0.1
    done
}

daemon_end()
{
    test -z "$daemon" || { kill "$daemon" && wait "$daemon"; }
    daemon=
}

skip()
{
    number=$((number + 1))
    echo "ok $number # SKIP $1"
}

done_testing()
{
    echo "1..$number"
    exit $((failures > 0))
}

# ---- what can be asked --------------------------------------------------------

ended() # CODE
{
    test "$status" -eq "$1"
}

# ended_with CODE TEXT: the code, and the text on standard output.
ended_with()
{
    ended "$1" && grep -qF -- "$2" out
}

# complained CODE TEXT: the code, nothing on standard output, and one sentence on
# standard error that starts with the program's name and holds the text.
complained()
{
    ended "$1" && test ! -s out && test "$(wc -l <err)" -eq 1 &&
        grep -q '^serry: ' err && grep -qF -- "$2" err
}

# Whether no line of the output is longer than 80 characters.
narrow()
{
    awk 'length($0) > 80 { bad = 1 } END { exit bad }' out
}

# Whether each line (or with "whole", the output) is JSON; true where there is
# no reader of JSON.
python=$(command -v python3 || true)
json()
{
    test -n "$python" || return 0
    "$python" -c '
import json, sys
text = sys.stdin.read()
for part in [text] if sys.argv[1] == "whole" else text.splitlines():
    json.loads(part)
' "${1:-whole}" <out 2>err
}

# ---- documents ----------------------------------------------------------------

cat >accepted.yaml <<'END'
deployment: video
model: wan22
max_seq_len: 512
node_groups:
  - {node_names: [dit], ranks: [0, 1], cfg_size: 2}
  - {node_names: [text_encoder, vae_encoder, vae_decoder], ranks: [0]}
END
sed 's/cfg_size: 2/cfg_size: 3/; s/\[0, 1\]/[0, 1, 2]/; s/video/odd/' \
    accepted.yaml >refused.yaml
# No one said how many query heads it has.
cat >unchecked.yaml <<'END'
model: cosmos3_super
max_seq_len: 8192
node_groups:
  - {node_names: [dit], ranks: [0, 1, 2, 3], tp_size: 2, sp_size: 2}
  - {node_names: [vae_encoder, vae_decoder, audio_decoder], ranks: [0]}
END
sed 's/wan22/wan23/' accepted.yaml >unknown_model.yaml
sed 's/^model: wan22/runtime: mstarr/' accepted.yaml >unknown_runtime.yaml
sed 's/\[0, 1\]/[0, x]/' accepted.yaml >malformed.yaml
cat >runtime.yaml <<'END'
runtime: tiny
version: 7
axes: [{name: a}, {name: b}]
derive: {rest: world / a}
views: {all: [a, {c: rest}], other: [{d: world / b}, b]}
rules:
  - {check: sizes}
  - {code: too_many, refuse: 'a > 2 && b > 2', because: one of them is enough, try: [{set: {b: 1}, say: without b}]}
END
cat >world.yaml <<'END'
deployment: world
runtime: tiny
world: 8
sizes: {a: 2}
END
