/* SPDX-License-Identifier: Apache-2.0 */
/* Why there are no devices for a placement. */
#include "daemon/bind_parts.h"
#include "proto/document.h"

enum {
    HOLDERS_SHOWN_MAX = 32,
    HOLDERS_SAID_MAX = 8,
    HOSTS_LISTED_MAX = 32, /* of those that are not declared in full */
    HOSTS_SAID_MAX = 4,
};

static void write_counts(const struct place_refusal *refusal,
                         struct tree_maker *maker, struct tree *map)
{
    const struct {
        const char *name;
        uint32_t n;
    } counts[] = {
        { "wanted", refusal->wanted },
        { "free", refusal->free },
        { "held", refusal->held },
        { "not_ready", refusal->not_ready },
        { "spare", refusal->spare },
        { "not_wanted", refusal->not_wanted },
        { "no_domain", refusal->no_domain },
        { "unknown_hosts", refusal->unknown_hosts },
    };

    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        make_int(maker, map, counts[i].name, counts[i].n);
}

/* Of which hosts it is not declared what they have, or in which domain. */
static bool is_undeclared(const struct topology *topology, uint32_t h,
                          bool domains)
{
    const struct host *host = &topology->hosts[h];

    if (!domains)
        return !host->devices_known;
    for (uint32_t i = 0; i < host->n_devices; i++)
        if (topology->devices[host->first_device + i].domain == DOMAIN_NONE)
            return true;
    return false;
}

static void write_undeclared(const struct topology *topology, bool domains,
                             struct tree_maker *maker, struct tree *map,
                             const char *key)
{
    struct tree *list = make_list(maker, map, key);
    uint32_t n = 0;

    for (uint32_t h = 0; h < topology->n_hosts && n < HOSTS_LISTED_MAX; h++)
        if (is_undeclared(topology, h, domains)) {
            make_string(maker, list, NULL, topology->hosts[h].name);
            n++;
        }
}

/* "; these are not declared: a, b and others" */
static bool say_undeclared(const struct topology *topology, bool domains,
                           struct text *out)
{
    uint32_t n = 0;

    for (uint32_t h = 0; h < topology->n_hosts && n <= HOSTS_SAID_MAX; h++) {
        if (!is_undeclared(topology, h, domains))
            continue;
        if (n++ == HOSTS_SAID_MAX)
            text_put(out, " and others");
        else
            text_printf(out, "%s%.64s",
                        n > 1     ? ", "
                        : domains ? "; no domain is declared for "
                                  : "; no devices are declared for ",
                        topology->hosts[h].name);
    }
    return n > 0;
}

int bind_refused(const struct topology *topology,
                 const struct place_refusal *refusal, struct error *err)
{
    enum status status = err->status;
    struct text text = { 0 };

    text_printf(&text, "%s: %s", refusal->code, refusal->text);
    if (refusal->outcome == PLACE_NOT_DECLARED &&
        !say_undeclared(topology, false, &text) && refusal->no_domain > 0)
        say_undeclared(topology, true, &text);
    error_set(err, status, "%s", text_string(&text));
    text_close(&text);
    return -1;
}

static const char *name_of(const struct occupancy *occupancy,
                           const struct place_holder *holder)
{
    return occupancy->names[holder->holder];
}

/* "releasing a (4 devices), b (2 devices) and 3 more makes room" */
static void say_eviction(const struct place_eviction *eviction,
                         const struct occupancy *occupancy, struct text *out)
{
    size_t n = eviction->n_holders;

    if (!eviction->possible) {
        text_put(out, "no release makes room as long as hosts are not ready or "
                      "kept as spares");
        return;
    }
    text_put(out, "releasing ");
    for (size_t i = 0; i < n && i < HOLDERS_SAID_MAX; i++)
        text_printf(out, "%s%s (%u device%s)", i > 0 ? ", " : "",
                    name_of(occupancy, &eviction->holders[i]),
                    eviction->holders[i].n_devices,
                    eviction->holders[i].n_devices == 1 ? "" : "s");
    if (n > HOLDERS_SAID_MAX)
        text_printf(out, " and %zu more", n - HOLDERS_SAID_MAX);
    text_printf(out, " makes room; %s",
                eviction->least ? "no fewer do"
                                : "fewer may do, there are too many to try");
}

static void write_eviction(const struct place_eviction *eviction,
                           const struct occupancy *occupancy,
                           struct tree_maker *maker, struct tree *binding)
{
    struct tree *map = make_map(maker, binding, "evict");
    struct tree *list = make_list(maker, map, "placements");
    struct text say = { 0 };

    for (size_t i = 0; i < eviction->n_holders; i++) {
        struct tree *one = make_map(maker, list, NULL);

        make_string(maker, one, "placement",
                    name_of(occupancy, &eviction->holders[i]));
        make_int(maker, one, "devices", eviction->holders[i].n_devices);
    }
    make_bool(maker, map, "possible", eviction->possible);
    make_int(maker, map, "devices", eviction->n_devices);
    make_bool(maker, map, "least", eviction->least);
    make_int(maker, map, "tries", eviction->tries);
    say_eviction(eviction, occupancy, &say);
    make_string(maker, map, "say", text_string(&say));
    text_close(&say);
}

/* What to do about groups that have no room anywhere. A link that their
 * framework needs is not to be loosened. */
static void write_never(const struct place_axis *axis, struct tree_maker *maker,
                        struct tree *fixes)
{
    struct text text = { 0 };

    if (axis != NULL && axis->say != NULL)
        make_string(maker, fixes, NULL, axis->say);
    text_put(&text, "ask for fewer ranks or smaller axes");
    if (axis != NULL && axis->code == NULL)
        text_printf(
            &text, ", or for a looser link of what is named (links: {%s: any})",
            axis->name);
    make_string(maker, fixes, NULL, text_string(&text));
    make_string(maker, fixes, NULL,
                "declare more hosts (serry host apply -f FILE)");
    text_close(&text);
}

/* The next steps, the one that helps most first. */
static void write_fixes(const struct place_refusal *refusal,
                        const struct occupancy *occupancy,
                        struct tree_maker *maker, struct tree *fixes)
{
    struct text text = { 0 };

    switch (refusal->outcome) {
    case PLACE_DONE:
        break;
    case PLACE_NEVER:
        write_never(refusal->axis, maker, fixes);
        break;
    case PLACE_NOT_NOW:
        if (refusal->n_holders > 0) {
            text_printf(&text,
                        "see whom to release (serry plan --evict -f FILE); %s "
                        "holds most",
                        name_of(occupancy, &refusal->holders[0]));
            make_string(maker, fixes, NULL, text_string(&text));
        }
        if (refusal->not_ready > 0)
            make_string(maker, fixes, NULL,
                        "let ranks come to hosts again (serry host uncordon "
                        "HOST)");
        break;
    case PLACE_NOT_DECLARED:
        make_string(maker, fixes, NULL,
                    "declare what is not said: devices, domains, racks (serry "
                    "host apply -f FILE)");
        break;
    }
    text_close(&text);
}

/* The verdict of one finding, which is returned. */
static struct tree *write_finding(struct tree_maker *maker, struct tree *map,
                                  const char *code, const char *subject,
                                  const char *reason)
{
    struct tree *finding;

    make_string(maker, map, "verdict", "refuse");
    finding = make_map(maker, make_list(maker, map, "findings"), NULL);
    make_string(maker, finding, "code", code);
    make_string(maker, finding, "subject", subject);
    make_string(maker, finding, "equation", "");
    make_string(maker, finding, "reason", reason);
    make_list(maker, map, "unchecked");
    make_list(maker, map, "warnings");
    return finding;
}

static void write_refusal(const struct place_refusal *refusal,
                          const struct topology *topology,
                          const struct occupancy *occupancy,
                          const struct place_eviction *eviction,
                          struct tree_maker *maker, struct tree *map)
{
    struct tree *finding, *binding, *holders;

    finding =
        write_finding(maker, map, refusal->code, "the cluster", refusal->text);
    write_fixes(refusal, occupancy, maker, make_list(maker, finding, "fixes"));
    binding = make_map(maker, map, "binding");
    write_counts(refusal, maker, binding);
    if (refusal->outcome == PLACE_NOT_DECLARED) {
        write_undeclared(topology, false, maker, binding, "without_devices");
        write_undeclared(topology, true, maker, binding, "without_domain");
    }
    holders = make_list(maker, binding, "holders");
    for (size_t i = 0; i < refusal->n_holders && i < HOLDERS_SHOWN_MAX; i++) {
        struct tree *holder = make_map(maker, holders, NULL);

        make_string(maker, holder, "placement",
                    occupancy->names[refusal->holders[i].holder]);
        make_int(maker, holder, "devices", refusal->holders[i].n_devices);
    }
    if (eviction != NULL)
        write_eviction(eviction, occupancy, maker, binding);
}

/* Of the map as JSON, to be freed; NULL: no memory. */
static char *write_json(const struct tree_maker *maker, const struct tree *map)
{
    struct text json = { 0 };

    if (!maker->failed && document_write_json(map, false, &json) == 0)
        return json.data;
    text_close(&json);
    return NULL;
}

char *bind_broken(const struct place_request *request,
                  const struct place_report *reports,
                  const struct place_axis *axis, struct error *err)
{
    struct tree_maker maker = { .arena = arena_new(BIND_BYTES_MAX) };
    struct text reason = { 0 }, fix = { 0 };
    struct tree *map, *finding;
    char *ret = NULL;

    place_say_broken(request, reports, axis, &reason);
    text_printf(&fix, "let %s want %s (links: {%s: %s})", axis->name,
                link_name(axis->least), axis->name, link_name(axis->least));
    error_set(err, STATUS_REFUSED, "%s: %s", axis->code, text_string(&reason));
    if (maker.arena != NULL) {
        map = make_map(&maker, NULL, NULL);
        finding = write_finding(&maker, map, axis->code, axis->name,
                                text_string(&reason));
        make_string(&maker, make_list(&maker, finding, "fixes"), NULL,
                    text_string(&fix));
        ret = write_json(&maker, map);
    }
    text_close(&reason);
    text_close(&fix);
    arena_free(maker.arena);
    return ret;
}

char *bind_refusal(const struct place_refusal *refusal,
                   const struct topology *topology,
                   const struct occupancy *occupancy,
                   const struct place_eviction *eviction)
{
    struct tree_maker maker = { .arena = arena_new(BIND_BYTES_MAX) };
    struct tree *map;
    char *ret;

    if (maker.arena == NULL)
        return NULL;
    map = make_map(&maker, NULL, NULL);
    write_refusal(refusal, topology, occupancy, eviction, &maker, map);
    ret = write_json(&maker, map);
    arena_free(maker.arena);
    return ret;
}
