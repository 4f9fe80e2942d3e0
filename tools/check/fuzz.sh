#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzzes the renderer with libFuzzer: builds the targets of renderer/fuzz with clang, runs them from
# the corpora there, prints TAP. `make check` runs them for a short time, `make fuzz` with the full
# number of executions. A finding is OUT/TARGET-*; run the target with that file as argument to
# repeat it. A finding of target sequence may need all inputs before it: OUT/inputs-*, to be given
# as SUNDOG_FUZZ_REPLAY.
# usage: tools/check/fuzz.sh [--short | --keep] OUT; --keep updates the corpora from an earlier run.
set -eu
. "$(dirname "$0")/../lib.sh"

# Target, executions of a long run, executions of a short run, longest input. Target grammar is draw
# with only the shaders that renderer/fuzz/grammar.c makes. Each execution of target sequence draws
# up to 16 times.
TARGETS="
decode 10000000 30000 600
gate 1000000 3000 8192
draw 20000 200 8192
grammar 100000 50 608
sequence 1000000 400 81
broker 1000000 5000 300
"

# Maximum bytes of a corpus in the checkout.
KEEP=150000

# Seeds made of the tests' shaders.
SEEDS=$CACHE/fuzz-seeds-$(key "$TREE_KEY" "$TOP/tools/check/fuzz.sh" "$TOP/tests/shaders" \
	"$TOP/renderer/fuzz/shaders" "$TOP/renderer/tests/gate")

build()
{
	in_tree env PATH="$CLANG/bin:/usr/bin:/bin" LD_LIBRARY_PATH="$CLANG/lib" \
		CC=clang CXX=clang++ sh -euc "
		[ -e $FUZZ/build.ninja ] || meson setup -Dfuzz=true -Db_lundef=false \
			-Db_sanitize=address,undefined -Dc_args='-fsanitize=fuzzer-no-link \
			-fno-sanitize-recover=all -fno-sanitize-address-use-odr-indicator' \
			$FUZZ $FUZZ-source
		ninja -C $FUZZ $(echo "$TARGETS" |
			sed -n '/^grammar/d; s,^\([a-z]\+\) .*,renderer/fuzz/fuzz-\1,p' |
			tr '\n' ' ')"
}

# draws TARGET: returns true if the target draws.
draws()
{
	[ "$1" = draw ] || [ "$1" = grammar ] || [ "$1" = sequence ]
}

# run_target NAME COMMAND...: runs a command with the environment of a target. In a long run,
# targets that draw use a lavapipe with AddressSanitizer.
run_target()
{
	local name=$1 more=
	shift
	[ "$name" != grammar ] || more=SUNDOG_FUZZ_GRAMMAR=1
	[ "$name" != sequence ] || more="SUNDOG_FUZZ_LOG=$TREE_OUT/inputs-$BASHPID"
	! draws "$name" || [ "$mode" = short ] || more="$more VK_DRIVER_FILES=$LAVAPIPE_ASAN"
	in_tree env LD_LIBRARY_PATH="$CLANG/lib" ASAN_OPTIONS=handle_abort=1 \
		ASAN_SYMBOLIZER_PATH=/usr/bin/addr2line UBSAN_OPTIONS=print_stacktrace=1 $more \
		"$FUZZ/renderer/fuzz/fuzz-${name/grammar/draw}" "$@"
}

# unpack_corpus TARGET: unpacks the inputs of the checkout, which are lines of base64, to files for
# the target. Some of the inputs reach code, the others are earlier findings.
unpack_corpus()
{
	mkdir -p "$OUT/corpus/$1"
	in_tree python3 -c '
import base64, glob, sys
n = 0
for path in sorted(glob.glob("/sundog/renderer/fuzz/*/" + sys.argv[1])):
    for line in open(path):
        if not line.startswith("#"):
            n += 1
            with open("%s/seed-%d" % (sys.argv[2], n), "wb") as seed:
                seed.write(base64.b64decode(line))' "$1" "$TREE_OUT/corpus/$1"
}

# make_shader_seeds: writes the tests' shaders to SEEDS, with an interface that has everything,
# except for shaders that never end. Compiles one per CPU at a time. Keeps the four folders that
# were used last.
make_shader_seeds()
{
	rm -rf "$SEEDS.tmp"
	mkdir -p "$SEEDS.tmp"
	in_tree bash -euc '
		# compile VERSION SHADER STAGE SPIRV OPTION...: compiles a shader to the file SPIRV.
		compile()
		{
			glslangValidator -V --target-env "vulkan$1" --quiet -S "$3" "${@:5}" \
				-o "$4" "$2" >/dev/null
		}
		# seed SHADER STAGE NUMBER OPTION...: writes a seed of a shader. NUMBER is the stage
		# in the options that precede the SPIR-V.
		seed()
		{
			local name=${1#/sundog/} spirv=/run/$BASHPID.spv
			compile 1.1 "$1" "$2" "$spirv" "${@:4}" ||
				compile 1.3 "$1" "$2" "$spirv" "${@:4}" || return 0
			printf "\x0$3\x40\x1f\x04\x0f\0\0\0" | cat - "$spirv" \
				>"$seeds/${name//\//-}.$2"
		}
		beside()
		{
			while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
				wait -n
			done
			"$@" &
		}
		# assembled FILE: writes a seed of SPIR-V assembly, which is a compute shader.
		assembled()
		{
			local name=${1#/sundog/} spirv=/run/$BASHPID.spv
			spirv-as --target-env spv1.3 "$1" -o "$spirv" 2>/dev/null ||
				spirv-as --target-env spv1.5 "$1" -o "$spirv" || return 0
			printf "\x05\x40\x1f\x04\x0f\0\0\0" | cat - "$spirv" \
				>"$seeds/${name//\//-}.comp"
		}
		seeds=$1
		for shader in /sundog/tests/shaders/*.glsl; do
			beside seed "$shader" comp 5
			beside seed "$shader" frag 1 -DFRAGMENT
		done
		for shader in \
			/sundog/{renderer/fuzz,tests}/shaders/*.{frag,geom,comp,tesc,task,mesh} \
			/sundog/tests/shaders/feedback.vert \
			/sundog/renderer/tests/gate/*.{vert,frag,geom,tesc,tese,comp,task,mesh}; do
			[ -e "$shader" ] || continue
			case ${shader##*/} in
			# Shaders that never end, or that emit the maximum number of meshes.
			endless.* | huge.* | mesh.task) continue ;;
			*.vert) beside seed "$shader" vert 0 ;;
			*.frag) beside seed "$shader" frag 1 ;;
			*.geom) beside seed "$shader" geom 2 ;;
			*.tesc) beside seed "$shader" tesc 3 ;;
			*.tese) beside seed "$shader" tese 4 ;;
			*.comp) beside seed "$shader" comp 5 ;;
			*.task) beside seed "$shader" task 0 ;;
			*.mesh) beside seed "$shader" mesh 0 ;;
			esac
		done
		for module in /sundog/tests/shaders/vk-{pointers*,folded}.spvasm \
			/sundog/renderer/tests/gate/{pointer-*,derivatives*}.spvasm \
			/sundog/renderer/tests/gate/{mesh-*,invocation-*,special}.spvasm; do
			beside assembled "$module"
		done
		# Choices for grammar.c, which the second byte marks.
		python3 -c "
import random, sys
for i in range(96):
    choices = random.Random(i)
    size = 40 + 2 * i
    with open(f\"{sys.argv[1]}/grammar-{i}\", \"wb\") as f:
        f.write(bytes([i % 8, 192, 0, 0, 0, 0, 0, 0]) +
                bytes(choices.randrange(256) for _ in range(size)))" "$seeds"
		wait' sh "/cache/${SEEDS##*/}.tmp"
	finish "$SEEDS.tmp" "$SEEDS"
	ls -dt "$CACHE"/fuzz-seeds-*/ | tail -n +5 | xargs -r rm -rf
}

# shader_seeds TARGET FOLDER: copies the seeds to the folder of the target below FOLDER.
shader_seeds()
{
	cp "$SEEDS"/* "$OUT/$2/$1/"
}

# sequence_seeds FOLDER: makes inputs of target sequence, the same in each run: 16 draws each.
sequence_seeds()
{
	python3 -c '
import random, sys
for i in range(128):
    choices = random.Random(i)
    with open("%s/seed-%d" % (sys.argv[1], i), "wb") as f:
        f.write(bytes(choices.randrange(256) for _ in range(81)))' "$1"
}

# deal TARGET JOBS: splits the corpus into TARGET-1 to TARGET-JOBS. In a short run the corpus is
# most of the executions.
deal()
{
	local file n=0
	for n in $(seq "$2"); do
		rm -rf "$OUT/corpus/$1-$n"
		mkdir "$OUT/corpus/$1-$n"
	done
	for file in "$OUT/corpus/$1"/*; do
		n=$((n % $2 + 1))
		mv "$file" "$OUT/corpus/$1-$n/"
	done
}

# Exit status of libFuzzer after a failed allocation.
NO_MEMORY=71

# fuzz TARGET RUNS LENGTH: runs a target on every CPU and prints a TAP line. A shader that never
# ends, or exhausts a worker's memory in the host driver, is not a finding: it ends that run, as it
# would end a worker. Nor is an input that only takes long, which libFuzzer keeps as a slow unit.
fuzz()
{
	local name=$1 runs=$2 length=$3 timeout=300 status=70 jobs i rc=0 pids= done corpus
	jobs=$(nproc)
	unpack_corpus "$name"
	[ "$name" != sequence ] || rm -f "$OUT"/inputs-*
	! draws "$name" || timeout=20 status=0
	case $name in
	# Other suites draw with the tests' shaders, too.
	gate | draw) [ "$name$mode" = drawshort ] || shader_seeds "$name" corpus ;;
	grammar) cp "$SEEDS"/grammar-* "$OUT/corpus/grammar/" ;;
	sequence) sequence_seeds "$OUT/corpus/sequence" ;;
	esac
	[ "$mode" != short ] || deal "$name" "$jobs"
	for i in $(seq "$jobs"); do
		corpus=$TREE_OUT/corpus/$name
		[ "$mode" != short ] || corpus=$corpus-$i
		run_target "$name" -runs=$((runs / jobs)) -max_len="$length" \
			-rss_limit_mb=6000 -reload=0 \
			-timeout="$timeout" -timeout_exitcode="$status" \
			-print_final_stats=1 -artifact_prefix="$TREE_OUT/$name-" \
			"$corpus" >"$OUT/$name-$i.log" 2>&1 </dev/null &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" && continue || status=$?
		! draws "$name" || [ "$status" != "$NO_MEMORY" ] || continue
		rc=$status
	done
	done=$(sed -n 's/^stat::number_of_executed_units: //p' "$OUT/$name"-*.log |
		awk '{ n += $1 } END { print n + 0 }')
	printf '{"target": "%s", "executions": %s, "found": %s}\n' "$name" "$done" \
		"$(find "$OUT" -maxdepth 1 -name "$name-*" ! -name '*.log' \
			! -name '*-slow-unit-*' | wc -l)" \
		>"$OUT/$name.json"
	# Shaders of the grammar always end, so a run that stops early has found a fault.
	[ "$name" != grammar ] || [ "$done" -ge $((runs / jobs * jobs)) ] || rc=1
	if [ "$rc" = 0 ]; then
		printf 'ok - fuzz-%s: %s executions\n' "$name" "$done"
	else
		grep -h -m 12 -E 'ERROR|invalid usage|#[0-9]+ .* in |SUMMARY' "$OUT/$name"-*.log |
			sed 's/^/# /'
		printf 'not ok - fuzz-%s: %s executions, see %s\n' "$name" "$done" "${OUT#"$TOP"/}"
	fi
}

# keep TARGET LENGTH: merges the inputs of an earlier run to the fewest with the same coverage
# beyond the tests' shaders, and keeps the shortest of them, up to KEEP bytes. Inputs that take
# seconds are not kept.
keep()
{
	local merged=$OUT/merged/$1 kept=$TOP/renderer/fuzz/corpus/$1 total=0 size file
	rm -rf "$merged"
	mkdir -p "$merged" "${kept%/*}"
	case $1 in gate | draw) shader_seeds "$1" merged ;; esac
	run_target "$1" -merge=1 -max_len="$2" -rss_limit_mb=6000 -timeout=5 "$TREE_OUT/merged/$1" \
		"$TREE_OUT/corpus/$1" >"$OUT/$1-merge.log" 2>&1 </dev/null
	{
		echo "# SPDX-License-Identifier: MIT"
		find "$merged" -type f ! -name '*.*' -printf '%s %p\n' | sort -n |
			while read -r size file; do
				total=$((total + size * 4 / 3 + 4))
				[ "$total" -lt "$KEEP" ] || break
				base64 -w 0 "$file"
				echo
			done | LC_ALL=C sort
	} >"$merged.kept"
	mv "$merged.kept" "$kept"
}

mode=
case ${1:-} in
--short | --keep)
	mode=${1#--}
	shift
	;;
esac
OUT=$(realpath -m "$1")
TREE_OUT=$(in_tree_path "$OUT")
mkdir -p "$OUT"
"$TOP/tools/build/clang.sh" >&2
[ "$mode" = short ] || "$TOP/tools/build/lavapipe.sh" --asan >&2
mkdir -p "$CACHE/locks"
exec 9>"$CACHE/locks/fuzz"
flock 9
copy_sources "$FUZZ-source"
step fuzz build >&2
exec 9>"$CACHE/fuzz-seeds.lock"
flock 9
touch -c "$SEEDS"
cached "$SEEDS" || step fuzz-seeds make_shader_seeds >&2
exec 9>&-
while read -r name runs short length <&3; do
	[ -n "$name" ] || continue
	case $mode in
	keep) case $name in grammar | sequence) ;; *) keep "$name" "$length" ;; esac ;;
	short) fuzz "$name" "$short" "$length" ;;
	*) fuzz "$name" "$runs" "$length" ;;
	esac
done 3<<<"$TARGETS"
