#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page on runtimes is true: its tables are those that the program prints,
# every YAML block is a file that does what the page says, and every answer it
# shows is in the answer that the tool gives. So is the table of the page on
# faults.
#
# A comment before a block says what it is:
#   file: NAME, lint | model | [with FILE...,] accept | refuse CODE
#       [, lists L...] [, up_to LAYER]
#   in: NAME      each line of this block stands in the answer to NAME
set -eu
page=${srcdir:-.}/docs/runtimes.md
serry=${SERRY:-client/serry}
tables=${TABLES:-tests/docs/print_tables}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Blocks into files; a line of the plan for each: kind, name, the rest.
awk -v work="$work" '
    /^<!-- (file|in): / {
        sub(/^<!-- /, "")
        sub(/ -->$/, "")
        note = $0
        next
    }
    /^```(yaml|text)$/ {
        if (note == "") {
            print "bare line " FNR
            note = "in: nothing"
        }
        print note
        n++
        name = work "/block-" n
        note = ""
        inside = 1
        next
    }
    /^```$/ { inside = 0; close(name); next }
    inside { print > name }
' "$page" >"$work/plan"

count=0
bad=0
report() { # ok, what
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        bad=1
        echo "not ok $count - $2"
    fi
}

# The answer as one line of JSON without space between its parts.
flat() {
    sed 's/^ *//; s/": /":/' "$1" | tr -d '\n'
}

check_file() { # name, the rest of the note
    with=
    lists=
    up_to=
    want=
    old=$IFS
    IFS=,
    for part in $2; do
        IFS=$old
        # shellcheck disable=SC2086
        set -- $part
        case $1 in
        with) shift; for file; do with="$with -f $work/$file"; done ;;
        lists) shift; lists="--lists $(echo "$*" | tr ' ' ',')" ;;
        up_to) up_to="--up-to $2" ;;
        *) want=$* ;;
        esac
        IFS=,
    done
    IFS=$old
    answer=$work/answer-$name
    rc=0
    case $want in
    lint) "$serry" runtime lint "$work/$name" >"$answer" 2>&1 || rc=$? ;;
    model) ;;
    *)
        # shellcheck disable=SC2086
        "$serry" check -o json $lists $up_to $with -f "$work/$name" \
            >"$answer" 2>&1 || rc=$?
        flat "$answer" >"$answer.flat"
        ;;
    esac
    case $want in
    refuse*)
        first=$(sed 's/.*"findings":\[{"code":"\([^"]*\)".*/\1/' \
            "$answer.flat")
        [ "$rc" -eq 2 ] && [ "$first" = "${want#refuse }" ] && rc=0 || rc=1
        ;;
    esac
    [ "$rc" -eq 0 ] || sed 's/^/# /' "$answer"
    report "$rc" "$name: $want"
}

show_lines() { # name, block: after all files are answered
    while IFS= read -r line; do
        rc=0
        sed 's/\\"/"/g' "$work/answer-$1.flat" | grep -qF -e "$line" || rc=1
        report "$rc" "$1 answers $line"
    done <"$2"
}

n=0
while read -r kind name rest; do
    n=$((n + 1))
    [ "$kind" = file: ] || continue
    name=${name%,}
    cp "$work/block-$n" "$work/$name"
done <"$work/plan"

n=0
while read -r kind name rest; do
    case $kind in
    file:) n=$((n + 1)); name=${name%,}; check_file "$name" "$rest" ;;
    in:) n=$((n + 1)) ;;
    bare) report 1 "the block at $name $rest says what it is" ;;
    esac
done <"$work/plan"
n=0
while read -r kind name rest; do
    case $kind in
    file:) n=$((n + 1)) ;;
    in:) n=$((n + 1)); [ "$name" = nothing ] ||
        show_lines "$name" "$work/block-$n" ;;
    esac
done <"$work/plan"

for table in members checks troubles; do
    [ "$table" != troubles ] || page=${srcdir:-.}/docs/faults.md
    sed -n "/^<!-- begin $table -->$/,/^<!-- end $table -->$/p" "$page" |
        sed '1d;$d' >"$work/page"
    "$tables" $table >"$work/program"
    rc=0
    diff "$work/page" "$work/program" >"$work/diff" || rc=1
    sed 's/^/# /' "$work/diff"
    report "$rc" "the table of $table is the one that the program prints"
done
echo "1..$count"
exit "$bad"
