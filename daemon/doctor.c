/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a doctor: what is wrong, the dominant first, and beside it how
 * everything stands. */
#include "daemon/doctor.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/audit.h"
#include "daemon/boot.h"
#include "daemon/bound.h"
#include "daemon/daemon.h"

/* Of a placement that is not told of: its refused, up to 32 of 1 KiB, and its
 * ranks. */
enum { UNTOLD_BYTES_MAX = 1 << 20 };

/* ---- ailments ------------------------------------------------------------ */

static enum trouble_weight weight_of(const struct ailment *ailment)
{
    return trouble_rows[ailment->trouble].weight;
}

/* The one to be left out for another of a weight; NULL: all weigh as much. Each
 * search gives one, or finds that none is so light any more. */
static struct ailment *lighter_than(struct doctor *doctor,
                                    enum trouble_weight weight)
{
    struct ailment *found = doctor->ailments;

    if (weight >= doctor->lightest)
        return NULL;
    for (size_t i = 1; i < doctor->n; i++)
        if (weight_of(&doctor->ailments[i]) > weight_of(found))
            found = &doctor->ailments[i];
    doctor->lightest = weight_of(found);
    return weight < doctor->lightest ? found : NULL;
}

static struct ailment *room_for(struct doctor *doctor,
                                enum trouble_weight weight)
{
    if (doctor->n < DOCTOR_AILMENTS_MAX)
        return &doctor->ailments[doctor->n++];
    doctor->left_out++;
    return lighter_than(doctor, weight);
}

void doctor_add(struct doctor *doctor, struct ailment ailment,
                struct text *what)
{
    struct ailment *to = room_for(doctor, weight_of(&ailment));

    if (to != NULL) {
        ailment.what = arena_strdup(doctor->arena, text_string(what));
        doctor->maker->failed |= ailment.what == NULL || what->failed;
        *to = ailment;
    }
    text_close(what);
}

/* ---- the daemon ---------------------------------------------------------- */

static void tell_share(struct doctor *doctor, enum trouble trouble,
                       const char *what, uint64_t used, uint64_t most)
{
    struct text text = { 0 };

    if (most == 0 || used < most - most / 10)
        return;
    text_printf(&text, "%" PRIu64 " of %" PRIu64 " %s", used, most, what);
    doctor_add(doctor, (struct ailment){ .trouble = trouble, .rank = -1 },
               &text);
}

static void diagnose_daemon(struct doctor *doctor, struct tree *map)
{
    const struct settings *settings = daemon_settings(doctor->daemon);
    const char *broken = state_faults(doctor->state);
    struct daemon_status status;
    struct text what = { 0 };
    uint64_t room;

    daemon_get_status(doctor->daemon, &status);
    make_string(doctor->maker, map, "version", PACKAGE_VERSION);
    make_string(doctor->maker, map, "address", status.address);
    make_int(doctor->maker, map, "started_ms", status.started_ms);
    make_int(doctor->maker, map, "connections", status.connections);
    make_int(doctor->maker, map, "calls_in_flight", status.calls_in_flight);
    make_int(doctor->maker, map, "lease_ms", settings->lease_ms);
    make_int(doctor->maker, map, "boot_ms", settings->boot_ms);
    make_bool(doctor->maker, map, "draining", status.draining);
    if (status.draining) {
        text_put(&what, "the daemon is stopping");
        doctor_add(doctor,
                   (struct ailment){ .trouble = TROUBLE_DRAINING, .rank = -1 },
                   &what);
    }
    if (broken[0] != '\0') {
        text_put(&what, broken);
        doctor_add(doctor,
                   (struct ailment){ .trouble = TROUBLE_INVARIANT, .rank = -1 },
                   &what);
    }
    room = (uint64_t)settings->connections_max < status.descriptors
               ? (uint64_t)settings->connections_max
               : status.descriptors;
    tell_share(doctor, TROUBLE_DESCRIPTORS, "connections are taken",
               status.connections, room);
    tell_share(doctor, TROUBLE_CALLS, "calls are in flight",
               status.calls_in_flight, (uint64_t)settings->calls_max);
}

/* ---- placements ---------------------------------------------------------- */

struct leaving {
    const struct inventory_host *first;
    uint32_t n_devices;
};

static bool is_leaving(const struct device_run *run, void *arg)
{
    struct leaving *leaving = arg;

    if (run->host->state != HOST_DRAINED && run->host->state != HOST_DOWN)
        return true;
    if (leaving->first == NULL)
        leaving->first = run->host;
    leaving->n_devices += run->count;
    return true;
}

static void tell_leaving(struct doctor *doctor, const struct live *live)
{
    struct leaving leaving = { 0 };
    struct text what = { 0 };

    if (live->bound != NULL)
        bound_walk(live->bound, is_leaving, &leaving);
    if (leaving.first == NULL)
        return;
    text_printf(
        &what, "%" PRIu32 " device%s of %s on hosts to be left: %s is %s",
        leaving.n_devices, leaving.n_devices == 1 ? "" : "s", live->name,
        leaving.first->name, host_state_name(leaving.first->state));
    doctor_add(doctor,
               (struct ailment){ .trouble = TROUBLE_LEAVING,
                                 .placement = live->name,
                                 .host = leaving.first->name,
                                 .rank = -1,
                                 .n_ranks = leaving.n_devices },
               &what);
}

static void tell_unreadable(struct doctor *doctor, const struct live *live)
{
    struct text what = { 0 };

    text_printf(&what, "the record of %s cannot be read", live->name);
    doctor_add(doctor,
               (struct ailment){ .trouble = TROUBLE_UNREADABLE,
                                 .placement = live->name,
                                 .rank = -1 },
               &what);
}

static void diagnose_placement(struct doctor *doctor, const struct live *live,
                               struct tree *list)
{
    struct tree_maker *maker = doctor->maker;
    struct tree *map = make_map(maker, list, NULL), *generation;

    make_string(maker, map, "name", live->name);
    generation = make_map(maker, map, "generation");
    make_int(maker, generation, "epoch", (int64_t)live->generation.epoch);
    make_int(maker, generation, "revision", (int64_t)live->generation.rev);
    make_int(maker, map, "time_ms", live->time_ms);
    if (live->check == NULL) {
        make_string(maker, map, "state", "unreadable");
        tell_unreadable(doctor, live);
        return;
    }
    make_string(maker, map, "state",
                boot_state_name(boots_state(state_boots(doctor->state), live)));
    make_int(maker, map, "ranks", live->common.n_ranks);
    tell_leaving(doctor, live);
    boots_diagnose(doctor, live, map);
}

struct walking {
    struct doctor *doctor;
    struct tree *list;     /* of those that are told of */
    struct arena *scratch; /* for the others, one by one */
};

/* Only what is wrong with it gets into the report. */
static void diagnose_untold(struct walking *walking, const struct live *live)
{
    struct doctor *doctor = walking->doctor;
    struct tree_maker untold = { .arena = walking->scratch };
    struct tree_maker *maker = doctor->maker;

    doctor->maker = &untold;
    diagnose_placement(doctor, live, make_list(&untold, NULL, NULL));
    doctor->maker = maker;
    maker->failed |= untold.failed;
    arena_reset(walking->scratch);
}

static void diagnose_live(void *live, void *arg)
{
    struct walking *walking = arg;

    if (tree_count(walking->list) < DOCTOR_PLACEMENTS_MAX)
        diagnose_placement(walking->doctor, live, walking->list);
    else
        diagnose_untold(walking, live);
}

static void diagnose_all(struct doctor *doctor, struct tree *list)
{
    struct walking walking = { doctor, list, arena_new(UNTOLD_BYTES_MAX) };

    if (walking.scratch != NULL)
        state_live_walk(doctor->state, diagnose_live, &walking);
    else
        doctor->maker->failed = true;
    arena_free(walking.scratch);
}

/* ---- the report ---------------------------------------------------------- */

int doctor_report(struct daemon *daemon, const struct live *only,
                  struct tree_maker *maker, struct tree *map, bool *ret_healthy,
                  struct error *err)
{
    struct doctor doctor = {
        .daemon = daemon,
        .state = daemon_state(daemon),
        .arena = maker->arena,
        .maker = maker,
        .ailments = arena_array(maker->arena, DOCTOR_AILMENTS_MAX,
                                sizeof(*doctor.ailments)),
        .lightest = TROUBLE_NOTE_WEIGHT,
        .ranks_max = only != NULL ? DOCTOR_RANKS_MAX : DOCTOR_RANKS_SHORT,
    };
    struct tree *parts = make_map(maker, NULL, NULL);
    struct tree *placements = make_list(maker, parts, "placements");

    if (doctor.ailments == NULL)
        return error_exhausted(err);
    if (only != NULL)
        diagnose_placement(&doctor, only, placements);
    else
        diagnose_all(&doctor, placements);
    diagnose_daemon(&doctor, make_map(maker, parts, "daemon"));
    doctor_hosts(&doctor, make_map(maker, parts, "hosts"));
    *ret_healthy = troubles_healthy(doctor.ailments, doctor.n);
    make_bool(maker, map, "healthy", *ret_healthy);
    make_int(maker, map, "time_ms", daemon_now_ms(daemon));
    troubles_write(doctor.ailments, doctor.n, maker, map);
    make_int(maker, map, "findings_left_out", (int64_t)doctor.left_out);
    for (const struct tree *t = tree_first(parts); t != NULL; t = t->next)
        make_copy(maker, map, t->key, t);
    return maker->failed ? error_exhausted(err) : 0;
}
