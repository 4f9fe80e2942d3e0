#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the memory, descriptors and rights of a worker while it works, as /proc shows them. Prints
# TAP.
# usage: with-renderd.sh RENDERD worker-sandbox.sh TRIANGLE_STREAM
set -eu
. "$(dirname "$0")/../lib/tap.sh"
"$1" --frames 1000000 >/dev/null &
client=$!
trap 'kill $client || true' EXIT

# Prints the worker that has the channels mapped, which serves the client; the other worker waits
# for a client.
find_worker()
{
	local pid
	for pid in $(workers); do
		grep -q sundog-channels "/proc/$pid/maps" && echo "$pid" && return
	done
	return 1
}

workers()
{
	cat /proc/"$SUNDOG_RENDERD"/task/*/children
}

# Prints the address of the program in a process.
program_at()
{
	sed -n '/sundog-renderd$/{s/-.*//p;q}' "/proc/$1/maps"
}

programs_are_apart()
{
	local places
	places=$(for pid in $SUNDOG_RENDERD $(workers); do program_at "$pid"; done)
	[ "$(echo "$places" | wc -l)" -ge 3 ] && [ -z "$(echo "$places" | sort | uniq -d)" ]
}

wait_until find_worker >/dev/null || { echo "Bail out! no worker"; exit 1; }
worker=$(find_worker)

# may_write MEMORY: returns true if a mapping of it is writable, or mprotect() could make it so.
may_write()
{
	awk -v name="$1" '/^[0-9a-f]+-/ { ours = index($0, name) } ours && /^VmFlags:/' \
		"/proc/$worker/smaps" | grep -qw mw
}

# Prints the offsets of the areas of a memory that are writable, or that mprotect() could make so.
writable_at()
{
	awk -v name="$1" '/^[0-9a-f]+-/ { ours = index($0, name); at = $3 }
		ours && /^VmFlags:.* mw/ { print at }' "/proc/$worker/smaps"
}

# Returns true if the status page of channel 0 is the only writable page of the channels.
only_status_is_writable()
{
	[ "$(writable_at sundog-channels)" = 00001000 ]
}

# Returns true if VRAM is at its fixed address behind the range for device addresses, with no other
# mapping near it.
vram_is_in_the_window()
{
	grep -q '^200000000000-.* rw-s 00000000 .*sundog-vram' "/proc/$worker/maps" &&
		grep -q '^1dff00000000-200000000000 ---p ' "/proc/$worker/maps"
}

fd_is()
{
	[ "$(readlink "/proc/$worker/fd/$1")" = "$2" ]
}

fd_is_pipe()
{
	case $(readlink "/proc/$worker/fd/$1") in pipe:*) ;; *) return 1 ;; esac
}

# are_dead PROCESS...: returns true if the processes are zombies, or do not exist.
are_dead()
{
	local pid
	for pid; do
		[ -z "$(cat "/proc/$pid/maps" 2>/dev/null)" ] || return 1
	done
}

# status_of PROCESS FIELD prints a field of the status; status_is PROCESS FIELD VALUE compares it.
status_of()
{
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

status_is()
{
	[ "$(status_of "$1" "$2")" = "$3" ]
}

no_network()
{
	! unshare --net true 2>/dev/null ||
		[ "$(readlink "/proc/$worker/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

die_with_the_broker()
{
	local all
	all=$(workers)
	kill -KILL "$SUNDOG_RENDERD"
	wait_until are_dead $all
}

# Prints the access mode of a descriptor: 0 reads, 1 writes, 2 both.
fd_mode()
{
	echo $(($(sed -n 's/^flags:[[:space:]]*//p' "/proc/$worker/fdinfo/$1") & 3))
}

# Returns true if the worker has only the known descriptors, which are the channels' events, VRAM,
# and lavapipe's heap.
fds_are_known()
{
	local fd rest
	for fd in "/proc/$worker/fd"/*; do
		rest=$(readlink "$fd")
		case ${fd##*/}:$rest in
		0:* | 1:* | 2:* | 3:socket:*) ;;
		*:anon_inode:\[eventpoll\] | *:anon_inode:\[eventfd\]) ;;
		*:/memfd:sundog-vram* | *:/memfd:sundog-table* | *:/memfd:sundog-channels*) ;;
		*:"/memfd:allocation fd"*) ;;
		*) echo "# ${fd##*/}: $rest"; return 1 ;;
		esac
	done
}

# Returns true if stacks have a guard of 256 MiB. Frames of shaders' code are smaller than that, so
# they cannot step over the guard.
stacks_are_guarded()
{
	awk '$2 == "---p" { print $1 }' "/proc/$worker/maps" | while IFS=- read -r from to; do
		[ $((0x$to - 0x$from)) = $((256 << 20)) ] && echo guard
	done | grep -qc guard
}

# Returns true if there is executable memory without a file, which the host driver made.
has_code()
{
	awk '$2 == "r-xp" && $5 == 0 && NF == 5 { found = 1 } END { exit !found }' \
		"/proc/$worker/maps"
}

# Returns true if no mapping is writable and executable. Looks while frames are drawn, since the
# host driver makes code for the first frames.
nothing_is_writable_and_executable()
{
	local i
	for i in $(seq 30); do
		! awk '$2 ~ /wx/' "/proc/$worker/maps" | sed 's/^/# /' | grep . || return 1
		sleep 0.1
	done
}

echo 1..24
check "VRAM is writable (which shows that this test reads the mappings)" may_write sundog-vram
check "the table is not writable and cannot become so" eval '! may_write sundog-table'
check "of the channels only the status page is writable" only_status_is_writable
check "VRAM is in the window" vram_is_in_the_window
check "a worker has a filter of system calls" \
	grep -q '^Seccomp:[[:space:]]*2$' "/proc/$worker/status"
check "a worker can get no new privileges" \
	grep -q '^NoNewPrivs:[[:space:]]*1$' "/proc/$worker/status"
check "standard input is /dev/null" fd_is 0 /dev/null
check "standard output is /dev/null" fd_is 1 /dev/null
check "the log is a pipe" fd_is_pipe 2
check "the log is write-only" [ "$(fd_mode 2)" = 1 ]
check "a worker has no other files" fds_are_known
check "the host driver's heap has a limit" \
	grep -q '^Max file size  *4294967296  *4294967296 ' "/proc/$worker/limits"
check "no frame steps over the guard of a stack" stacks_are_guarded
check "code of shaders is in memory (which the next test needs)" wait_until has_code
check "no memory is writable and executable" nothing_is_writable_and_executable
check "the OOM killer ends a worker first" [ "$(cat "/proc/$worker/oom_score_adj")" = 1000 ]
check "and the broker as before" \
	[ "$(cat "/proc/$SUNDOG_RENDERD/oom_score_adj")" = "$(cat /proc/self/oom_score_adj)" ]
check "the broker and its workers have addresses of their own" wait_until programs_are_apart
check "the broker has a filter of system calls" status_is "$SUNDOG_RENDERD" Seccomp 2
check "the broker has no privileges" status_is "$SUNDOG_RENDERD" CapEff 0000000000000000
check "the broker can get no new privileges" status_is "$SUNDOG_RENDERD" NoNewPrivs 1
check "the bounding set of a worker is empty" \
	status_is "$worker" CapBnd "$(status_of "$SUNDOG_RENDERD" CapEff)"
check "a worker has no network, where there are namespaces" no_network
check "workers end with the broker" die_with_the_broker
