/* SPDX-License-Identifier: Apache-2.0 */
/* The state, as the files state*.c share it. Private to them. */
#ifndef SERRIED_DAEMON_STATE_PARTS_H
#define SERRIED_DAEMON_STATE_PARTS_H

#include "daemon/state.h"

struct state {
    struct daemon *daemon;
    struct catalog *catalog;
    struct declared_set declared;
    struct index forces; /* struct force */
    struct index lives;  /* struct live */
    struct index ended;  /* struct port_ended */
    struct prepared *prepared;
    uint64_t last_ticket;
    struct index answers; /* struct kept_answer */
    struct store_pos pos;
    struct event_ring events;
    struct event_load *load; /* fills it at the start; may be NULL */
    struct writes *writes;
    struct watches *watches;
    struct boots *boots;
    struct inventory *inventory;
    struct arena *scratch; /* NULL: not needed yet */
    struct audit *audit;
    void (*ready)(void *arg, const struct error *err);
    void *ready_arg;
    void (*changed)(void *arg);
    void *changed_arg;
};

/* A record of a model or runtime, or of a placement, as it is now. */
void state_follow_declaration(struct state *state,
                              const struct store_record *record);
void state_follow_placement(struct state *state,
                            const struct store_record *record);

void state_forget_declarations(struct state *state);
void state_forget_placements(struct state *state);

#endif
