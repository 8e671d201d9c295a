/* SPDX-License-Identifier: Apache-2.0 */
/* What a request says of the devices that it wants, beside `links`. */
#include <inttypes.h>

#include "placement/deployment.h"

int deployment_read_wish(struct deployment *dep, struct error *err)
{
    const struct tree *bind = tree_get(dep->document, "bind");
    const struct tree *shared = tree_get(dep->document, "shared");
    const struct tree *spares = tree_get(dep->document, "spares");

    dep->wish.unbound = bind != NULL && !bind->u.boolean;
    dep->wish.shared = shared != NULL && shared->u.boolean;
    if (spares == NULL)
        return 0;
    if (spares->u.integer < 0 || spares->u.integer > DEPLOYMENT_RANKS_MAX)
        return tree_error(spares, err, STATUS_INVALID,
                          "%" PRId64 " spares; there may be 0 to %d",
                          spares->u.integer, DEPLOYMENT_RANKS_MAX);
    dep->wish.spares = (uint32_t)spares->u.integer;
    return 0;
}
