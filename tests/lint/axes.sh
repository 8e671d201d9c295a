#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No C file of the program names an axis: which axes exist is data.
#
# Looked for, outside of comments: a string literal that is an axis' name or
# the field that users type for it, AXIS_NAME, and the three shortest names as
# words of the code. The names are those of the shipped runtimes and a few more.
set -eu
cd "${srcdir:-.}"

# The items under `axes:`, flow ({name: a, field: b}) or block.
names=$(cat share/runtimes/*.yaml | awk '
    /^[a-z_]+:/ { inside = /^axes:/ }
    inside {
        line = $0
        while (match(line, /(name|field): *[A-Za-z_]+/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/.*: */, "", name)
            print name
            line = substr(line, RSTART + RLENGTH)
        }
    }')
names="cfg sp tp ulysses ring etp $(echo "$names" | sort -u | tr '\n' ' ')"

{
    sh tests/lint/sources base placement proto store daemon client
    ls proto/*.proto
} | xargs awk -v names="$names" '
    BEGIN {
        n = split(names, list, " ")
        for (i = 1; i <= n; i++) {
            axis[list[i]] = 1
            axis["AXIS_" toupper(list[i])] = 1
        }
        split("cfg sp tp", words, " ")
        for (i in words)
            axis["word " words[i]] = 1
    }
    FNR == 1 { comment = 0; files++ }
    {
        line = $0
        while (line != "")
            line = take(line)
    }

    # Takes one comment, literal or word off the line and judges it.
    function take(s,    end, token)
    {
        if (comment) {
            end = index(s, "*/")
            if (end == 0)
                return ""
            comment = 0
            return substr(s, end + 2)
        }
        if (substr(s, 1, 2) == "//")
            return ""
        if (substr(s, 1, 2) == "/*") {
            comment = 1
            return substr(s, 3)
        }
        if (match(s, /^"([^"\\]|\\.)*"/)) {
            token = substr(s, 2, RLENGTH - 2)
            judge(token in axis, "\"" token "\"")
        } else if (match(s, /^[A-Za-z_][A-Za-z_0-9]*/)) {
            token = substr(s, 1, RLENGTH)
            judge((token ~ /^AXIS_/ && token in axis) ||
                  ("word " token) in axis, token)
        } else
            RLENGTH = match(s, /^\047(\\.|[^\\])\047/) ? RLENGTH : 1
        return substr(s, RLENGTH + 1)
    }

    function judge(is_axis, token)
    {
        if (!is_axis)
            return
        printf "# %s:%d: names the axis %s\n", FILENAME, FNR, token
        bad = 1
    }

    END {
        print "1..1"
        print (bad || files == 0 ? "not ok" : "ok") \
            " 1 - none of " files " files names an axis"
    }'
