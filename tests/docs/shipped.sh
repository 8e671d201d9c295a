#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages name everything that ships: docs/models.md every model in its table,
# NEWS.md every runtime.
set -eu
cd "${srcdir:-.}"

# Says which files of a folder have a name that the text on standard input does
# not hold as `NAME`.
unnamed() { # folder
    text=$(cat)
    for file in "$1"/*.yaml; do
        name=$(basename "$file" .yaml)
        case $text in
        *"\`$name\`"*) ;;
        *) echo "# $name is not named" ;;
        esac
    done
}

report() { # number, what, complaints
    [ -z "$3" ] || printf '%s\nnot ' "$3"
    echo "ok $1 - $2"
}

echo 1..2
report 1 "docs/models.md has a row for every shipped model" \
    "$(sed -n '/^## The shipped models/,/^These models/p' docs/models.md |
        unnamed share/models)"
report 2 "NEWS.md names every shipped runtime" \
    "$(unnamed share/runtimes <NEWS.md)"
