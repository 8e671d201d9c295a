/* SPDX-License-Identifier: Apache-2.0 */
/* Which holders have to let go: compared with all sets tried by force. */
#include "placement/place.h"

#include <stdio.h>

#include "tests/placement/place_fixture.h"

enum { JOBS = 7, HOSTS = 5 };

static const char *const names[JOBS] = { "g", "f", "e", "d", "c", "b", "a" };

static void evict(struct fixture *f, struct place_eviction *ret)
{
    ck_assert_msg(place_evict(f->arena, f->topology, &f->occupancy, &f->request,
                              ret, &f->err) == 0,
                  "%s", f->err.text);
}

/* "job-a 2, job-b 4" */
static const char *say(const struct fixture *f,
                       const struct place_eviction *eviction)
{
    const char *text = "";

    for (size_t i = 0; i < eviction->n_holders; i++)
        text = arena_printf(f->arena, "%s%s%s %u", text, i > 0 ? ", " : "",
                            f->occupancy.names[eviction->holders[i].holder],
                            eviction->holders[i].n_devices);
    return text;
}

static const char four_hosts[] =
    "hosts: [{name: 'n[1-4]', devices: 4, own_domain: true, rack: r}]";

/* clang-format off */
static const struct {
    const char *request;
    struct { const char *host; uint32_t first, n, job; } held[6];
    const char *want;
} evictions[] = {
    /* the one that is in the way of a whole domain, not the largest */
    { "a nvlink 4", { { "n1", 0, 4, 0 }, { "n2", 0, 4, 0 }, { "n3", 0, 2, 1 },
                      { "n4", 0, 1, 2 } }, "job-c 1" },
    /* two small ones do not help where one large is needed */
    { "b any 2, a nvlink 4", { { "n1", 0, 4, 0 }, { "n2", 0, 4, 0 },
                               { "n3", 0, 2, 1 }, { "n4", 0, 1, 2 } },
      "job-a 8" },
    { "b any 3, a nvlink 4", { { "n1", 0, 4, 0 }, { "n2", 0, 4, 0 },
                               { "n3", 0, 2, 1 }, { "n4", 0, 1, 2 } },
      "job-a 8, job-c 1" },
    /* of equals the first by name */
    { "a nvlink 4", { { "n1", 0, 4, 2 }, { "n2", 0, 4, 1 }, { "n3", 0, 1, 0 },
                      { "n4", 0, 1, 0 } }, "job-a 2" },
    { "a any 13", { { "n1", 0, 4, 2 }, { "n2", 0, 4, 1 } }, "job-b 4, job-c 4" },
};
/* clang-format on */

START_TEST(the_fewest_that_make_room_are_named)
{
    struct place_eviction eviction;
    struct fixture f;

    fixture_cluster(&f, four_hosts);
    for (int i = 0; i < 6 && evictions[_i].held[i].host != NULL; i++)
        hold(&f, evictions[_i].held[i].host, evictions[_i].held[i].first,
             evictions[_i].held[i].n, evictions[_i].held[i].job);
    fixture_request(&f, evictions[_i].request);
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_str_eq(f.refusal.code, "place.not_now");
    evict(&f, &eviction);
    ck_assert(eviction.possible && eviction.least);
    ck_assert_str_eq(say(&f, &eviction), evictions[_i].want);
    fixture_close(&f);
}
END_TEST

START_TEST(nobody_is_named_where_hosts_are_in_the_way)
{
    struct place_eviction eviction;
    struct fixture f;

    fixture_cluster(&f, "hosts: [{name: a, devices: 4, state: down}, "
                        "{name: b, devices: 2}]");
    hold(&f, "b", 0, 2, 0);
    hold(&f, "a", 0, 2, 1);
    fixture_request(&f, "a any 4");
    ck_assert_int_lt(fixture_place(&f), 0);
    evict(&f, &eviction);
    ck_assert(!eviction.possible);
    ck_assert_uint_eq(eviction.n_holders, 0);
    fixture_close(&f);
}
END_TEST

/* ---- by force ------------------------------------------------------------ */

static bool fits_without(struct fixture *f, unsigned jobs,
                         const uint32_t *holders)
{
    struct place_request request = f->request;
    struct place_refusal refusal;
    struct error err;
    struct occupancy occupancy = f->occupancy;
    uint32_t *left =
        arena_array(f->arena, f->topology->n_devices, sizeof(*left));

    for (uint32_t d = 0; d < f->topology->n_devices; d++)
        left[d] = holders[d] != HOLDER_NONE && (jobs >> holders[d] & 1)
                      ? HOLDER_NONE
                      : holders[d];
    occupancy.holders = left;
    f->devices = arena_array(f->arena, request.n_ranks, sizeof(*f->devices));
    return place(f->arena, f->topology, &occupancy, &request, f->devices, NULL,
                 &refusal, &err) == 0;
}

/* Draws who holds what; job j is called names[j]. */
static void draw_holders(struct fixture *f, uint64_t *seed)
{
    for (uint32_t d = 0; d < f->topology->n_devices; d++)
        f->holders[d] = draw(seed, 4) == 0 ? HOLDER_NONE : draw(seed, JOBS);
    f->occupancy = (struct occupancy){ f->holders, names, JOBS };
}

START_TEST(no_set_of_fewer_holders_makes_room)
{
    static const char *const requests[] = {
        "a nvlink 4", "b any 2, a nvlink 2", "b any 3, a nvlink 4",
        "a host 3",   "b block 2, a host 4", "a any 14"
    };
    uint64_t seed = (uint64_t)_i + 1;
    struct place_eviction eviction;
    struct fixture f;
    unsigned chosen = 0, n = 0;

    fixture_cluster(&f, "hosts: [{name: 'n[1-5]', devices: 4, "
                        "own_domain: true, rack: r}]");
    draw_holders(&f, &seed);
    fixture_request(&f, requests[draw(&seed, ARRAY_LEN(requests))]);
    evict(&f, &eviction);
    ck_assert(eviction.possible);
    for (size_t i = 0; i < eviction.n_holders; i++)
        chosen |= 1u << eviction.holders[i].holder;
    if (!fits_without(&f, 0, f.holders))
        ck_assert(fits_without(&f, chosen, f.holders));
    for (unsigned jobs = 0; jobs < 1u << JOBS; jobs++) {
        n = (unsigned)__builtin_popcount(jobs);
        if (n > 0 && n < eviction.n_holders)
            ck_assert_msg(!fits_without(&f, jobs, f.holders), "%x is fewer",
                          jobs);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(the_answer_does_not_hang_on_the_numbers_of_holders)
{
    static const char *const turned[JOBS] = {
        "a", "b", "c", "d", "e", "f", "g"
    };
    uint64_t seed = (uint64_t)_i + 1000;
    struct place_eviction eviction;
    struct fixture f;
    const char *first;

    fixture_cluster(&f, four_hosts);
    draw_holders(&f, &seed);
    fixture_request(&f, "b any 2, a nvlink 4");
    evict(&f, &eviction);
    first = say(&f, &eviction);
    for (uint32_t d = 0; d < f.topology->n_devices; d++)
        if (f.holders[d] != HOLDER_NONE)
            f.holders[d] = JOBS - 1 - f.holders[d];
    f.occupancy.names = turned;
    evict(&f, &eviction);
    ck_assert_str_eq(say(&f, &eviction), first);
    fixture_close(&f);
}
END_TEST

/* ---- bounds -------------------------------------------------------------- */

START_TEST(where_many_must_go_those_that_need_not_stay)
{
    enum { HOLDERS = 2000 };
    struct place_eviction eviction;
    struct fixture f;
    const char **many;

    fixture_cluster(&f, "hosts: [{name: 'n[1-500]', devices: 8, "
                        "own_domain: true}]");
    many = arena_array(f.arena, HOLDERS, sizeof(*many));
    for (uint32_t h = 0; h < HOLDERS; h++)
        many[h] = arena_printf(f.arena, "job%04u", h);
    for (uint32_t d = 0; d < f.topology->n_devices; d++)
        f.holders[d] = d / 2;
    f.occupancy = (struct occupancy){ f.holders, many, HOLDERS };
    fixture_request(&f, "b any 10, a nvlink 8");
    evict(&f, &eviction);
    ck_assert(eviction.possible && !eviction.least);
    ck_assert_uint_eq(eviction.n_holders, 40); /* four of each of ten hosts */
    ck_assert_uint_eq(eviction.n_devices, 80);
    ck_assert_uint_lt(eviction.tries, 3000);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place_evict");
    TCase *tc = tcase_create("eviction");

    tcase_add_loop_test(tc, the_fewest_that_make_room_are_named, 0,
                        ARRAY_LEN(evictions));
    tcase_add_test(tc, nobody_is_named_where_hosts_are_in_the_way);
    tcase_add_loop_test(tc, no_set_of_fewer_holders_makes_room, 0, 60);
    tcase_add_loop_test(tc, the_answer_does_not_hang_on_the_numbers_of_holders,
                        0, 20);
    tcase_add_test(tc, where_many_must_go_those_that_need_not_stay);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
