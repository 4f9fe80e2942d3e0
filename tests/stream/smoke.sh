#!/bin/sh
# SPDX-License-Identifier: MIT
# with-renderd.sh RENDERD smoke.sh SUNDOG_SMOKE: runs libdrm_sundog's smoke test on that renderer's
# socket.
exec "$1" --direct "$SUNDOG_SOCKET"
