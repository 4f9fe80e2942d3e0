# SPDX-License-Identifier: MIT
# Shell functions: results as TAP, and waiting.

# Seconds that something may take to come: a bound and no measure, for a machine that stands still at times.
patience=180

# report STATUS NAME: the result of something that was done.
report()
{
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi
}

# check NAME COMMAND...: do something, and report it.
check()
{
	local name=$1 status=0
	shift
	"$@" || status=$?
	report "$status" "$name"
}

# wait_until COMMAND...: poll until the command succeeds; status 1 if it does not in time.
wait_until()
{
	local end=$((SECONDS + patience))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}
