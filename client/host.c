/* SPDX-License-Identifier: Apache-2.0 */
/* serry host: what there is to place on. */
#include "client/host.h"

#include <inttypes.h>
#include <string.h>

#include "placement/names.h"
#include "placement/topology.h"

enum { HOST_COLUMNS = 8 };

/* ---- showing ------------------------------------------------------------- */

static void make_host(struct tree_maker *maker, struct tree *map,
                      const struct serry_host *host)
{
    const struct tree *document;
    struct tree *placements;
    struct error ignored;

    make_string(maker, map, "name", host->name);
    make_int(maker, map, "index", host->index);
    make_string(maker, map, "state", host->state);
    make_string(maker, map, "why", host->why);
    make_string(maker, map, "who", host->who);
    make_int(maker, map, "since_ms", host->since_ms);
    if (host->machine_id[0] != '\0')
        make_string(maker, map, "machine_id", host->machine_id);
    if (host->boot_id[0] != '\0')
        make_string(maker, map, "boot_id", host->boot_id);
    if (host->seen_ms != 0)
        make_int(maker, map, "seen_ms", host->seen_ms);
    if (host->devices_known) {
        make_int(maker, map, "devices", host->devices);
        make_int(maker, map, "free", host->free);
    }
    make_string(maker, map, "domain", host->domain);
    make_string(maker, map, "rack", host->rack);
    make_int(maker, map, "revision", (int64_t)host->revision);
    placements = make_list(maker, map, "placements");
    for (size_t i = 0; i < host->n_placements; i++)
        make_string(maker, placements, NULL, host->placements[i]);
    make_int(maker, map, "all_placements", (int64_t)host->all_placements);
    if (host->document != NULL &&
        live_json(maker->arena, host->document, &document, &ignored) == 0)
        make_copy(maker, map, "document", document);
}

static const char *join_placements(struct arena *arena,
                                   const struct serry_host *host)
{
    struct text text = { 0 };
    const char *joined;

    for (size_t i = 0; i < host->n_placements; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", host->placements[i]);
    if (host->all_placements > host->n_placements)
        text_printf(&text, " and %zu more",
                    host->all_placements - host->n_placements);
    joined = arena_strdup(arena, text_string(&text));
    text_close(&text);
    return joined != NULL ? joined : "";
}

static const char *say_number(struct arena *arena, bool known, uint32_t n)
{
    const char *said = known ? arena_printf(arena, "%" PRIu32, n) : "?";

    return said != NULL ? said : "";
}

static void fill_row(struct arena *arena, const struct serry_host *host,
                     struct cell *row)
{
    const bool is_ready = strcmp(host->state, "ready") == 0;
    const char *why = arena_printf(arena, "%s%s%s", host->why,
                                   host->why[0] != '\0' ? ", " : "", host->who);

    row[0] = (struct cell){ host->name, STYLE_NAME };
    row[1] = (struct cell){ host->state, is_ready ? STYLE_PLAIN : STYLE_WARN };
    row[2].text = say_number(arena, host->devices_known, host->devices);
    row[3].text = say_number(arena, host->devices_known, host->free);
    row[4].text = host->domain;
    row[5].text = host->rack;
    row[6].text = join_placements(arena, host);
    row[7] = (struct cell){ is_ready || why == NULL ? "" : why, STYLE_DIM };
}

static int show_hosts(struct live *live, const struct serry_host *const *items,
                      size_t n, struct error *err)
{
    static const char *const titles[HOST_COLUMNS] = {
        "host",   "state", "devices",    "free",
        "domain", "rack",  "placements", "why",
    };
    struct cell *cells =
        arena_array(live->v->arena, (n + 1) * HOST_COLUMNS, sizeof(*cells));

    if (cells == NULL)
        return error_exhausted(err);
    for (int c = 0; c < HOST_COLUMNS; c++)
        cells[c] = (struct cell){ titles[c], STYLE_DIM };
    for (size_t i = 0; i < n; i++)
        fill_row(live->v->arena, items[i], cells + (i + 1) * HOST_COLUMNS);
    output_table(&live->v->out, 0, cells, HOST_COLUMNS, n + 1,
                 1u << 2 | 1u << 3);
    return 0;
}

static int write_hosts(struct live *live, const struct serry_host *const *items,
                       size_t n, struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct tree *map, *list;

    if (live->v->out.format == FORMAT_TABLE)
        return show_hosts(live, items, n, err);
    map = make_map(&maker, NULL, NULL);
    list = make_list(&maker, map, "hosts");
    for (size_t i = 0; i < n; i++)
        make_host(&maker, make_map(&maker, list, NULL), items[i]);
    return live_document(live, &maker, map, err);
}

int hosts_list(struct live *live, const char *name, struct error *err)
{
    struct serry_hosts *hosts;
    int rc;

    if (serry_list_hosts(live->client, &name, name != NULL ? 1 : 0, &hosts,
                         &live->err) < 0)
        return live_failed(live, err);
    rc = write_hosts(live, hosts->items, hosts->count, err);
    serry_free(hosts);
    return rc;
}

static int list(struct live *live, int *ret_exit, struct error *err)
{
    (void)ret_exit;
    return hosts_list(live, NULL, err);
}

static int run_list(struct invocation *v)
{
    return live_run(v, list);
}

/* ---- names --------------------------------------------------------------- */

static int add_names(struct arena *arena, const char *operand,
                     struct host_names *to, size_t *cap, struct error *err)
{
    const char *const *names;
    size_t n;

    if (nodelist_expand(arena, operand, &names, &n, err) < 0)
        return error_wrap(err, "%.80s", operand);
    if (n > *cap - to->n) {
        const char **more;

        *cap = *cap * 2 + n;
        more = arena_array(arena, *cap, sizeof(*more));
        if (more == NULL)
            return error_exhausted(err);
        if (to->n > 0)
            memcpy(more, to->names, to->n * sizeof(*more));
        to->names = more;
    }
    memcpy(to->names + to->n, names, n * sizeof(*names));
    to->n += n;
    return 0;
}

int hosts_named(struct live *live, struct host_names *ret, struct error *err)
{
    const struct invocation *v = live->v;
    struct host_names all = { 0 };
    size_t cap = 0;

    for (size_t i = 0; i < v->n_operands; i++)
        if (add_names(v->arena, v->operands[i], &all, &cap, err) < 0)
            return -1;
    *ret = all;
    return 0;
}

/* ---- states -------------------------------------------------------------- */

/* What the word behind "host" gives hosts. */
static const struct {
    const struct command *command;
    const char *state;
} states[] = {
    { &command_host_cordon, "cordoned" },
    { &command_host_uncordon, "ready" },
    { &command_host_drain, "drained" },
    { &command_host_down, "down" },
};

static const char *state_of(const struct command *command)
{
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        if (states[i].command == command)
            return states[i].state;
    return "";
}

/* Each placement once, whichever hosts it is on. */
static void say_leaving(struct output *out, const struct serry_hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        for (size_t k = 0; k < hosts->items[i]->n_placements; k++) {
            const char *name = hosts->items[i]->placements[k];
            bool said = false;

            for (size_t h = 0; h < i && !said; h++)
                for (size_t j = 0; j < hosts->items[h]->n_placements; j++)
                    said |= strcmp(hosts->items[h]->placements[j], name) == 0;
            if (said)
                continue;
            output_put(out, STYLE_WARN, "to move   ");
            output_put(out, STYLE_NAME, name);
            output_put(out, STYLE_PLAIN, "; place it again");
            output_line(out);
        }
    for (size_t i = 0; i < hosts->count; i++) {
        const struct serry_host *host = hosts->items[i];

        if (host->all_placements == host->n_placements)
            continue;
        output_put(out, STYLE_WARN, "to move   ");
        output_printf(out, STYLE_PLAIN, "%zu more of %s",
                      host->all_placements - host->n_placements, host->name);
        output_line(out);
    }
}

static int set_part(struct live *live, const char *state,
                    const char *const *names, size_t n, struct error *err)
{
    struct output *out = &live->v->out;
    struct serry_hosts *hosts;
    int rc = 0;

    if (serry_set_host_state(live->client, names, n, state,
                             option_value(live->v, "why"), NULL, &hosts,
                             &live->err) < 0)
        return live_failed(live, err);
    if (out->format != FORMAT_TABLE) {
        rc = write_hosts(live, hosts->items, hosts->count, err);
    } else {
        for (size_t i = 0; i < hosts->count; i++) {
            output_put(out, STYLE_NAME, hosts->items[i]->name);
            output_printf(out, STYLE_PLAIN, " is %s", hosts->items[i]->state);
            output_line(out);
        }
        if (strcmp(state, "drained") == 0 || strcmp(state, "down") == 0)
            say_leaving(out, hosts);
    }
    serry_free(hosts);
    return rc < 0 ? -1 : output_flush(out, err);
}

static int set_state(struct live *live, int *ret_exit, struct error *err)
{
    const char *state = state_of(live->v->command);
    struct host_names names;

    (void)ret_exit;
    if (hosts_named(live, &names, err) < 0)
        return -1;
    live->v->out.documents = names.n > HOSTS_A_CALL;
    for (size_t i = 0; i < names.n; i += HOSTS_A_CALL) {
        size_t n = names.n - i;

        if (set_part(live, state, names.names + i,
                     n < HOSTS_A_CALL ? n : HOSTS_A_CALL, err) < 0)
            return -1;
    }
    return 0;
}

static int run_state(struct invocation *v)
{
    return live_run(v, set_state);
}

/* ---- the commands -------------------------------------------------------- */

static const struct option_row list_options[] = {
    LIVE_OPTION_ADDRESS,
};

static const struct option_row state_options[] = {
    { "why", 0, "TEXT", "the reason, kept with the host" },
    LIVE_OPTION_ADDRESS,
};

const struct command command_host_list = {
    .name = "host list",
    .arguments = "",
    .help = "list the hosts, what is free on each and who is there",
    .options = list_options,
    .n_options = ARRAY_LEN(list_options),
    .run = run_list,
};

#define STATE_COMMAND(id, word, text)                                          \
    const struct command command_host_##id = {                                 \
        .name = "host " word,                                                  \
        .arguments = "HOST...",                                                \
        .help = text,                                                          \
        .options = state_options,                                              \
        .n_options = ARRAY_LEN(state_options),                                 \
        .min_operands = 1,                                                     \
        .max_operands = -1,                                                    \
        .run = run_state,                                                      \
    }

STATE_COMMAND(cordon, "cordon",
              "let no new ranks come to hosts; those that are there stay");
STATE_COMMAND(uncordon, "uncordon", "let ranks come to hosts again");
STATE_COMMAND(drain, "drain",
              "have ranks leave hosts when their placements are placed again");
STATE_COMMAND(down, "down", "say that hosts are not to be had");
