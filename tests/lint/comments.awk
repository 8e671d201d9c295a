# SPDX-License-Identifier: Apache-2.0
# An outcome in a function's comment ("STATUS_INVALID  why") begins a line of its
# own. clang-format flows a comment together where a line is too long, and then
# outcomes stand in the middle of a sentence.
/^ \* [^ ].* STATUS_[A-Z_]+  / {
    printf "# %s:%d: an outcome begins a line of its own\n", FILENAME, FNR
    bad = 1
}
END {
    print "1..1"
    print (bad || NR == 0 ? "not ok" : "ok") \
        " 1 - outcomes in comments begin lines of their own"
}
