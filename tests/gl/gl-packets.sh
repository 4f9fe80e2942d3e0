#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts the packets that the driver sends to the device for operations that programs repeat, in the
# debug log of a renderer. Prints TAP.
# usage: gl-packets.sh RENDERD SUNDOG_MESA GL_PACKETS OUT
set -u
renderd=$1 mesa=$2 program=$3 out=$4
here=$(dirname "$0")
. "$here/../lib/tap.sh"
export SUNDOG_RENDERD_OPTIONS="--log debug"

# do_often THING TIMES: runs gl-packets; its log is $out/packets-THING-TIMES.log.
do_often()
{
	local log=$out/packets-$1-$2.log status=0
	"$here/../host/with-renderd.sh" "$renderd" "$mesa" "$program" "$1" "$2" >"$log" 2>&1 ||
		status=$?
	[ "$status" = 0 ] || tail "$log" | sed 's/^/# /'
	report "$status" "$1 $2 times gives the right pixels"
}

# count THING TIMES PACKET: prints how many such packets the log has.
count() { grep -c "debug: $3" "$out/packets-$1-$2.log"; }

# is NAME SEEN OPERATOR EXPECTED: compares two numbers and reports the result.
is()
{
	[ "$2" "$3" "$4" ]
	report $? "$1: $2"
}

do_often update 16
# The memory is idle at the first update.
is "bits of a busy buffer that are copied in apart" \
	"$(count update 16 'copy_buffer.* size=0x20')" -eq 30

do_often copy 1
is "barriers between copies and a draw with the vertices and indices" \
	"$(count copy 1 barrier)" -eq 1

do_often query 100
is "allocations for the results of 100 queries" \
	"$(grep -o 'debug: begin_query.* mem.kres=[0-9]*' "$out/packets-query-100.log" |
		sed 's/.*mem//' | sort -u | wc -l)" -le 4

# A submission has space for about 30 conditions. Each submission starts with all state.
do_often condition 60
# At the end of a submission the result may be available before it is requested.
is "draws that the device decides on" "$(count condition 60 begin_condition)" -ge 55
is "submissions of 60 draws that depend on what was drawn before" \
	"$(count condition 60 set_blend_constants)" -le 5
do_often result 60
is "results that the device writes" "$(count result 60 copy_query_value)" -eq 60
is "submissions of 60 results" "$(count result 60 set_blend_constants)" -le 5

for thing in mipmap attach; do
	do_often $thing 1
	do_often $thing 10
	is "views made when $thing is done 10 times as when it is done once" \
		"$(count $thing 10 create_image_view)" -eq "$(count $thing 1 create_image_view)"
done
