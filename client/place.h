/* SPDX-License-Identifier: Apache-2.0 */
/* Placing a deployment of the command line, and saying so. */
#ifndef SERRIED_CLIENT_PLACE_H
#define SERRIED_CLIENT_PLACE_H

#include "client/live.h"
#include "client/pieces.h"

/* Places one deployment and prints what became of it. Refused by rules is an
 * outcome: the verdict is printed as check prints it, and *ret_exit is
 * EXIT_REFUSED. Fails as serry_place() for other reasons. */
int place_piece(struct live *live, const struct piece *piece,
                const struct serry_write *write, int *ret_exit,
                struct error *err);

#endif
