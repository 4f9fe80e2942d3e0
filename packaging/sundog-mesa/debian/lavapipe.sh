#!/bin/bash
# SPDX-License-Identifier: MIT
# Configures lavapipe in the folder BUILD as tools/build/lavapipe.sh does, by the component's
# lavapipe/options.sh. debian/rules runs it.
# usage: debian/lavapipe.sh BUILD
set -eu
. sundog/lavapipe/options.sh

meson setup --wrap-mode=nodownload --prefix=/usr $(echo $options) \
	--libdir=lib/sundog/lavapipe "-Dc_args=${hardening[*]}" "-Dcpp_args=${hardening[*]}" \
	-Dc_link_args=$linking -Dcpp_link_args=$linking "$1"
