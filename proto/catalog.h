/* SPDX-License-Identifier: Apache-2.0 */
/* The runtimes and models that are known, loaded when first asked for. */
#ifndef SERRIED_PROTO_CATALOG_H
#define SERRIED_PROTO_CATALOG_H

#include "placement/model.h"
#include "placement/runtime.h"

enum {
    CATALOG_ENTRIES_MAX = 4096,
};

/* What a document declares. */
enum document_kind {
    DOCUMENT_DEPLOYMENT,
    DOCUMENT_RUNTIME,
    DOCUMENT_MODEL,
    DOCUMENT_CLUSTER,
};

/* The kind of a document by its keys (design: with deployment, node_groups or
 * world, or model with max_seq_len, a deployment; else with axes, rules or
 * views a runtime; else with nodes, walks or facts a model; else with hosts a
 * cluster).
 *   STATUS_INVALID  none of these; or not a map */
int document_kind(const struct tree *document, enum document_kind *ret,
                  struct error *err);

/* Known declarations by kind and name. A later one of the same name replaces an
 * earlier one. */
struct catalog;

/* Makes a catalog of the declarations that the program carries. folder (may be
 * NULL): holds runtimes/NAME.yaml and models/NAME.yaml that replace them.
 *   STATUS_INVALID    a file of folder cannot be read as what it should be
 *   STATUS_EXHAUSTED  no memory */
struct catalog *catalog_new(const char *folder, struct error *err);
void catalog_free(struct catalog *catalog); /* NULL is allowed */

/* A catalog that adds to base for a while (the declarations of one batch line)
 * and must not outlive it. */
struct catalog *catalog_over(struct catalog *base, struct error *err);

/* Adds a runtime or model document; loads it, so that every mistake is found.
 * The document is borrowed for the life of the catalog.
 *   STATUS_INVALID    it cannot be loaded, or is neither
 *   STATUS_EXHAUSTED  too many, or no memory */
int catalog_add(struct catalog *catalog, const struct tree *document,
                struct error *err);

/* Puts a loaded runtime or model (of kind) in force under a name, in front of
 * one that was known; it is borrowed until it is unset. NULL as `loaded` unsets
 * it: the shipped one, if any, is in force again.
 *   STATUS_EXHAUSTED  too many */
int catalog_set(struct catalog *catalog, enum document_kind kind,
                const char *name, const void *loaded, struct error *err);

/* The text of a declaration that the program carries; NULL: it carries none of
 * this name. */
const char *catalog_shipped(const struct catalog *catalog,
                            enum document_kind kind, const char *name,
                            size_t *ret_len);

/* The runtime or model with this name.
 *   STATUS_UNKNOWN_NAME  none; the text names the nearest
 *   others as runtime_load(), model_load() */
const struct runtime *catalog_runtime(struct catalog *catalog, const char *name,
                                      struct error *err);
const struct model *catalog_model(struct catalog *catalog, const char *name,
                                  struct error *err);

/* Names of all models (or runtimes), sorted; the array lives as long as the
 * catalog and until something is added. */
const char *const *catalog_models(struct catalog *catalog, size_t *ret_n);
const char *const *catalog_runtimes(struct catalog *catalog, size_t *ret_n);

#endif
