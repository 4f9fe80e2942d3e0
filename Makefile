# SPDX-License-Identifier: MIT
# The front door; tools/ does the work. Everything is built in a trixie tree in the cache folder
# (SUNDOG_CACHE, default ~/.cache/sundog). Runs as root on Debian 12 or 13, amd64; demo and
# build also run as a user.

.PHONY: help demo build check check-full check-busy check-hostile check-debug fuzz apps piglit igt features
.PHONY: check-kvm kvm-report packages image oci check-packages patches
.PHONY: identity bench bench-base bench-steady bench-hardening bench-first-frame bench-vulkan shell clean

help:
	@echo "make demo        boot a guest and draw in it, screen dumps in out/demo (ALL=1: every scene)"
	@echo "make build       build all parts: module, QEMU, renderer, Mesa, lavapipe, tests"
	@echo "make check       build everything and run the tests, results in out/check"
	@echo "make check-full  check-busy, and longer tests, results in out/check-full"
	@echo "make check-busy  make check beside four busy loops, results in out/check-busy"
	@echo "make check-hostile what attackers try, at length, results in out/check-hostile"
	@echo "make check-debug run the driver's tests on a kernel with KASAN, lockdep and so on, results in out/check-debug"
	@echo "make check-packages build, install, use and remove the packages, results in out/check-packages"
	@echo "make check-kvm   run a guest under KVM, where one boots with it, results in out/check-kvm"
	@echo "make kvm-report  check-kvm and bench under KVM, and a table of both, results in out/kvm-report"
	@echo "make fuzz        fuzz the renderer, results in out/fuzz"
	@echo "make apps        run programs that people use in a guest, pictures in out/apps (APPS='kitty mpv': these)"
	@echo "make piglit      run piglit, PEER=zink, virgl or llvmpipe: on that, results in out/piglit"
	@echo "make igt         run the tests of igt-gpu-tools, PEER=virtio-gpu: on that, results in out/igt"
	@echo "make features    write docs/features.md, extensions of ours and of peers, and docs/exercised.md"
	@echo "make identity    compare what programs read before they draw, writes docs/reference/identity.md"
	@echo "make bench       compare with llvmpipe, zink and virgl, results in out/bench (ALL=1: every scene)"
	@echo "make bench-base  compare with an earlier commit, BASE=COMMIT, results in out/bench-base"
	@echo "make bench-steady is the speed the same in every run? results in out/bench-steady"
	@echo "make bench-hardening the cost of each set of hardening flags of our lavapipe, results in out/bench-hardening"
	@echo "make bench-first-frame how long do programs take until their first frame? results in out/bench-first-frame"
	@echo "make bench-vulkan compare Vulkan with native lavapipe, results in out/bench-vulkan"
	@echo "make packages    Debian packages of the last commit, an apt repository in out/packages"
	@echo "make image       a bootable disk image of a guest with GNOME and the packages, out/image"
	@echo "make oci         an OCI image whose entry point is sundog run, out/oci"
	@echo "make patches     our fixes of Mesa and QEMU as mails, with reproducers, in out/patches-to-send"
	@echo "make shell       an interactive guest with the driver loaded"
	@echo "make clean       remove out/; the cache folder stays"

demo shell:
	@tools/guest/$@.sh

build:
	@tools/build/parts.sh

check piglit igt:
	@tools/check/$@.sh

packages image oci:
	@tools/build/$@.sh

patches:
	@tools/build/to-send.sh

features identity:
	@tools/docs/$@.sh

bench:
	@tools/bench/bench.sh

bench-base bench-steady bench-hardening bench-first-frame bench-vulkan:
	@tools/bench/$(@:bench-%=%).sh

check-full:
	@status=0; tools/check/check.sh --busy || status=1; tools/check/check.sh --full || status=1; exit $$status

check-busy check-hostile check-debug check-packages check-kvm:
	@tools/check/check.sh --$(@:check-%=%)

kvm-report:
	@tools/check/kvm-report.sh

fuzz apps:
	@tools/check/check.sh --$@

clean:
	rm -rf out
