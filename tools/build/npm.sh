#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs the npm packages of tools/build/layers.sh to NPM_DIR of tools/lib.sh. Does nothing if it
# is there. No script of a package runs. tools/build/npm-lock.json, a package-lock.json of npm, has
# the version and the checksum of each package and of its dependencies. npm is in the layer
# "webgpu".
# usage: tools/build/npm.sh            install
#        tools/build/npm.sh --lock     write npm-lock.json anew, after a change of versions
set -eu
. "$(dirname "$0")/../lib.sh"

preflight
"$TOP/tools/build/layer.sh" webgpu

# npm_in DIR ARGUMENT...: runs npm in a folder of the cache. Optional packages, which are for other
# systems and for CUDA, are only installed where tools/build/layers.sh names them.
npm_in()
{
	local dir=$1
	shift
	# The tree trusts the authorities that the host trusts: one of them may be its owner's.
	cp /etc/ssl/certs/ca-certificates.crt "$dir/authorities.crt"
	in_layer webgpu sh -euc 'cd "$1"; shift
		npm_config_cafile=authorities.crt npm_config_fetch_retries=1 \
			npm_config_fetch_timeout=30000 npm "$@" --ignore-scripts --omit=optional \
			--no-audit --no-fund --legacy-peer-deps' sh "$(in_tree_path "$dir")" "$@"
	rm "$dir/authorities.crt"
}

# named_packages FILE: fails if FILE, a package-lock.json, does not have the packages of
# tools/build/layers.sh.
named_packages()
{
	python3 - "$1" $PACKAGES_NPM $PACKAGES_LLAMA <<-'PYTHON'
		import json, sys
		packages = json.load(open(sys.argv[1]))["packages"]
		for named in sys.argv[2:]:
		    name, version = named.rsplit("@", 1)
		    locked = packages.get(f"node_modules/{name}", {}).get("version")
		    if locked != version:
		        sys.exit(f"{named} is {locked} in {sys.argv[1]}")
	PYTHON
}

# install_locked DIR: node_modules of tools/build/npm-lock.json.
install_locked()
{
	mkdir -p "$1"
	cp "$TOP/tools/build/npm-lock.json" "$1/package-lock.json"
	# npm wants to see the same dependencies in package.json.
	python3 -c 'import json, sys
root = json.load(sys.stdin)["packages"][""]
print(json.dumps({"private": True, "dependencies": root["dependencies"]}))' \
		<"$1/package-lock.json" >"$1/package.json"
	npm_in "$1" ci
}

# write_lock DIR: tools/build/npm-lock.json, of the packages of tools/build/layers.sh and what they
# depend on.
write_lock()
{
	mkdir -p "$1"
	printf '{ "name": "sundog", "private": true }\n' >"$1/package.json"
	npm_in "$1" install --package-lock-only --save-exact $PACKAGES_NPM $PACKAGES_LLAMA
	# Without addresses: each machine has a registry of its own.
	python3 -c 'import json, sys
lock = json.load(sys.stdin)
for package in lock["packages"].values():
    package.pop("resolved", None)
    package.pop("funding", None)
print(json.dumps(lock, indent=2))' <"$1/package-lock.json" >"$TOP/tools/build/npm-lock.json"
}

if [ "${1:-}" = --lock ]; then
	tmp=$CACHE/npm-lock.tmp
	rm -rf "$tmp"
	step npm write_lock "$tmp"
	rm -rf "$tmp"
	exit
fi

named_packages "$TOP/tools/build/npm-lock.json" || die "run tools/build/npm.sh --lock"
mkdir -p "$CACHE/locks"
exec 9>"$CACHE/locks/npm"
flock 9
cached "$NPM_DIR" && exit 0
need_disk 2000
step npm install_locked "$NPM_DIR.tmp"
# Programs of other systems: two thirds of the folder.
rm -rf "$NPM_DIR.tmp/node_modules/webgpu/dist/"{win32,darwin}* \
	"$NPM_DIR.tmp/node_modules/webgpu/dist/linux-arm64"
finish "$NPM_DIR.tmp" "$NPM_DIR"

for old in "$CACHE"/npm-*; do
	[ "$old" = "$NPM_DIR" ] || rm -rf "$old"
done
