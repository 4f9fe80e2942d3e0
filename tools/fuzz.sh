#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzz the renderer with libFuzzer: build the targets of renderer/fuzz with clang, run them from the
# corpora there, print TAP. `make check` runs them for a moment, `make fuzz` as often as it takes to
# trust them. What a target found is OUT/TARGET-*, and is run again by naming the file to it.
# usage: tools/fuzz.sh [--short | --keep] OUT; --keep makes corpora of what an earlier run found.
set -eu
. "$(dirname "$0")/lib.sh"

# target, executions in all, executions of a short run, longest input; grammar is draw with nothing but shaders of
# renderer/fuzz/grammar.c
TARGETS="
decode 10000000 30000 600
gate 1000000 15000 8192
draw 20000 400 8192
grammar 100000 100 608
broker 1000000 5000 300
"

# Bytes of a corpus in the checkout.
KEEP=150000

# The shaders of the tests, as inputs.
SEEDS=$CACHE/fuzz-seeds-$(key "$TREE_KEY" "$TOP/tools/fuzz.sh" "$TOP/tests/shaders" "$TOP/renderer/fuzz/shaders" \
	"$TOP/renderer/tests/gate")

build()
{
	in_tree env PATH="$CLANG/bin:/usr/bin:/bin" LD_LIBRARY_PATH="$CLANG/lib" CC=clang CXX=clang++ sh -euc "
		cd /sundog
		[ -e $FUZZ/build.ninja ] || meson setup -Dfuzz=true -Db_lundef=false \
			-Db_sanitize=address,undefined -Dc_args='-fsanitize=fuzzer-no-link \
			-fno-sanitize-recover=all -fno-sanitize-address-use-odr-indicator' $FUZZ
		ninja -C $FUZZ $(echo "$TARGETS" | sed -n '/^grammar/d; s,^\([a-z]\+\) .*,renderer/fuzz/fuzz-\1,p' | tr '\n' ' ')"
}

# Is a target one that draws?
draws()
{
	[ "$1" = draw ] || [ "$1" = grammar ]
}

# run_target NAME COMMAND...: with the environment that a target wants. In a long run those that draw have a lavapipe with
# AddressSanitizer.
run_target()
{
	local name=$1 more=
	shift
	[ "$name" != grammar ] || more=SUNDOG_FUZZ_GRAMMAR=1
	! draws "$name" || [ "$mode" = short ] || more="$more VK_DRIVER_FILES=$LAVAPIPE_ASAN"
	in_tree env LD_LIBRARY_PATH="$CLANG/lib" ASAN_OPTIONS=handle_abort=1 \
		ASAN_SYMBOLIZER_PATH=/usr/bin/addr2line UBSAN_OPTIONS=print_stacktrace=1 $more \
		"$FUZZ/renderer/fuzz/fuzz-${name/grammar/draw}" "$@"
}

# Inputs are lines of base64 in the checkout, files where the target looks for them: what reaches something, and
# what found something.
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

# make_shader_seeds: the shaders of the tests in SEEDS, behind an interface that has everything; but for those
# that never end. One for each CPU at a time. The four folders that were used last are kept.
make_shader_seeds()
{
	rm -rf "$SEEDS.tmp"
	mkdir -p "$SEEDS.tmp"
	in_tree bash -euc '
		# compile VERSION SHADER STAGE SPIRV OPTION...
		compile()
		{
			glslangValidator -V --target-env "vulkan$1" --quiet -S "$3" "${@:5}" -o "$4" "$2" >/dev/null
		}
		# seed SHADER STAGE NUMBER OPTION...
		seed()
		{
			local name=${1#/sundog/} spirv=/run/$BASHPID.spv
			compile 1.1 "$1" "$2" "$spirv" "${@:4}" || compile 1.3 "$1" "$2" "$spirv" "${@:4}" || return 0
			printf "\x0$3\x40\x1f\x04\x0f\0\0\0" | cat - "$spirv" >"$seeds/${name//\//-}.$2"
		}
		beside()
		{
			while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
				wait -n
			done
			"$@" &
		}
		# assembled FILE: those without a compiler are compute shaders.
		assembled()
		{
			local name=${1#/sundog/} spirv=/run/$BASHPID.spv
			spirv-as --target-env spv1.3 "$1" -o "$spirv" 2>/dev/null ||
				spirv-as --target-env spv1.5 "$1" -o "$spirv" || return 0
			printf "\x05\x40\x1f\x04\x0f\0\0\0" | cat - "$spirv" >"$seeds/${name//\//-}.comp"
		}
		seeds=$1
		for shader in /sundog/tests/shaders/*.glsl; do
			beside seed "$shader" comp 5
			beside seed "$shader" frag 1 -DFRAGMENT
		done
		for shader in /sundog/{renderer/fuzz,tests}/shaders/*.{frag,geom,comp,tesc,task,mesh} \
			/sundog/tests/shaders/feedback.vert /sundog/renderer/tests/gate/*.{vert,frag,geom,tesc,tese,comp,task,mesh}; do
			[ -e "$shader" ] || continue
			case ${shader##*/} in
			endless.* | huge.* | mesh.task) continue ;;	# without end, or as many meshes as there may be
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
			/sundog/renderer/tests/gate/{pointer-*,derivatives*,mesh-*,invocation-*,special}.spvasm; do
			beside assembled "$module"
		done
		# Choices for grammar.c: the second byte says so.
		python3 -c "
import random, sys
for i in range(96):
    choices = random.Random(i)
    size = 40 + 2 * i
    with open(f\"{sys.argv[1]}/grammar-{i}\", \"wb\") as f:
        f.write(bytes([i % 8, 192, 0, 0, 0, 0, 0, 0]) + bytes(choices.randrange(256) for _ in range(size)))" "$seeds"
		wait' sh "/cache/${SEEDS##*/}.tmp"
	finish "$SEEDS.tmp" "$SEEDS"
	ls -dt "$CACHE"/fuzz-seeds-*/ | tail -n +5 | xargs -r rm -rf
}

# shader_seeds TARGET FOLDER
shader_seeds()
{
	cp "$SEEDS"/* "$OUT/$2/$1/"
}

# deal TARGET JOBS: the corpus in so many parts, TARGET-1 and so on: in a short run that is most of what is executed.
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

# What libFuzzer ends with when there is no memory.
NO_MEMORY=71

# fuzz TARGET RUNS LENGTH: on every CPU, one TAP line. A shader that never ends, or has the host driver take all the
# memory that a worker may have, is no finding: it ends that run, as it would end a worker.
fuzz()
{
	local name=$1 runs=$2 length=$3 timeout=300 status=70 jobs i rc=0 pids= done corpus
	jobs=$(nproc)
	unpack_corpus "$name"
	! draws "$name" || timeout=20 status=0
	case $name in
	gate | draw) shader_seeds "$name" corpus ;;
	grammar) cp "$SEEDS"/grammar-* "$OUT/corpus/grammar/" ;;
	esac
	[ "$mode" != short ] || deal "$name" "$jobs"
	for i in $(seq "$jobs"); do
		corpus=$TREE_OUT/corpus/$name
		[ "$mode" != short ] || corpus=$corpus-$i
		run_target "$name" -runs=$((runs / jobs)) -max_len="$length" -rss_limit_mb=6000 -reload=0 \
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
	done=$(sed -n 's/^stat::number_of_executed_units: //p' "$OUT/$name"-*.log | awk '{ n += $1 } END { print n + 0 }')
	printf '{"target": "%s", "executions": %s, "found": %s}\n' "$name" "$done" \
		"$(find "$OUT" -maxdepth 1 -name "$name-*" ! -name '*.log' | wc -l)" >"$OUT/$name.json"
	# Shaders of the grammar end, so that nothing but a fault keeps a run from its end.
	[ "$name" != grammar ] || [ "$done" -ge $((runs / jobs * jobs)) ] || rc=1
	if [ "$rc" = 0 ]; then
		printf 'ok - fuzz-%s: %s executions\n' "$name" "$done"
	else
		grep -h -m 12 -E 'ERROR|invalid usage|#[0-9]+ .* in |SUMMARY' "$OUT/$name"-*.log | sed 's/^/# /'
		printf 'not ok - fuzz-%s: %s executions, see %s\n' "$name" "$done" "${OUT#"$TOP"/}"
	fi
}

# keep TARGET LENGTH: the fewest inputs that reach what all of an earlier run reach, and the tests' shaders do not;
# the shortest of them, as many as a source file may be large. What takes seconds is for no seed.
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
		find "$merged" -type f ! -name '*.*' -printf '%s %p\n' | sort -n | while read -r size file; do
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
"$TOP/tools/clang.sh" >&2
[ "$mode" = short ] || "$TOP/tools/lavapipe.sh" --asan >&2
step fuzz build_from_checkout "$FUZZ" build >&2
exec 9>"$CACHE/fuzz-seeds.lock"
flock 9
touch -c "$SEEDS"
cached "$SEEDS" || step fuzz-seeds make_shader_seeds >&2
exec 9>&-
while read -r name runs short length <&3; do
	[ -n "$name" ] || continue
	case $mode in
	keep) [ "$name" = grammar ] || keep "$name" "$length" ;;
	short) fuzz "$name" "$short" "$length" ;;
	*) fuzz "$name" "$runs" "$length" ;;
	esac
done 3<<<"$TARGETS"
