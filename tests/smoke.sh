#!/bin/sh
# SPDX-License-Identifier: MIT
# with-renderd.sh RENDERD smoke.sh SUNDOG_SMOKE: libdrm_sundog's smoke test at that renderer's socket.
exec "$1" --direct "$SUNDOG_SOCKET"
