#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a command as root of a user namespace, for a user who is not root: `preflight --user` of
# tools/lib.sh does so. The user is root there, and the other ids are the user's subordinate ones
# (subuid(5)), since Debian's packages have files of several users.
# usage: tools/build/userns.sh COMMAND...
set -eu
. "$(dirname "$0")/../lib.sh"

user=$(id -un) || die "the user has no name, and cannot have subordinate ids"
for program in newuidmap newgidmap mmdebstrap mount; do
	command -v "$program" >/dev/null ||
		die "$user is not root, which needs $program: 'apt install uidmap mmdebstrap mount'"
done
for file in /etc/subuid /etc/subgid; do
	awk -F: -v user="$user" '$1 == user && $3 >= 65535 { found = 1 } END { exit !found }' \
		"$file" 2>/dev/null ||
		die "$file has no line with 65536 ids for $user, who is not root:" \
			"'usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $user'"
done
enter="unshare --user --map-root-user --map-auto --mount"
$enter true ||
	die "$user is not root, and user namespaces are refused, see the line above;" \
		"sysctl settings can do that: kernel.unprivileged_userns_clone," \
		"kernel.apparmor_restrict_unprivileged_userns"
exec $enter "$@"
