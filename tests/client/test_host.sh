#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosts by serry, against a daemon of this test.
# shellcheck disable=SC2016,SC2317 # other shells expand; verdict calls
. "${srcdir:-.}/tests/client/lib.sh"

needs_daemon
daemon_begin

# ---- declaring ----------------------------------------------------------------
cat >cluster.yaml <<'END'
hosts:
  - {name: 'node[0-249]', own_domain: true, devices: 2, addresses: [10.0.0.1]}
END
run host list
verdict "there is nothing at first" ended_with 0 "host"
run host apply -f cluster.yaml
verdict "a file of more than a hundred hosts is cut" \
    ended_with 0 "250 declared, 250 of them changed"
run host apply -f cluster.yaml
verdict "again it changes nothing" \
    ended_with 0 "250 declared, 0 of them changed"
run host list -o json
verdict "hosts stand in the order of the file" \
    sh -c 'grep "\"name\"" out | sed -n "100,102p" | tr -d " \n" |
           grep -q "node99.*node100.*node101"'
printf 'hosts: [{name: a, device: 1}]\n' >bad.yaml
run host apply -f bad.yaml
verdict "a mistake is pointed at" complained 65 "bad.yaml: line 1"
printf 'model: m\nruntime: mstar\nnodes: []\n' >model.yaml
run host apply -f model.yaml
verdict "a model is no cluster" complained 65 "serry apply"
run host apply
verdict "a file is needed" complained 64 "FILE"
printf 'hosts: [{name: first, devices: 0}]\n' >first.yaml
run host apply -f first.yaml --first 0
run get hosts
verdict "a place in the inventory may be given" \
    sh -c 'sed -n 2p out | grep -q "^first"'
run apply -f cluster.yaml
verdict "serry apply declares hosts too" ended_with 0 "250 declared"

# ---- states -------------------------------------------------------------------
run host cordon node0 node1 --why "new firmware"
verdict "hosts are cordoned" ended_with 0 "node1 is cordoned"
run get hosts node1
verdict "with who and why" ended_with 0 "new firmware, uid"
run host uncordon node0 node1
verdict "and let in again" ended_with 0 "node0 is ready"
run host drain node8 --why fan
verdict "a host is drained" ended_with 0 "node8 is drained"
run host list
verdict "why is in the list" grep -Eq '^node8 +drained .* fan, ' out
run host uncordon node8
verdict "and so it is let in again" ended_with 0 "node8 is ready"
run host drain nod1
verdict "an unknown host ends in 66 with the nearest" complained 66 "node1"
run get hosts node1 -o json
verdict "one host is shown with what was declared" \
    ended_with 0 '"own_domain": true'
run get hosts nod1
verdict "so does one that is asked for" complained 66 "nod1"
run host drain
verdict "a host is needed" complained 64 "host drain"

# ---- lists of names -------------------------------------------------------------
run host cordon 'node[2-4],node9' node7
verdict "hosts are named by lists" ended_with 0 "node9 is cordoned"
run host list
verdict "all that a list names" \
    sh -c 'test "$(grep -c cordoned out)" = 5'
run host uncordon 'node[2-4,7,9]'
verdict "and let in again by another" ended_with 0 "node4 is ready"
run host drain 'node[2-'
verdict "a list that is none is pointed at" complained 65 "node[2-"

# ---- removing -------------------------------------------------------------------
run host remove 'node[100-240]'
verdict "hosts are removed, also more than a call holds" \
    ended_with 0 "node240 is removed"
run host list
verdict "they are gone" sh -c '! grep -q "^node200 " out'
run host remove node200
verdict "a host that is none ends in 66" complained 66 "node200"
run host remove node241 -o json
verdict "what was removed is listed" ended_with 0 '"node241"'
run host apply -f cluster.yaml
verdict "they can be declared again" \
    ended_with 0 "250 declared, 142 of them changed"

# ---- placing on them ----------------------------------------------------------
cat >p.yaml <<'END'
deployment: p
runtime: torchtitan
world: 8
sizes: {dp_shard: 4, tp: 2}
links: {tp: nvlink}
END
run place -f p.yaml
verdict "a placement says how its groups lie" \
    ended_with 0 "tp 4 groups, all inside nvlink"
run get hosts node3 -o json
verdict "its hosts are taken" ended_with 0 '"free": 0'
run host list
verdict "the list of hosts tells who is there" grep -Eq '^node3 .* p *$' out
run host remove 'node[5-6],node3'
verdict "and are not removed" complained 2 "p holds"

# ---- its hosts for launchers --------------------------------------------------
# Every rank's line of a rankfile is where the daemon says that the rank is.
rank_by_rank() # NAME RANKS
{
    run export --as rankfile "$1"
    cp out rankfile
    rank=0
    while [ "$rank" -lt "$2" ]; do
        run assignment "$1" --rank "$rank" -o json
        host=$(sed -n '/"binding"/,$s/.*"host": "\(.*\)",*$/\1/p' out)
        slot=$(sed -n 's/.*"local_rank": \([0-9]*\),*$/\1/p' out)
        grep -qx "rank $rank=$host slot=$slot" rankfile || return 1
        rank=$((rank + 1))
    done
    test "$(grep -c '^rank' rankfile)" -eq "$2"
}
verdict "a rankfile has every rank where it is" rank_by_rank p 8
run export --as hostfile p
verdict "a hostfile has its hosts in the order of the ranks" \
    test "$(grep -v '^#' out | tr '\n' ' ')" = \
    "node0 slots=2 node1 slots=2 node2 slots=2 node3 slots=2 "
run export --as torchrun p
verdict "torchrun begins on the first of them" \
    ended_with 0 "nproc-per-node=2 --master-addr=node0"
leased=$("$SERRY" get placement p -o json |
    sed -n '/"master"/,/"first"/s/.*"first": *\([0-9]*\).*/\1/p')
verdict "and meets at the port that is leased there" \
    sh -c 'test -n "$1" && grep -q -- "--master-port=$1\$" out' - "$leased"
run export --as torchrun p --hosts a:4,b:4
verdict "which hosts that are given know nothing of" \
    ended_with 0 "--master-addr=a --master-port=29500"
run export --as hostfile p --hosts a:4,b:4
verdict "hosts that are given count before them" ended_with 0 "a slots=4"
cat >turned.yaml <<'END'
deployment: turned
runtime: torchtitan
world: 4
sizes: {dp_shard: 2, tp: 2}
links: {dp_shard: nvlink, tp: any}
END
run place -f turned.yaml
verdict "a rankfile has ranks that lie between those of other hosts" \
    rank_by_rank turned 4
run export --as slurm-hostfile turned
verdict "so has a hostfile of Slurm" test "$(sort out | uniq -c | wc -l)" -ge 2 -a \
    "$(wc -l <out)" = 4
run export --as hostfile turned
verdict "which a hostfile cannot say" complained 65 "do not follow one another"
run release turned
run diff -f p.yaml
verdict "placed again nothing would move" ended_with 0 "in force like this"
run host down node2 --why "no answer"
verdict "a host that is down has somebody to move" \
    ended_with 0 "to move   p; place it again"
run diff -f p.yaml
verdict "which serry diff counts" ended_with 1 \
    "2 ranks move, 1 tp group rebuilt, 2 dp_shard groups rebuilt"
run place -f p.yaml
verdict "and placing does" ended_with 0 "2 ranks move"
run get placement p -o json
verdict "the others are where they were" \
    sh -c 'grep -A40 "\"runs\"" out | grep "\"host\"" | tr -d " \n" |
           grep -q "node0.*node1.*node[^2].*node3"'
run diff -f p.yaml
verdict "then nothing is left to do" ended_with 0 "in force like this"
sed 's/^world: 8/world: 16/; s/dp_shard: 4/dp_shard: 8/' p.yaml >grown.yaml
run diff -f grown.yaml
verdict "ranks that join move nobody" ended_with 1 "no rank moves, 8 are new"
run place -f p.yaml
verdict "and where nobody moves nothing is said of it" \
    sh -c '! grep -q "^moves" out'
sed 's/deployment: p/deployment: q/; s/8$/512/; s/dp_shard: 4/dp_shard: 256/' \
    p.yaml >never.yaml
run place -f never.yaml
verdict "what never fits ends in 2" ended_with 2 "place.never"
verdict "and says what would" grep -q "try: ask for fewer ranks" out
sed 's/deployment: p/deployment: q/; s/8$/496/; s/dp_shard: 4/dp_shard: 248/' \
    p.yaml >later.yaml
run place -f later.yaml
verdict "what does not fit now ends in 3" ended_with 3 "place.not_now"
verdict "and says who is in the way" grep -q "p holds 8" out
verdict "and what to do" grep -q "try: see whom to release (serry plan --evict" out
run diff -f later.yaml
verdict "serry diff says so too" ended_with 1 "place.not_now"
run plan -f later.yaml
verdict "and serry plan, as place would end" ended_with 3 "held by   p 8"
verdict "with the next step" grep -q "try  .*serry plan --evict" out
run plan -f later.yaml --evict
verdict "which names whom to release" ended_with 3 "releasing p (8 devices) makes room"
run plan -f later.yaml --evict -o json
verdict "also for programs" ended_with 3 '"least": true'
run plan -f never.yaml --evict
verdict "what never fits has nobody to release" ended_with 2 "place.never"
run plan -f p.yaml
verdict "what fits is told with what to expect" \
    ended_with 0 "serry place -f FILE --expect "
verdict "and with its hosts, in the order of the ranks" \
    grep -q "^hosts  *node0 2, node1 2, node[0-9]* 2, node3 2" out
sed 's/deployment: p/deployment: r/' p.yaml >fits.yaml
run plan -f fits.yaml -o json
verdict "a new one expects none" ended_with 0 '"expected"'
run get placement r
verdict "and nothing was placed" complained 66 "r"
run describe p
verdict "a placement is drawn with its devices" ended_with 0 "8 devices of 4 hosts"
run assignment p --rank 7
verdict "an assignment says where its rank stands" \
    ended_with 0 "on node3, device 1, local rank 1 of 2"
run assignment p --all
verdict "so does that of all ranks" \
    grep -Eq "^ +7 +node3 +1 " out
cat >wide.yaml <<'END'
model: wide
facts: {heads: 32, kv_heads: 4, layers: 8, experts: 128, vocab: 151936}
---
deployment: wide
model: wide
runtime: megatron
world: 32
sizes: {pp: 2, tp: 4, cp: 2, ep: 4, etp: 1}
links: {tp: any, cp: any, ep: any}
END
run apply -f wide.yaml
verdict "one of many axes is placed" ended_with 0 "placed    wide"
run assignment wide --all
verdict "its table goes on below, where it is too wide" narrow
verdict "with the ranks again" \
    sh -c 'test "$(grep -c "^ *31  " out)" -gt 1'
run assignment wide --rank 32
verdict "a rank beyond the world is told with its ranks" \
    complained 66 "there is no rank 32 in the world of 32 ranks"
run assignment wide --all
verdict "and no number is broken" grep -q "  113952-151935" out
run release wide
run release p
run get hosts node3 -o json
verdict "released it frees its devices" ended_with 0 '"free": 2'
done_testing
