/* SPDX-License-Identifier: Apache-2.0 */
/* Small things that several handlers do with requests and replies. */
#include "daemon/reply.h"

#include <string.h>

#include "proto/document.h"

/* The one document of a request, read into the call's arena; NULL on failure.
 */
const struct tree *reply_read_document(struct call *call,
                                       const Serried__V1__Document *document,
                                       struct error *err)
{
    struct tree *documents;

    if (document == NULL || document->text == NULL) {
        error_set(err, STATUS_INVALID, "the request has no document");
        return NULL;
    }
    if (document_read_yaml(call_arena(call), document->source, document->text,
                           strlen(document->text), &documents, err) < 0)
        return NULL;
    if (tree_count(documents) != 1) {
        error_set(err, STATUS_INVALID, "%zu documents; a call has one",
                  tree_count(documents));
        return NULL;
    }
    return tree_first(documents);
}
