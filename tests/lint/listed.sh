#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file is named in its folder's local.mk, so that the tarball has it, and
# named once.
set -eu
cd "${srcdir:-.}"
echo 1..1
bad=
for file in $(sh tests/lint/sources); do
    # The fragment of its folder, else of the top one.
    fragment=${file%/*}/local.mk
    [ -f "$fragment" ] || fragment=${file%%/*}/local.mk
    # A folder without one is not built yet, nor are its tests.
    [ -f "$fragment" ] || continue
    tested=${file#tests/}
    tested=${tested%%/*}
    [ ! -d "$tested" ] || [ -f "$tested/local.mk" ] || continue
    # A test program is named without its ending.
    if ! grep -qwF -e "$file" "$fragment" &&
        ! grep -qwF -e "${file%.c}" "$fragment"; then
        echo "# $fragment does not name $file"
        bad=yes
    fi
    if [ "$(grep -owF -e "$file" "$fragment" | wc -l)" -gt 1 ]; then
        echo "# $fragment names $file twice"
        bad=yes
    fi
done
if [ -n "$bad" ]; then
    echo "not ok 1 - every source file is listed once"
else
    echo "ok 1 - every source file is listed once"
fi
