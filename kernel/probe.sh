#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Tests which interfaces of newer kernels the headers of this kernel have: compiles some C for each
# question and writes the answers, macros for sundog_compat.h. Versions would not do: stable kernels
# get what newer ones have.
# usage: probe.sh HEADER COMPILER FLAG...; Kbuild calls it with the flags of the module.
set -eu
header=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/headers.h" <<END
#include <linux/dma-fence-array.h>
#include <linux/module.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_mode_config.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
END

# compiles NAME CODE COMPILER FLAG...
compiles()
{
	printf '#include "%s/headers.h"\n%s\n' "$dir" "$2" >"$dir/$1.c"
	name=$1
	shift 2
	"$@" -w -fsyntax-only "$dir/$name.c" >"$dir/$name.log" 2>&1
}

# ask NAME CODE COMPILER FLAG...: all questions at once, the answers are files.
ask()
{
	compiles "$@" && touch "$dir/$1.yes" &
}

compiles NOTHING '' "$@" || {
	cat "$dir/NOTHING.log" >&2
	exit 1
}
ask IMPORT_NS_TOKEN 'MODULE_IMPORT_NS(DMA_BUF);' "$@"
ask CLIENTS_FOLDER '#include <drm/clients/drm_client_setup.h>' "$@"
ask DRIVER_DATE 'static struct drm_driver d = { .date = "" };' "$@"
ask ATOMIC_COMMIT '#include <drm/drm_atomic.h>
	static size_t s = sizeof(struct drm_atomic_commit);' "$@"
ask TTM_BO_FINI 'static void f(struct ttm_buffer_object *b) { ttm_bo_fini(b); }' "$@"
ask TTM_BO_POPULATE 'static int f(struct ttm_buffer_object *b, struct ttm_operation_ctx *c)
	{ return ttm_bo_populate(b, c); }' "$@"
ask SCHED_INIT_ARGS 'static int f(struct drm_gpu_scheduler *s, const struct drm_sched_init_args *a)
	{ return drm_sched_init(s, a); }' "$@"
ask SCHED_CLIENT_ID 'static int f(struct drm_sched_job *j)
	{ return drm_sched_job_init(j, NULL, 1, NULL, 1); }' "$@"
ask TTM_DEVICE_FLAGS 'static int f(struct ttm_device *t)
	{ return ttm_device_init(t, NULL, NULL, NULL, NULL, 0); }' "$@"
ask FB_CREATE_INFO '#include <drm/drm_fourcc.h>
	static struct drm_framebuffer *f(struct drm_device *d, struct drm_file *p,
		const struct drm_format_info *i, const struct drm_mode_fb_cmd2 *c)
		{ return NULL; }
	static struct drm_mode_config_funcs m = { .fb_create = f };' "$@"
ask ASYNC_CHECK_FLIP '#include <drm/drm_modeset_helper_vtables.h>
	static int f(const struct drm_plane_helper_funcs *h)
	{ return h->atomic_async_check(NULL, NULL, true); }' "$@"
ask FENCE_ARRAY_ALL 'static struct dma_fence_array *f(void)
	{ return dma_fence_array_create(0, NULL, 0, 0); }' "$@"
ask FENCE_DEDUP '#include <linux/dma-fence-unwrap.h>
	static size_t f(void) { return dma_fence_dedup_array(NULL, 0); }' "$@"
ask WEDGED_EVENT 'static int f(struct drm_device *d)
	{ return drm_dev_wedged_event(d, DRM_WEDGE_RECOVERY_REBIND); }' "$@"
ask WEDGED_EVENT_TASK 'static int f(struct drm_device *d)
	{ return drm_dev_wedged_event(d, DRM_WEDGE_RECOVERY_REBIND, NULL); }' "$@"
ask WQ_PERCPU 'static int f = WQ_PERCPU;' "$@"
ask SYSTEM_PERCPU_WQ 'static struct workqueue_struct **f = &system_percpu_wq;' "$@"
ask OBJECT_ACTIVE 'static int f = DRM_GEM_OBJECT_ACTIVE;' "$@"
wait

{
	echo '/* Made by probe.sh. */'
	for answer in "$dir"/*.yes; do
		[ -e "$answer" ] || continue
		name=${answer##*/}
		echo "#define SUNDOG_HAVE_${name%.yes}"
	done
} >"$header"

# A header cannot give another header a new name.
if ! [ -e "$dir/CLIENTS_FOLDER.yes" ]; then
	mkdir -p "${header%/*}/drm/clients"
	echo '#include <drm/drm_client_setup.h>' >"${header%/*}/drm/clients/drm_client_setup.h"
fi
