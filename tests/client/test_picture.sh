#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pictures: SVG documents, and views side by side in a terminal.
# shellcheck disable=SC2317 # verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

pictures=$srcdir/docs/pictures
version=$(sed -n 's/^version: //p' "$srcdir/share/runtimes/pithtrain.yaml")

# How many elements have a style.
styled() # STYLE COUNT
{
    test "$(grep -c "class=\"serry-$1\"" out)" -eq "$2"
}
shows() # STYLE WORDS
{
    grep -qF -- "class=\"serry-$1\"" out && grep -qF -- ">$2</text>" out
}
# Whether the output is XML; true where there is no reader of it.
xml()
{
    test -n "$python" || return 0
    "$python" -c 'import sys, xml.dom.minidom as m; m.parse(sys.stdin.buffer)' \
        <out 2>err
}

# ---- the pictures of the manual --------------------------------------------------
same_picture() # NAME ARGUMENT...
{
    picture=$1
    shift
    run mesh "$@" -o svg
    ended 0 && cmp -s out "$pictures/$picture.svg"
}
verdict "the picture of a folded layout is the one in the manual" \
    same_picture folded --runtime pithtrain --world 32 --set pp=2,cp=4,ep=8
verdict "it is XML" xml
verdict "every list of either view has a panel" styled list 6
verdict "every rank stands in each of them" styled rank 192
verdict "its title says what it is of" shows title "32 ranks under pithtrain, version $version"
verdict "and its sizes" shows sub "pp 2, cp 4, ep 8"
verdict "views are told with their axes" shows axes "pp 2 × dp 2 × ep 8"
verdict "the picture of a served group is the one in the manual" \
    same_picture served --runtime mstar --set cfg=2,sp=2,tp=2
verdict "it is XML" xml

# ---- what it shows ---------------------------------------------------------------
# What is drawn, and of what: colours, letters, the names of lines and columns, and
# keys against the lists of all axes and those that were asked for.
groups=
true_picture() # ARGUMENT..., of $groups
{
    test -n "$python" || return 0
    run mesh "$@" -o json
    mv out axes
    run mesh "$@" ${groups:+--groups "$groups"} -o json
    mv out lists
    run mesh "$@" ${groups:+--groups "$groups"} -o svg
    ended 0 && xml && "$python" "$srcdir/tests/client/read_picture.py" out axes lists 2>err
}
verdict "colours and letters are the groups" \
    true_picture --runtime pithtrain --world 32 --set pp=2,cp=4,ep=8
verdict "of bare axes too" true_picture --axes a=2,b=3,c=4,d=2
verdict "and of a single one" true_picture --axes a=24
verdict "and of long ones" true_picture --axes a=24,b=20
verdict "and of instances" true_picture --runtime mstar --world 8 --set tp=2,sp=2
verdict "and where the first ranks stand for others" true_picture --axes a=100,b=90
verdict "in frames as well" true_picture --axes a=90,b=3,c=40
verdict "where an axis has a long name" true_picture --axes a=3,elongated=4,b=5
groups=a+c,b
verdict "and of what was asked for" true_picture --axes a=2,b=2,c=2
cat >shapes.yaml <<'END_YAML'
runtime: shapes
version: 1
axes: [{name: a}, {name: b}]
derive: {rest: world / (a * b)}
views: {all: [a, {c: rest}, b], other: {axes: [{x: a}, {y: rest * b}], order: '"x-y"', outermost: last}}
groups:
  ends: {of: all.c, take: [first, last]}
  parts: {of: all.c+b, runs: 3}
  level: {of: all.c, levels: '[2, 2]'}
offset: '8'
END_YAML
mkdir -p shapes/runtimes
mv shapes.yaml shapes/runtimes
groups=ends,parts,level0,level1,all.a,other.y
verdict "and of derived lists, families and other orders" true_picture \
    --share shapes --runtime shapes --world 16 --set a=2,b=2
groups=
verdict "and of ranks that do not begin at 0" true_picture \
    --share shapes --runtime shapes --world 16 --set a=2,b=2
run mesh --share shapes --runtime shapes --world 16 --set a=2,b=2 -o json
verdict "every list of a family is listed unasked" ended_with 0 '"level1"'
run mesh --share shapes --runtime shapes --world 16 --set a=2,b=2 --groups ends -o svg
verdict "ranks in no group have no colour" styled bare 8
verdict "views without a list are left out" styled axes 1
run mesh --share shapes --runtime shapes --world 16 --groups level -o svg
verdict "a family is asked for by a number" complained 66 "level"
run mesh --runtime xdit --world 12 --set ulysses=2,ring=4,vae=4 -o svg
verdict "a view of other ranks is named" \
    grep -q "not drawn: view decoder (ranks 8 to 11)" out

# ---- bounds ----------------------------------------------------------------------
bounded()
{
    run mesh "$@" -o svg
    ended 0 && xml && test "$(wc -c <out)" -lt 3000000
}
verdict "a million ranks make a small picture" bounded --axes a=1024,b=1024
verdict "which says so" grep -q "of 1048576 ranks are drawn" out
verdict "and shows the last one" shows rank 1048575
verdict "so do many axes" bounded --axes \
    a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2,j=2,k=2,l=2,m=2,n=2,o=2,p=2
verdict "and many lists" bounded --axes a=16,b=32 --groups \
    a,b,a+b,a,b,a+b,a,b,a+b,a,b,a+b,a,b,a+b,a,b,a+b,a,b,a+b,a,b,a+b
verdict "of which the rest is told" grep -q "8 more lists are not drawn" out
verdict "one rank is a picture" bounded --axes a=1
high() # its height in pixels
{
    sed -n '1s/.* height="\([0-9]*\)".*/\1/p' out
}
run mesh --axes a=16,b=32 -o svg
verdict "few lists show many ranks" \
    sh -c 'test "$(grep -c "class=.serry-rank" out)" -ge 1024'
run mesh --runtime torchtitan --world 512 --set pp=4,tp=8 -o svg
verdict "many lists of many ranks are a page still" test "$(high)" -lt 8000

# ---- names -----------------------------------------------------------------------
run mesh --axes 'a<b&"c"=2,'"d'>=2" -o svg
verdict "names are escaped" grep -q 'a&lt;b&amp;&quot;c&quot;' out
verdict "so that it is XML" xml
run mesh --axes "$(printf 'x\033\001y=2,\377\376=2')" -o svg
verdict "what XML does not allow is replaced" \
    sh -c '! grep -q "$(printf "\033")" out && grep -q "$(printf "x\357\277\275")" out'
verdict "so that it is XML" xml
run mesh --axes "$(printf '%0500d' 0 | tr 0 n)=4" -o svg
verdict "long names are cut" grep -q 'nn…' out

# ---- refusals --------------------------------------------------------------------
run mesh --runtime mstar --world 3 --set tp=2 -o svg
verdict "what is refused is not drawn" complained 2 "ranks.not_multiple"
run check -f accepted.yaml -o svg
verdict "what does not draw has no picture" complained 64 "mesh and describe"

# ---- terminals -------------------------------------------------------------------
run mesh --runtime pithtrain --world 32 --set pp=2,cp=4,ep=8
verdict "views stand side by side" grep -q '^  view attn  *view expt$' out
verdict "their rows too" grep -q '| 15 |  *1  0 | 16 |' out
verdict "which is narrow" narrow
run mesh --runtime pithtrain --world 32 --set pp=2,cp=4,ep=16
verdict "or one below the other where they are wide" \
    grep -q '^  view expt$' out
verdict "axes that views share have one column" \
    grep -q '^ *rank  pp  dp  cp  ep  ' out
run mesh --axes a=2,b=2 --groups a
verdict "only the lists that were asked for are shown" \
    sh -c 'grep -q "a  {0,2} {1,3}" out && ! grep -q "{0,1}" out'
if command -v script >/dev/null; then
    TERM=xterm script -qc "$SERRY mesh --axes a=2,b=2 --groups a" /dev/null \
        >out 2>err </dev/null
    esc=$(printf '\033')
    verdict "the first list colours the ranks" \
        grep -q "$esc\[36m0$esc.*$esc\[33m1$esc" out
    verdict "and their groups" \
        grep -qF "$esc[36m{0,2}$esc[0m $esc[33m{1,3}$esc[0m" out
    verdict "every column of the table is coloured by its own groups" \
        sh -c 'grep -qF "$1[1m1$1[0m  $1[33m0$1[0m  $1[36m1$1[0m" out &&
            grep -qF "$1[1m2$1[0m  $1[36m1$1[0m  $1[33m0$1[0m" out' - "$esc"
    NO_COLOR=1 TERM=xterm script -qc "$SERRY mesh --axes a=2,b=2" /dev/null \
        >out 2>err </dev/null
    verdict "NO_COLOR is honoured" sh -c '! grep -q "$(printf "\033")" out'
else
    skip "no script(1) to make a terminal with"
fi

done_testing
