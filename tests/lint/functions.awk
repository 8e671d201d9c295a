# SPDX-License-Identifier: Apache-2.0
# How long functions are: over 80 lines is refused, the middle is printed.
# A function's braces stand alone at the first column; both are counted.
BEGIN { limit = 80 }
FNR == 1 { start = 0 }
/^\{/ { start = FNR }
/^\}$/ && start {
    lines = FNR - start + 1
    start = 0
    if (lines > limit) {
        printf "# %s:%d: a function of %d lines, %d at most\n", \
            FILENAME, FNR, lines, limit
        bad = 1
    }
    if (FILENAME !~ /^(tests|bench)\//) {
        of_length[lines]++
        n++
    }
}

# The length that a share of all functions does not exceed.
function quantile(part,    seen, lines)
{
    for (lines = 0; seen < part * n; lines++)
        seen += of_length[lines + 1]
    return lines
}

END {
    print "1..1"
    printf "# %d functions: median %d, p90 %d, longest %d lines\n", \
        n, quantile(0.5), quantile(0.9), quantile(1)
    print (bad || n == 0 ? "not ok" : "ok") \
        " 1 - no function is longer than " limit " lines"
}
