#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What serry check says to documents that nobody should have written: the exit
# code, one sentence on standard error, and nothing on standard output.
set -u
: "${SERRY:=client/serry}"
[ -x "$SERRY" ] || { echo "Bail out! there is no program $SERRY"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0
: "${ASAN_OPTIONS:=detect_leaks=0}"
export ASAN_OPTIONS

# Judges what one run left behind: NAME EXIT WANTED-EXIT FRAGMENT.
judge()
{
    number=$((number + 1))
    lines=$(wc -l <"$folder/err")
    why=
    [ "$2" = "$3" ] || why="exit code $2, not $3"
    if [ "$3" -ge 64 ]; then
        [ "$lines" -eq 1 ] || why="$why; $lines lines on standard error"
        [ -s "$folder/out" ] && why="$why; something on standard output"
        grep -qF -e "$4" "$folder/err" || why="$why; not: $4"
    else
        grep -qF -e "$4" "$folder/out" || why="$why; not: $4"
        [ -s "$folder/err" ] && why="$why; something on standard error"
    fi
    if [ -z "$why" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1: $why"
        head -c 600 "$folder/err" "$folder/out" | tr -c '[:print:]\n' '?' |
            sed 's/^/# /'
    fi
}

# Checks the file at a path: NAME WANTED-EXIT FRAGMENT PATH [ARGUMENT...].
file()
{
    name=$1 want=$2 fragment=$3 path=$4
    shift 4
    timeout 20 "$SERRY" check -o json -f "$path" "$@" \
        >"$folder/out" 2>"$folder/err" </dev/null
    judge "$name" $? "$want" "$fragment"
}

# Checks a YAML text, given with the escapes of printf.
yaml()
{
    printf '%b' "$4" >"$folder/a.yaml"
    file "$1" "$2" "$3" "$folder/a.yaml"
}

json()
{
    printf '%b' "$4" >"$folder/a.json"
    file "$1" "$2" "$3" "$folder/a.json"
}

# One of them many times: TEXT COUNT.
many()
{
    awk -v text="$1" -v n="$2" 'BEGIN { while (n-- > 0) printf "%s", text }'
}

top='model: wan22\nmax_seq_len: 512\n'
nodes='dit, text_encoder, vae_encoder, vae_decoder'
whole="${top}node_groups:\n  - {node_names: [$nodes], ranks: [0]}\n"
model='model: m\nruntime: mstar\nnodes: [{name: x}]\n'
runtime='runtime: r\naxes: [{name: a}]\n'

# A request whose only group says this beside its nodes.
group()
{
    yaml "$1" "$2" "$3" "${top}node_groups:\n  - {node_names: [$nodes], $4}\n"
}

# A runtime whose only rule is this; a model; each without a request.
rule()
{
    yaml "$1" "$2" "$3" "${runtime}rules: [$4]\n---\n$whole"
}

# ---- not a document at all ---------------------------------------------------
file "a missing file" 66 "no such file" "$folder/none.yaml"
file "a folder" 65 "directory" "$folder"
file "a device that has nothing" 65 "empty" /dev/null
yaml "an empty file" 65 "empty" ''
yaml "only spaces" 65 "empty" '   \n\n'
yaml "only a comment" 65 "empty" '# nothing\n'
yaml "only a marker" 65 "empty" '---\n'
yaml "a number" 65 "this is no deployment" '3\n'
yaml "a word" 65 "this is no deployment" 'hello\n'
yaml "a list" 65 "this is no deployment" '- a\n- b\n'
yaml "null" 65 "this is no deployment" 'null\n'
yaml "a map of nothing known" 65 "deployment" 'a: 1\n'
yaml "an empty map" 65 "deployment" '{}\n'
json "an empty JSON file" 65 "empty" ''
json "JSON that ends too early" 65 "line 1" '{"model": "wan22"'
json "JSON with something after it" 65 "line 1" '{} {}'
json "JSON with a comma too many" 65 "line 1" '{"a": 1,}'
json "JSON without quotes" 65 "line 1" '{model: wan22}'
json "a JSON number" 65 "this is no deployment" '3'
json "NaN in JSON" 65 "line 1" '{"a": NaN}'
json "a JSON key twice" 65 "a" '{"a": 1, "a": 2}'
json "a JSON string with a NUL" 65 "NUL" '{"a": "\\u0000"}'
json "half a surrogate in JSON" 65 "line 1" '{"a": "\\ud800"}'
json "JSON nested deep" 65 "deep" "$(many '[' 4000)"
json "JSON maps nested deep" 65 "deep" "$(many '{"a":' 4000)"
json "an integer beyond 64 bits" 65 "number too large" \
    '{"a": 9223372036854775808}'
json "a number beyond doubles" 65 "number too large" '{"a": 1e999}'

# ---- bytes and sizes ---------------------------------------------------------
yaml "a NUL" 65 "NUL" 'model: w\0000an\n'
yaml "binary data" 65 "no words; documents are UTF-8 text" \
    '\177ELF\002\001\000\000'
yaml "a control character" 65 "line 1" 'model: w\001an\n'
yaml "bytes that are no UTF-8" 65 "UTF-8" 'model: \0377\0376\n'
yaml "an overlong form of UTF-8" 65 "UTF-8" 'model: \0300\0257\n'
yaml "UTF-8 cut short" 65 "UTF-8" 'model: \0342\0202'
yaml "a surrogate in UTF-8" 65 "UTF-8" 'model: \0355\0240\0200\n'
yaml "UTF-16" 65 "UTF-16 text" '\0377\0376m\0000o\0000'
truncate -s 100M "$folder/large.yaml"
file "a file of 100 MB" 65 "8 MiB" "$folder/large.yaml"
truncate -s 100M "$folder/large.json"
file "a JSON file of 100 MB" 65 "8 MiB" "$folder/large.json"
many '[' 200000 >"$folder/a.yaml"
file "200 kB of opening brackets" 65 "deep" "$folder/a.yaml"
many '{' 200000 >"$folder/a.yaml"
file "200 kB of opening braces" 65 "as a key" "$folder/a.yaml"
many '- ' 100000 >"$folder/a.yaml"
file "200 kB of dashes" 65 "deep" "$folder/a.yaml"
many '? ' 100000 >"$folder/a.yaml"
file "200 kB of question marks" 65 "as a key" "$folder/a.yaml"
{ printf 'a: "'; many 'x' 7000000; } >"$folder/a.yaml"
file "a string of 7 MB that never ends" 65 "line 1" "$folder/a.yaml"
{ many 'x' 300; printf ': 1\n'; } >"$folder/a.yaml"
file "a key of 300 bytes" 65 "key" "$folder/a.yaml"
awk 'BEGIN { for (i = 0; i < 1100; i++) print "---\na: 1" }' >"$folder/a.yaml"
file "1,100 documents" 65 "1024" "$folder/a.yaml"

# ---- YAML's traps ------------------------------------------------------------
yaml "a tag" 65 "tag" 'model: !!str wan22\n'
yaml "a tag that hides an empty value" 65 "line 1" 'model: !x\n'
yaml "an anchor" 65 "anchor" 'model: &a wan22\n'
yaml "an alias" 65 "alias" 'model: *a\n'
yaml "many laughs" 65 "anchor" 'a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n'
yaml "a merge key" 65 "merge" 'a: 1\n<<: {b: 2}\n'
yaml "a key twice" 65 "model" 'model: wan22\nmodel: bagel\n'
yaml "an empty value" 65 "line 1" 'model:\nmax_seq_len: 1\n'
yaml "an empty key" 65 "key" "'': 1\n"
yaml "a list for a key" 65 "line 1" '[a]: 1\n'
yaml "a tab before a key" 65 "line 2" 'a:\n\tb: 1\n'
yaml "a bracket that stays open" 65 "line" 'a: [1, 2\n'
yaml "a quote that stays open" 65 "line" 'a: "b\n'
yaml "two colons" 65 "line 1" 'a: b: c\n'
yaml "an unquoted expression" 65 "quotes" 'a: [x ? y : z]\n'
yaml "an integer beyond 64 bits in YAML" 65 "line 1" 'a: 99999999999999999999\n'
yaml "infinity" 65 "line 1" 'a: .inf\n'
yaml "no number" 65 "line 1" 'a: .nan\n'
yaml "a directive" 65 "line" '%FOO bar\n---\na: 1\n'

# ---- requests ----------------------------------------------------------------
yaml "a request without a model" 2 "config.missing_key" \
    "runtime: mstar\nmax_seq_len: 1\nnode_groups: []\n"
yaml "a model that nobody knows" 2 "model.unknown" \
    "model: wan23\nmax_seq_len: 1\nnode_groups: []\n"
yaml "a runtime that nobody knows" 66 "no runtime is called mstr" \
    "runtime: mstr\n$whole"
yaml "a request that is only a model's name" 65 "this is no deployment" \
    'model: wan22\n'
yaml "an unknown key" 2 "config.unknown_key" "${whole}max_seq_lenn: 1\n"
yaml "a model that is a number" 65 "model: expected a string" \
    "model: 3\nmax_seq_len: 1\nnode_groups: []\n"
yaml "a runtime that is a list" 65 "runtime: expected a string" \
    "runtime: [mstar]\n$whole"
yaml "node groups that are a map" 65 "node_groups: expected a list" \
    "${top}node_groups: {a: 1}\n"
yaml "a node group that is a word" 65 "node_groups[0]: expected a map" \
    "${top}node_groups: [dit]\n"
yaml "a length that is a word" 65 "max_seq_len: expected an integer" \
    "model: wan22\nmax_seq_len: long\nnode_groups: []\n"
yaml "names that are numbers" 65 "node_names[0]: expected a string" \
    "${top}node_groups: [{node_names: [3], ranks: [0]}]\n"
yaml "a name that is empty" 65 "may not be empty" \
    "${top}node_groups: [{node_names: [''], ranks: [0]}]\n"
group "ranks that are a number" 65 "ranks: expected a list" 'ranks: 0'
group "a rank that is a word" 65 "ranks[1]: expected an integer" \
    'ranks: [0, one]'
group "a rank that is a fraction" 65 "ranks[0]: expected an integer" \
    'ranks: [0.5]'
group "a rank that is a list" 65 "ranks[0]: expected an integer" 'ranks: [[0]]'
group "ranks and a count" 65 "either ranks or count" 'ranks: [0], count: 1'
group "a negative count" 65 "count: -1" 'count: -1'
group "a huge count" 65 "from 0 to 1048576" 'count: 2000000'
group "no ranks" 2 "ranks.empty" 'ranks: []'
group "a negative rank" 2 "ranks.negative" 'ranks: [-1]'
group "a huge rank" 2 "ranks.too_large" 'ranks: [9223372036854775807]'
group "a rank twice" 2 "ranks.duplicate" 'ranks: [1, 1]'
group "a size that is a word" 65 "cfg_size: expected an integer" \
    'ranks: [0], cfg_size: two'
group "a size that is a fraction" 65 "cfg_size: expected an integer" \
    'ranks: [0], cfg_size: 1.5'
group "a size that is true" 65 "cfg_size: expected an integer" \
    'ranks: [0], cfg_size: true'
group "a size that is zero" 2 "axis.bad_size" 'ranks: [0], cfg_size: 0'
group "a negative size" 2 "axis.bad_size" \
    'ranks: [0], cfg_size: -9223372036854775808'
group "a huge size" 2 "axis.too_large" \
    'ranks: [0], cfg_size: 9223372036854775807'
group "sizes whose product is huge" 2 '"refuse"' \
    'ranks: [0], cfg_size: 1048576, sp_size: 1048576, tp_size: 1048576'
group "a size twice" 65 "given twice" 'ranks: [0], cfg_size: 1, sizes: {cfg: 1}'
group "sizes that are a list" 65 "sizes: expected a map" \
    'ranks: [0], sizes: [1]'
group "an unknown axis" 2 "config.unknown_key" 'ranks: [0], sizes: {pp: 2}'
yaml "a size among the options" 2 "the nearest name is sizes.tp" \
    "runtime: halo\nworld: 8\noptions: {tensor_parallel_size: 2}\n"
yaml "an option among the sizes" 2 "the nearest name is options.ep_scope" \
    "runtime: halo\nworld: 8\nsizes: {ep_scope: node}\n"
yaml "an option at the top" 2 "the nearest name is options.use_hsdp" \
    "runtime: halo\nworld: 8\nuse_hsdp: true\n"
group "walks that are a number" 65 "graph_walks: expected" \
    'ranks: [0], graph_walks: 3'
yaml "options that are a list" 65 "options: expected a map" \
    "${whole}options: [a]\n"

# ---- models ------------------------------------------------------------------
bad_model()
{
    yaml "$1" 65 "$2" "$3---\n$whole"
}
bad_model "a model without a name" "model" 'nodes: [{name: x}]\n'
bad_model "an unknown key of a model" "walsk: unknown key" "${model}walsk: []\n"
bad_model "nodes that are a map" "nodes: expected a list" \
    'model: m\nnodes: {x: 1}\n'
bad_model "a node twice" "used twice" \
    'model: m\nnodes: [{name: x}, {name: x}]\n'
bad_model "a walk of an unknown node" "is not among the model" \
    "${model}walks: [{name: w, nodes: [y]}]\n"
bad_model "a negative head count" "heads" "${model}facts: {heads: -24}\n"
bad_model "a dimension that is a word" "shard_dim.s: expected an integer" \
    "${model}shard_dim: {s: first}\n"
bad_model "a resource of an unknown node" "is not among the model" \
    "${model}resources: [{key: k, nodes: [y]}]\n"

# ---- runtimes ----------------------------------------------------------------
bad_runtime()
{
    yaml "$1" 65 "$2" "$3---\n$whole"
}
bad_runtime "a runtime without axes" "axes" 'runtime: r\nrules: []\n'
bad_runtime "an axis twice" "axes[1]" \
    'runtime: r\naxes: [{name: a}, {name: a}]\n'
bad_runtime "seventeen axes" "17 axes" \
    "runtime: r\naxes: [$(awk 'BEGIN { for (i = 0; i < 17; i++)
        printf "%s{name: a%d}", i ? ", " : "", i }')]\n"
bad_runtime "derived sizes in a circle" "computed from itself" \
    "${runtime}derive: {x: y, y: z, z: x}\n"
bad_runtime "a derived size of itself" "computed from itself" \
    "${runtime}derive: {x: x + 1}\n"
bad_runtime "a default in a circle" "computed from itself" \
    'runtime: r\naxes: [{name: a, default: b}, {name: b, default: a}]\n'
bad_runtime "a view of an unknown axis" "not an axis" \
    "${runtime}views: {v: [b]}\n"
bad_runtime "an unknown type of an option" "no type is called" \
    "${runtime}options: {o: {type: integer}}\n"
rule "an unknown check" 65 "no check is called" '{check: rank}'
rule "a rule without a code" 65 "code is missing" "{refuse: 'a > 1'}"
rule "an unknown name" 65 'unknown name "b"' "{code: c, refuse: 'b > 1'}"
rule "an unknown member" 65 'unknown name "nmae"' \
    "{code: c, for: placed as p, refuse: 'p.nmae == \"x\"'}"
rule "a rule that is a number" 65 "expected boolean" \
    "{code: c, refuse: 'a + 1'}"
rule "types that do not go together" 65 "one type" \
    "{code: c, refuse: 'a == \"x\"'}"
rule "a bracket too few" 65 "ends too early" "{code: c, refuse: '(a > 1'}"
rule "an operator too many" 65 "unexpected" "{code: c, refuse: 'a >> 1'}"
rule "a character of no expression" 65 "unexpected" "{code: c, refuse: 'a # 1'}"
rule "an expression nested deep" 65 "nested deeper" \
    "{code: c, refuse: '$(many '(' 400)a > 1$(many ')' 400)'}"
rule "an expression of 100 kB" 65 "4096" \
    "{code: c, refuse: '$(many 'a > 1 || ' 10000)true'}"
rule "a remedy that sets nothing" 65 "sets at least one" \
    "{code: c, refuse: 'a > 1', try: [{set: {}}]}"
rule "a remedy that sets an unknown name" 65 "cannot be set" \
    "{code: c, refuse: 'a > 1', try: [{set: {b: 1}}]}"
rule "a name that is taken" 65 "has a meaning already" \
    "{code: c, for: placed as a, refuse: 'a > 1'}"

# ---- several files, and what is no request -----------------------------------
printf '%b' "$whole" >"$folder/good.yaml"
yaml "a cluster" 65 "cluster" 'hosts: []\n'
yaml "a model alone" 65 "nothing to check" "$model"
file "a good file beside a missing one" 66 "no such file" \
    "$folder/good.yaml" -f "$folder/none.yaml"
printf 'model: !x\n' >"$folder/a.yaml"
file "a good file beside a bad one" 65 "line 1" \
    "$folder/good.yaml" -f "$folder/a.yaml"
file "a good file" 0 '"accept"' "$folder/good.yaml"
echo "1..$number"
