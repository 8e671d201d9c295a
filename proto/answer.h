/* SPDX-License-Identifier: Apache-2.0 */
/* Checking documents: from a request's text to the answer's. */
#ifndef SERRIED_PROTO_ANSWER_H
#define SERRIED_PROTO_ANSWER_H

#include "placement/suggest.h"
#include "placement/verdict.h"
#include "proto/catalog.h"

enum {
    /* One request: its document, its check and its answer. A request of a
     * million listed ranks needs 8 bytes a rank in the check and about 150 in
     * its document and answer. */
    ANSWER_BYTES_MAX = 1 << 30,
};

/* Outcome of a check, for exit codes. */
struct answer {
    struct tree *tree;   /* the verdict object */
    struct check *check; /* everything behind it; NULL: refused before
                                  there was a runtime to check under */
    const struct deployment *deployment; /* as check */
    bool accepts;
    bool unchecked; /* some rule could not be judged */
};

/* Checks one deployment document and makes its answer, in arena. An unknown
 * model is a verdict, not an error.
 *   map   the answer is added to it; NULL: a new one
 *   STATUS_INVALID       the document cannot be read
 *   STATUS_UNKNOWN_NAME  no such runtime, list or layer
 *   STATUS_EXHAUSTED     over ANSWER_BYTES_MAX */
int answer_check(struct catalog *catalog, const struct tree *document,
                 const struct verdict_wants *wants, struct arena *arena,
                 struct tree *map, struct answer *ret, struct error *err);

/* Checks what was loaded already, up to what is wanted; the rest as
 * answer_check(). */
int answer_question(const struct question *question,
                    const struct verdict_wants *wants, struct arena *arena,
                    struct tree *map, struct answer *ret, struct error *err);

/* Ranks the valid requests that a deployment document leaves open, as
 * suggest(), and writes them into a map.
 *   *ret_valid  how many there are
 *   STATUS_INVALID       the document cannot be read
 *   STATUS_UNKNOWN_NAME  no such model or runtime
 *   STATUS_EXHAUSTED     over ANSWER_BYTES_MAX */
int answer_suggest(struct catalog *catalog, const struct tree *document,
                   const struct suggest_wants *wants, struct arena *arena,
                   struct tree **ret, size_t *ret_valid, struct error *err);

/* Reads the word of an objective; NULL: the default one.
 *   STATUS_UNKNOWN_NAME  none has this word */
int answer_objective(const char *word, enum objective *ret, struct error *err);

/* Answers one line of a batch (JSON text) with one line of JSON, without its
 * newline: {"id", "declare": [...], "deployment": {...}, "lists": [...],
 * "per_rank": true, "creation": true, "rank": N, "up_to": LAYER}, or "mesh":
 * {"axes": [{"name", "size"}]} in place of the deployment. What cannot be read
 * is answered with
 * {"id", "error": {"status", "message"}}; so this never fails but for memory.
 * *ret_status: STATUS_OK, STATUS_REFUSED, or what the error was. */
int answer_line(struct catalog *catalog, const char *line, size_t len,
                struct text *out, enum status *ret_status, struct error *err);

/* Views and groups of bare axes, outermost first: {"world", "derived",
 * "lists"}.
 *   n       axes
 *   wants   lists: names to show ("tp", "cfg+tp"), none: every single axis;
 *           per_rank: also {"per_rank": {axis: [coordinate of each rank]}}
 *   STATUS_INVALID       a size below 1
 *   STATUS_EXHAUSTED     more than VIEW_SPAN_MAX ranks
 *   STATUS_UNKNOWN_NAME  a list over an axis that is not there */
int answer_mesh_axes(const char *const *names, const int64_t *sizes, int n,
                     const struct verdict_wants *wants,
                     struct tree_maker *maker, struct tree *map,
                     struct error *err);

#endif
