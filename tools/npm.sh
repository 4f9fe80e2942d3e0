#!/bin/bash
# SPDX-License-Identifier: MIT
# Install the npm packages of tools/layers.sh into a folder of the cache, NPM_DIR of
# tools/lib.sh. Does nothing when it is there. No script of a package runs, and each package must
# have the sum that tools/npm.lock names. It runs in the tree with the layer "webgpu", which has
# npm.
# usage: tools/npm.sh            install
#        tools/npm.sh --lock     write tools/npm.lock anew, after a change of the versions
set -eu
. "$(dirname "$0")/lib.sh"

preflight
"$TOP/tools/layer.sh" webgpu

# npm_lock: "NAME VERSION SUM" of each package that is installed in a folder.
npm_lock()
{
	python3 - "$1" <<'PYTHON'
import json, sys
print("# SPDX-License-Identifier: MIT")
print("# NAME VERSION SUM of each npm package; tools/npm.sh --lock writes this.")
packages = json.load(open(f"{sys.argv[1]}/node_modules/.package-lock.json"))["packages"]
for path, package in sorted(packages.items()):
    print(path.removeprefix("node_modules/"), package["version"], package["integrity"])
PYTHON
}

# install_into DIR: its node_modules; nothing but the packages and what they depend on.
install_into()
{
	mkdir -p "$1"
	printf '{ "private": true }\n' >"$1/package.json"
	# The tree trusts the authorities that the host trusts: one of them may be its owner's.
	cp /etc/ssl/certs/ca-certificates.crt "$1/authorities.crt"
	in_layer webgpu sh -euc 'dir=$1; shift
		cd "$dir"
		npm_config_cafile=authorities.crt npm_config_fetch_retries=1 \
			npm_config_fetch_timeout=30000 npm install --ignore-scripts --no-audit --no-fund --legacy-peer-deps "$@"' \
		sh "$(in_tree_path "$1")" $PACKAGES_NPM
}

if [ "${1:-}" = --lock ]; then
	tmp=$CACHE/npm-lock.tmp
	rm -rf "$tmp"
	step npm install_into "$tmp"
	npm_lock "$tmp" >"$TOP/tools/npm.lock"
	rm -rf "$tmp"
	exit
fi

mkdir -p "$CACHE/locks"
exec 9>"$CACHE/locks/npm"
flock 9
cached "$NPM_DIR" && exit 0
need_disk
step npm install_into "$NPM_DIR.tmp"
npm_lock "$NPM_DIR.tmp" | diff "$TOP/tools/npm.lock" - ||
	die "npm packages differ from tools/npm.lock; run tools/npm.sh --lock if versions changed"
rm "$NPM_DIR.tmp/authorities.crt"
# Programs of other systems: two thirds of the folder.
rm -rf "$NPM_DIR.tmp/node_modules/webgpu/dist/"{win32,darwin}* \
	"$NPM_DIR.tmp/node_modules/webgpu/dist/linux-arm64"
finish "$NPM_DIR.tmp" "$NPM_DIR"

for old in "$CACHE"/npm-*; do
	[ "$old" = "$NPM_DIR" ] || rm -rf "$old"
done
