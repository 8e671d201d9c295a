/* SPDX-License-Identifier: Apache-2.0 */
/* Placing on devices: where ranks go, and why not. */
#include <stdio.h>

#include "tests/placement/place_fixture.h"

/* Two hosts of a domain each, one of two pairs, one with no domain known; three
 * hosts of two that share a domain. */
#define ISLANDS                                                                \
    "hosts: [{name: x, own_domain: true, devices: 4, block: p},"               \
    " {name: y, own_domain: true, devices: 4, block: p},"                      \
    " {name: z, block: q, devices: [{domain: z/0}, {domain: z/0},"             \
    " {domain: z/1}, {domain: z/1}]}, {name: u, devices: 4, block: q}]"
#define RACK                                                                   \
    "hosts: [{name: 'm[1-3]', domain: nv1, devices: 2, block: r1},"            \
    " {name: 'n[1-3]', domain: nv2, devices: 2, block: r2}]"

/* held: "HOST FIRST N JOB; ..." */
static const struct {
    const char *cluster, *held, *request;
    const char
        *want; /* the devices; or the outcome: never, not now, undeclared */
} cases[] = {
    /* whole domains first, in the order of the inventory */
    { ISLANDS, "", "a nvlink 4", "x0 x1 x2 x3" },
    { ISLANDS, "", "b any 2, a nvlink 4", "x0 x1 x2 x3 y0 y1 y2 y3" },
    /* the tightest hole that holds it all */
    { ISLANDS, "", "a nvlink 2", "z0 z1" },
    { ISLANDS, "x 0 1 0", "a nvlink 3", "x1 x2 x3" },
    { ISLANDS, "x 0 2 0; y 1 1 1; z 0 3 0; u 0 4 0", "a any 2", "x2 x3" },
    { ISLANDS, "y 0 1 0; u 0 2 1", "a host 3", "y1 y2 y3" },
    { ISLANDS, "y 0 1 0", "a any 4", "x0 x1 x2 x3" },
    /* of broken ones the smallest, and the rest where it fits best */
    { ISLANDS, "x 0 1 0; y 0 2 0", "a any 1", "y2" },
    { "hosts: [{name: 'a[1-2]', devices: 4}, {name: b, devices: 1}]", "",
      "a any 5", "a10 a11 a12 a13 b0" },
    { "hosts: [{name: a, own_domain: true, devices: 3},"
      " {name: 'b[1-2]', own_domain: true, devices: 2}]",
      "", "b any 2, a nvlink 2", "b10 b11 b20 b21" },
    /* a domain is asked for, and two of a host are not one */
    { ISLANDS, "x 0 4 0; y 0 4 0", "a nvlink 4", "not now" },
    { ISLANDS, "x 0 4 0; y 0 4 0", "a host 4", "z0 z1 z2 z3" },
    { ISLANDS, "x 0 4 0; y 0 4 0", "b host 2, a nvlink 2", "z0 z1 z2 z3" },
    { ISLANDS, "x 0 4 0; y 0 4 0; z 0 1 0", "b host 2, a nvlink 2", "not now" },
    /* what is of unknown domain is in none */
    { ISLANDS, "x 0 4 0; y 0 4 0; z 0 4 1", "a nvlink 2", "not now" },
    { "hosts: [{name: u, devices: 4}]", "", "a nvlink 2", "undeclared" },
    { "hosts: [{name: u, devices: 4}]", "", "a host 2", "u0 u1" },
    { "hosts: [{name: u, devices: 4}]", "", "a block 4", "u0 u1 u2 u3" },
    /* domains that span hosts: hosts inside are kept whole */
    { RACK, "", "a nvlink 6", "m10 m11 m20 m21 m30 m31" },
    { RACK, "m1 0 1 0", "a nvlink 6", "n10 n11 n20 n21 n30 n31" },
    { RACK, "m1 0 1 0", "a nvlink 4", "m20 m21 m30 m31" },
    { RACK, "m1 0 1 0", "a nvlink 5", "m11 m20 m21 m30 m31" },
    { RACK, "m1 0 1 0; m2 0 1 0", "b nvlink 2, a host 2", "n10 n11 n20 n21" },
    { RACK, "m1 0 1 0; m2 0 1 0; n1 0 1 0; n2 0 1 0", "b nvlink 2, a host 2",
      "not now" },
    { RACK, "m1 0 1 0; m2 0 1 0; n1 0 1 0; n2 0 1 0", "b any 2, a host 2",
      "m30 m31 n30 n31" },
    { RACK, "", "b any 2, a nvlink 5",
      "m10 m11 m20 m21 m30 n10 n11 n20 n21 n30" },
    { RACK, "", "a nvlink 7", "never" },
    { RACK, "", "a host 3", "never" },
    /* blocks */
    { ISLANDS, "x 0 1 0", "b block 3, a nvlink 2", "x1 x2 y0 y1 y2 y3" },
    { ISLANDS, "x 0 1 0; y 0 1 0", "b block 3, a nvlink 2", "not now" },
    { ISLANDS, "", "b block 2, a nvlink 4", "x0 x1 x2 x3 y0 y1 y2 y3" },
    { ISLANDS, "x 0 1 0", "b block 2, a nvlink 4", "not now" },
    { ISLANDS, "", "a block 9", "never" },
    { ISLANDS, "", "a any 16",
      "x0 x1 x2 x3 y0 y1 y2 y3 z0 z1 z2 z3 u0 u1 u2 u3" },
    { ISLANDS, "", "a any 17", "never" },
    { ISLANDS, "u 0 1 0", "a any 16", "not now" },
    { "hosts: []", "", "a any 1", "undeclared" },
    { "hosts: [{name: a, devices: 1}, {name: b}]", "", "a any 2",
      "undeclared" },
    /* names do not decide, the inventory does */
    { "hosts: [{name: n66, devices: 1}, {name: n7, devices: 1}]", "", "a any 2",
      "n660 n70" },
    { "{order: names, hosts: [{name: n66, devices: 1},"
      " {name: n7, devices: 1}]}",
      "", "a any 2", "n70 n660" },
    /* hosts that are not ready, spares */
    { "hosts: [{name: a, state: cordoned, devices: 1}, {name: b, devices: 2}]",
      "", "a any 1", "b0" },
    { "hosts: [{name: a, state: down, devices: 2}, {name: b, devices: 1}]", "",
      "a any 2", "not now" },
    { "hosts: [{name: a, spare: true, devices: 2}, {name: b, devices: 1}]", "",
      "a any 2", "never" },
    /* overlapping in another way: each host's part of a domain is an island */
    { "hosts: [{name: a, devices: [{domain: s}, {domain: s}, {domain: t}]},"
      " {name: b, devices: [{domain: t}, {domain: t}]}]",
      "", "b any 2, a nvlink 2", "a0 a1 b0 b1" },
    /* a domain over two blocks is close all the same */
    { "hosts: [{name: a, domain: d, devices: 2, block: p},"
      " {name: b, domain: d, devices: 2, block: q}]",
      "", "b block 2, a nvlink 2", "a0 a1 b0 b1" },
};

static void hold_all(struct fixture *f, const char *text)
{
    char host[16];
    unsigned first, n, job;
    int used;

    while (sscanf(text, " %15s %u %u %u%n", host, &first, &n, &job, &used) ==
           4) {
        hold(f, host, first, n, job);
        text += used;
        text += *text == ';';
    }
}

START_TEST(ranks_go_where_they_should)
{
    static const char *const outcomes[] = { "placed", "never", "not now",
                                            "undeclared" };
    struct fixture f;

    fixture_cluster(&f, cases[_i].cluster);
    hold_all(&f, cases[_i].held);
    fixture_request(&f, cases[_i].request);
    if (fixture_place(&f) < 0) {
        ck_assert_int_ne(f.refusal.outcome, PLACE_DONE);
        ck_assert_str_eq(f.err.text, f.refusal.text);
        ck_assert_msg(strcmp(outcomes[f.refusal.outcome], cases[_i].want) == 0,
                      "want %s, got %s: %s", cases[_i].want,
                      outcomes[f.refusal.outcome], f.err.text);
    } else {
        must_be_free(&f);
        ck_assert_str_eq(fixture_answer(&f), cases[_i].want);
    }
    fixture_close(&f);
}
END_TEST

/* ---- refusals ----------------------------------------------------------- */

START_TEST(a_refusal_names_who_holds_the_devices)
{
    struct fixture f;

    fixture_cluster(&f, ISLANDS);
    hold(&f, "x", 0, 4, 2);
    hold(&f, "y", 0, 3, 0);
    hold(&f, "z", 0, 4, 0);
    fixture_request(&f, "a any 6");
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_int_eq(f.err.status, STATUS_EXHAUSTED);
    ck_assert_str_eq(f.refusal.code, "place.not_now");
    ck_assert_uint_eq(f.refusal.n_holders, 2);
    ck_assert_uint_eq(f.refusal.holders[0].holder, 0);
    ck_assert_uint_eq(f.refusal.holders[0].n_devices, 7);
    ck_assert_uint_eq(f.refusal.holders[1].n_devices, 4);
    ck_assert_uint_eq(f.refusal.free, 5);
    ck_assert_str_eq(f.err.text,
                     "6 devices are wanted and 5 are free now; job-a holds 7, "
                     "job-c holds 4");
    fixture_close(&f);
}
END_TEST

static const struct {
    const char *cluster, *held, *request, *said;
} sentences[] = {
    { ISLANDS, "", "a nvlink 5",
      "a wants 5 ranks together in one nvlink domain, and the largest has 4 "
      "such devices, also when all are free" },
    { ISLANDS, "", "a host 5",
      "a wants 5 ranks together in one host, and the largest has 4 such "
      "devices, also when all are free" },
    /* neither has groups as large as what they make together */
    { ISLANDS, "", "b host 3, a nvlink 2",
      "b, a want 6 ranks together in one host or domain, and the largest has 4 "
      "such devices, also when all are free" },
    /* a domain is large enough, the hosts in it are not */
    { RACK, "", "b any 2, a host 4",
      "a wants 4 ranks together in one host, and the largest has 2 such "
      "devices, also when all are free" },
    { ISLANDS, "", "a block 9",
      "a wants 9 ranks together in one block, and the largest has 8 such "
      "devices, also when all are free" },
    { ISLANDS, "", "b any 4, a nvlink 4",
      "a wants 4 sets of 4 ranks, each together in one nvlink domain, and "
      "there is room for 2, also when all are free" },
    { ISLANDS, "x 0 2 0", "b any 4, a host 3",
      "14 devices are free, but a wants 4 sets of 3 ranks, each together in "
      "one host, and there is room for 3 now; job-a holds 2" },
    { RACK, "", "b any 3, c block 2, a host 2",
      "c, a want 3 sets of 4 ranks, each together in one block, and there is "
      "room for 2, also when all are free" },
    { ISLANDS, "", "a any 20",
      "20 devices are wanted, and 16 that fit are declared" },
    { ISLANDS, "x 0 1 0; y 0 1 1", "a nvlink 4",
      "14 devices are free, but a wants 4 ranks together in one nvlink domain, "
      "and the largest has 3 such devices free; job-a holds 1, job-b holds 1" },
    { "hosts: [{name: a, spare: true, devices: 2}, {name: b, devices: 1}]", "",
      "a any 2",
      "2 devices are wanted, and 1 that fit are declared besides 2 spares" },
    { "hosts: [{name: a, state: drained, devices: 2},"
      " {name: b, devices: 1}]",
      "", "a any 2",
      "2 devices are wanted and 1 are free now; 2 stand on hosts that are not "
      "ready" },
    { "hosts: []", "", "a any 2",
      "2 devices are wanted, and no host is declared yet" },
};

START_TEST(a_refusal_says_what_counts_most)
{
    struct fixture f;

    fixture_cluster(&f, sentences[_i].cluster);
    hold_all(&f, sentences[_i].held);
    fixture_request(&f, sentences[_i].request);
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_str_eq(f.err.text, sentences[_i].said);
    fixture_close(&f);
}
END_TEST

START_TEST(a_request_may_rule_out_hosts_and_small_devices)
{
    struct fixture f;
    bool hosts[2] = { false, true };

    fixture_cluster(&f, "hosts: [{name: a, devices: [{memory_mib: 40}]},"
                        " {name: b, devices: [{memory_mib: 80}, {}]}]");
    fixture_request(&f, "a any 1");
    f.request.memory_mib = 50;
    ck_assert_int_eq(fixture_place(&f), 0);
    ck_assert_str_eq(fixture_answer(&f), "b0");
    f.request.memory_mib = 0;
    f.request.hosts = hosts;
    ck_assert_int_eq(fixture_place(&f), 0);
    ck_assert_str_eq(fixture_answer(&f), "b0");
    fixture_request(&f, "a any 2");
    f.request.memory_mib = 50;
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_int_eq(f.refusal.outcome, PLACE_NEVER);
    ck_assert_uint_eq(f.refusal.not_wanted, 2);
    fixture_close(&f);
}
END_TEST

START_TEST(spares_are_used_when_they_may_be)
{
    struct fixture f;

    fixture_cluster(&f, "hosts: [{name: a, spare: true, devices: 1}]");
    fixture_request(&f, "a any 1");
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_uint_eq(f.refusal.spare, 1);
    f.request.spares = true;
    ck_assert_int_eq(fixture_place(&f), 0);
    fixture_close(&f);
}
END_TEST

START_TEST(numbers_out_of_range_are_refused)
{
    struct fixture f;

    fixture_cluster(&f, ISLANDS);
    fixture_request(&f, "a any 2");
    f.axes[0].n_groups = 0;
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_int_eq(f.err.status, STATUS_INVALID);
    fixture_request(&f, "a any 2");
    f.holders[3] = 7;
    ck_assert_int_lt(fixture_place(&f), 0);
    ck_assert_int_eq(f.err.status, STATUS_INVALID);
    fixture_close(&f);
}
END_TEST

START_TEST(the_answer_says_how_every_axis_lies)
{
    struct fixture f;
    struct text said = { 0 };

    fixture_cluster(&f, "hosts: [{name: 'a[1-2]', own_domain: true, devices: 4,"
                        " block: p}, {name: b, own_domain: true, devices: 4}]");
    fixture_request(&f, "c any 3, b host 2, a nvlink 2");
    ck_assert_int_eq(fixture_place(&f), 0);
    ck_assert_uint_eq(f.reports[2].groups, 6);
    ck_assert_uint_eq(f.reports[2].within[LINK_NVLINK], 6);
    ck_assert_uint_eq(f.reports[0].groups, 4);
    ck_assert_uint_eq(f.reports[0].within[LINK_BLOCK], 0);
    place_say(&f.request, f.reports, &said);
    ck_assert_str_eq(text_string(&said),
                     "c (any): 4 groups, 4 across blocks\n"
                     "b (host): 6 groups, 6 within one nvlink domain\n"
                     "a (nvlink): 6 groups, 6 within one nvlink domain\n");
    text_close(&said);
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_of_unknown_domain_or_block_shares_none)
{
    struct fixture f;

    fixture_cluster(&f, "hosts: [{name: 'u[1-2]', devices: 2}]");
    fixture_request(&f, "b any 2, a any 2");
    ck_assert_int_eq(fixture_place(&f), 0);
    ck_assert_uint_eq(f.reports[1].groups, 2);
    ck_assert_uint_eq(f.reports[1].within[LINK_NVLINK], 0);
    ck_assert_uint_eq(f.reports[1].by_link[LINK_HOST], 2);
    ck_assert_uint_eq(f.reports[0].groups, 2);
    ck_assert_uint_eq(f.reports[0].within[LINK_BLOCK], 0);
    ck_assert_uint_eq(f.reports[0].by_link[LINK_ANY], 2);
    fixture_close(&f);
}
END_TEST

START_TEST(shapes_that_differ_are_placed_together)
{
    struct fixture f;

    /* four ranks that want a domain, two that want a host, one alone */
    fixture_cluster(&f, ISLANDS);
    hold(&f, "x", 0, 1, 0);
    fixture_request(&f, "a nvlink 7");
    for (uint32_t p = 0; p < 7; p++)
        f.axes[0].group_of[p] = p < 4 ? 0 : p < 6 ? 1 : GROUP_NONE;
    f.axes[0].n_groups = 2;
    ck_assert_int_eq(fixture_place(&f), 0);
    must_be_free(&f);
    ck_assert_str_eq(fixture_answer(&f),
                     "y0 y1 y2 y3 z0 z1 x1" /* the broken one */);
    fixture_close(&f);
}
END_TEST

/* ---- ranks -------------------------------------------------------------- */

START_TEST(a_rank_of_a_sparse_world_has_a_position)
{
    static const uint32_t listed[] = { 0, 3, 7 };
    const struct place_ranks ranks = { listed, ARRAY_LEN(listed), false };

    for (uint32_t p = 0; p < ranks.n; p++)
        ck_assert_uint_eq(place_position(&ranks, listed[p]), p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place");
    TCase *tcase = tcase_create("core");

    tcase_add_loop_test(tcase, ranks_go_where_they_should, 0, ARRAY_LEN(cases));
    tcase_add_test(tcase, a_refusal_names_who_holds_the_devices);
    tcase_add_loop_test(tcase, a_refusal_says_what_counts_most, 0,
                        ARRAY_LEN(sentences));
    tcase_add_test(tcase, a_request_may_rule_out_hosts_and_small_devices);
    tcase_add_test(tcase, spares_are_used_when_they_may_be);
    tcase_add_test(tcase, numbers_out_of_range_are_refused);
    tcase_add_test(tcase, the_answer_says_how_every_axis_lies);
    tcase_add_test(tcase, what_is_of_unknown_domain_or_block_shares_none);
    tcase_add_test(tcase, shapes_that_differ_are_placed_together);
    tcase_add_test(tcase, a_rank_of_a_sparse_world_has_a_position);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
