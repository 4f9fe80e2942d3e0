// SPDX-License-Identifier: MIT
/*
 * Tests the table of host drivers' quirks (host/quirks.h): which drivers have which, and that the
 * files that it names exist. Prints TAP. usage: test-quirks TOP, the folder of the checkout
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/quirks.h"

static int n_results, failures;

static void result(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++n_results, what);
	failures += !ok;
}

static uint32_t of(VkDriverId id, const char *info)
{
	VkPhysicalDeviceDriverProperties driver = { .driverID = id };

	snprintf(driver.driverInfo, sizeof(driver.driverInfo), "%s", info);
	return quirks_of(&driver);
}

/* Returns true if @top/@folder/@name exists. */
static bool exists(const char *top, const char *folder, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", top, folder, name);
	if (!access(path, F_OK))
		return true;
	printf("# %s does not exist\n", path);
	return false;
}

int main(int argc, char **argv)
{
	/* Versions of a distribution's package, and words that are not the name of a group. */
	static const char *const unpatched[] = {
		"Mesa 25.0.7-2+fixes1 (LLVM 19.1.7)", "Mesa 25.0.7-2 +fixes (LLVM 19.1.7)",
		"Mesa 25.0.7-2 (LLVM 19.1.7+fixes)", "Mesa 25.0.7 (LLVM 19.1.7)+fixes2",
		"Mesa 25.0.7 (LLVM 19.1.7) +fixes2", "Mesa 25.0.7 (LLVM 19.1.7) x+fixes",
		"Mesa 25.0.7 (LLVM 19.1.7) +fix", "Mesa 25.0.7 (LLVM 19.1.7) ", "+fixes", "",
	};
	const uint32_t plain = of(VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7"),
		patched = of(VK_DRIVER_ID_MESA_LLVMPIPE,
			     "Mesa 25.0.7 (LLVM 19.1.7) +fixes +fixes-2 +latency "
			     "+interface-4"),
		other = of(VK_DRIVER_ID_NVIDIA_PROPRIETARY, "580.1");
	bool named = true, found = argc == 2;

	result(plain == (1u << NUM_QUIRKS) - 1, "the distribution's lavapipe has all quirks");
	result(patched == (plain & ~(1u << QUIRK_SAMPLES_AT_DRAW | 1u << QUIRK_DRAW_AT_ONCE |
				     1u << QUIRK_EVAL_STRIDE)),
	       "the patches to lavapipe end three quirks, and no other");
	result(of(VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7 (LLVM 19.1.7) +fixes +latency") ==
	       (plain & ~(1u << QUIRK_SAMPLES_AT_DRAW | 1u << QUIRK_DRAW_AT_ONCE)),
	       "an older lavapipe without the second group of fixes keeps their quirk");
	result(of(VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7 (LLVM 19.1.7) +latency") ==
	       (plain & ~(1u << QUIRK_SAMPLES_AT_DRAW)),
	       "a group of patches ends no quirk of another group");
	result(of(VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7-2+fixes1 (LLVM 19.1.7) +fixes") ==
	       (plain & ~(1u << QUIRK_DRAW_AT_ONCE)), "the last word is the name of a group");
	for (size_t i = 0; i < sizeof(unpatched) / sizeof(unpatched[0]); i++)
		result(of(VK_DRIVER_ID_MESA_LLVMPIPE, unpatched[i]) == plain,
		       "no group of patches is in the name of a version or part of a word");
	result(other == 1u << QUIRK_DRAW_AT_ONCE,
	       "other drivers only have the quirk of any driver");
	result(of(VK_DRIVER_ID_NVIDIA_PROPRIETARY, "580.1 (LLVM 19.1.7) +fixes") == other,
	       "patches to lavapipe end no quirk of another driver");
	for (int i = 0; i < NUM_QUIRKS; i++) {
		const char *file, *test;

		named &= quirk_name(i) != NULL;
		for (int j = 0; named && j < i; j++)
			named = strcmp(quirk_name(i), quirk_name(j)) != 0;
		quirk_files(i, &file, &test);
		found = found && exists(argv[1], "renderer", file) &&
			exists(argv[1], "tests", test);
	}
	result(named, "each quirk has a name of its own");
	result(found, "the files and tests of the table exist");
	printf("1..%d\n", n_results);
	return failures != 0;
}
