# SPDX-License-Identifier: Apache-2.0
# Shell shared by deploy/quickstart, deploy/selftest and .ci/run.
# shellcheck shell=sh disable=SC2034 # used by those that read this
root=$(cd "$(dirname "$0")/.." && pwd)
build=${SERRIED_BUILD_DIR:-$root/build}
case $build in
/*) ;;
*) build=$PWD/$build ;;
esac

# What building needs, and what the tests need beside it.
build_packages='gcc libc6-dev make autoconf automake libtool autoconf-archive
    pkg-config libyaml-dev libjansson-dev nettle-dev libprotobuf-c-dev
    protobuf-c-compiler python3-docutils'
test_packages='check binutils'

# Says what happens next; plain lines, fit for a log.
say()
{
    printf '== %s\n' "$*"
}

refuse()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

package_missing()
{
    test "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" \
        != installed
}

# Runs a command as root, through sudo if need be.
as_root()
{
    if test "$(id -u)" -eq 0; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        refuse "installing packages needs root or sudo; missing: $missing"
    fi
}

# packages_install NAME...: installs those that are missing, if any is.
packages_install()
{
    command -v dpkg-query >/dev/null ||
        refuse "this script knows Debian's packages only; see README.md"
    missing=
    for package; do
        if package_missing "$package"; then
            missing="$missing $package"
        fi
    done
    test -n "$missing" || return 0
    say "installing$missing"
    as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
        --no-install-recommends $missing
}

# Makes configure and what it needs, in the source folder.
sources_prepare()
{
    say "autoreconf"
    (cd "$root" && autoreconf -fi)
}

# build_configure FOLDER [OPTION...]: configures outside the source folder.
build_configure()
{
    folder=$1
    shift
    mkdir -p "$folder"
    say "configure in $folder"
    (cd "$folder" && "$root/configure" -q "$@")
}

# Runs make on as many processors as there are. make_command: for those who
# want a limit of time around it.
make_command='make'
build_make()
{
    folder=$1
    shift
    $make_command -C "$folder" -j"$(nproc)" "$@"
}

# tests_count LOG...: prints "PASSED FAILED" summed over automake's totals.
# Automake prints them after each run and counts a crash as an error.
tests_count()
{
    sed 's/\x1b\[[0-9;]*m//g' "$@" | awk '
        /^# (PASS|XFAIL): / { passed += $3 }
        /^# (FAIL|XPASS|ERROR): / { failed += $3 }
        END { print passed + 0, failed + 0 }'
}

# log_show LOG: what failed, then the end without the tests that passed.
log_show()
{
    say "what failed in $1, and its end:"
    grep -E '^(FAIL|ERROR|XPASS): |: (fatal )?error: ' "$1" | head -n 40
    grep -v '^PASS: ' "$1" | tail -n 40
}
