/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, and the one sentence that says why something failed. */
#ifndef SERRIED_BASE_ERROR_H
#define SERRIED_BASE_ERROR_H

#include <stdbool.h>

/* Every status the program can return: name, wire number and name (gRPC's),
 * exit code of serry, whether the same request may be sent again. */
/* clang-format off */
#define STATUS_LIST(X)                                       \
    X(OK,            0, "OK",                   0, false)    \
    X(INVALID,       3, "INVALID_ARGUMENT",    65, false)    \
    X(DEADLINE,      4, "DEADLINE_EXCEEDED",    5, true)     \
    X(UNKNOWN_NAME,  5, "NOT_FOUND",           66, false)    \
    X(ALREADY_EXISTS,6, "ALREADY_EXISTS",       4, false)    \
    X(DENIED,        7, "PERMISSION_DENIED",   77, false)    \
    X(EXHAUSTED,     8, "RESOURCE_EXHAUSTED",   3, true)     \
    X(REFUSED,       9, "FAILED_PRECONDITION",  2, false)    \
    X(LOST,         10, "ABORTED",              4, true)     \
    X(UNIMPLEMENTED,12,"UNIMPLEMENTED",       70, false)    \
    X(INTERNAL,     13, "INTERNAL",            70, false)    \
    X(UNAVAILABLE,  14, "UNAVAILABLE",          5, true)
/* clang-format on */

enum status {
#define X(name, wire, wire_name, exit_code, retry) STATUS_##name = wire,
    STATUS_LIST(X)
#undef X
};

/* Filled by the callee on failure only; text is one sentence without a full
 * stop, in UTF-8, fit to show to a user as it is. */
struct error {
    enum status status;
    char text[512];
};

/* Fills err (which may be NULL) and returns -1, so that a failing function
 * ends in `return error_set(err, ...)`. Text that does not fit is cut. */
int error_set(struct error *err, enum status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "what: " in front of the text already in err; returns -1. */
int error_wrap(struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* error_set() for an arena at its cap or memory that ran out. */
int error_exhausted(struct error *err);

/* The status' name in gRPC's spelling, "INVALID_ARGUMENT". */
const char *status_name(enum status status);

/* What serry exits with when this status ends it. */
int status_exit_code(enum status status);

#endif
