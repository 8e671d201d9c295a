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

void doctor_add(struct doctor *doctor, struct ailment ailment,
                struct text *what)
{
    char *sentence = arena_strdup(doctor->maker->arena, text_string(what));

    doctor->maker->failed |= sentence == NULL || what->failed;
    text_close(what);
    if (doctor->n == DOCTOR_AILMENTS_MAX) {
        doctor->left_out++;
        return;
    }
    ailment.what = sentence;
    doctor->ailments[doctor->n++] = ailment;
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
    text_printf(&what,
                "%" PRIu32 " device%s of %s on hosts to be left: %s is %s",
                leaving.n_devices, leaving.n_devices == 1 ? "" : "s",
                live->name, leaving.first->name, host_state_name(leaving.first->state));
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
    struct tree *list, *aside; /* aside: not in the report */
};

static void diagnose_live(void *live, void *arg)
{
    struct walking *walking = arg;
    bool shown = tree_count(walking->list) < DOCTOR_PLACEMENTS_MAX;

    diagnose_placement(walking->doctor, live,
                       shown ? walking->list : walking->aside);
}

/* ---- the report ---------------------------------------------------------- */

int doctor_report(struct daemon *daemon, const struct live *only,
                  struct tree_maker *maker, struct tree *map, bool *ret_healthy,
                  struct error *err)
{
    struct doctor doctor = {
        .daemon = daemon,
        .state = daemon_state(daemon),
        .maker = maker,
        .ailments = arena_array(maker->arena, DOCTOR_AILMENTS_MAX,
                                sizeof(*doctor.ailments)),
        .ranks_max = only != NULL ? DOCTOR_RANKS_MAX : DOCTOR_RANKS_SHORT,
    };
    struct tree *parts = make_map(maker, NULL, NULL);
    struct walking walking = { &doctor, make_list(maker, parts, "placements"),
                               make_list(maker, NULL, NULL) };

    if (doctor.ailments == NULL)
        return error_exhausted(err);
    if (only != NULL)
        diagnose_placement(&doctor, only, walking.list);
    else
        state_live_walk(doctor.state, diagnose_live, &walking);
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
