#!/bin/bash
# SPDX-License-Identifier: MIT
# In a tree with podman: runs the OCI image of tools/build/oci.sh, and the steps of the GitHub
# action that uses it. Prints TAP. OUT/status gets the image's list of packages.
# usage: oci.sh IMAGE OUT
set -u
image=$1 out=$2
. /sundog/tests/lib/tap.sh
action=/sundog/packaging/github-action/action.yml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No cgroups, no network, no storage driver: as little as possible of the machine. crun refuses to
# start beside cgroups of version 1.
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /etc/containers
cat >/etc/containers/containers.conf <<'END'
[containers]
cgroups = "disabled"
netns = "none"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
END
printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers"\ngraphroot = "%s/storage"\n' \
	"$work" >/etc/containers/storage.conf
echo '{ "default": [ { "type": "insecureAcceptAnything" } ] }' >/etc/containers/policy.json

# log NAME COMMAND...: runs a command; its output goes to $work/NAME.
log()
{
	local name=$1
	shift
	"$@" >"$work/$name" 2>&1
}

# say NAME: prints a log for the reader of a failure.
say()
{
	sed 's/^/# /' "$work/$1"
}

has()
{
	grep -q "$2" "$work/$1" || { say "$1"; return 1; }
}

log inspect skopeo inspect "oci-archive:$image"
check "skopeo reads the image" has inspect '"org.opencontainers.image.title": "sundog"'
log config skopeo inspect --config "oci-archive:$image"
check "its entry point is sundog run" python3 -c '
import json, sys
config = json.load(open(sys.argv[1]))["config"]
assert config["Entrypoint"] == ["sundog", "run", "--"], config' "$work/config"

log load podman load --input "$image"
check "podman loads it" has load 'Loaded image'
name=$(sed -n 's/^Loaded image: //p' "$work/load")
podman run --rm "$name" cat /var/lib/dpkg/status >"$out/status"
check "its list of packages can be read" grep -q '^Package: sundog-renderd$' "$out/status"
log eglinfo podman run --rm "$name"
check "its default command sees sundog" has eglinfo 'renderer: sundog'
log vulkaninfo podman run --rm "$name" vulkaninfo --summary
check "Vulkan programs see sundog" has vulkaninfo 'deviceName.*sundog'
log glxinfo podman run --rm "$name" xvfb-run glxinfo -B
check "so do X programs" has glxinfo 'OpenGL renderer string: sundog'
log user podman run --rm --user 1000 "$name" eglinfo -B
check "so do programs of a user without rights" has user 'renderer: sundog'
log status podman run --rm "$name" sh -c 'exit 7'
check "it ends with the command's status" [ $? = 7 ]
log orphans podman run --rm "$name" bash -c '(true &); sleep 2; grep -l "^State:.Z" /proc/*/status'
check "it reaps orphans" [ $? = 1 ]
log pipe podman run --rm "$name" bash -c 'yes | head -n 1; echo ${PIPESTATUS[0]}'
check "a command has the signals of a shell" has pipe '^141$'
log nested podman run --rm "$name" sundog run -- eglinfo -B
check "sundog run works inside itself" has nested 'renderer: sundog'
log docker skopeo inspect "docker-archive:$image"
check "Docker's reader takes the image, too" has docker '"org.opencontainers.image.title": "sundog"'

check "yamllint is content with the action" yamllint -d \
	'{extends: default, rules: {document-start: disable, line-length: {max: 100}}}' "$action"

# step RUN [IMAGE]: runs the step of the action as a runner does.
step()
{
	python3 - "$action" "$@" <<-'END'
		import os, pathlib, re, subprocess, sys, yaml
		path = pathlib.Path(sys.argv[1])
		action = yaml.safe_load(path.read_text())
		given = {"run": sys.argv[2], "image": sys.argv[3] if len(sys.argv) > 3 else ""}
		inputs = {name: given.get(name) or str(value.get("default", ""))
		          for name, value in action["inputs"].items()}
		assert action["runs"]["using"] == "composite", action["runs"]

		def expand(text):
		    input_name = r"\$\{\{ inputs\.(.*?) \}\}"
		    return re.sub(input_name, lambda found: inputs[found[1]], text)

		for step in action["runs"]["steps"]:
		    env = {name: expand(value) for name, value in step.get("env", {}).items()}
		    env["GITHUB_ACTION_PATH"] = str(path.parent)
		    ran = subprocess.run(["bash", "-e", "-c", expand(step["run"])],
		                         env=os.environ | env)
		    if ran.returncode:
		        sys.exit(ran.returncode)
	END
}

mkdir "$work/workspace"
echo one >"$work/workspace/input"
export GITHUB_WORKSPACE=$work/workspace
log action step 'eglinfo -B -p surfaceless >renderer; cp input output' "$image" || say action
check "the action runs commands in the workspace" \
	cmp -s "$work/workspace/input" "$work/workspace/output"
check "which see sundog" grep -q 'renderer: sundog' "$work/workspace/renderer"
log false step '(exit 3); touch never' "$image"
check "it ends with the status of a command that fails" [ $? = 3 ]
check "and runs none after it" [ ! -e "$work/workspace/never" ]
! log empty step '' "$image" && has empty "::error::input 'run' is empty"
report $? "it refuses empty input"
! log missing step true "" && has missing "::error::input 'image' is empty"
report $? "it refuses no image"
