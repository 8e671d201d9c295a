/* SPDX-License-Identifier: Apache-2.0 */
/* Events, as events and watch print them. */
#ifndef SERRIED_CLIENT_EVENTS_H
#define SERRIED_CLIENT_EVENTS_H

#include "client/live.h"

/* Adds an event to a list, or makes it a document of its own (list NULL). */
struct tree *event_make(struct tree_maker *maker, struct tree *list,
                        const struct serry_event *event);

/* Prints one event: a line, or a document. */
int event_print(struct live *live, const struct serry_event *event,
                struct error *err);

#endif
