# SPDX-License-Identifier: MIT
# Shell functions of the tests with a compositor in a guest. They source it after guest-lib.sh and
# with $build and $mesa set. No function measures time: all wait until a condition is true.

state=/sys/kernel/debug/dri/0/state

# Starts udev, which reports devices to Weston and Xorg; there is no systemd here that starts it.
start_udev()
{
	/usr/lib/systemd/systemd-udevd --daemon 2>/dev/null
	udevadm trigger --action=add --subsystem-match=drm --subsystem-match=input \
		--subsystem-match=serio
	udevadm settle
}

# Starts udev and a seat for a compositor on DRM.
start_seat()
{
	start_udev
	mkdir -p -m 1777 /tmp/.X11-unix
	SEATD_VTBOUND=0 seatd -l error >/out/seatd.log 2>&1 &
	export LIBSEAT_BACKEND=seatd
	wait_until test -S /run/seatd.sock
}

# start_weston: starts Weston, process $weston, with the configuration from standard input and with
# Xwayland. Clients start afterwards.
start_weston()
{
	start_seat
	cat >/tmp/weston.ini
	"$mesa" weston --backend=drm --renderer=gl --xwayland \
		--config=/tmp/weston.ini --socket=wayland-1 --log=/out/weston.log \
		>/out/weston.out 2>&1 &
	weston=$!
	wait_until test -S "$XDG_RUNTIME_DIR/wayland-1"
	wait_until test -S /tmp/.X11-unix/X0
	export WAYLAND_DISPLAY=wayland-1 DISPLAY=:0
}

# shows NAME COLOUR=PIXELS...: returns true if QEMU's picture of the screen has at least so many
# pixels of these colours.
shows()
{
	/sundog/tests/guest/screen-is.sh "$build" "$1" 0 "${@:2}" >/tmp/colours
}

# report_shown NAME TEXT COLOUR=PIXELS...: prints one TAP line, when the screen shows the colours or
# after a timeout.
report_shown()
{
	local rc=0
	wait_until shows "$1" "${@:3}" || rc=1
	[ "$rc" = 0 ] || sed 's/^/# /' /tmp/colours
	report "$rc" "$2"
}

# start NAME COMMAND...: starts a client in the background, with its output in /out/NAME.log and its
# id in $client.
start()
{
	stdbuf -oL "$mesa" "${@:2}" >"/out/$1.log" 2>&1 &
	client=$!
}

# start_app NAME COMMAND...: starts a client like start, with a process group of its own.
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

# Creates a home folder and a machine id, which desktops have and programs look for.
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

# end ID...: kills processes with SIGKILL.
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

# settled: prints the counts when they have not changed for a while, or after a timeout.
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

# above COUNTS: prints the counts that are higher than in COUNTS. Returns false if there are none.
above()
{
	awk 'NR == FNR { was[$1] = $2; next }
	     $2 > was[$1] { print "# " $0 " instead of " was[$1]; found = 1 }
	     END { exit !found }' <(printf '%s\n' "$1") <(idle_counts)
}

none_above()
{
	! above "$1" >/tmp/above
}

# not_above COUNTS: waits until each count is at its value in COUNTS or below; a compositor may have
# freed memory that it kept of an earlier client.
not_above()
{
	wait_until none_above "$1" && return
	cat /tmp/above
	return 1
}

# stops_growing COMMAND...: returns true if one of three runs of the command leaves no count higher
# than before. A compositor keeps objects of clients that have ended, depending on how they ended:
# the pictures that it drew last, another block of memory for streams. Their number does not grow
# with the number of clients, as that of leaked objects does.
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

# kill_storm N COMMAND...: starts N clients, four at a time, and kills them when none, some or all
# of them have a context, which covers each phase of a client.
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

# Prints the position of the cursor plane as "X Y", or nothing while it is off.
cursor_position()
{
	awk '/^plane/ { plane++ }
	     plane == 4 && /crtc-pos=/ && !/=0x0/ { split($1, at, "+"); print at[2], at[3] }' $state
}

cursor_moved()
{
	local now
	now=$(cursor_position)
	[ -n "$now" ] && [ "$now" != "$1" ]
}

# Prints the framebuffer of the primary plane, which changes with every flip.
primary_fb()
{
	awk '/^plane/ { plane++ } plane == 1 && /^\tfb=/ { print; exit }' $state
}

# Returns true if the kernel's console is on the screen.
console_back()
{
	grep -q 'allocated by = \[fbcon\]' $state
}
