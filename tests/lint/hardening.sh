#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was asked of the compiler for safety is read back from the program.
set -eu
program=${SERRY:?names the program to look at}
echo 1..5
number=0

# has NAME PATTERN READELF-OPTION...
has()
{
    number=$((number + 1))
    name=$1
    pattern=$2
    shift 2
    if readelf -W "$@" "$program" | grep -E "$pattern" >/dev/null; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
    fi
}

has "the program is position independent" 'Type:.*DYN' -h
has "relocations are read-only" GNU_RELRO -l
has "symbols are bound at start" 'BIND_NOW|FLAGS_1.*NOW' -d
has "the stack is protected" __stack_chk_fail -s
case ${HARDENING_CPPFLAGS-} in
*FORTIFY*) has "library calls are fortified" '__[a-z]+_chk(@|$| )' -s ;;
*) echo "ok 5 # SKIP the compiler does not optimize, so nothing is fortified" ;;
esac
