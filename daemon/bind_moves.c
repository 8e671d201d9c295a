/* SPDX-License-Identifier: Apache-2.0 */
/* What placing anew changes, axis by axis. */
#include <inttypes.h>
#include <string.h>

#include "daemon/bind_parts.h"

/* Rows of one axis count together. */
static int count_axes(const struct place_request *request,
                      const struct replacement *replacement,
                      struct bound_moves *moves, struct arena *arena)
{
    moves->axes = arena_array(arena, request->n_axes + 1, sizeof(char *));
    moves->rebuilt =
        arena_array(arena, request->n_axes + 1, sizeof(*moves->rebuilt));
    if (moves->axes == NULL || moves->rebuilt == NULL)
        return -1;
    for (size_t i = 0; i < request->n_axes; i++) {
        size_t k = 0;

        while (k < moves->n_axes &&
               strcmp(moves->axes[k], request->axes[i].name) != 0)
            k++;
        if (k == moves->n_axes) {
            moves->axes[moves->n_axes] =
                arena_strdup(arena, request->axes[i].name);
            if (moves->axes[moves->n_axes++] == NULL)
                return -1;
        }
        moves->rebuilt[k] += replacement->rebuilt[i];
    }
    return 0;
}

static const char *say_moves(const struct bound_moves *moves,
                             struct arena *arena)
{
    struct text text = { 0 };
    const char *say;

    if (moves->n_moved == 0)
        text_put(&text, "no rank moves");
    else
        text_printf(&text, "%" PRIu32 " rank%s", moves->n_moved,
                    moves->n_moved == 1 ? " moves" : "s move");
    if (moves->n_new > 0)
        text_printf(&text, ", %" PRIu32 " %s new", moves->n_new,
                    moves->n_new == 1 ? "is" : "are");
    for (size_t i = 0; moves->n_moved + moves->n_new > 0 && i < moves->n_axes;
         i++)
        text_printf(&text, ", %" PRIu32 " %s group%s rebuilt",
                    moves->rebuilt[i], moves->axes[i],
                    moves->rebuilt[i] == 1 ? "" : "s");
    say = arena_strdup(arena, text_string(&text));
    text_close(&text);
    return say;
}

const struct bound_moves *bind_moves(const struct place_request *request,
                                     const struct replacement *replacement,
                                     struct arena *arena)
{
    struct bound_moves *moves = arena_alloc(arena, sizeof(*moves));

    if (moves == NULL)
        return NULL;
    *moves = (struct bound_moves){ .n_moved = replacement->n_moved,
                                   .n_new = replacement->n_new };
    if (count_axes(request, replacement, moves, arena) < 0)
        return NULL;
    moves->say = say_moves(moves, arena);
    return moves->say != NULL ? moves : NULL;
}
