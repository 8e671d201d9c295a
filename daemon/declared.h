/* SPDX-License-Identifier: Apache-2.0 */
/* Models and runtimes as they were declared, shared by their hash. */
#ifndef SERRIED_DAEMON_DECLARED_H
#define SERRIED_DAEMON_DECLARED_H

#include "daemon/index.h"
#include "placement/digest.h"
#include "proto/catalog.h"
#include "proto/serried.pb-c.h"

enum {
    /* A declaration of 1 MiB takes up to 60 MiB as a tree and loaded. */
    DECLARED_BYTES_MAX = 128 << 20,
};

/* One text, loaded. Counted: the catalog holds it while it is in force, every
 * placement that was decided on it as long as it lives. */
struct declared {
    const char *key; /* kind and hash; first, for the index */
    enum document_kind kind;
    const char *name; /* it declares */
    char hash[DIGEST_HEX];
    char *text;
    size_t len;
    const void *loaded; /* struct runtime or struct model */
    struct arena *arena;
    int holders;
};

/* All that are held, by kind and hash. */
struct declared_set {
    struct index index;
};

/* The declaration with this text, loaded now or held already; held once more
 * for the caller.
 *   source, line  where the text stood, for messages; NULL, 1: not known
 *   STATUS_INVALID    it cannot be read, or declares neither
 *   STATUS_EXHAUSTED  over DECLARED_BYTES_MAX, or no memory */
struct declared *declared_hold(struct declared_set *set, const char *text,
                               size_t len, const char *source, uint32_t line,
                               struct error *err);

/* The declaration of this kind and hash, held once more; NULL: none is held. */
struct declared *declared_find(struct declared_set *set,
                               enum document_kind kind, const char *hash);

/* Lets go; the last holder frees it. NULL is allowed. */
void declared_drop(struct declared_set *set, struct declared *declared);

/* "model", "runtime"; and back: -1 for another word. */
const char *declared_kind_name(enum document_kind kind);
int declared_kind(const char *name, enum document_kind *ret);

#endif
