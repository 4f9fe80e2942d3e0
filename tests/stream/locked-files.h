/* SPDX-License-Identifier: MIT */
/*
 * Eventfds whose last close() blocks, for the hostile peers of the renderer: members of an epoll
 * set whose lock this process holds until it ends. epoll_wait() copies events to user memory under
 * the lock, here to a page that is missing (userfaultfd) and that nobody supplies. A query of the
 * type of the set and the close() of the last descriptor of a file in it block on that lock.
 */
#ifndef TESTS_LOCKED_FILES_H
#define TESTS_LOCKED_FILES_H

#include <stdbool.h>

/* Returns false if the process may not use userfaultfd. */
bool locked_files_work(void);

/*
 * Stores @n such eventfds in @fds. Returns the epoll set. Exits on errors. Called once; after that
 * seteuid() would wait for the thread that holds the lock, for ever.
 */
int locked_files_new(int *fds, int n);

#endif
