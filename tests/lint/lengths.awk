# SPDX-License-Identifier: Apache-2.0
# How long files are: over 450 lines is refused, the middle is printed. Tests may
# be longer, and the public header, which is a manual.
BEGIN { limit = 450 }
function ends(file, lines)
{
    if (file == "" || file ~ /^(tests|bench)\// || file ~ /\/serry\.h$/)
        return
    if (lines > limit) {
        printf "# %s: %d lines, %d at most\n", file, lines, limit
        bad = 1
    }
    of_length[lines]++
    n++
}
FNR == 1 { ends(file, lines); file = FILENAME }
{ lines = FNR }
END {
    ends(file, lines)
    for (middle = 0; seen < n / 2; middle++)
        seen += of_length[middle + 1]
    print "1..1"
    printf "# %d files: median %d lines\n", n, middle
    print (bad || n == 0 ? "not ok" : "ok") \
        " 1 - no file is longer than " limit " lines"
}
