/*
 * sundog, a GPU in software: heads
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A driver writes shadow registers and then COMMIT, which checks them and
 * takes over all or nothing: at the next vblank, or at once when it asks for
 * that or the head is off.
 *
 * Vblanks are arithmetic on the virtual clock: one each period from the epoch
 * on, whatever else the host does. The timer runs only while somebody waits for
 * one (an interrupt is wanted, or a commit is pending), so that an idle guest
 * stays idle, and it may be late: a commit takes effect at the vblank after it
 * all the same, before anybody can see that it did not.
 */

#include "qemu/osdep.h"
#include "sundog.h"
#include "trace.h"

#define HEAD_REG(name)      (SUNDOG_REG_ ## name(0) - SUNDOG_HEAD_BASE)

#define FOURCC_XR24         0x34325258
#define FOURCC_AR24         0x34325241

#define MAX_SIZE            8192            /* pixels, either way */
#define MIN_PERIOD          1000000         /* ns */
#define MAX_PERIOD          1000000000
#define DEFAULT_WIDTH       1280
#define DEFAULT_HEIGHT      800
#define DEFAULT_REFRESH     60000           /* mHz */

#define CONTROL_BITS \
    (SUNDOG_HEAD_CONTROL_ENABLE | SUNDOG_HEAD_CONTROL_VBLANK_IRQ | \
     SUNDOG_HEAD_CONTROL_PRIMARY | SUNDOG_HEAD_CONTROL_CURSOR | \
     SUNDOG_HEAD_CONTROL_ASYNC)

static const bool is_shadow[SUNDOG_HEAD_STRIDE / 4] = {
    [HEAD_REG(HEAD_CONTROL) / 4] = true,
    [HEAD_REG(HEAD_WIDTH) / 4] = true,
    [HEAD_REG(HEAD_HEIGHT) / 4] = true,
    [HEAD_REG(HEAD_PERIOD) / 4] = true,
    [HEAD_REG(PRIMARY_FORMAT) / 4] = true,
    [HEAD_REG(PRIMARY_PITCH) / 4] = true,
    [HEAD_REG(PRIMARY_OFFSET) / 4] = true,
    [HEAD_REG(PRIMARY_OFFSET) / 4 + 1] = true,
    [HEAD_REG(CURSOR_OFFSET) / 4] = true,
    [HEAD_REG(CURSOR_OFFSET) / 4 + 1] = true,
    [HEAD_REG(CURSOR_X) / 4] = true,
    [HEAD_REG(CURSOR_Y) / 4] = true,
    [HEAD_REG(CURSOR_HOT_X) / 4] = true,
    [HEAD_REG(CURSOR_HOT_Y) / 4] = true,
};

#define SHADOW(head, name)  ((head)->shadow[HEAD_REG(name) / 4])
#define SHADOW64(head, name) \
    (SHADOW(head, name) | \
     (uint64_t)(head)->shadow[HEAD_REG(name) / 4 + 1] << 32)

static bool in_vram(const SundogState *s, uint64_t offset, uint64_t size)
{
    return offset % 4 == 0 && offset <= s->vram_size &&
           size <= s->vram_size - offset;
}

/* The primary plane. The last row's padding need not be there. */
static const char *sundog_check_primary(const SundogHead *head,
                                        const SundogMode *m)
{
    uint32_t format = SHADOW(head, PRIMARY_FORMAT);
    uint64_t size = (uint64_t)m->pitch * (m->height - 1) + m->width * 4;

    if (format != FOURCC_XR24 && format != FOURCC_AR24) {
        return "format is not XR24 or AR24";
    }
    if (m->pitch % 4 || m->pitch < m->width * 4 || m->pitch > INT32_MAX) {
        return "pitch does not fit the width";
    }
    if (size > INT32_MAX) {
        return "picture is larger than 2 GiB";
    }
    if (!in_vram(head->s, m->offset, size)) {
        return "primary plane leaves VRAM";
    }
    return NULL;
}

/*
 * Some UIs take pitch * height bytes of a surface, and compute that in int:
 * only a picture that has them all in VRAM may be shown without a copy.
 */
static bool sundog_is_linear(const SundogHead *head, const SundogMode *m)
{
    uint64_t size = (uint64_t)m->pitch * m->height;

    return size <= INT32_MAX && in_vram(head->s, m->offset, size);
}

/*
 * Make a mode of the shadow registers. Returns what is wrong with them, or
 * NULL.
 */
static const char *sundog_decode(const SundogHead *head, SundogMode *m)
{
    uint32_t control = SHADOW(head, HEAD_CONTROL);
    const uint64_t cursor_size = SUNDOG_MAX_CURSOR * SUNDOG_MAX_CURSOR * 4;

    *m = (SundogMode) {
        .enable = control & SUNDOG_HEAD_CONTROL_ENABLE,
        .primary = control & SUNDOG_HEAD_CONTROL_PRIMARY,
        .cursor = control & SUNDOG_HEAD_CONTROL_CURSOR,
        .width = SHADOW(head, HEAD_WIDTH),
        .height = SHADOW(head, HEAD_HEIGHT),
        .period = SHADOW(head, HEAD_PERIOD),
        .pitch = SHADOW(head, PRIMARY_PITCH),
        .offset = SHADOW64(head, PRIMARY_OFFSET),
        .cursor_offset = SHADOW64(head, CURSOR_OFFSET),
        .cursor_x = SHADOW(head, CURSOR_X),
        .cursor_y = SHADOW(head, CURSOR_Y),
    };
    if (control & ~CONTROL_BITS) {
        return "unknown bit in HEAD_CONTROL";
    }
    if (!m->enable) {
        *m = (SundogMode) {};
        return NULL;
    }
    if (m->width < 1 || m->width > MAX_SIZE ||
        m->height < 1 || m->height > MAX_SIZE) {
        return "size is out of range";
    }
    if (m->period < MIN_PERIOD || m->period > MAX_PERIOD) {
        return "period is out of range";
    }
    if (m->cursor && !in_vram(head->s, m->cursor_offset, cursor_size)) {
        return "cursor leaves VRAM";
    }
    m->linear = sundog_is_linear(head, m);
    return m->primary ? sundog_check_primary(head, m) : NULL;
}

/* From the epoch up to the time AT, ns. */
static uint64_t sundog_periods(const SundogHead *head, int64_t at)
{
    return head->mode.enable ? (at - head->epoch) / head->mode.period : 0;
}

static int64_t sundog_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static int64_t sundog_next_vblank(const SundogHead *head)
{
    return head->epoch +
           (sundog_periods(head, sundog_now()) + 1) * head->mode.period;
}

static bool sundog_vblank_irq(const SundogHead *head)
{
    return SHADOW(head, HEAD_CONTROL) & SUNDOG_HEAD_CONTROL_VBLANK_IRQ;
}

static void sundog_schedule_vblank(SundogHead *head)
{
    if (head->mode.enable && (head->has_pending || sundog_vblank_irq(head))) {
        timer_mod(head->vblank, sundog_next_vblank(head));
    } else {
        timer_del(head->vblank);
    }
}

/* The pending mode takes effect at the time AT, ns. */
static void sundog_latch(SundogHead *head, int64_t at)
{
    SundogMode old = head->mode;
    uint64_t periods = sundog_periods(head, at);

    if (old.enable) {
        head->vblanks += periods;
        head->epoch += periods * old.period;
    } else {
        head->vblanks = 0;
        head->epoch = at;
    }
    head->mode = head->pending;
    head->has_pending = false;
    head->latched = head->committed;
    trace_sundog_latch(head->index, head->latched, head->mode.width,
                       head->mode.height, head->mode.offset);
    sundog_scanout_changed(head, &old);
}

static void sundog_latch_if_due(SundogHead *head)
{
    if (head->has_pending && sundog_now() >= head->due) {
        sundog_latch(head, head->due);
    }
}

static void sundog_vblank(void *opaque)
{
    SundogHead *head = opaque;

    trace_sundog_vblank(head->index, head->vblanks +
                        sundog_periods(head, sundog_now()));
    sundog_latch_if_due(head);
    if (sundog_vblank_irq(head)) {
        sundog_raise_display(head->s,
                             SUNDOG_DISPLAY_EVENT_VBLANK << head->index);
    }
    sundog_schedule_vblank(head);
}

static void sundog_commit(SundogHead *head, uint32_t token)
{
    SundogMode mode;
    const char *error = sundog_decode(head, &mode);

    trace_sundog_commit(head->index, token, error != NULL);
    if (error) {
        sundog_guest_error(head->s, "commit 0x%x of head %u refused: %s",
                           token, head->index, error);
        return;
    }
    head->pending = mode;
    head->has_pending = true;
    head->committed = token;
    if (!head->mode.enable ||
        SHADOW(head, HEAD_CONTROL) & SUNDOG_HEAD_CONTROL_ASYNC) {
        sundog_latch(head, sundog_now());
    } else {
        head->due = sundog_next_vblank(head);
    }
    sundog_schedule_vblank(head);
}

static void sundog_keep_vblank(SundogHead *head)
{
    uint64_t periods = sundog_periods(head, sundog_now());

    head->kept_count = head->vblanks + periods;
    head->kept_time = head->epoch + periods * head->mode.period;
}

uint32_t sundog_head_read(SundogHead *head, hwaddr reg)
{
    sundog_latch_if_due(head);
    switch (reg) {
    case HEAD_REG(HEAD_STATUS):
        return 1;
    case HEAD_REG(COMMIT):
        return head->committed;
    case HEAD_REG(LATCHED):
        return head->latched;
    case HEAD_REG(VBLANK_COUNT):
        sundog_keep_vblank(head);
        return head->kept_count;
    case HEAD_REG(VBLANK_COUNT) + 4:
        return head->kept_count >> 32;
    case HEAD_REG(VBLANK_TIME):
        return head->kept_time;
    case HEAD_REG(VBLANK_TIME) + 4:
        return head->kept_time >> 32;
    default:
        return head->shadow[reg / 4];
    }
}

void sundog_head_write(SundogHead *head, hwaddr reg, uint32_t val)
{
    sundog_latch_if_due(head);
    if (is_shadow[reg / 4]) {
        head->shadow[reg / 4] = val;
        if (reg == HEAD_REG(HEAD_CONTROL)) {
            sundog_schedule_vblank(head);
        }
        return;
    }
    switch (reg) {
    case HEAD_REG(COMMIT):
        sundog_commit(head, val);
        break;
    case HEAD_REG(DAMAGE):
        sundog_scanout_damage(head, 0, head->mode.height);
        break;
    default:
        sundog_guest_error(head->s, "write of 0x%x to 0x%" HWADDR_PRIx
                           " of head %u, which no register takes", val, reg,
                           head->index);
        break;
    }
}

static void sundog_edid(SundogHead *head)
{
    trace_sundog_edid(head->index, head->edid_info.prefx,
                      head->edid_info.prefy);
    memset(head->edid, 0, sizeof(head->edid));
    qemu_edid_generate(head->edid, sizeof(head->edid), &head->edid_info);
}

/* The UI's window has a new size: make it the preferred mode. */
static void sundog_ui_info(void *opaque, uint32_t index, QemuUIInfo *ui)
{
    SundogHead *head = opaque;
    qemu_edid_info *info = &head->edid_info;
    uint32_t width = MIN(ui->width, MAX_SIZE);
    uint32_t height = MIN(ui->height, MAX_SIZE);

    if (!width || !height || (width == info->prefx && height == info->prefy)) {
        return;
    }
    info->prefx = width;
    info->prefy = height;
    info->width_mm = ui->width_mm;
    info->height_mm = ui->height_mm;
    if (ui->refresh_rate) {
        info->refresh_rate = ui->refresh_rate;
    }
    sundog_edid(head);
    sundog_raise_display(head->s, SUNDOG_DISPLAY_EVENT_HOTPLUG << head->index);
}

static void sundog_gfx_invalidate(void *opaque)
{
    SundogHead *head = opaque;

    sundog_scanout_damage(head, 0, head->mode.height);
}

static void sundog_gfx_update(void *opaque)
{
    sundog_latch_if_due(opaque);
    sundog_scanout_update(opaque);
}

static const GraphicHwOps sundog_gfx_ops = {
    .invalidate = sundog_gfx_invalidate,
    .gfx_update = sundog_gfx_update,
    .ui_info = sundog_ui_info,
};

void sundog_display_realize(SundogState *s)
{
    qemu_edid_info info = s->edid_info;

    info.name = "sundog";
    info.prefx = MIN(info.prefx ?: DEFAULT_WIDTH, MAX_SIZE);
    info.prefy = MIN(info.prefy ?: DEFAULT_HEIGHT, MAX_SIZE);
    info.refresh_rate = info.refresh_rate ?: DEFAULT_REFRESH;

    for (unsigned i = 0; i < s->num_heads; i++) {
        SundogHead *head = &s->heads[i];

        head->s = s;
        head->index = i;
        head->edid_info = info;
        sundog_edid(head);
        head->vblank = timer_new_ns(QEMU_CLOCK_VIRTUAL, sundog_vblank, head);
        head->con = graphic_console_init(DEVICE(s), i, &sundog_gfx_ops, head);
    }
}

void sundog_display_exit(SundogState *s)
{
    for (unsigned i = 0; i < s->num_heads; i++) {
        graphic_console_close(s->heads[i].con);
        timer_free(s->heads[i].vblank);
    }
}

/* What the UI asked for stays: it does not reset with the guest. */
void sundog_display_reset(SundogState *s)
{
    for (unsigned i = 0; i < s->num_heads; i++) {
        SundogHead *head = &s->heads[i];
        SundogMode old = head->mode;

        memset(head->shadow, 0, sizeof(head->shadow));
        head->committed = 0;
        head->latched = 0;
        head->mode = (SundogMode) {};
        head->has_pending = false;
        head->vblanks = 0;
        sundog_schedule_vblank(head);
        sundog_scanout_changed(head, &old);
    }
}
