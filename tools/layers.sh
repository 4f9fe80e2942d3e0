# SPDX-License-Identifier: MIT
# Layers: Debian packages of one target, over the trixie tree and apart from it, so that it stays small
# and nothing is built anew when they change. Sourced by tools/lib.sh; tools/layer.sh makes them.

LAYER_PIGLIT="piglit"
LAYER_LLVM="llvm-dev"		# to build the host driver of tools/lavapipe.sh

# layer_dir NAME: the folder of a layer.
layer_dir()
{
	local packages=LAYER_${1^^}
	printf '%s/layer-%s-%s\n' "$CACHE" "$1" "$(key "$TREE_KEY" "$TOP/tools/layer.sh" ${!packages})"
}

# in_layer NAME COMMAND...: as in_tree, with a layer over the tree; what is written to either is lost.
in_layer()
{
	local name=$1
	shift
	LAYER=$(layer_dir "$name") in_tree "$@"
}
