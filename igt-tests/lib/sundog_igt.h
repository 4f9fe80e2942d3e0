/* SPDX-License-Identifier: MIT */
/*
 * The test harness: IGT's headers where they are installed (HAVE_IGT), else declarations of the
 * part of libigt.so.0 that these tests use, with macros of our own on top. Debian ships the library
 * without headers.
 */
#ifndef SUNDOG_IGT_H
#define SUNDOG_IGT_H

#ifdef HAVE_IGT
#include <igt.h>
#else

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option;

enum igt_log_level { IGT_LOG_DEBUG, IGT_LOG_INFO, IGT_LOG_WARN, IGT_LOG_CRITICAL };

extern jmp_buf igt_subtest_jmpbuf;

int igt_subtest_init_parse_opts(int *argc, char **argv, const char *short_opts,
				const struct option *long_opts, const char *help,
				int (*handler)(int opt, int index, void *data), void *data);
_Noreturn void igt_exit(void);
bool __igt_fixture(void);
void __igt_fixture_complete(void);
bool __igt_run_subtest(const char *name, const char *file, int line);
void igt_success(void);
void igt_describe_f(const char *format, ...) __attribute__((format(printf, 1, 2)));
void igt_log(const char *domain, enum igt_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void __igt_fail_assert(const char *domain, const char *file, int line, const char *func,
				 const char *assertion, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
_Noreturn void __igt_skip_check(const char *file, int line, const char *func, const char *check,
				const char *format, ...) __attribute__((format(printf, 5, 6)));
bool __igt_fork(void);
void igt_waitchildren(void);
/* Calls @handler at the end of the test, with 0 or with the number of the signal that ends it. */
void igt_install_exit_handler(void (*handler)(int sig));

/* Fixtures and subtests are loops of one iteration; the library leaves them by siglongjmp(). */
#define igt_fixture() \
	for (volatile int fixture_round = 0; \
	     !fixture_round && __igt_fixture() && !sigsetjmp(igt_subtest_jmpbuf, 1); \
	     fixture_round = 1, __igt_fixture_complete())

#define igt_subtest(name) \
	for (; __igt_run_subtest(name, __FILE__, __LINE__) && !sigsetjmp(igt_subtest_jmpbuf, 1); \
	     igt_success())

#define igt_main() \
	static void subtests(void); \
	int main(int argc, char **argv) \
	{ \
		igt_subtest_init_parse_opts(&argc, argv, NULL, NULL, NULL, NULL, NULL); \
		subtests(); \
		igt_exit(); \
	} \
	static void subtests(void)

#define IGT_TEST_DESCRIPTION(text) const char *__igt_test_description = text
#define igt_describe(text) igt_describe_f("%s", text)
#define igt_info(...) igt_log(NULL, IGT_LOG_INFO, __VA_ARGS__)

#define igt_assert_f(condition, ...) \
	do { \
		if (!(condition)) \
			__igt_fail_assert(NULL, __FILE__, __LINE__, __func__, #condition, \
					  __VA_ARGS__); \
	} while (0)

#define igt_assert(condition) \
	do { \
		if (!(condition)) \
			__igt_fail_assert(NULL, __FILE__, __LINE__, __func__, #condition, NULL); \
	} while (0)

#define assert_compare(a, op, b, type, format) \
	do { \
		type left = (a), right = (b); \
		if (!(left op right)) \
			__igt_fail_assert(NULL, __FILE__, __LINE__, __func__, #a " " #op " " #b, \
					  "error: " format " !" #op " " format "\n", left, right); \
	} while (0)

#define igt_assert_eq(a, b) assert_compare(a, ==, b, int, "%d")
#define igt_assert_neq(a, b) assert_compare(a, !=, b, int, "%d")
#define igt_assert_eq_u32(a, b) assert_compare(a, ==, b, unsigned int, "%#x")
#define igt_assert_neq_u32(a, b) assert_compare(a, !=, b, unsigned int, "%#x")
#define igt_assert_eq_u64(a, b) assert_compare(a, ==, b, unsigned long long, "%#llx")

#define igt_require(condition) \
	do { \
		if (!(condition)) \
			__igt_skip_check(__FILE__, __LINE__, __func__, #condition, NULL); \
	} while (0)

/* A child exits at the end of the block. igt_waitchildren() fails if a child failed. */
#define igt_fork(child, count) \
	for (int child = 0; child < (count); child++) \
		for (; __igt_fork(); exit(0))

#endif
#endif
