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
    const struct tree *tree;

    if (document == NULL || document->text == NULL) {
        error_set(err, STATUS_INVALID, "the request has no document");
        return NULL;
    }
    if (document_read_one(call_arena(call), document->source, document->line,
                          document->text, strlen(document->text), &tree,
                          err) < 0)
        return NULL;
    return tree;
}
