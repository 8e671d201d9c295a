/* SPDX-License-Identifier: Apache-2.0 */
/* What valid YAML may still not hold: tags, anchors, lost quotes, twice a key.
 */
#ifndef SERRIED_PROTO_DOCUMENT_CHECK_H
#define SERRIED_PROTO_DOCUMENT_CHECK_H

#include <yaml.h>

#include "base/tree.h"
#include "proto/document_place.h"

/* All return 0, or -1 with err set. */

/* Refuses a tag or an anchor on the event of a scalar, list or map. */
int check_properties(const struct source *source, struct cursor *cursor,
                     const yaml_event_t *event, struct error *err);

/* The same of a scalar event, and a NUL in it, and what is left of an
 * expression that flow style (in_brackets) has cut apart. */
int check_scalar(const struct source *source, struct cursor *cursor,
                 const yaml_event_t *event, bool in_brackets,
                 struct error *err);

/* Whether the name of a key can stand: not empty, not too long, no merge key,
 * no half of an expression. place: of its content. */
int check_key(const struct source *source, struct place place,
              const yaml_event_t *event, struct error *err);

/* Refuses a key that stands twice. O(n log n) whatever the keys. */
int check_duplicates(const struct source *source, const struct tree *map,
                     struct error *err);

/* Whether a scalar event has no quotes and is no block. */
bool check_is_plain(const yaml_event_t *event);

#endif
