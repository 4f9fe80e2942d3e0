#!/bin/sh
# SPDX-License-Identifier: MIT
# on-one-cpu.sh COMMAND...: all of it on the first CPU that it may use.
exec taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$@"
