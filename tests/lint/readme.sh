#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the README shows is what the program prints.
#
# A ```console block holds commands after "$ " and their output. A difference is
# printed as a diff: "-" the README, "+" the program.
set -eu
program=${SERRY:?names the program to run}
LC_ALL=C.UTF-8 # lines of pictures, not dashes
export LC_ALL
work=$(mktemp -d "${TMPDIR:-/tmp}/readme.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "${srcdir:-.}"

awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' \
    README.md >"$work/written"
sed -n 's/^\$ serry //p' "$work/written" >"$work/commands"

while IFS= read -r arguments; do
    printf '$ serry %s\n' "$arguments"
    # shellcheck disable=SC2086 # plain words
    "$program" $arguments </dev/null 2>&1 || true
done <"$work/commands" >"$work/printed"

echo 1..1
diff -u "$work/written" "$work/printed" | sed 's/^/# /'
if [ -s "$work/commands" ] && cmp -s "$work/written" "$work/printed"; then
    echo "ok 1 - the README shows what the program prints"
else
    echo "not ok 1 - the README shows what the program prints"
fi
