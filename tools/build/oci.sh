#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes out/oci/sundog.tar, an OCI image of Debian SUITE with the packages of out/packages that
# draw without a VM. Its entry point is `sundog run --`. No daemon takes part.
# usage: tools/build/oci.sh
set -eu
. "$(dirname "$0")/../lib.sh"

OUT=$TOP/out/oci

preflight
"$TOP/tools/build/packages.sh" --check
"$TOP/tools/build/layer.sh" containers
rm -rf "$OUT"
mkdir -p "$OUT"

make_root()
{
	printf 'deb %s %s main\n' $(suites "$SUITE") >"$OUT/sources.list"
	# apt runs outside the new root, so `copy:` finds the packages there.
	printf 'deb [signed-by=%s] copy:%s %s main\n' "$TOP/out/packages/sundog.asc" \
		"$TOP/out/packages" "$SUITE" >>"$OUT/sources.list"
	mmdebstrap --mode=root --variant=minbase --include="$(echo $OCI_PACKAGES | tr ' ' ,)" \
		--aptopt='Acquire::Retries "3"' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook="rm -f \$1/etc/apt/sources.list.d/*" \
		--customize-hook="printf 'deb %s %s main\n' $PUBLIC_MIRROR $SUITE \
			$PUBLIC_MIRROR $SUITE-updates $PUBLIC_MIRROR-security $SUITE-security \
			>\$1/etc/apt/sources.list" \
		"$SUITE" "$OUT/root" "$OUT/sources.list"
}

# Needs OUT and the version as the tree sees them.
make_image()
{
	in_layer containers bash -euc '
		cd "$1"
		export SOURCE_DATE_EPOCH=$3
		created=$(date -u -d "@$3" +%Y-%m-%dT%H:%M:%SZ)
		umoci init --layout layout
		umoci new --image layout:sundog
		umoci insert --image layout:sundog --history.created "$created" root /
		umoci config --image layout:sundog --history.created "$created" \
			--created "$created" --architecture amd64 --os linux \
			--config.entrypoint sundog --config.entrypoint run \
			--config.entrypoint -- --config.cmd eglinfo --config.cmd -B \
			--config.env PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			--config.label org.opencontainers.image.title=sundog \
			--config.label "org.opencontainers.image.description=OpenGL and Vulkan\
 without a GPU, a VM or a kernel module" \
			--config.label org.opencontainers.image.version="$2"
		umoci gc --layout layout
		mkdir image
		skopeo copy --insecure-policy oci:layout:sundog oci:image:sundog:latest
		python3 /sundog/tools/build/oci-manifest.py image sundog:latest
		tar -C image --sort=name --owner=0 --group=0 --mtime="@$3" -cf sundog.tar .
		rm -rf image layout root' sh "$(in_tree_path "$OUT")" "$1" "$2"
}

version=$(sed -n '/^Package: sundog-renderd$/,/^$/s/^Version: //p' "$REPOSITORY")
step oci-root make_root
step oci-image make_image "$version" "$(git -C "$TOP" log -1 --format=%ct)"
say "oci: $(du -m "$OUT/sundog.tar" | cut -f 1) MiB in $OUT/sundog.tar," \
	"see docs/user/direct.md"
