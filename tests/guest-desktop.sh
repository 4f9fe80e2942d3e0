# SPDX-License-Identifier: MIT
# Shell functions of the tests with a compositor in a guest. Sourced by them, after guest-lib.sh and
# with $build and $mesa set. Nothing here is timed: all wait for what is to be seen.

state=/sys/kernel/debug/dri/0/state

# Weston and Xorg want to be told of devices by udev; there is no systemd here that starts it.
start_udev()
{
	/usr/lib/systemd/systemd-udevd --daemon 2>/dev/null
	udevadm trigger --action=add --subsystem-match=drm --subsystem-match=input --subsystem-match=serio
	udevadm settle
}

# What a compositor on DRM wants to find.
start_seat()
{
	start_udev
	mkdir -p -m 1777 /tmp/.X11-unix
	SEATD_VTBOUND=0 seatd -l error >/out/seatd.log 2>&1 &
	export LIBSEAT_BACKEND=seatd
	wait_until test -S /run/seatd.sock
}

# start_weston: Weston, process $weston, with the configuration on standard input and Xwayland; its clients come after.
start_weston()
{
	start_seat
	cat >/tmp/weston.ini
	"$mesa" weston --backend=drm --renderer=gl --xwayland \
		--config=/tmp/weston.ini --socket=wayland-1 --log=/out/weston.log >/out/weston.out 2>&1 &
	weston=$!
	wait_until test -S "$XDG_RUNTIME_DIR/wayland-1"
	wait_until test -S /tmp/.X11-unix/X0
	export WAYLAND_DISPLAY=wayland-1 DISPLAY=:0
}

# shows NAME COLOUR=PIXELS...: has QEMU's picture of the screen, now, so much of these colours?
shows()
{
	/sundog/tests/screen-is.sh "$build" "$1" 0 "${@:2}" >/tmp/colours
}

# report_shown NAME TEXT COLOUR=PIXELS...: one TAP line, when the screen shows it or never does.
report_shown()
{
	local rc=0
	wait_until shows "$1" "${@:3}" || rc=1
	[ "$rc" = 0 ] || sed 's/^/# /' /tmp/colours
	report "$rc" "$2"
}

# start NAME COMMAND...: a client in the background, its output in /out/NAME.log, its id in $client.
start()
{
	stdbuf -oL "$mesa" "${@:2}" >"/out/$1.log" 2>&1 &
	client=$!
}

# start_app NAME COMMAND...: the same, its processes in a group of their own.
start_app()
{
	set -m
	"${@:2}" >"/out/$1.log" 2>&1 </dev/null &
	client=$!
	set +m
}

end_app()
{
	kill -9 -- "-$client" 2>/dev/null
	wait "$client" 2>/dev/null
}

# What people's desktops have, and programs look for.
furnish()
{
	mkdir -p /tmp/home/cache
	rm -f /etc/machine-id /var/lib/dbus/machine-id
	dbus-uuidgen --ensure=/etc/machine-id
}

logged()
{
	grep -q "$1" "/out/$2.log"
}

# end ID...: end processes the hard way.
end()
{
	kill -9 "$@"
	wait "$@" 2>/dev/null
}

contexts()
{
	awk '$1 == "contexts" { print $2 }' $counts
}

contexts_reach()
{
	[ "$(contexts)" -ge "$1" ]
}

# settled: the counts, when they have stood still for a while; or as they are, when they never do.
settled()
{
	local last= i
	for i in $(seq 10); do
		last=$(idle_counts)
		sleep 3
		counts_are "$last" && break
	done
	printf '%s\n' "$last"
}

above()
{
	awk 'NR == FNR { was[$1] = $2; next } $2 > was[$1] { print "# " $0 " instead of " was[$1]; found = 1 }
	     END { exit !found }' <(printf '%s\n' "$1") <(idle_counts)
}

none_above()
{
	! above "$1" >/tmp/above
}

# not_above COUNTS: each must come back to what it was, or to less: a compositor may have let go of what
# it had kept of an earlier client.
not_above()
{
	wait_until none_above "$1" && return
	cat /tmp/above
	return 1
}

# stops_growing COMMAND...: what is done again leaves no more behind than before, the third time at the latest. What a
# compositor keeps of clients that are gone depends on how they went: pictures that it drew last, another block of
# memory for streams. It does not grow with their number, as what is leaked does.
stops_growing()
{
	local counts_before
	for _ in 1 2 3; do
		counts_before=$(settled)
		"$@"
		patience=60 not_above "$counts_before" && return
	done
	return 1
}

# kill_storm N COMMAND...: start clients four at a time, N in all, and kill them when none to all of
# them have a context, so at any moment of their lives.
kill_storm()
{
	local idle i j pids n=$1
	idle=$(contexts)
	shift
	for ((i = 0; i < n; i += 4)); do
		pids=()
		for j in 1 2 3 4; do
			"$mesa" "$@" >/dev/null 2>&1 &
			pids+=($!)
		done
		patience=30 wait_until contexts_reach $((idle + RANDOM % 5))
		sleep "0.$((RANDOM % 5))"
		end "${pids[@]}"
	done
}

# The cursor plane, as "X Y"; nothing while it is off.
cursor_position()
{
	awk '/^plane/ { plane++ } plane == 4 && /crtc-pos=/ && !/=0x0/ { split($1, at, "+"); print at[2], at[3] }' $state
}

cursor_moved()
{
	local now
	now=$(cursor_position)
	[ -n "$now" ] && [ "$now" != "$1" ]
}

# The framebuffer of the primary plane, another one after every flip.
primary_fb()
{
	awk '/^plane/ { plane++ } plane == 1 && /^\tfb=/ { print; exit }' $state
}

# Is the kernel's console on the screen?
console_back()
{
	grep -q 'allocated by = \[fbcon\]' $state
}
