#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line: help, mistakes, completion, manual, colours.
. "${srcdir:-.}/tests/client/lib.sh"

run
verdict "a command is required" complained 64 "a command is missing"
run chekc
verdict "an unknown command ends in 64 with the nearest" \
    complained 64 "the nearest is check"
run check --ofline -f accepted.yaml
verdict "an unknown option ends in 64 with the nearest" \
    complained 64 "the nearest is --offline"
run check -x
verdict "an unknown letter ends in 64" complained 64 "-x"
run check
verdict "a file is required" complained 64 "-f FILE"
run check -f
verdict "an option needs its value" complained 64 "FILE"
run check --offline=yes -f accepted.yaml
verdict "a flag takes no value" complained 64 "no value"
run check -f accepted.yaml -o xml
verdict "an unknown format ends in 64" complained 64 "table, json or yaml"
run -o json check --file=accepted.yaml
verdict "options may stand before the command" ended_with 0 '"verdict"'
run check -ojson -faccepted.yaml
verdict "values may stand in the same word" ended_with 0 '"verdict"'
run check -- accepted.yaml
verdict "-- ends the options" ended_with 0 "accepted"
run check -f --
verdict "-- may be a value" complained 66 "--"

for arguments in help --help -h "check -h" "help check" "help runtime" \
    "help runtime lint" "mesh --help"; do
    # shellcheck disable=SC2086 # words
    run $arguments
    verdict "serry $arguments prints help" ended_with 0 "usage: serry "
    verdict "that of serry $arguments is narrow" narrow
done
run help exec
verdict "a name that is wider than its column has a line of its own" \
    grep -q '^  --address-of-me ADDRESS$' out
run help nothing
verdict "help on an unknown command ends in 64" complained 64 "nothing"

# ---- one table for all
run help --words
sed -n "/^_serry_words='/,/'$/p" "$srcdir/client/serry.bash" |
    sed "s/^_serry_words='//; s/'$//" >completed
verdict "the completion offers what there is" cmp -s out completed
run help --rst
sed -n '/^   From here/,/^   End of the text/p' "$srcdir/docs/man/serry.rst" |
    sed '1,2d; $d' | sed '$d' >manual
verdict "the manual lists what there is" cmp -s out manual

complete_to()
{
    COMP_LINE=$1 bash -c '
        . "$0" || exit 1
        COMP_WORDS=($COMP_LINE)
        [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _serry
        echo "${COMPREPLY[*]}"' "$srcdir/client/serry.bash" 2>/dev/null
}

# Whether every word of the file said is completed behind the line.
completes_all() # LINE
{
    offered=" $(complete_to "$1") "
    [ -s said ] || return 1
    for word in $(cat said); do
        case $offered in
        *" $word "*) ;;
        *) echo "# $word is not completed"; return 1 ;;
        esac
    done
}
if command -v bash >/dev/null; then
    verdict "commands are completed" test "$(complete_to 'serry me')" = mesh
    verdict "second words are completed" \
        test "$(complete_to 'serry runtime l')" = "list lint"
    verdict "options are completed" \
        test "$(complete_to 'serry check --of')" = --offline
    verdict "formats are completed" \
        test "$(complete_to 'serry check -o j')" = json
    # What serry says that it takes, it completes.
    run export nothing
    sed 's/.*written: //; s/, or the runtime.*//; s/,//g' err >said
    verdict "so is all that export writes" completes_all 'serry export --as '
    run import nothing nothing
    sed 's/.*; use //; s/, or the name.*//; s/ (a model)//; s/,//g' err >said
    verdict "and all that import reads" completes_all 'serry import '
    run get nothing
    sed 's/.*there are //; s/;.*//; s/ and / /; s/,//g' err >said
    verdict "and all kinds that get lists" completes_all 'serry get '
else
    skip "no bash"
fi

# ---- terminals
if command -v script >/dev/null; then
    TERM=xterm script -qc "$SERRY check -f refused.yaml" /dev/null >out 2>err </dev/null
    verdict "a terminal sees colours" grep -q "$(printf '\033')\[1;31mrefused" out
    NO_COLOR=1 TERM=xterm script -qc "$SERRY check -f refused.yaml" /dev/null \
        >out 2>err </dev/null
    verdict "NO_COLOR is honoured" sh -c '! grep -q "$(printf "\033")" out'
    TERM=dumb script -qc "$SERRY check -f refused.yaml" /dev/null >out 2>err </dev/null
    verdict "a dumb terminal sees none" sh -c '! grep -q "$(printf "\033")" out'
else
    skip "no script(1) to make a terminal with"
fi
run check -f refused.yaml
verdict "a pipe sees no colours" sh -c '! grep -q "$(printf "\033")" out'

# What a document says does not reach the terminal as a control character.
printf 'deployment: "a\\e[31mb"\nmodel: "x\\e[2Jy"\nruntime: mstar\nnode_groups: []\n' \
    >escape.yaml
run check -f escape.yaml
verdict "control characters are not printed" \
    sh -c '! grep -q "$(printf "\033")" out && ! grep -q "$(printf "\033")" err'
printf 'runtime: "a\\e[31mb"\nnode_groups: []\n' >escape.yaml
run check -f escape.yaml
verdict "nor are they in errors" \
    sh -c 'test -s err && ! grep -q "$(printf "\033")" err'

if [ -w /dev/full ]; then
    status=0
    "$SERRY" version >/dev/full 2>err || status=$?
    verdict "an answer that cannot be written ends in 70" \
        sh -c "test $status -eq 70 && grep -q '^serry: standard output' err"
else
    skip "no /dev/full"
fi

# Long names are wrapped, not printed beyond the margin.
awk 'BEGIN {
    print "model: wan22"; print "max_seq_len: 1"; print "node_groups:"
    for (g = 0; g < 20; g++) {
        printf "  - {node_names: [%s", "node"
        for (i = 0; i < 120; i++) printf "x"
        printf "%d], ranks: [%d], graph_walks: [%s]}\n", g, g, "video_gen"
    }
}' >long.yaml
run check -f long.yaml
verdict "long names are wrapped" narrow

done_testing
