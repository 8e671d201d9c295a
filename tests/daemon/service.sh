#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The service's unit, user and folders are what systemd takes them for.
set -eu
cd "${srcdir:-.}"
serried=${SERRIED:-${SERRY%/client/serry}/daemon/serried}
if ! command -v systemd-analyze >/dev/null; then
    echo "1..0 # SKIP systemd-analyze is not here"
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 1..4

# The program is not installed yet, nor are its manual pages.
sed "s|^ExecStart=/usr/sbin/serried|ExecStart=$serried|" \
    deploy/serried.service >"$folder/serried.service"

# said NUMBER NAME COMMAND...: true, and silent.
said()
{
    number=$1
    name=$2
    shift 2
    if "$@" >"$folder/log" 2>&1 && ! grep -v '^→' "$folder/log"; then
        echo "ok $number - $name"
    else
        sed 's/^/# /' "$folder/log"
        echo "not ok $number - $name"
    fi
}
verified()
{
    systemd-analyze verify --man=no "$folder/serried.service"
}
# 2.0 of 10; ten times that, as it is asked for.
confined()
{
    systemd-analyze security --offline=yes --threshold=20 \
        "$folder/serried.service" >"$folder/report" 2>&1 ||
        { tail -n 1 "$folder/report"; return 1; }
}
users_made()
{
    systemd-sysusers --root="$folder" "$PWD/deploy/serried.sysusers" \
        >"$folder/report" 2>&1 || { cat "$folder/report"; return 1; }
    grep -q '^serried:.*:/var/lib/serried:' "$folder/etc/passwd"
}
folders_made()
{
    systemd-tmpfiles --root="$folder" --create \
        "$PWD/deploy/serried.tmpfiles" || return 1
    test "$(stat -c %a "$folder/var/lib/serried")" = 700 &&
        test "$(stat -c %a "$folder/run/serried")" = 755
}

said 1 "the unit is verified" verified
said 2 "the service is confined" confined
if [ "$(id -u)" -ne 0 ]; then
    echo "ok 3 # SKIP only root makes users"
    echo "ok 4 # SKIP only root makes folders of others"
    exit 0
fi
mkdir -p "$folder/etc"
said 3 "the user is made" users_made
said 4 "the folders are made" folders_made
