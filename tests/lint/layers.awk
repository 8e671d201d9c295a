# SPDX-License-Identifier: Apache-2.0
# Which folder may include which, and who may see third-party headers.
BEGIN {
    may["base"]      = " "
    may["share"]     = " "
    may["placement"] = " base "
    may["proto"]     = " base placement share "
    may["store"]     = " base placement proto "
    may["client"]    = " base placement proto share "
    may["daemon"]    = " base placement proto store share "

    # Headers from outside, and the folders they are kept in. What placement
    # may not have at all (files, clocks, threads) belongs to nobody there.
    room["yaml.h"]       = " proto "
    room["jansson.h"]    = " proto "
    room["nettle/"]      = " placement "
    room["protobuf-c/"]  = " proto daemon client "
    room["uv.h"]         = " daemon store "
    room["sqlite3.h"]    = " store "
    room["nanomsg/"]     = " client "
    room["time.h"]       = " base proto store daemon client "
    room["unistd.h"]     = " base proto store daemon client "
    room["fcntl.h"]      = " base proto store daemon client "
    room["pthread.h"]    = " base store daemon client "
    room["sys/"]         = " base proto store daemon client "
    room["check.h"]      = " "
}

FNR == 1 {
    split(FILENAME, path, "/")
    here = path[1]
    files++
}
here == "tests" || here == "bench" { next }

match($0, /^#[ ]*include "[a-z]+\//) {
    there = $0
    sub(/^#[ ]*include "/, "", there)
    sub(/\/.*/, "", there)
    if (here != there && index(may[here], " " there " ") == 0)
        complain(here " may not include " there)
}

/^#[ ]*include "/ && !/^#[ ]*include "[a-z]+\// {
    complain("a header of ours is named from the top folder")
}

/^#[ ]*include </ {
    header = $0
    sub(/^#[ ]*include </, "", header)
    sub(/>.*/, "", header)
    key = header
    sub(/\/.*/, "/", key)
    if (key in room && index(room[key], " " here " ") == 0)
        complain("<" header "> is kept in" room[key])
}

function complain(what)
{
    printf "# %s:%d: %s\n", FILENAME, FNR, what
    bad = 1
}

END {
    print "1..1"
    print (bad || files == 0 ? "not ok" : "ok") \
        " 1 - includes of " files " files point down only"
}
