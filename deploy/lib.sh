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
    protobuf-c-compiler libuv1-dev libsqlite3-dev libnanomsg-dev
    python3-docutils'
# python3-torch is the large one: 150 MB to fetch, 640 MB on disk.
test_packages='check binutils g++ libnng-dev libopenmpi-dev nanomsg-utils
    openmpi-bin protobuf-compiler python3 python3-protobuf python3-torch
    sqlite3'

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

# log_show LOG: what failed, what the failed tests said (make VERBOSE=1 prints
# it), then the end without the tests that passed.
log_show()
{
    say "what failed in $1, and its end:"
    grep -E '^(FAIL|ERROR|XPASS): |: (fatal )?error: ' "$1" | head -n 40
    awk '/^#/ { said[count++ % 100] = $0; next }
        /^not ok/ {
            for (i = count < 100 ? 0 : count - 100; i < count; i++)
                print said[i % 100]
            print
        }
        { count = 0 }' "$1" | head -n 400
    grep -vE '^(PASS: |ok |#|not ok )' "$1" | tail -n 40
}

# quietly LOG COMMAND...: runs it with its output in a file below the build
# folder, which is shown only if it fails.
quietly()
{
    log=$build/$1
    shift
    mkdir -p "$build"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        log_show "$log"
        refuse "$* failed"
    fi
}

package_missing()
{
    test "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" \
        != installed
}

# Prints what has to stand before a command that installs.
root_prefix()
{
    if test "$(id -u)" -eq 0; then
        :
    elif command -v sudo >/dev/null; then
        echo sudo
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
    as_root=$(root_prefix)
    # shellcheck disable=SC2086 # lists of words
    {
        quietly apt-update.log $as_root apt-get update -q
        quietly apt-install.log $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends $missing
    }
}

# Makes configure and what it needs, in the source folder.
sources_prepare()
{
    say "autoreconf"
    quietly autoreconf.log autoreconf -fi "$root"
}

# build_configure FOLDER [OPTION...]: configures outside the source folder.
build_configure()
{
    folder=$1
    shift
    mkdir -p "$folder"
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

# The plain build, in $build.
build_all()
{
    say "configure and make in $build"
    quietly configure.log build_configure "$build"
    quietly make.log build_make "$build"
}

# tests_count LOG: prints "PASSED FAILED" summed over automake's summaries.
# Automake prints one after each run and counts a crash as an error.
tests_count()
{
    sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
        /^Testsuite summary/ { summary = 1 }
        summary && /^# (PASS|XFAIL): / { passed += $3 }
        summary && /^# (FAIL|XPASS|ERROR): / { failed += $3 }
        summary && /^# ERROR: / { summary = 0 }
        END { print passed + 0, failed + 0 }'
}
