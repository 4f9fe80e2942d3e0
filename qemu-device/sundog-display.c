/*
 * sundog, a GPU in software: heads
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A driver writes shadow registers and then COMMIT, which checks them and
 * accepts all or none. An accepted commit takes effect at the next vblank, or
 * at once if it is ASYNC or the head is disabled.
 *
 * The times of vblanks do not depend on the timer, see sundog-vblank.c. The
 * timer runs only while a vblank is needed (for an interrupt, a CRC or a
 * pending commit), so that an idle guest stays idle. It may be late: every read
 * of a register first latches a commit that is due, so the guest cannot observe
 * the delay.
 *
 * A commit waits for the end of a writeback, and then takes effect as if it
 * were committed at that time. A commit that disables the head does not wait.
 */

#include "qemu/osdep.h"
#include "sundog.h"
#include "trace.h"

#define HEAD_REG(name)      (SUNDOG_REG_ ## name(0) - SUNDOG_HEAD_BASE)
#define PLANE_REG(name)     (SUNDOG_REG_ ## name(0) - SUNDOG_PLANE_BASE)

#define MAX_SIZE            SUNDOG_MAX_PLANE_SIZE
#define MIN_PERIOD          1000000         /* ns */
#define MAX_PERIOD          1000000000
#define DEFAULT_WIDTH       1280
#define DEFAULT_HEIGHT      800
#define DEFAULT_REFRESH     60000           /* mHz */

#define CONTROL_BITS \
    (SUNDOG_HEAD_CONTROL_ENABLE | SUNDOG_HEAD_CONTROL_VBLANK_IRQ | \
     SUNDOG_HEAD_CONTROL_ASYNC | SUNDOG_HEAD_CONTROL_CRC)

static const bool is_shadow[SUNDOG_HEAD_STRIDE / 4] = {
    [HEAD_REG(HEAD_CONTROL) / 4] = true,
    [HEAD_REG(HEAD_WIDTH) / 4] = true,
    [HEAD_REG(HEAD_HEIGHT) / 4] = true,
    [HEAD_REG(HEAD_PERIOD) / 4] = true,
    [HEAD_REG(HEAD_PERIOD_MAX) / 4] = true,
    [HEAD_REG(WRITEBACK_FORMAT) / 4] = true,
    [HEAD_REG(WRITEBACK_PITCH) / 4] = true,
    [HEAD_REG(WRITEBACK_OFFSET) / 4] = true,
    [HEAD_REG(WRITEBACK_OFFSET) / 4 + 1] = true,
};

#define SHADOW(head, name)  ((head)->shadow[HEAD_REG(name) / 4])
#define SHADOW64(head, name) \
    (SHADOW(head, name) | \
     (uint64_t)(head)->shadow[HEAD_REG(name) / 4 + 1] << 32)

static void sundog_decode_plane(const uint32_t *shadow, SundogPlane *p)
{
#define PLANE(name)     (shadow[PLANE_REG(name) / 4])
#define PLANE64(name) \
    (PLANE(name) | (uint64_t)shadow[PLANE_REG(name) / 4 + 1] << 32)
    p->enable = PLANE(PLANE_FORMAT);
    if (!p->enable) {
        return;
    }
    p->format = PLANE(PLANE_FORMAT);
    p->blend = PLANE(PLANE_BLEND);
    p->alpha = PLANE(PLANE_ALPHA);
    p->rotation = PLANE(PLANE_ROTATION);
    p->offset[0] = PLANE64(PLANE_OFFSET);
    p->offset[1] = PLANE64(PLANE_OFFSET1);
    p->pitch[0] = PLANE(PLANE_PITCH);
    p->pitch[1] = PLANE(PLANE_PITCH1);
    p->fb_width = PLANE(PLANE_WIDTH);
    p->fb_height = PLANE(PLANE_HEIGHT);
    p->src_x = PLANE(PLANE_SRC_X);
    p->src_y = PLANE(PLANE_SRC_Y);
    p->src_w = PLANE(PLANE_SRC_W);
    p->src_h = PLANE(PLANE_SRC_H);
    p->dst_x = PLANE(PLANE_DST_X);
    p->dst_y = PLANE(PLANE_DST_Y);
    p->dst_w = PLANE(PLANE_DST_W);
    p->dst_h = PLANE(PLANE_DST_H);
    p->zpos = PLANE(PLANE_ZPOS);
    p->encoding = PLANE(PLANE_ENCODING);
    p->range = PLANE(PLANE_RANGE);
#undef PLANE
#undef PLANE64
}

/*
 * Decodes the writeback of this commit, or keeps that of a pending one, which
 * shows in the same frame: a frame has one writeback at most. Returns what is
 * wrong, or NULL.
 */
static const char *sundog_decode_writeback(const SundogHead *head,
                                           uint32_t token, SundogMode *m)
{
    const bool waits = head->has_pending && head->pending.writeback.format;

    if (!SHADOW(head, WRITEBACK_FORMAT)) {
        if (waits) {
            m->writeback = head->pending.writeback;
        }
    } else if (waits) {
        return "the pending commit has a writeback: wait for WRITEBACK_DONE";
    } else {
        m->writeback = (SundogWriteback) {
            .format = SHADOW(head, WRITEBACK_FORMAT),
            .pitch = SHADOW(head, WRITEBACK_PITCH),
            .offset = SHADOW64(head, WRITEBACK_OFFSET),
            .token = token,
        };
    }
    return sundog_writeback_check(m, head->s->vram_size);
}

/*
 * Decodes the shadow registers for a commit with this token. Returns what is
 * wrong with them, or NULL. All bytes of *M are initialized, since planes and
 * colours are compared with memcmp().
 */
static const char *sundog_decode(const SundogHead *head, uint32_t token,
                                 SundogMode *m)
{
    const char *error;
    uint32_t control = SHADOW(head, HEAD_CONTROL);

    memset(m, 0, sizeof(*m));
    if (control & ~CONTROL_BITS) {
        return "HEAD_CONTROL has an unknown bit";
    }
    if (!(control & SUNDOG_HEAD_CONTROL_ENABLE)) {
        return NULL;
    }
    m->enable = true;
    m->width = SHADOW(head, HEAD_WIDTH);
    m->height = SHADOW(head, HEAD_HEIGHT);
    m->period = SHADOW(head, HEAD_PERIOD);
    m->period_max = SHADOW(head, HEAD_PERIOD_MAX) ?: m->period;
    if (m->width < 1 || m->width > MAX_SIZE ||
        m->height < 1 || m->height > MAX_SIZE) {
        return "HEAD_WIDTH or HEAD_HEIGHT is not 1 to MAX_PLANE_SIZE";
    }
    if (m->period < MIN_PERIOD || m->period > MAX_PERIOD) {
        return "HEAD_PERIOD is not 1 ms to 1 s";
    }
    if (m->period_max < m->period || m->period_max > MAX_PERIOD) {
        return "HEAD_PERIOD_MAX is not HEAD_PERIOD to 1 s";
    }
    for (int i = 0; i < SUNDOG_HEAD_PLANES; i++) {
        sundog_decode_plane(head->planes[i], &m->planes[i]);
        error = sundog_plane_check(&m->planes[i], head->s->vram_size);
        if (!error && m->planes[i].enable) {
            error = sundog_cursor_decode(head->planes[i], &m->pointers[i]);
        }
        if (error) {
            return error;
        }
    }
    error = sundog_color_decode(head, &m->color);
    return error ?: sundog_decode_writeback(head, token, m);
}

static bool sundog_vblank_irq(const SundogHead *head)
{
    return SHADOW(head, HEAD_CONTROL) & SUNDOG_HEAD_CONTROL_VBLANK_IRQ;
}

static bool sundog_wants_crc(const SundogHead *head)
{
    return SHADOW(head, HEAD_CONTROL) & SUNDOG_HEAD_CONTROL_CRC;
}

/* Returns true if the pending commit must wait for a writeback. */
static bool sundog_is_held(const SundogHead *head)
{
    return sundog_writeback_is_on(head) && head->pending.enable;
}

static int64_t sundog_next_vblank(const SundogHead *head)
{
    return head->has_pending && !sundog_is_held(head) ?
           head->due : sundog_vblank_next(head, sundog_now());
}

static void sundog_schedule_vblank(SundogHead *head)
{
    if (head->mode.enable && (head->has_pending || sundog_wants_crc(head) ||
                              sundog_vblank_irq(head))) {
        /* A timer that has expired, but has not run yet, is left alone. */
        if (!timer_pending(head->vblank) ||
            timer_expire_time_ns(head->vblank) > sundog_now()) {
            timer_mod(head->vblank, sundog_next_vblank(head));
        }
    } else {
        timer_del(head->vblank);
    }
}

/*
 * The pending mode takes effect. The caller has counted the vblanks up to it.
 */
static void sundog_latch(SundogHead *head)
{
    SundogMode old = head->mode;

    if (!old.enable) {
        head->crc = 0;
        head->crc_frame = 0;
    }
    timer_del(head->crc_goes_on);
    timer_del(head->writeback_goes_on);
    head->mode = head->pending;
    head->has_pending = false;
    head->latched = head->committed;
    trace_sundog_latch(head->index, head->latched, head->mode.width,
                       head->mode.height, head->mode.planes[0].offset[0]);
    sundog_scanout_changed(head, &old);
    sundog_writeback_begin(head);
    if (head->mode.enable) {
        sundog_boot_end(head->s);
    }
}

static void sundog_latch_if_due(SundogHead *head, int64_t now)
{
    if (head->has_pending && now >= head->due && !sundog_is_held(head)) {
        sundog_vblank_make(head, head->due);
        sundog_latch(head);
    }
}

static void sundog_start_crc(SundogHead *head, int64_t now)
{
    head->crc_row = 0;
    head->crc_sum = 0;
    head->crc_begun = sundog_vblank_count(head, now);
}

/*
 * Latches in the middle of a frame. The frame ends now if it is longer than the
 * new mode allows. An unfinished CRC starts again with the new picture.
 */
static void sundog_latch_async(SundogHead *head)
{
    const int64_t now = sundog_now();
    const bool crc = timer_pending(head->crc_goes_on);

    sundog_vblank_stop(head, now);
    sundog_latch(head);
    if (head->mode.enable && now >= head->epoch + head->mode.period_max) {
        head->vblanks++;
        head->epoch = now;
        timer_mod(head->vblank, now);
    }
    if (crc && head->mode.enable) {
        sundog_start_crc(head, now);
        sundog_scanout_wait(head->s, head->crc_goes_on);
    }
}

/* A writeback is complete. A commit that waited counts as committed now. */
void sundog_head_written(SundogHead *head)
{
    if (head->has_pending && head->pending.enable) {
        head->due = sundog_vblank_due(head, sundog_now());
        sundog_schedule_vblank(head);
    }
    sundog_raise_display(head->s,
                         SUNDOG_DISPLAY_EVENT_WRITEBACK << head->index);
}

static void sundog_add_to_crc(SundogHead *head, uint32_t y, const uint32_t *row)
{
    head->crc_sum = sundog_compose_crc(head->crc_sum, row, head->mode.width);
}

static void sundog_go_on_with_crc(void *opaque)
{
    SundogHead *head = opaque;

    if (sundog_scanout_rows(head, &head->crc_row, sundog_add_to_crc,
                            head->crc_goes_on)) {
        head->crc = head->crc_sum;
        head->crc_frame = head->crc_begun;
    }
}

/* Starts the CRC of the current frame, unless one is being computed. */
static void sundog_begin_crc(SundogHead *head, int64_t now)
{
    if (timer_pending(head->crc_goes_on)) {
        return;
    }
    sundog_start_crc(head, now);
    sundog_go_on_with_crc(head);
}

static void sundog_vblank(void *opaque)
{
    SundogHead *head = opaque;
    const int64_t now = sundog_now();

    sundog_latch_if_due(head, now);
    trace_sundog_vblank(head->index, sundog_vblank_count(head, now));
    if (head->mode.enable && sundog_wants_crc(head)) {
        sundog_begin_crc(head, now);
    }
    if (sundog_vblank_irq(head)) {
        sundog_raise_display(head->s,
                             SUNDOG_DISPLAY_EVENT_VBLANK << head->index);
    }
    sundog_schedule_vblank(head);
}

static void sundog_commit(SundogHead *head, uint32_t token)
{
    const bool joins = head->has_pending && !sundog_is_held(head);
    SundogMode mode;
    const char *error = sundog_decode(head, token, &mode);

    trace_sundog_commit(head->index, token, error != NULL);
    if (error) {
        sundog_guest_error(head->s, "commit 0x%x of head %u refused: %s",
                           token, head->index, error);
        return;
    }
    mode.pictures = head->pictures |
                    (head->has_pending ? head->pending.pictures : 0);
    head->pictures = 0;
    head->pending = mode;
    head->has_pending = true;
    head->committed = token;
    SHADOW(head, WRITEBACK_FORMAT) = 0;
    if (!head->mode.enable) {
        sundog_vblank_start(head, sundog_now());
        sundog_latch(head);
    } else if (SHADOW(head, HEAD_CONTROL) & SUNDOG_HEAD_CONTROL_ASYNC &&
               !sundog_writeback_is_on(head)) {
        sundog_latch_async(head);
    } else if (!joins) {
        head->due = sundog_vblank_due(head, sundog_now());
    }
    sundog_schedule_vblank(head);
}

static void sundog_keep_vblank(SundogHead *head, int64_t now)
{
    head->kept_count = sundog_vblank_count(head, now);
    head->kept_time = sundog_vblank_time(head, now);
}

uint32_t sundog_head_read(SundogHead *head, hwaddr reg)
{
    /* One time for both: no vblank is counted before the latch that it is. */
    const int64_t now = sundog_now();

    sundog_latch_if_due(head, now);
    switch (reg) {
    case HEAD_REG(HEAD_STATUS):
        return 1;
    case HEAD_REG(COMMIT):
        return head->committed;
    case HEAD_REG(LATCHED):
        return head->latched;
    case HEAD_REG(VBLANK_COUNT):
        sundog_keep_vblank(head, now);
        return head->kept_count;
    case HEAD_REG(VBLANK_COUNT) + 4:
        return head->kept_count >> 32;
    case HEAD_REG(VBLANK_TIME):
        return head->kept_time;
    case HEAD_REG(VBLANK_TIME) + 4:
        return head->kept_time >> 32;
    case HEAD_REG(HEAD_CRC):
        return head->kept_crc;
    case HEAD_REG(HEAD_CRC_FRAME):
        head->kept_crc = head->crc;
        head->kept_crc_frame = head->crc_frame;
        return head->kept_crc_frame;
    case HEAD_REG(HEAD_CRC_FRAME) + 4:
        return head->kept_crc_frame >> 32;
    case HEAD_REG(WRITEBACK_DONE):
        return head->written;
    default:
        return head->shadow[reg / 4];
    }
}

void sundog_head_write(SundogHead *head, hwaddr reg, uint32_t val)
{
    sundog_latch_if_due(head, sundog_now());
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
        sundog_cursor_damage(head);
        break;
    default:
        sundog_guest_error(head->s, "write of 0x%x to 0x%" HWADDR_PRIx
                           " of head %u ignored: no writable register", val,
                           reg, head->index);
        break;
    }
}

uint32_t sundog_plane_read(SundogHead *head, unsigned plane, hwaddr reg)
{
    return head->planes[plane][reg / 4];
}

void sundog_plane_write(SundogHead *head, unsigned plane, hwaddr reg,
                        uint32_t val)
{
    if (reg <= PLANE_REG(PLANE_HOT_Y)) {
        head->planes[plane][reg / 4] = val;
        if (!sundog_cursor_only_moves(reg)) {
            head->pictures |= 1u << plane;
        }
    } else {
        sundog_guest_error(head->s, "write of 0x%x to 0x%" HWADDR_PRIx
                           " of plane %u of head %u ignored: no writable"
                           " register", val, reg, plane, head->index);
    }
}

static void sundog_edid(SundogHead *head)
{
    trace_sundog_edid(head->index, head->edid_info.prefx,
                      head->edid_info.prefy);
    memset(head->edid, 0, sizeof(head->edid));
    qemu_edid_generate(head->edid, sizeof(head->edid), &head->edid_info);
}

/*
 * Makes the size of the UI's window the preferred mode of the EDID. Returns
 * false if it already is, or the size is not known.
 */
static bool sundog_prefer(SundogHead *head, const QemuUIInfo *ui)
{
    qemu_edid_info *info = &head->edid_info;
    uint32_t width = MIN(ui->width, MAX_SIZE);
    uint32_t height = MIN(ui->height, MAX_SIZE);

    if (!width || !height || (width == info->prefx && height == info->prefy)) {
        return false;
    }
    info->prefx = width;
    info->prefy = height;
    info->width_mm = ui->width_mm;
    info->height_mm = ui->height_mm;
    if (ui->refresh_rate) {
        info->refresh_rate = ui->refresh_rate;
    }
    sundog_edid(head);
    return true;
}

static void sundog_ui_info(void *opaque, uint32_t index, QemuUIInfo *ui)
{
    SundogHead *head = opaque;

    if (sundog_prefer(head, ui)) {
        sundog_raise_display(head->s,
                             SUNDOG_DISPLAY_EVENT_HOTPLUG << head->index);
    }
}

static void sundog_gfx_invalidate(void *opaque)
{
    SundogHead *head = opaque;

    sundog_scanout_damage(head, 0, head->mode.height);
}

static void sundog_gfx_update(void *opaque)
{
    sundog_latch_if_due(opaque, sundog_now());
    sundog_scanout_update(opaque);
}

static const GraphicHwOps sundog_gfx_ops = {
    .invalidate = sundog_gfx_invalidate,
    .gfx_update = sundog_gfx_update,
    .gfx_update_async = true,
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
        head->crc_goes_on = timer_new_ns(QEMU_CLOCK_REALTIME,
                                         sundog_go_on_with_crc, head);
        head->writeback_goes_on = timer_new_ns(QEMU_CLOCK_REALTIME,
                                               sundog_writeback_go_on, head);
        /* HMP waits for a screendump in this AioContext only. */
        head->draw_goes_on = aio_timer_new(qemu_get_aio_context(),
                                           QEMU_CLOCK_REALTIME, SCALE_NS,
                                           sundog_scanout_go_on, head);
        sundog_cursor_realize(head);
        head->con = graphic_console_init(DEVICE(s), i, &sundog_gfx_ops, head);
        /* The console may be reused and have a window already. */
        sundog_prefer(head, dpy_get_ui_info(head->con));
    }
}

void sundog_display_exit(SundogState *s)
{
    sundog_boot_exit(s);
    for (unsigned i = 0; i < s->num_heads; i++) {
        sundog_cursor_unplug(&s->heads[i]);
    }
    for (unsigned i = 0; i < s->num_heads; i++) {
        graphic_hw_update_done(s->heads[i].con);
        graphic_console_close(s->heads[i].con);
        sundog_scanout_forget(&s->heads[i]);
        timer_free(s->heads[i].vblank);
        timer_free(s->heads[i].crc_goes_on);
        timer_free(s->heads[i].writeback_goes_on);
        timer_free(s->heads[i].draw_goes_on);
        sundog_cursor_exit(&s->heads[i]);
    }
}

/* Resets the heads. The EDID keeps the size of the UI's window. */
void sundog_display_reset(SundogState *s)
{
    for (unsigned i = 0; i < s->num_heads; i++) {
        SundogHead *head = &s->heads[i];
        SundogMode old = head->mode;

        memset(head->shadow, 0, sizeof(head->shadow));
        memset(head->planes, 0, sizeof(head->planes));
        head->pictures = 0;
        memset(&head->color, 0, sizeof(head->color));
        memset(&head->degamma, 0, sizeof(head->degamma));
        head->committed = 0;
        head->latched = 0;
        memset(&head->mode, 0, sizeof(head->mode));
        head->has_pending = false;
        head->vblanks = 0;
        head->crc = head->kept_crc = 0;
        head->crc_frame = head->kept_crc_frame = 0;
        timer_del(head->crc_goes_on);
        head->written = 0;
        timer_del(head->writeback_goes_on);
        sundog_schedule_vblank(head);
        sundog_scanout_changed(head, &old);
    }
}
