/* SPDX-License-Identifier: Apache-2.0 */
/* Placing again: who stays, who moves, what is rebuilt. */
#include <stdio.h>

#include "placement/replace.h"
#include "tests/placement/place_fixture.h"

enum { ROUNDS = 400 };

struct again {
    bool *failed;
    uint32_t *old;
    uint32_t rebuilt[FIXTURE_AXES];
    struct replacement replacement;
};

static void begin(struct fixture *f, struct again *again)
{
    again->failed =
        arena_array(f->arena, f->topology->n_devices, sizeof(*again->failed));
    again->old = f->devices;
    again->replacement.rebuilt = again->rebuilt;
}

static int run(struct fixture *f, struct again *again)
{
    const struct replace_from from = { again->old, again->failed };

    f->devices = arena_array(f->arena, f->request.n_ranks, sizeof(*f->devices));
    return replace(f->arena, f->topology, &f->occupancy, &f->request, &from,
                   f->devices, f->reports, &again->replacement, &f->refusal,
                   &f->err);
}

static void fail_all(struct fixture *f, struct again *again, const char *text)
{
    char host[16];
    unsigned index;
    int used;

    while (sscanf(text, " %15s %u%n", host, &index, &used) == 2) {
        again->failed[device_at(f, host, index)] = true;
        text += used;
        text += *text == ';';
    }
}

#define FOUR                                                                   \
    "hosts: [{name: 'a[1-3]', own_domain: true, devices: 4, block: p},"        \
    " {name: s, own_domain: true, spare: true, devices: 4, block: q}]"
#define RACK                                                                   \
    "hosts: [{name: 'm[1-3]', domain: nv1, devices: 2, block: r1},"            \
    " {name: 'n[1-3]', domain: nv2, devices: 2, block: r2}]"

/* failed: "HOST INDEX; ..." */
static const struct {
    const char *cluster, *request, *failed;
    const char *want, *said; /* want: the devices, or an outcome */
} cases[] = {
    { FOUR, "b any 2, a nvlink 2", "", "a10 a11 a12 a13",
      "0 ranks move; 0 b groups rebuilt, 0 a groups rebuilt" },
    /* no room in the domain: two that want one move, two stay */
    { FOUR, "b any 2, a nvlink 2", "a1 3", "a10 a11 a20 a21",
      "2 ranks move; 2 b groups rebuilt, 1 a group rebuilt" },
    /* room in the domain */
    { FOUR, "a nvlink 3", "a1 1", "a10 a13 a12",
      "1 rank moves; 1 a group rebuilt" },
    /* k at once; each in its own domain where there is room */
    { FOUR, "b any 2, a nvlink 3", "a1 0; a2 2", "a13 a11 a12 a20 a21 a23",
      "2 ranks move; 2 b groups rebuilt, 2 a groups rebuilt" },
    /* the same block before a spare, a spare before others of the block */
    { FOUR, "b any 4, a any 1", "a1 0", "a20 a11 a12 a13",
      "1 rank moves; 1 b group rebuilt, 0 a groups rebuilt" },
    { "hosts: [{name: 'a[1-2]', devices: 2, block: p},"
      " {name: s, spare: true, devices: 2, block: p}]",
      "a any 2", "a1 0", "s0 a11", "1 rank moves; 1 a group rebuilt" },
    /* the same island before a spare */
    { FOUR, "b any 3, a any 1", "a1 0", "a13 a11 a12",
      "1 rank moves; 1 b group rebuilt, 0 a groups rebuilt" },
    /* what must be in one block moves within it */
    { FOUR, "b block 2, a nvlink 4", "a1 0", "a30 a31 a32 a33 a20 a21 a22 a23",
      "4 ranks move; 4 b groups rebuilt, 1 a group rebuilt" },
    { FOUR, "b any 2, a nvlink 4", "a1 0; a2 0; a3 0", "not now", "" },
    /* who misses fewer comes first, while there is room beside the others */
    { "hosts: [{name: a1, own_domain: true, devices: 6},"
      " {name: a2, own_domain: true, devices: 7}]",
      "b any 2, a nvlink 2", "a1 0; a1 1; a1 2", "a20 a21 a14 a13",
      "3 ranks move; 2 b groups rebuilt, 2 a groups rebuilt" },
    { RACK, "a nvlink 4", "m1 0", "m30 m11 m20 m21",
      "1 rank moves; 1 a group rebuilt" },
    { RACK, "b nvlink 2, a host 2", "m1 0", "m30 m31 m20 m21",
      "2 ranks move; 2 b groups rebuilt, 1 a group rebuilt" },
    { "hosts: [{name: 'm[1-3]', domain: nv1, devices: 2},"
      " {name: s, domain: nv1, spare: true, devices: 2}]",
      "b nvlink 2, a host 2", "m1 0", "s0 s1 m20 m21",
      "2 ranks move; 2 b groups rebuilt, 1 a group rebuilt" },
    { RACK, "a nvlink 6", "m1 0", "n10 n11 n20 n21 n30 n31",
      "6 ranks move; 1 a group rebuilt" },
};

START_TEST(as_few_ranks_move_as_can_be)
{
    struct fixture f;
    struct again again;
    struct text said = { 0 };

    fixture_cluster(&f, cases[_i].cluster);
    fixture_request(&f, cases[_i].request);
    ck_assert_int_eq(fixture_place(&f), 0);
    begin(&f, &again);
    fail_all(&f, &again, cases[_i].failed);
    if (strcmp(cases[_i].want, "not now") == 0) {
        ck_assert_int_lt(run(&f, &again), 0);
        ck_assert_int_eq(f.refusal.outcome, PLACE_NOT_NOW);
    } else {
        ck_assert_msg(run(&f, &again) == 0, "%s", f.err.text);
        must_be_free(&f);
        ck_assert_str_eq(fixture_answer(&f), cases[_i].want);
        replace_say(&f.request, &again.replacement, &said);
        ck_assert_str_eq(text_string(&said), cases[_i].said);
        text_close(&said);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(ranks_leave_drained_hosts_and_stay_on_cordoned_ones)
{
    struct fixture f;
    struct again again;

    fixture_cluster(&f, "hosts: [{name: 'a[1-3]', devices: 1}]");
    fixture_request(&f, "a any 2");
    ck_assert_int_eq(fixture_place(&f), 0);
    begin(&f, &again);
    f.topology->hosts[0].state = HOST_CORDONED;
    f.topology->hosts[1].state = HOST_DRAINED;
    ck_assert_int_eq(run(&f, &again), 0);
    ck_assert_str_eq(fixture_answer(&f), "a10 a30");
    fixture_close(&f);
}
END_TEST

START_TEST(a_request_that_grows_keeps_its_ranks)
{
    struct fixture f;
    struct again again;
    uint32_t *old;

    fixture_cluster(&f, FOUR);
    fixture_request(&f, "b any 2, a nvlink 2");
    ck_assert_int_eq(fixture_place(&f), 0);
    begin(&f, &again);
    old = arena_array(f.arena, 6, sizeof(*old));
    memcpy(old, f.devices, 4 * sizeof(*old));
    old[4] = old[5] = DEVICE_NONE;
    again.old = old;
    fixture_request(&f, "b any 3, a nvlink 2");
    ck_assert_int_eq(run(&f, &again), 0);
    ck_assert_uint_eq(again.replacement.n_moved, 0);
    ck_assert_uint_eq(again.replacement.n_new, 2);
    ck_assert_uint_eq(again.rebuilt[1], 1);
    ck_assert_mem_eq(f.devices, old, 4 * sizeof(*old));
    fixture_close(&f);
}
END_TEST

START_TEST(other_groups_move_those_that_stand_apart)
{
    struct fixture f;
    struct again again;
    uint32_t old[4];

    fixture_cluster(&f, FOUR);
    fixture_request(&f, "a nvlink 4");
    for (uint32_t i = 0; i < 4; i++)
        old[i] = device_at(&f, i < 3 ? "a1" : "a2", i);
    f.devices = old;
    begin(&f, &again);
    ck_assert_int_eq(run(&f, &again), 0);
    ck_assert_str_eq(fixture_answer(&f), "a10 a11 a12 a13");
    ck_assert_uint_eq(again.replacement.n_moved, 1);
    for (uint32_t i = 0; i < 4; i++)
        old[i] = device_at(&f, i < 1 ? "a1" : "a2", i);
    again.old = old;
    ck_assert_int_eq(run(&f, &again), 0);
    ck_assert_str_eq(fixture_answer(&f), "a20 a21 a22 a23");
    ck_assert_uint_eq(again.replacement.n_moved, 1);
    fixture_close(&f);
}
END_TEST

START_TEST(old_devices_that_cannot_be_are_refused)
{
    struct fixture f;
    struct again again;
    uint32_t twice[2] = { 1, 1 }, none[2] = { 0, 99 }, held[2] = { 0, 1 };

    fixture_cluster(&f, FOUR);
    fixture_request(&f, "a any 2");
    f.devices = twice;
    begin(&f, &again);
    ck_assert_int_lt(run(&f, &again), 0);
    ck_assert_int_eq(f.err.status, STATUS_INVALID);
    again.old = none;
    ck_assert_int_lt(run(&f, &again), 0);
    ck_assert_int_eq(f.err.status, STATUS_INVALID);
    again.old = held;
    hold(&f, "a1", 1, 1, 0);
    ck_assert_int_lt(run(&f, &again), 0);
    ck_assert_int_eq(f.err.status, STATUS_INVALID);
    fixture_close(&f);
}
END_TEST

/* ---- compared with trying everything ------------------------------------ */

struct search {
    struct fixture *f;
    const struct again *again;
    bool *taken;
    uint32_t at[16];
    uint32_t best; /* moves of the best so far */
};

static bool are_close(const struct topology *t, uint32_t a, uint32_t b,
                      enum link_level want)
{
    const struct device *x = &t->devices[a], *y = &t->devices[b];

    if (want == LINK_ANY)
        return true;
    if (x->domain != DOMAIN_NONE && x->domain == y->domain && want != LINK_HOST)
        return true;
    if (want == LINK_NVLINK || x->host == y->host)
        return want != LINK_NVLINK;
    return want == LINK_BLOCK &&
           t->hosts[x->host].block == t->hosts[y->host].block;
}

static bool may_stand(const struct search *s, uint32_t p, uint32_t device)
{
    const struct fixture *f = s->f;

    if (s->taken[device] || s->again->failed[device] ||
        f->holders[device] != HOLDER_NONE)
        return false;
    for (size_t a = 0; a < f->request.n_axes; a++)
        for (uint32_t q = 0; q < p; q++)
            if (f->axes[a].group_of[q] == f->axes[a].group_of[p] &&
                !are_close(f->topology, s->at[q], device, f->axes[a].want))
                return false;
    return true;
}

static void search_from(struct search *s, uint32_t p, uint32_t moves)
{
    if (moves >= s->best)
        return;
    if (p == s->f->request.n_ranks) {
        s->best = moves;
        return;
    }
    for (uint32_t d = 0; d < s->f->topology->n_devices; d++) {
        if (!may_stand(s, p, d))
            continue;
        s->taken[d] = true;
        s->at[p] = d;
        search_from(s, p + 1, moves + (d != s->again->old[p]));
        s->taken[d] = false;
    }
}

/* One of a few clusters, partly held, and a request that is placed on it. */
static bool random_placement(struct fixture *f, uint64_t *seed)
{
    static const char *const clusters[] = {
        FOUR,
        RACK,
        ("hosts: [{name: p, block: x, devices: [{domain: p0}, {domain: p0},"
         " {domain: p1}, {domain: p1}]}, {name: q, block: x, devices: 3},"
         " {name: r, block: y, devices: [{domain: r0}, {domain: r0},"
         " {domain: r1}, {domain: r1}]}]"),
        ("hosts: [{name: 'a[1-2]', own_domain: true, devices: 3, block: p},"
         " {name: 'b[1-2]', own_domain: true, devices: 3, block: q}]"),
    };
    static const char *const wants[] = { "nvlink", "host", "block", "any" };
    char request[96];

    fixture_cluster(f, clusters[draw(seed, ARRAY_LEN(clusters))]);
    for (uint32_t d = 0; d < f->topology->n_devices; d++)
        if (draw(seed, 6) == 0)
            f->holders[d] = 0;
    snprintf(request, sizeof(request), "b %s %u, a %s %u", wants[draw(seed, 4)],
             1 + draw(seed, 3), wants[draw(seed, 4)], 1 + draw(seed, 2));
    fixture_request(f, request);
    return fixture_place(f) == 0;
}

START_TEST(no_other_way_moves_fewer)
{
    struct fixture f;
    struct again again;
    struct search s = { .f = &f, .again = &again, .best = UINT32_MAX };
    uint64_t seed = (uint64_t)_i * 7919 + 3;

    if (random_placement(&f, &seed)) {
        begin(&f, &again);
        for (uint32_t d = 0; d < f.topology->n_devices; d++)
            again.failed[d] = draw(&seed, 5) == 0;
        s.taken = arena_array(f.arena, f.topology->n_devices, sizeof(*s.taken));
        search_from(&s, 0, 0);
        if (run(&f, &again) == 0) {
            must_be_free(&f);
            ck_assert_msg(again.replacement.n_moved == s.best,
                          "round %d: %u move, %u need", _i,
                          again.replacement.n_moved, s.best);
        } else {
            ck_assert_msg(s.best == UINT32_MAX, "round %d: %s", _i, f.err.text);
        }
    }
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replace");
    TCase *tcase = tcase_create("core");

    tcase_add_loop_test(tcase, as_few_ranks_move_as_can_be, 0,
                        ARRAY_LEN(cases));
    tcase_add_test(tcase, ranks_leave_drained_hosts_and_stay_on_cordoned_ones);
    tcase_add_test(tcase, a_request_that_grows_keeps_its_ranks);
    tcase_add_test(tcase, other_groups_move_those_that_stand_apart);
    tcase_add_test(tcase, old_devices_that_cannot_be_are_refused);
    tcase_add_loop_test(tcase, no_other_way_moves_fewer, 0, ROUNDS);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
