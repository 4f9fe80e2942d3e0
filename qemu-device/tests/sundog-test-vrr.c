/*
 * sundog: qtest of variable refresh (HEAD_PERIOD_MAX)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A commit after the minimum period ends a frame; without a commit it lasts
 * HEAD_PERIOD_MAX.
 */

#include "qemu/osdep.h"
#include "sundog-test-fixture.h"

#define LONGEST     (5 * PERIOD / 2)
#define VRR_IRQ     (CONTROL_ON | SUNDOG_HEAD_CONTROL_VBLANK_IRQ)

static void step(Fixture *f, int64_t ns)
{
    if (ns) {
        qtest_clock_step(f->qts, ns);
    }
}

static uint64_t clock_now(Fixture *f)
{
    return rd64(f, SUNDOG_REG_CLOCK);
}

static void set_variable(Fixture *f, uint32_t control, uint64_t offset)
{
    set_mode(f, control, 64, 64, offset);
    wr(f, SUNDOG_REG_HEAD_PERIOD_MAX(0), LONGEST);
}

/* Starts QEMU and enables the head with token 1. Returns the time. */
static uint64_t start_variable(Fixture *f, uint32_t control)
{
    start(f, "");
    qtest_clock_step(f->qts, 12345);
    set_variable(f, control, 0);
    wr(f, SUNDOG_REG_COMMIT(0), 1);
    g_assert_cmpuint(rd(f, SUNDOG_REG_LATCHED(0)), ==, 1);
    return clock_now(f);
}

/* Checks that the last of COUNT vblanks was at TIME, and TOKEN is latched. */
static void check(Fixture *f, uint64_t count, uint64_t time, uint32_t token)
{
    g_assert_cmpuint(rd64(f, SUNDOG_REG_VBLANK_COUNT(0)), ==, count);
    g_assert_cmpuint(rd64(f, SUNDOG_REG_VBLANK_TIME(0)), ==, time);
    g_assert_cmpuint(rd(f, SUNDOG_REG_LATCHED(0)), ==, token);
}

/* Without commits frames last HEAD_PERIOD_MAX. */
static void test_idle(void)
{
    Fixture f;
    const uint64_t begin = start_variable(&f, CONTROL_ON);

    check(&f, 0, begin, 1);
    qtest_clock_step(f.qts, LONGEST - 1);
    check(&f, 0, begin, 1);
    for (uint64_t i = 1; i < 50; i++) {
        qtest_clock_step(f.qts, 1);
        check(&f, i, begin + i * LONGEST, 1);
        qtest_clock_step(f.qts, LONGEST - 1);
        check(&f, i, begin + i * LONGEST, 1);
    }
    qtest_clock_step(f.qts, 1000 * (int64_t)LONGEST + 1);
    check(&f, 1050, begin + 1050 * (uint64_t)LONGEST, 1);
    stop(&f);
}

/* A commit after the minimum period ends the frame at once. */
static void test_late(void)
{
    static const uint32_t lengths[] = {
        PERIOD, PERIOD + 1, PERIOD + PERIOD / 3, 2 * PERIOD, LONGEST - 1,
        LONGEST,
    };
    Fixture f;
    uint64_t time = start_variable(&f, CONTROL_ON);

    for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
        const bool by_itself = lengths[i] == LONGEST;

        qtest_clock_step(f.qts, lengths[i]);
        check(&f, i + by_itself, time + by_itself * LONGEST, i + 1);
        if (by_itself) {
            break;
        }
        wr(&f, SUNDOG_REG_COMMIT(0), i + 2);
        time += lengths[i];
        check(&f, i + 1, time, i + 2);
        g_assert_cmpuint(clock_now(&f), ==, time);
    }
    /* The last vblank, which no commit caused, was just now. */
    wr(&f, SUNDOG_REG_COMMIT(0), 100);
    time += LONGEST;
    qtest_clock_step(f.qts, PERIOD - 1);
    check(&f, ARRAY_SIZE(lengths), time, ARRAY_SIZE(lengths));
    qtest_clock_step(f.qts, 1);
    check(&f, ARRAY_SIZE(lengths) + 1, time + PERIOD, 100);
    qtest_clock_step(f.qts, LONGEST);
    check(&f, ARRAY_SIZE(lengths) + 2, time + PERIOD + LONGEST, 100);
    stop(&f);
}

/* A commit before the end of the minimum period shows at its end. */
static void test_early(void)
{
    static const uint32_t lengths[] = { 0, 1, PERIOD / 3, PERIOD - 1 };
    Fixture f;
    uint64_t time = start_variable(&f, CONTROL_ON);

    for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
        step(&f, lengths[i]);
        wr(&f, SUNDOG_REG_COMMIT(0), i + 2);
        check(&f, i, time, i + 1);
        step(&f, PERIOD - lengths[i] - 1);
        check(&f, i, time, i + 1);
        step(&f, 1);
        time += PERIOD;
        check(&f, i + 1, time, i + 2);
    }
    stop(&f);
}

/* A second commit joins a pending one and does not delay it. */
static void test_joined(void)
{
    uint32_t pixels[64 * 64];
    Fixture f;
    const uint64_t begin = start_variable(&f, CONTROL_ON);

    fill(&f, 0, 0x111111);
    fill(&f, MiB, 0x222222);
    for (uint32_t token = 2; token < 6; token++) {
        qtest_clock_step(f.qts, PERIOD / 5);
        wr64(&f, SUNDOG_REG_PLANE_OFFSET(0), token == 5 ? MiB : 0);
        wr(&f, SUNDOG_REG_COMMIT(0), token);
        check(&f, 0, begin, 1);
    }
    /* A refused commit does not change the pending one. */
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), PERIOD - 1);
    wr(&f, SUNDOG_REG_COMMIT(0), 6);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_COMMIT(0)), ==, 5);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), LONGEST);
    qtest_clock_step(f.qts, PERIOD / 5 - 1);
    check(&f, 0, begin, 1);
    qtest_clock_step(f.qts, 1);
    check(&f, 1, begin + PERIOD, 5);
    screendump(&f, pixels);
    g_assert_cmphex(pixels[0], ==, 0x222222);

    /* The first one takes effect before the second one is committed. */
    qtest_clock_step(f.qts, 2 * PERIOD);
    wr(&f, SUNDOG_REG_COMMIT(0), 7);
    wr(&f, SUNDOG_REG_COMMIT(0), 8);
    check(&f, 2, begin + 3 * PERIOD, 7);
    qtest_clock_step(f.qts, PERIOD);
    check(&f, 3, begin + 4 * PERIOD, 8);
    stop(&f);
}

static void check_event(Fixture *f, bool happened)
{
    if (happened) {
        wait_for(f, SUNDOG_REG_DISPLAY_EVENTS, SUNDOG_DISPLAY_EVENT_VBLANK);
        wr(f, SUNDOG_REG_DISPLAY_EVENTS, SUNDOG_DISPLAY_EVENT_VBLANK);
    }
    g_assert_cmphex(rd(f, SUNDOG_REG_DISPLAY_EVENTS), ==, 0);
}

/* There is one interrupt per vblank, at its time. */
static void test_interrupts(void)
{
    Fixture f;
    const uint64_t begin = start_variable(&f, VRR_IRQ);

    qtest_clock_step(f.qts, LONGEST - 1);
    check_event(&f, false);
    qtest_clock_step(f.qts, 1);
    check_event(&f, true);
    /* An early commit: one interrupt, at the vblank, not at the commit. */
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    qtest_clock_step(f.qts, PERIOD - 1);
    check_event(&f, false);
    qtest_clock_step(f.qts, 1);
    check_event(&f, true);
    qtest_clock_step(f.qts, LONGEST - 1);
    check_event(&f, false);
    /* A late commit: the interrupt comes without a step of the clock. */
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    check_event(&f, true);
    check(&f, 3, begin + 2 * LONGEST + PERIOD - 1, 3);
    qtest_clock_step(f.qts, LONGEST - 1);
    check_event(&f, false);
    qtest_clock_step(f.qts, 1);
    check_event(&f, true);
    check(&f, 4, begin + 3 * LONGEST + PERIOD - 1, 3);

    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON);
    qtest_clock_step(f.qts, 2 * PERIOD);
    wr(&f, SUNDOG_REG_COMMIT(0), 4);
    check_event(&f, false);
    check(&f, 5, begin + 3 * LONGEST + 3 * PERIOD - 1, 4);
    stop(&f);
}

/* HEAD_PERIOD_MAX applies from the frame that shows its commit on. */
static void test_toggled(void)
{
    Fixture f;
    uint64_t time;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    time = clock_now(&f);
    qtest_clock_step(f.qts, PERIOD + PERIOD / 2);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), LONGEST);
    check(&f, 1, time + PERIOD, 1);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    check(&f, 1, time + PERIOD, 1);
    qtest_clock_step(f.qts, PERIOD / 2);
    check(&f, 2, time + 2 * PERIOD, 2);
    qtest_clock_step(f.qts, PERIOD);
    check(&f, 2, time + 2 * PERIOD, 2);
    qtest_clock_step(f.qts, LONGEST - PERIOD);
    check(&f, 3, time + 2 * PERIOD + LONGEST, 2);

    /* Change both limits. */
    time += 2 * PERIOD + LONGEST;
    wr(&f, SUNDOG_REG_HEAD_PERIOD(0), PERIOD / 2);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), 2 * PERIOD);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    qtest_clock_step(f.qts, PERIOD);
    check(&f, 4, time + PERIOD, 3);
    qtest_clock_step(f.qts, PERIOD / 2);
    wr(&f, SUNDOG_REG_COMMIT(0), 4);
    check(&f, 5, time + PERIOD + PERIOD / 2, 4);
    qtest_clock_step(f.qts, 2 * PERIOD);
    check(&f, 6, time + 3 * PERIOD + PERIOD / 2, 4);

    /* Fixed refresh: periods count from the vblank of the commit. */
    time += 3 * PERIOD + PERIOD / 2;
    qtest_clock_step(f.qts, PERIOD + 7);
    wr(&f, SUNDOG_REG_HEAD_PERIOD(0), PERIOD);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 5);
    time += PERIOD + 7;
    check(&f, 7, time, 5);
    for (unsigned i = 1; i < 5; i++) {
        qtest_clock_step(f.qts, PERIOD / 2);
        wr(&f, SUNDOG_REG_COMMIT(0), 5 + i);
        check(&f, 6 + i, time + (i - 1) * PERIOD, 4 + i);
        qtest_clock_step(f.qts, PERIOD / 2);
        check(&f, 7 + i, time + i * PERIOD, 5 + i);
    }
    /* Equal limits are fixed refresh, too. */
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), PERIOD);
    wr(&f, SUNDOG_REG_COMMIT(0), 20);
    qtest_clock_step(f.qts, 3 * PERIOD);
    check(&f, 14, time + 7 * PERIOD, 20);
    stop(&f);
}

static void test_off_and_on(void)
{
    Fixture f;
    uint64_t time = start_variable(&f, CONTROL_ON);

    qtest_clock_step(f.qts, LONGEST + PERIOD / 2);
    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    check(&f, 1, time + LONGEST, 1);
    qtest_clock_step(f.qts, PERIOD / 2);
    check(&f, 2, time + LONGEST + PERIOD, 2);
    qtest_clock_step(f.qts, 100 * (int64_t)PERIOD);
    check(&f, 2, time + LONGEST + PERIOD, 2);

    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), CONTROL_ON);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    time = clock_now(&f);
    check(&f, 0, time, 3);
    qtest_clock_step(f.qts, 2 * PERIOD);
    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 4);
    check(&f, 1, time + 2 * PERIOD, 4);

    wr(&f, SUNDOG_REG_RESET, 1);
    g_assert_cmpuint(rd(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0)), ==, 0);
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 1);
    time = clock_now(&f);
    qtest_clock_step(f.qts, 2 * PERIOD);
    check(&f, 2, time + 2 * PERIOD, 1);
    stop(&f);
}

/* An ASYNC commit changes the picture within a frame, which goes on. */
static void test_async(void)
{
    const uint32_t async = CONTROL_ON | SUNDOG_HEAD_CONTROL_ASYNC;
    Fixture f;
    uint64_t time = start_variable(&f, CONTROL_ON);

    qtest_clock_step(f.qts, 2 * PERIOD);
    set_variable(&f, async, 4096);
    wr(&f, SUNDOG_REG_COMMIT(0), 2);
    check(&f, 0, time, 2);
    qtest_clock_step(f.qts, LONGEST - 2 * PERIOD - 1);
    check(&f, 0, time, 2);
    qtest_clock_step(f.qts, 1);
    time += LONGEST;
    check(&f, 1, time, 2);

    /* It includes a pending commit, which then causes no vblank. */
    set_variable(&f, CONTROL_ON, 8192);
    wr(&f, SUNDOG_REG_COMMIT(0), 3);
    set_variable(&f, async, 0);
    wr(&f, SUNDOG_REG_COMMIT(0), 4);
    check(&f, 1, time, 4);
    qtest_clock_step(f.qts, 2 * PERIOD);
    check(&f, 1, time, 4);

    /* A frame that is longer than the new limit ends at the commit. */
    wr(&f, SUNDOG_REG_HEAD_CONTROL(0), VRR_IRQ | SUNDOG_HEAD_CONTROL_ASYNC);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), 0);
    check_event(&f, false);
    wr(&f, SUNDOG_REG_COMMIT(0), 5);
    check(&f, 2, time + 2 * PERIOD, 5);
    check_event(&f, true);
    qtest_clock_step(f.qts, PERIOD - 1);
    check(&f, 2, time + 2 * PERIOD, 5);
    check_event(&f, false);
    qtest_clock_step(f.qts, 1);
    check(&f, 3, time + 3 * PERIOD, 5);
    check_event(&f, true);

    /* With a higher limit the frame keeps its start. */
    qtest_clock_step(f.qts, PERIOD / 2);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), LONGEST);
    wr(&f, SUNDOG_REG_COMMIT(0), 6);
    check(&f, 3, time + 3 * PERIOD, 6);
    qtest_clock_step(f.qts, LONGEST - PERIOD / 2 - 1);
    check(&f, 3, time + 3 * PERIOD, 6);
    qtest_clock_step(f.qts, 1);
    check(&f, 4, time + 3 * PERIOD + LONGEST, 6);
    stop(&f);
}

/* HEAD_CRC_FRAME is the number of the frame that a commit starts. */
static void test_crc(void)
{
    uint32_t last = 0;
    Fixture f;

    start_variable(&f, CONTROL_ON | SUNDOG_HEAD_CONTROL_CRC);
    for (uint32_t i = 1; i < 5; i++) {
        uint32_t crc;

        fill(&f, i * MiB, 0x111111 * i);
        qtest_clock_step(f.qts, i % 2 ? PERIOD + PERIOD / 3 : PERIOD / 3);
        wr64(&f, SUNDOG_REG_PLANE_OFFSET(0), i * MiB);
        wr(&f, SUNDOG_REG_COMMIT(0), i + 1);
        if (i % 2 == 0) {
            qtest_clock_step(f.qts, PERIOD);
        }
        g_assert_cmpuint(rd(&f, SUNDOG_REG_LATCHED(0)), ==, i + 1);
        g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, i);
        wait_for(&f, SUNDOG_REG_HEAD_CRC_FRAME(0), i);
        crc = rd(&f, SUNDOG_REG_HEAD_CRC(0));
        g_assert_cmphex(crc, !=, last);
        last = crc;
    }
    stop(&f);
}

static void prepare_variable(Fixture *f)
{
    set_variable(f, CONTROL_ON, 0);
}

static void test_bounds(void)
{
    static const Bound values[] = {
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), 0, true },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), 1, false },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), PERIOD - 1, false },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), PERIOD, true },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), 1000000000, true },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), 1000000001, false },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), 0x7fffffff, false },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), 0x80000000, false },
        { SUNDOG_REG_HEAD_PERIOD_MAX(0), ~0u, false },
        { SUNDOG_REG_HEAD_PERIOD(0), LONGEST, true },
        { SUNDOG_REG_HEAD_PERIOD(0), LONGEST + 1, false },
        { SUNDOG_REG_HEAD_PERIOD(0), 999999, false },
        { SUNDOG_REG_HEAD_PERIOD(0), 0, false },
    };
    Fixture f;

    start(&f, "");
    check_bounds(&f, prepare_variable, values, ARRAY_SIZE(values));
    /* A disabled head ignores the limits. */
    set_variable(&f, 0, 0);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), ~0u);
    g_assert_true(commit_takes(&f));
    stop(&f);
}

/* Many commits cause no more vblanks than the minimum period allows. */
static void test_flood(void)
{
    Fixture f;
    const uint64_t begin = start_variable(&f, VRR_IRQ);
    uint64_t count;

    wr(&f, SUNDOG_REG_HEAD_PERIOD(0), 1000000);
    wr(&f, SUNDOG_REG_HEAD_PERIOD_MAX(0), 1000000000);
    for (uint32_t i = 0; i < 5000; i++) {
        wr(&f, SUNDOG_REG_COMMIT(0), i);
        if (i % 5 == 0) {
            qtest_clock_step(f.qts, 100000);
        }
    }
    count = rd64(&f, SUNDOG_REG_VBLANK_COUNT(0));
    g_assert_cmpuint(count, <=, (clock_now(&f) - begin) / 1000000);
    g_assert_cmpuint(count, >=, (clock_now(&f) - begin) / 1000000 - 20);
    qtest_clock_step(f.qts, 100000000000);
    /* This includes the vblank of the last commit. */
    g_assert_cmpuint(rd64(&f, SUNDOG_REG_VBLANK_COUNT(0)), ==, count + 100);
    stop(&f);
}

/* A model of the rules above, independent of the device's implementation. */
typedef struct Model {
    bool on;
    uint64_t count;             /* vblanks */
    uint64_t last;              /* time of the last vblank */
    uint32_t period, longest;
    bool waits;                 /* a commit is pending until due */
    uint64_t due;
    uint32_t next_period, next_longest;
    bool next_on;
    uint32_t token, next_token;
} Model;

static void model_take(Model *m)
{
    m->waits = false;
    m->on = m->next_on;
    m->period = m->next_period;
    m->longest = m->next_longest;
    m->token = m->next_token;
}

/* Runs the model up to NOW, vblank by vblank. */
static void model_run(Model *m, uint64_t now)
{
    while (m->on) {
        const uint64_t next = m->last + m->longest;

        if (m->waits && m->due <= next && m->due <= now) {
            m->last = m->due;
            m->count++;
            model_take(m);
        } else if (next <= now) {
            m->last = next;
            m->count++;
        } else {
            break;
        }
    }
}

static void model_commit(Model *m, uint64_t now, bool async)
{
    if (!m->on) {
        m->count = 0;
        m->last = now;
        model_take(m);
    } else if (async) {
        model_take(m);
        if (m->on && now - m->last >= m->longest) {
            m->last = now;
            m->count++;
        }
    } else if (!m->waits) {
        m->waits = true;
        m->due = MAX(now, m->last + m->period);
    }
    model_run(m, now);
}

static uint32_t below(uint32_t n)
{
    return g_test_rand_int_range(0, n);
}

/* Steps the clock, often by less and often by more than the minimum period. */
static void step_somewhere(Fixture *f, const Model *m)
{
    static const uint32_t edges[] = { 1, PERIOD - 1, PERIOD, PERIOD + 1 };

    switch (below(4)) {
    case 0:
        qtest_clock_step(f->qts, edges[below(ARRAY_SIZE(edges))]);
        break;
    case 1:
        qtest_clock_step(f->qts, 1 + below(4 * LONGEST));
        break;
    default:
        qtest_clock_step(f->qts, 1 + below(PERIOD));
        break;
    }
}

static void commit_something(Fixture *f, Model *m, uint32_t token)
{
    const bool async = below(8) == 0;
    uint32_t control = 0;

    m->next_on = below(10) != 0;
    m->next_period = PERIOD - below(4) * (PERIOD / 4);
    m->next_longest = m->next_period + (below(3) ? below(2 * PERIOD) : 0);
    m->next_token = token;
    if (m->next_on) {
        control |= CONTROL_ON;
    }
    if (async) {
        control |= SUNDOG_HEAD_CONTROL_ASYNC;
    }
    if (below(2)) {
        control |= SUNDOG_HEAD_CONTROL_VBLANK_IRQ;
    }
    wr(f, SUNDOG_REG_HEAD_CONTROL(0), control);
    wr(f, SUNDOG_REG_HEAD_PERIOD(0), m->next_period);
    wr(f, SUNDOG_REG_HEAD_PERIOD_MAX(0),
       m->next_longest == m->next_period && below(2) ? 0 : m->next_longest);
    wr(f, SUNDOG_REG_COMMIT(0), token);
    model_commit(m, clock_now(f), async);
}

static void test_anything(void)
{
    Model m = {};
    Fixture f;

    start(&f, "");
    set_mode(&f, CONTROL_ON, 64, 64, 0);
    for (uint32_t i = 1; i < 3000; i++) {
        commit_something(&f, &m, i);
        if (below(2)) {
            check(&f, m.count, m.last, m.token);
        }
        if (below(4)) {
            step_somewhere(&f, &m);
        }
        model_run(&m, clock_now(&f));
        if (below(4)) {
            check(&f, m.count, m.last, m.token);
        }
    }
    stop(&f);
}

void add_vrr_tests(void)
{
    qtest_add_func("/sundog/vrr/idle", test_idle);
    qtest_add_func("/sundog/vrr/late", test_late);
    qtest_add_func("/sundog/vrr/early", test_early);
    qtest_add_func("/sundog/vrr/joined", test_joined);
    qtest_add_func("/sundog/vrr/interrupts", test_interrupts);
    qtest_add_func("/sundog/vrr/toggled", test_toggled);
    qtest_add_func("/sundog/vrr/off-and-on", test_off_and_on);
    qtest_add_func("/sundog/vrr/async", test_async);
    qtest_add_func("/sundog/vrr/crc", test_crc);
    qtest_add_func("/sundog/vrr/bounds", test_bounds);
    qtest_add_func("/sundog/vrr/flood", test_flood);
    qtest_add_func("/sundog/vrr/anything", test_anything);
}
