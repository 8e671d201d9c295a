#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file is named in its folder's local.mk, so that the tarball has it, and
# named once.
set -eu
cd "${srcdir:-.}"
echo 1..1
sh tests/lint/sources | awk '
# How often each word of a fragment stands there; false: there is none.
function read_words(fragment,    line, words, n, i, status) {
    while ((status = (getline line < fragment)) > 0)
        for (i = split(line, words, /[ \t]+/); i > 0; i--)
            named[fragment, words[i]]++
    close(fragment)
    return status == 0
}
function is_there(fragment) {
    if (!(fragment in there))
        there[fragment] = read_words(fragment)
    return there[fragment]
}
function complain(what) {
    print "# " what
    bad = 1
}
$0 != "" {
    # The fragment of its folder, else of the top one.
    fragment = $0
    sub("/[^/]*$", "/local.mk", fragment)
    if (!is_there(fragment))
        sub("/.*", "/local.mk", fragment)
    # A test program is named without its ending.
    program = $0
    sub("[.]c$", "", program)
    if (!is_there(fragment) || named[fragment, $0] + named[fragment, program] == 0)
        complain(fragment " does not name " $0)
    if (named[fragment, $0] > 1)
        complain(fragment " names " $0 " twice")
    seen++
}
END {
    if (!seen)
        complain("no source file was found")
    print (bad ? "not ok" : "ok") " 1 - every source file is listed once"
}'
