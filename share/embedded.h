/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations that are shipped inside the programs. */
#ifndef SERRIED_SHARE_EMBEDDED_H
#define SERRIED_SHARE_EMBEDDED_H

#include <stddef.h>

/* One file of share/runtimes or share/models as it was at build time. */
struct embedded_file {
    const char *kind; /* "runtime" or "model" */
    const char *name; /* the file's base name without .yaml */
    const char *text; /* its bytes, then a NUL that len does not count */
    size_t len;
};

/* Sorted by kind, then by name, both in byte order. Constant for the life of
 * the program. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_files_count;

#endif
