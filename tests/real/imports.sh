#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Frameworks' own files are read as they should be, and so are configurations of
# models. They are not part of this tree: SERRIED_REAL_IMPORTS names a folder with
# configs/expected.json and the files it speaks of, and hf-config/*.json.
set -u
: "${SERRY:=client/serry}"
[ -x "$SERRY" ] || { echo "Bail out! there is no program $SERRY"; exit 1; }
if [ ! -d "${SERRIED_REAL_IMPORTS:-}" ]; then
    echo "1..0 # SKIP SERRIED_REAL_IMPORTS names no folder"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
exec python3 "${srcdir:-.}/tests/real/compare_imports.py" "$SERRY" "$SERRIED_REAL_IMPORTS"
