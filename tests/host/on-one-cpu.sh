#!/bin/sh
# SPDX-License-Identifier: MIT
# on-one-cpu.sh COMMAND...: runs the command and its children on the first CPU that this process may
# use.
exec taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$@"
