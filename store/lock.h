/* SPDX-License-Identifier: Apache-2.0 */
/* Holding a state alone. */
#ifndef SERRIED_STORE_LOCK_H
#define SERRIED_STORE_LOCK_H

#include "base/error.h"

/* Locks path (made when missing, mode 0600) for this opening of it, until
 * *ret_fd is closed; the file stays, for removing it would let two others lock
 * different files of that name. It holds the process' number.
 *   STATUS_UNAVAILABLE  held by another, which is named, or not writable */
int lock_take(const char *path, int *ret_fd, struct error *err);

#endif
