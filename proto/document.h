/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as text: YAML and JSON into neutral trees, and back. */
#ifndef SERRIED_PROTO_DOCUMENT_H
#define SERRIED_PROTO_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/tree.h"

/* Bounds of what is read. What is beyond one is STATUS_INVALID. */
enum {
    DOCUMENT_BYTES_MAX = 8 << 20, /* of one text, checked before parsing */
    DOCUMENT_DEPTH_MAX = 64,      /* lists and maps inside one another */
    DOCUMENT_COUNT_MAX = 1024,    /* documents of one text */
    DOCUMENT_KEY_MAX = 256,       /* bytes of one key */
    /* Values of one text. A list of a million ranks fits; 2 Mi nodes of 96
     * bytes and as many texts of 16: 224 MiB of the arena, which has a cap of
     * its own. */
    DOCUMENT_NODES_MAX = 2 << 20,
};

/* All readers: text is len bytes of UTF-8 and is not kept; a byte order mark at
 * its start is passed over. source_name (copied; may be NULL) is the file in
 * messages and in tree.source. The trees live in arena. Statuses:
 *   STATUS_INVALID    "FILE: line L, column C: what is wrong; what is right".
 *                     Columns count characters
 *   STATUS_EXHAUSTED  the arena is at its cap, or memory ran out
 * No value holds a NUL; no number is infinite or NaN; no key is empty or stands
 * twice in a map. Integers beyond 64 bits are refused, never rounded. */

/* Reads the documents of a YAML stream: a TREE_LIST of at least one. Each
 * document is a child of that list but has no parent, so that paths in messages
 * start inside it.
 *
 * Plain scalars are typed as in the core schema of YAML 1.2, all others are
 * strings; numbers also keep their text as written. Keys are always strings (a
 * plain `4:` is "4"). Refused are tags, anchors, aliases, merge keys, empty
 * plain values, and expressions that YAML would take apart for want of quotes.
 *
 * line and column are those of the content's first character: behind an opening
 * quote, and in the first line that holds content of a block scalar. */
int document_read_yaml(struct arena *arena, const char *source_name,
                       const char *text, size_t len,
                       struct tree **ret_documents, struct error *err);

/* Reads one JSON value with nothing after it. Lines and columns of its nodes
 * are 0, and the text of a number is the shortest that reads back the same. */
int document_read_json(struct arena *arena, const char *source_name,
                       const char *text, size_t len, struct tree **ret_document,
                       struct error *err);

/* Reads a TOML text (1.0; dates are strings). Besides the above:
 *   STATUS_INVALID  more than 1 MiB, or more than 1,024 keys in a table */
int document_read_toml(struct arena *arena, const char *source_name,
                       const char *text, size_t len, struct tree **ret_document,
                       struct error *err);

/* Reads a file, "-" being standard input: JSON if its name ends in .json, TOML
 * if it ends in .toml (a list of one document each), else YAML. A regular file
 * over DOCUMENT_BYTES_MAX is refused unread, a pipe after that many bytes.
 * Blocks. Besides the above:
 *   STATUS_UNKNOWN_NAME  there is no such file
 *   STATUS_INVALID       it is a directory or may not be read */
int document_read_file(struct arena *arena, const char *path,
                       struct tree **ret_documents, struct error *err);

/* What messages call a file: its path, or "standard input" for "-". */
const char *document_source_name(const char *path);

/* Appends a file, "-" being standard input, as it is, to out, which holds a
 * part of it after a failure. Bounds and statuses as document_read_file(). */
int document_read_bytes(const char *path, struct text *out, struct error *err);

/* Reads a file, "-" being standard input, as it is, into arena; *ret_text is
 * ended by a NUL besides. Bounds and statuses as document_read_file(). */
int document_read_text(struct arena *arena, const char *path,
                       const char **ret_text, size_t *ret_len,
                       struct error *err);

/* Append tree to out; reading the result gives an equal tree (places and the
 * spelling of numbers aside). Return -1, with out as before, when memory ran
 * out, or when a string is not UTF-8 or a number not finite.
 *
 * JSON: on one line without spaces, or pretty: indented by two. No newline at
 * the end. */
int document_write_json(const struct tree *tree, bool pretty, struct text *out);

/* YAML: one document without markers; lists of scalars on one line, strings
 * quoted where they would read as something else. */
int document_write_yaml(const struct tree *tree, struct text *out);

/* Reads a text that is a part of a file and holds exactly one YAML or JSON
 * document; messages name the place in the file.
 *   line  of the text's first line in the file, from 1; 0 counts as 1
 *   STATUS_INVALID  also: more than one document
 *   others as document_read_yaml() */
int document_read_one(struct arena *arena, const char *source_name,
                      uint32_t line, const char *text, size_t len,
                      const struct tree **ret_document, struct error *err);

#endif
