#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serry check --batch: a line in, a line out.
. "${srcdir:-.}/tests/client/lib.sh"

# line ID CFG RANKS: a request as one line.
line()
{
    printf '{"id":%s,"deployment":{"model":"wan22","max_seq_len":1,' "$1"
    printf '"node_groups":[{"node_names":["dit"],"ranks":%s,"cfg_size":%s},' \
        "$3" "$2"
    printf '{"node_names":["text_encoder","vae_encoder","vae_decoder"],'
    printf '"ranks":[0]}]}}\n'
}

{
    line 1 2 '[0,1]'
    line '"two"' 3 '[0,1,2]'
} >good
run check --batch -f good
verdict "verdicts do not change the exit code" ended 0
verdict "each line has an answer" test "$(wc -l <out)" -eq 2
verdict "answers are JSON" json lines
verdict "ids keep their type" grep -q '^{"id":"two","verdict":"refuse"' out
verdict "accepted lines say so" grep -q '^{"id":1,"verdict":"accept"' out
run_with good check --batch
verdict "standard input is the default" test "$(wc -l <out)" -eq 2
run_with good check --batch -f -
verdict "standard input may be named" test "$(wc -l <out)" -eq 2
run check --batch --offline -o json good good
verdict "several files are answered in turn" test "$(wc -l <out)" -eq 4

{
    line 1 2 '[0,1]'
    echo '{"id": 2, "deployment": '
    echo 'nonsense'
    echo '{"id": 4, "deployment": {"runtime": "nobody", "world": 1}}'
    echo
    echo '{"id": 5, "nothing": true}'
    echo '[]'
    line 6 2 '[0,1]'
} >bad
run check --batch -f bad
verdict "a bad line ends in 65" ended 65
verdict "bad lines are answered, blank ones are not" test "$(wc -l <out)" -eq 7
verdict "answers to bad lines are JSON" json lines
verdict "lines behind bad ones are answered" \
    grep -q '^{"id":6,"verdict":"accept"' out
verdict "an unknown name has its status" \
    grep -q '^{"id":4,"error":{"status":"NOT_FOUND"' out
verdict "nothing goes to standard error" test ! -s err

# Whole answers, of which nothing can be left out unnoticed: what each line of
# questions.jsonl asks is answered by the same line of answers.jsonl.
folder=${srcdir:-.}/tests/client
run check --batch -f "$folder/questions.jsonl"
asked=0
while read -r question; do
    asked=$((asked + 1))
    name=${question#*\"id\":\"}
    sed -n "${asked}p" "$folder/answers.jsonl" >expected
    sed -n "${asked}p" out >answer
    verdict "the whole answer: ${name%%\"*}" cmp -s expected answer
done <"$folder/questions.jsonl"
verdict "each question has one" \
    test "$asked" -eq "$(wc -l <"$folder/answers.jsonl")"

# each EXPRESSION: what awk makes of it for each of 65,536 ranks i.
each()
{
    awk "BEGIN { for (i = 0; i < 65536; i++) {
        if (i > 0) printf \",\"
        printf \"%d\", $1 } }"
}

# machines HOST: what is known of each rank's machine; HOST is that of rank 1.
machines()
{
    {
        printf '{"id":1,"deployment":{"runtime":"halo","world":65536,"options":'
        printf '{"gpus_per_node":8,"nvlink_domain_size":16,"hosts":['
        each "i == 1 ? $1 : i / 8"
        printf '],"ranks_nvlink_domain_size":['
        each 16
        printf '],"imex_channels":['
        each 1
        printf '],"fabric_cliques":['
        each "1 + i / 16"
        printf ']}}}\n'
    } >machines
    run check --batch --offline -f machines
}
machines 0
verdict "what is known of each of many ranks is judged" \
    ended_with 0 '"verdict":"accept"'
verdict "all of it" ended_with 0 '"unchecked":[],"warnings":[]'
machines 1
verdict "and refused" ended_with 0 '"code":"ranks_not_blocked_by_node"'

printf '%s' "$(line 9 2 '[0,1]')" >open_end
run check --batch -f open_end
verdict "a last line needs no newline" ended_with 0 '"id":9'
{
    line 1 2 '[0,1]'
    head -c 9000000 /dev/zero | tr '\0' ' '
    echo
    line 3 2 '[0,1]'
} >long
run check --batch -f long
verdict "a line over 8 MiB is an error" ended_with 65 "longer than 8388608 bytes"
verdict "lines behind it are answered" test "$(wc -l <out)" -eq 3
head -c 9000000 /dev/zero | tr '\0' ' ' >endless
run check --batch -f endless
verdict "so is one without an end" test "$(wc -l <out)" -eq 1
printf 'a\0b\n' >nul
run check --batch -f nul
verdict "a NUL is an error" ended_with 65 '"error"'
: >nothing
run check --batch -f nothing
verdict "no lines have no answers" test ! -s out
run check --batch -f missing
verdict "a file that is not there ends in 66" complained 66 "missing"

# An answer comes before the next line does.
mkfifo in
"$SERRY" check --batch <in >answers 2>err &
{
    line 1 2 '[0,1]'
    tries=0
    while [ ! -s answers ] && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    test -s answers && echo yes >in_time
} >in
wait
verdict "an answer does not wait for more input" test -s in_time

# Bare axes in place of a deployment.
axes='{"axes":[{"name":"cfg","size":2},{"name":"tp","size":2}]}'
printf '{"id":1,"mesh":%s,"lists":["cfg","tp+cfg"],"per_rank":true}\n' \
    "$axes" >bare
run check --batch -f bare
verdict "bare axes have groups and coordinates, outermost first" ended_with 0 \
    '"lists":{"cfg":[[0,2],[1,3]],"tp+cfg":[[0,1,2,3]]},"per_rank":{"cfg":[0,0,1,1],"tp":[0,1,0,1]}'
{
    echo '{"id":1,"mesh":{"axes":[{"name":"a","size":2},{"name":"a","size":2}]}}'
    echo '{"id":2,"mesh":{"axes":[]}}'
    echo '{"id":3,"mesh":{"axes":["a","b"]}}'
    echo '{"id":4,"mesh":{"axes":[{"name":"a","size":0}]}}'
    echo '{"id":5,"mesh":{"axes":[{"name":"a"}]}}'
    echo '{"id":6,"mesh":{"axes":[{"name":"a","size":2}],"order":["a"]}}'
    printf '{"id":7,"mesh":%s,"deployment":{"runtime":"mstar"}}\n' "$axes"
    printf '{"id":8,"mesh":%s,"creation":true}\n' "$axes"
    printf '{"id":9,"mesh":%s,"lists":["sp"]}\n' "$axes"
    echo '{"id":10,"mesh":{"axes":[{"name":"a","size":2000000}]}}'
} >spoilt
run check --batch -f spoilt
verdict "axes that are none end in 65" ended 65
verdict "each has an error of its own" \
    test "$(grep -c '"error":{"status":' out)" -eq 10
verdict "an axis twice is told" grep -q '"id":1,.*axis a stands twice' out
verdict "an unknown axis is told" grep -q '"id":9,"error":{"status":"NOT_FOUND"' out

run check --batch -f good --strict
verdict "--strict has no place in a batch" complained 64 "--strict"
run check --batch -f good --lists tp
verdict "lists are asked for by the line" complained 64 "--lists"
run check --batch -f good -o yaml
verdict "a batch is JSON" complained 64 "yaml"

done_testing
