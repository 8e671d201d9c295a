/* SPDX-License-Identifier: Apache-2.0 */
/* A placement as the daemon holds it: decided, laid out, ready to be asked. */
#ifndef SERRIED_DAEMON_LIVE_H
#define SERRIED_DAEMON_LIVE_H

#include "daemon/declared.h"
#include "daemon/port.h"
#include "proto/answer.h"
#include "proto/codec.h"
#include "store/store.h"

struct bound;
struct bound_moves;
struct inventory;

/* Everything in memory about one placement. */
struct live {
    const char *name; /* first, for the index */
    struct store_pos generation;
    uint64_t rev;        /* of its record: what a change must have seen */
    struct arena *arena; /* of all below, but for what is counted */
    struct declared *runtime, *model; /* held; model may be NULL */
    const char *document;             /* text of the deployment */
    size_t document_len;
    const struct deployment *deployment;
    struct check *check; /* NULL: its record cannot be read any more */
    struct assignment_common common;
    int64_t time_ms;
    const char *who;
    struct bound *bound; /* its devices; NULL: bound to none */
    /* what was changed by placing it anew; NULL: nothing, or not known any more
     */
    const struct bound_moves *moves;
    struct port_leases ports;
    bool decided_here; /* by this process, which so knows all its workers */
};

/* What a placement is decided on. */
struct live_request {
    const char *document; /* text of the deployment */
    size_t document_len;
    const char *source; /* file it stood in, for messages; may be NULL */
    uint32_t line;      /* of its first line there */
    struct declared *runtime, *model; /* borrowed; held by what is made */
    const char *who;
    int64_t time_ms;
    struct arena *arena; /* that live_read() made; NULL: not read yet */
    const struct tree *tree;
};

/* Reads the document, for who has to look at it first; the request then speaks
 * of the copy in its arena, which live_load() takes and else the caller frees.
 *   STATUS_INVALID    it cannot be read
 *   STATUS_EXHAUSTED  no memory, or reading takes more than bytes_max */
int live_read(struct live_request *request, size_t bytes_max,
              struct error *err);

/* Reads a deployment, which is not decided yet; all it needs for that is copied
 * or held. NULL: as live_new(), but not STATUS_REFUSED. */
struct live *live_load(struct declared_set *set,
                       const struct live_request *request, struct error *err);

/* Places in all its groups: what deciding it takes time for. */
size_t live_ranks(const struct live *live);

/* Decides what was loaded and lays it out, once, on any thread. Errors as of
 * live_new(); it stays the caller's. */
int live_judge(struct live *live, char **ret_findings, struct error *err);

/* Decides a deployment and lays it out. The placement is freed by live_free().
 * Returns NULL:
 *   STATUS_REFUSED    by rules; *ret_findings is the verdict's JSON, to be
 *                     freed by free()
 *   STATUS_INVALID    the document cannot be read
 *   STATUS_EXHAUSTED  no memory, or over the bounds of an assignment */
struct live *live_new(struct declared_set *set,
                      const struct live_request *request, char **ret_findings,
                      struct error *err);
void live_free(struct declared_set *set, struct live *live); /* NULL: nothing */

/* The verdict of a placement as JSON, with what there is to say of its devices;
 * to be freed by free(). NULL: no memory. */
char *live_verdict(const struct live *live, struct inventory *inventory);

/* The same with what is wanted beside it.
 *   STATUS_UNKNOWN_NAME  a list is not known to its runtime
 *   STATUS_EXHAUSTED     no memory, or over ANSWER_BYTES_MAX */
char *live_verdict_with(const struct live *live, struct inventory *inventory,
                        const struct verdict_wants *wants, struct error *err);

/* The record a placement is kept as, packed; to be freed by free(). NULL:
 * no memory. */
uint8_t *live_record(const struct live *live, size_t *ret_len);

/* The placement that a record stands for. NULL as live_new(), where
 * STATUS_REFUSED means that this program judges otherwise than the one that
 * decided. */
struct live *live_of_record(struct declared_set *set,
                            struct inventory *inventory,
                            const struct store_record *record,
                            struct error *err);

/* What stands for a record that cannot be read: a name and a revision, so that
 * it can be replaced or released, and the devices that it holds until then.
 * NULL: no memory. */
struct live *live_broken(struct inventory *inventory,
                         const struct store_record *record);

#endif
