#!/bin/bash
# SPDX-License-Identifier: MIT
# The step of action.yml. INPUT_RUN, INPUT_IMAGE and INPUT_ENGINE are its inputs; the workspace is
# GITHUB_WORKSPACE or, without that, the current folder. Ends with the status of the commands.
set -euo pipefail

fail()
{
	echo "::error::$*"
	exit 1
}

[ -n "${INPUT_RUN:-}" ] || fail "input 'run' is empty"
engine=${INPUT_ENGINE:-$(command -v docker || command -v podman || true)}
[ -n "$engine" ] || fail "neither docker nor podman is installed"
image=${INPUT_IMAGE:-}
[ -n "$image" ] || fail "input 'image' is empty"
if [ -f "$image" ]; then
	# "Loaded image: NAME" and, for some versions, "Loaded image(s): NAME"
	loaded=$("$engine" load --quiet --input "$image") || fail "$engine cannot load $image"
	image=${loaded##*: }
fi
workspace=${GITHUB_WORKSPACE:-$PWD}
exec "$engine" run --rm --volume "$workspace:$workspace" --workdir "$workspace" \
	--env CI "$image" bash -euo pipefail -c "$INPUT_RUN"
