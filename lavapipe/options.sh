# SPDX-License-Identifier: MIT
# The options that our lavapipe is built with; tools/build/lavapipe.sh reads them. A change of this
# file builds it anew.

# Vulkan and nothing else.
options="-Dbuildtype=release --libdir=lib -Dvulkan-drivers=swrast -Dgallium-drivers=llvmpipe
	-Dllvm=enabled -Dshared-llvm=enabled -Dplatforms= -Dglx=disabled -Degl=disabled
	-Dgbm=disabled -Dopengl=false -Dgles1=disabled -Dgles2=disabled -Dglvnd=disabled
	-Dgallium-va=disabled -Dgallium-vdpau=disabled -Dgallium-xa=disabled -Dvideo-codecs=
	-Dlmsensors=disabled -Dvalgrind=disabled -Dlibunwind=disabled"

# Hardening, in sets that `make bench-hardening` measures; docs/decisions/006 has the results.
# FORTIFY_SOURCE is 2 since 3 asks for the size of each allocation at run time.
linking=-Wl,-z,relro,-z,now
declare -A hardening=(
	[debian]="-fstack-protector-strong -fstack-clash-protection -fcf-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
	[init]="-ftrivial-auto-var-init=zero -D_GLIBCXX_ASSERTIONS"
	# Mesa's unreachable() is undefined in a release build: execution continues in the function
	# that follows.
	[unreachable]="-fsanitize=unreachable,return -fsanitize-trap=all"
	# Of arrays whose length the compiler knows, but for the last member of a structure.
	[bounds]="-fsanitize=bounds,vla-bound -fsanitize-trap=all"
)
