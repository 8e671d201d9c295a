#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libserry as its users meet it: symbols, header, pkg-config.
#
# LIBSERRY names its build folder; else it is beside the program SERRY.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
LIBSERRY=${LIBSERRY:-$(dirname "${SERRY:?names the program serry}")/libserry}
header=$srcdir/client/libserry/serry.h
work=$(mktemp -d "${TMPDIR:-/tmp}/serry-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
number=0
failures=0
echo 1..7

# verdict NAME COMMAND...
verdict()
{
    name=$1
    shift
    number=$((number + 1))
    if "$@" >"$work/out" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failures=$((failures + 1))
        head -n 20 "$work/out" | sed 's/^/#   /'
    fi
}

skip()
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

exports_only_ours()
{
    nm -D --defined-only "$LIBSERRY/.libs/libserry.so" |
        awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' >"$work/symbols"
    test -s "$work/symbols" && ! grep -v '^serry_' "$work/symbols"
}

# Every function of the header is exported, and nothing else.
exports_what_the_header_declares()
{
    grep -o '\bserry_[a-z_]*(' "$header" | tr -d '(' | sort -u >"$work/declared"
    sort "$work/symbols" | diff "$work/declared" -
}

needs_no_more_than_it_uses()
{
    ! readelf -d "$LIBSERRY/.libs/libserry.so" | grep NEEDED |
        grep -vE 'nanomsg|protobuf-c|nettle|libc\.|libm\.|ld-linux|san\.'
}

cat >"$work/use.c" <<'END'
#include <serry.h>

int main(void)
{
    struct serry_error err = SERRY_ERROR_INIT;
    struct serry_client *client = 0;
    int rc = serry_open("tcp://127.0.0.1:1", &client, &err);

    serry_close(client);
    serry_error_clear(&err);
    return rc == 0 && serry_version()[0] != '\0' ? 0 : 1;
}
END
cp "$work/use.c" "$work/use.cc"

compiles_as_c()
{
    ${CC:-cc} -std=c11 -pedantic-errors -Wall -Wextra -Werror \
        -I"$srcdir/client/libserry" -c "$work/use.c" -o "$work/use.o"
}

compiles_as_cxx()
{
    ${CXX:-c++} -Wall -Wextra -Werror -pedantic-errors \
        -I"$srcdir/client/libserry" -c "$work/use.cc" -o "$work/use.oxx"
}

links_by_pkg_config()
{
    PKG_CONFIG_PATH=$LIBSERRY
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    ${CC:-cc} ${SANITIZER_CFLAGS-} "$work/use.c" -o "$work/use" \
        $(pkg-config --cflags --libs libserry) && "$work/use"
}

if test -e "$LIBSERRY/.libs/libserry.so"; then
    verdict "only names that begin with serry_ are exported" exports_only_ours
    verdict "what the header declares is exported" \
        exports_what_the_header_declares
    verdict "it needs the libraries that it uses" needs_no_more_than_it_uses
else
    for test in symbols functions libraries; do
        skip "$test" "the shared library is not built"
    done
fi
verdict "the header is plain C11" compiles_as_c
if command -v "${CXX:-c++}" >/dev/null; then
    verdict "the header is C++ as well" compiles_as_cxx
else
    skip "the header is C++ as well" "there is no C++ compiler"
fi
if test -e "$LIBSERRY/.libs/libserry.so" && command -v pkg-config >/dev/null; then
    verdict "pkg-config finds the library where it is built" \
        links_by_pkg_config
else
    skip "pkg-config" "the shared library or pkg-config is missing"
fi
verdict "every name of the manual page is in the header" sh -c "
    grep -o 'serry_[a-z_]*(' '$srcdir/docs/man/libserry.rst' | tr -d '(' |
    sort -u | while read -r name; do
        grep -q \"\$name(\" '$header' || { echo \"\$name\"; exit 1; }
    done"
test "$failures" = 0
