#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The framework's own configuration files are accepted as they are. They are not
# part of this tree: SERRIED_REAL_CONFIGS names the folder that holds them, if there
# is one. What they hold is also in tests/cases/models.jsonl.
set -u
: "${SERRY:=client/serry}"
[ -x "$SERRY" ] || { echo "Bail out! there is no program $SERRY"; exit 1; }
configs=${SERRIED_REAL_CONFIGS:-}
wanted=33

if [ ! -d "$configs" ]; then
    echo "1..0 # SKIP SERRIED_REAL_CONFIGS names no folder"
    exit 0
fi

number=0
for file in "$configs"/*.yaml; do
    number=$((number + 1))
    name=$(basename "$file")
    if said=$(timeout 20 "$SERRY" check -o json -f "$file" 2>&1) &&
        case $said in *'"accept"'*) true ;; *) false ;; esac; then
        echo "ok $number - $name is accepted"
    else
        echo "not ok $number - $name is accepted"
        printf '%s\n' "$said" | head -c 600 | sed 's/^/# /'
    fi
done
number=$((number + 1))
if [ "$((number - 1))" -ge "$wanted" ]; then
    echo "ok $number - all $wanted are there"
else
    echo "not ok $number - all $wanted are there ($((number - 1)))"
fi
echo "1..$number"
