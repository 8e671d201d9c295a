/* SPDX-License-Identifier: Apache-2.0 */
/* serry host apply: declares hosts. */
#include <inttypes.h>

#include "client/host.h"
#include "placement/topology.h"
#include "proto/document.h"

enum { CALL_BYTES = 512 << 10 }; /* of the document of one call, about */

/* One file on its way. */
struct applying {
    struct live *live;
    int64_t first; /* place of the next call's first host; -1 */
    struct text json;
    size_t n; /* hosts in it */
    size_t n_all, n_changed;
    struct tree *hosts; /* list of the answer; NULL: for people */
    struct tree_maker maker;
};

static int send_part(struct applying *a, struct error *err)
{
    const struct serry_document document = { .text = text_string(&a->json) };
    struct live *live = a->live;
    struct serry_applied_hosts *applied;

    if (serry_apply_hosts(live->client, &document, a->first, NULL, &applied,
                          &live->err) < 0)
        return live_failed(live, err);
    for (size_t i = 0; i < applied->count; i++) {
        a->n_changed += applied->changed[i];
        if (a->hosts != NULL) {
            struct tree *map = make_map(&a->maker, a->hosts, NULL);

            make_string(&a->maker, map, "name", applied->names[i]);
            make_bool(&a->maker, map, "changed", applied->changed[i]);
        }
    }
    a->n_all += applied->count;
    if (a->first >= 0)
        a->first += (int64_t)applied->count;
    serry_free(applied);
    return 0;
}

static int flush_part(struct applying *a, struct error *err)
{
    int rc;

    if (a->n == 0)
        return 0;
    text_put(&a->json, "]}");
    rc = a->json.failed ? error_exhausted(err) : send_part(a, err);
    text_close(&a->json);
    a->n = 0;
    return rc;
}

static int add_host(struct applying *a, const struct tree *host,
                    struct error *err)
{
    text_put(&a->json, a->n == 0 ? "{\"hosts\":[" : ",");
    if (document_write_json(host, false, &a->json) < 0)
        return error_exhausted(err);
    a->n++;
    return a->n == HOSTS_A_CALL || a->json.len > CALL_BYTES ? flush_part(a, err)
                                                            : 0;
}

static int finish(struct applying *a, struct error *err)
{
    struct output *out = &a->live->v->out;

    if (a->hosts != NULL)
        return live_document(a->live, &a->maker, a->hosts->parent, err);
    output_put(out, STYLE_NAME, "hosts     ");
    output_printf(out, STYLE_PLAIN, "%zu declared, %zu of them changed",
                  a->n_all, a->n_changed);
    output_line(out);
    out->wrote_first = true;
    return output_flush(out, err);
}

int hosts_apply(struct live *live, const struct piece *piece, int64_t first,
                struct error *err)
{
    struct applying a = { .live = live,
                          .first = first,
                          .maker = { .arena = live->v->arena } };
    struct tree_maker maker = { .arena = live->v->arena };
    const struct topology *topology =
        topology_load(live->v->arena, piece->tree, err);
    struct tree *list;
    int rc = 0;

    if (topology == NULL ||
        topology_split(topology, piece->tree, &maker, &list, err) < 0)
        return -1;
    if (live->v->out.format != FORMAT_TABLE)
        a.hosts = make_list(&a.maker, make_map(&a.maker, NULL, NULL), "hosts");
    for (const struct tree *t = tree_first(list); rc == 0 && t; t = t->next)
        rc = add_host(&a, t, err);
    if (rc == 0)
        rc = flush_part(&a, err);
    text_close(&a.json);
    return rc == 0 ? finish(&a, err) : -1;
}

static int apply(struct live *live, int *ret_exit, struct error *err)
{
    uint64_t first = UINT64_MAX;
    struct pieces pieces;

    *ret_exit = live_option_number(live->v, "first", CLUSTER_HOSTS_MAX, &first);
    if (*ret_exit != EXIT_OK)
        return 0;
    if (pieces_read(live->v, &pieces, err) < 0)
        return -1;
    for (size_t i = 0; i < pieces.n; i++)
        if (pieces.items[i].kind != DOCUMENT_CLUSTER)
            return tree_error(pieces.items[i].tree, err, STATUS_INVALID,
                              "not a cluster; serry apply takes all kinds of "
                              "documents");
    live->v->out.documents = pieces.n > 1;
    for (size_t i = 0; i < pieces.n; i++)
        if (hosts_apply(live, &pieces.items[i],
                        first == UINT64_MAX ? -1 : (int64_t)first, err) < 0)
            return -1;
    return 0;
}

static int run_apply(struct invocation *v)
{
    int rc = pieces_named(v);

    return rc != EXIT_OK ? rc : live_run(v, apply);
}

static const struct option_row options[] = {
    LIVE_OPTION_FILE,
    { "first", 0, "N",
      "place in the inventory of the first host, from 0; without it hosts "
      "that are new go to the end" },
    LIVE_OPTION_ADDRESS,
};

const struct command command_host_apply = {
    .name = "host apply",
    .arguments = "-f FILE...",
    .help = "declare hosts and their devices; hosts that are there are changed",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_apply,
};
