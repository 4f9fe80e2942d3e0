# SPDX-License-Identifier: MIT
# Shell functions: results as TAP.

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
