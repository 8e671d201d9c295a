#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry mesh: views and groups.
. "${srcdir:-.}/tests/client/lib.sh"

flat()
{
    tr -d ' \n' <out >flat
    grep -qF -- "$1" flat
}

run mesh --axes cfg=2,sp=2,tp=2 -o json
verdict "bare axes are laid out" ended_with 0 '"world": 8'
verdict "the inner axis has neighbours" flat '"tp":[[0,1],[2,3],[4,5],[6,7]]'
verdict "the middle axis strides" flat '"sp":[[0,2],[1,3],[4,6],[5,7]]'
verdict "the outer axis strides most" flat '"cfg":[[0,4],[1,5],[2,6],[3,7]]'
verdict "it is JSON" json
run mesh --axes cfg=2,sp=2,tp=2
verdict "rank 3 is at 0, 1, 1" grep -q '^ *3 *0 *1 *1$' out
verdict "the picture is narrow" narrow
run mesh --axes cfg=2 --axes tp=2 --groups cfg+tp -o yaml
verdict "groups over several axes are given" ended_with 0 "cfg+tp"
run mesh --axes cfg=2,tp=2 --groups tp+cfg
verdict "and shown" ended_with 0 "tp+cfg  {0,1,2,3}"
run mesh --axes dp=64,tp=32
verdict "no more than 64 ranks are drawn" \
    ended_with 0 "... and 1984 more ranks (mesh -o json lists them,"
verdict "a large picture is narrow" narrow
run mesh --axes a=1
verdict "one rank is a mesh" ended_with 0 "1 rank"
run mesh --axes a=1024,b=1024
verdict "a million ranks are a mesh" ended_with 0 "1048576 ranks"

run mesh --axes a=0
verdict "a size of 0 is refused" ended 65
run mesh --axes a=x
verdict "a size is a number" complained 65 "x"
run mesh --axes a
verdict "a size is required" complained 65 "name=value"
run mesh --axes ''
verdict "no axes are no mesh" complained 65 "--axes"
run mesh --axes a=2,a=2
verdict "an axis stands once" ended 65
run mesh --axes a=2000,b=2000
verdict "too many ranks are refused" ended 3
run mesh --axes a=2 --groups b
verdict "an unknown axis ends in 66" complained 66 '"b"'

run mesh --runtime mstar --set tp=2 --set sp_size=2 -o json
verdict "a runtime with groups is laid out" ended_with 0 '"world": 4'
verdict "sp lies outside tp" flat '"sp":[[0,2],[1,3]],"tp":[[0,1],[2,3]]'
run mesh --runtime mstar --world 4 --set tp=2
verdict "more ranks are more instances" ended_with 0 "instance"
verdict "instances have groups of their own" grep -qF '{0,1} {2,3}' out
verdict "the picture of a runtime is narrow" narrow
run mesh --runtime mstar --world 3 --set tp=2
verdict "what the runtime refuses is shown" ended_with 2 "ranks.not_multiple"
run mesh --runtime mstar --world 3 --set tp=2 -o json
verdict "a refusal has its findings" ended_with 2 '"findings"'
verdict "a refusal is JSON" json
mkdir -p share/runtimes
cp runtime.yaml share/runtimes/tiny.yaml
run mesh --share share --runtime tiny --world 8 --set a=2,b=4 -o json
verdict "views have their names before their axes" flat '"all.c":[[0,1,2,3]'
verdict "derived sizes are given" flat '"derived":{"rest":4}'
# Ranks that do not begin at 0, in the grid, in groups and in the table.
{ sed 's/tiny/far/' runtime.yaml; echo "offset: '40'"; } >share/runtimes/far.yaml
run mesh --share share --runtime far --world 8 --set a=2,b=2
verdict "the grid has the ranks that are asked for" \
    sh -c 'tr -d " " <out | grep -qF "|40|41|42|43|"'
verdict "groups have them" grep -qF '{40,44} {41,45} {42,46} {43,47}' out
verdict "long ones too" grep -qF '{40,42,44,46} {41,43,45,47}' out
verdict "and the table" sh -c 'tr -s " " <out | grep -qx " 47 1 3 3 1"'
run mesh --share share --runtime far --world 40 --set a=2,b=2 --groups all.c
verdict "so do long groups that are asked for" grep -q '{40,41,42,.*,59}' out
run mesh --share share --runtime far --world 40 --set a=2,b=2
verdict "and those that are cut" grep -qF '{40,41,...,59} {60,61,...,79}' out

run mesh --share share --runtime tiny --world 8 --set a=3
verdict "a layout that is not defined is refused" ended_with 2 "runtime.inexact"
run mesh --share share --runtime tiny --world 8 --groups all.z
verdict "an unknown list ends in 66" ended 66

run mesh --runtime mstarr
verdict "an unknown runtime ends in 66" complained 66 "mstar"
run mesh --runtime mstar --set up=2
verdict "an unknown axis of it ends in 66" complained 66 "nearest"
run mesh --runtime mstar --set tp=2 --set tp_size=2
verdict "a size is set once" complained 65 "twice"
run mesh --runtime mstar --world 0
verdict "a world has a rank" complained 65 "--world"
run mesh --runtime mstar --world 99999999999999999999
verdict "a world is bounded" complained 65 "--world"
run mesh
verdict "it must be said of what" complained 64 "--axes or --runtime"
run mesh --axes a=2 --runtime mstar
verdict "but not twice" complained 64 "--axes or --runtime"
run mesh --axes a=2 --world 2
verdict "bare axes have no world" complained 64 "--world"

run mesh --axes a=64
verdict "an axis that is too wide is drawn in several lines" \
    ended_with 0 "a 56-63"
verdict "which are narrow" narrow
run mesh --axes a=2,b=62
verdict "for each coordinate outside of it" ended_with 0 "a 1  b 0-"
run mesh --axes a=61
verdict "what cannot be cut is not drawn, and that is said" \
    ended_with 0 "(too wide to draw)"
run mesh --runtime xdit --world 5 --set ulysses=4 --set vae=1
verdict "a view of ranks beside those that are drawn is named" \
    ended_with 0 "not drawn: view decoder (rank 4)"
run mesh --runtime xdit --world 8 --set ulysses=4 --set vae=4
verdict "also when it has as many ranks" \
    ended_with 0 "not drawn: view decoder (ranks 4 to 7)"

done_testing
