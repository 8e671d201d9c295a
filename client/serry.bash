# SPDX-License-Identifier: Apache-2.0
# Completion of serry's command line for bash.

# A line for each command and what may stand behind it, as `serry help --words`
# prints it; a test compares the two. The last line is for all commands.
_serry_words='check: -f --file --from --world --model --name --renumber --offline --address --strict --lists --per-rank --creation --rank --up-to --batch
apply: -f --file --from --world --model --name --renumber --address
plan: -f --file --evict --from --world --model --name --renumber --address
place: -f --file --from --world --model --name --renumber --expect --address
release: --expect --address
diff: -f --file --from --world --model --name --renumber --address
assignment: --rank --all --generation --creation --address
routing: --address
get: --address
describe: --groups --address
export: --as -f --file --hosts --gpus-per-node --port --offline --address
exec: --placement --rank --local-rank --host --generation --address-of-me --timeout --address
events: --limit --address
watch: --after --address
status: --address
doctor: --address
mesh: --axes --runtime --world --set --groups --offline --address
suggest: --runtime --world --memory --objective --set --most --offline --address
explain: --runtime --offline --address
import: --name --world --model
host apply: -f --file --first --address
host list: --address
host cordon: --why --address
host uncordon: --why --address
host drain: --why --address
host down: --why --address
host remove: --address
runtime list:
runtime show:
runtime lint:
token: --placement --append
version:
help:
: -o --output --share -h --help'

# What export writes and import reads beside the runtimes' own.
_serry_formats='hostfile rankfile torchrun slurm-hostfile ray flags json'
_serry_imported='hf hostfile rankfile slurm nvidia-smi rocm-smi flux hwloc'

# The words of the line that begins with this command.
_serry_options()
{
    local line
    while IFS= read -r line; do
        [[ $line == "$1:"* ]] && echo "${line#*:}"
    done <<<"$_serry_words"
}

# What may stand at a place in a command: the words before it decide.
_serry_commands()
{
    local line name
    while IFS= read -r line; do
        name=${line%%:*}
        case $1 in
        '') echo "${name%% *}" ;;
        *) [[ $name == "$1 "* ]] && echo "${name#* }" ;;
        esac
    done <<<"$_serry_words"
}

_serry_offer()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_serry_files()
{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# The values of an option, which stands before the cursor; false: it has none.
_serry_value()
{
    case $1 in
    -o | --output) _serry_offer 'table json yaml svg' "$2" ;;
    -f | --file) _serry_files "$2" ;;
    --share) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    --runtime) _serry_offer "$(_serry_runtimes)" "$2" ;;
    --address | --hosts) _serry_files "$2" ;;
    --placement) _serry_offer "$(_serry_names placements)" "$2" ;;
    --as)
        _serry_offer "$_serry_formats $(_serry_runtimes)" "$2"
        ;;
    --objective) _serry_offer 'memory latency throughput' "$2" ;;
    --lists | --axes | --world | --set | --memory | --most | --groups | \
        --expect | --rank | --generation | --limit | --after | \
        --gpus-per-node | --port | --address-of-me | --host | --local-rank | \
        --timeout)
        COMPREPLY=()
        ;;
    *) return 1 ;;
    esac
}

_serry_runtimes()
{
    "${COMP_WORDS[0]}" version 2>/dev/null |
        while read -r kind name _; do
            [[ $kind == runtime ]] && echo "$name"
        done
}

# The names that a daemon has of a kind; none where it is not there.
_serry_names()
{
    "${COMP_WORDS[0]}" get "$1" 2>/dev/null |
        while read -r name _; do
            [[ $name != "${1%s}" ]] && echo "$name"
        done
}

_serry()
{
    local current=${COMP_WORDS[COMP_CWORD]} command='' kind='' word i
    COMPREPLY=()

    _serry_value "${COMP_WORDS[COMP_CWORD - 1]}" "$current" && return
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ $word == -* ]] && continue
        case $command in
        '') command=$word ;;
        get | import) kind=$word ;;
        *) [[ -n $(_serry_commands "$command") && $command != *' '* ]] &&
            command="$command $word" ;;
        esac
    done

    if [[ $current == -* ]]; then
        _serry_offer "$(_serry_options "$command") $(_serry_options '')" \
            "$current"
        return
    fi
    case $command in
    '') _serry_offer "$(_serry_commands '')" "$current" ;;
    'runtime show') _serry_offer "$(_serry_runtimes)" "$current" ;;
    check | apply | plan | place | diff | 'runtime lint') _serry_files "$current" ;;
    release | describe | doctor | assignment | routing | export)
        _serry_offer "$(_serry_names placements)" "$current" ;;
    get)
        case $kind in
        '') _serry_offer 'models runtimes placements hosts' "$current" ;;
        *) _serry_offer "$(_serry_names "$kind")" "$current" ;;
        esac ;;
    import)
        case $kind in
        '') _serry_offer "$_serry_imported $(_serry_runtimes)" "$current" ;;
        *) _serry_files "$current" ;;
        esac ;;
    'host apply') _serry_files "$current" ;;
    'host '*[a-z])
        [[ $command == 'host list' ]] ||
            _serry_offer "$(_serry_names hosts)" "$current" ;;
    help) _serry_offer "$(_serry_commands '')" "$current" ;;
    *) _serry_offer "$(_serry_commands "$command")" "$current" ;;
    esac
}

complete -F _serry serry
