/* SPDX-License-Identifier: Apache-2.0 */
/* Routing: the signals that go from one host to another. */
#include "daemon/routing.h"

#include <stdio.h>

#include "tests/placement/check_fixture.h"

static const char runtime[] = "runtime: r\n"
                              "version: 1\n"
                              "request: node_groups\n"
                              "axes: [{name: a}]\n"
                              "rules: [{check: ranks}]\n";

static const char model[] =
    "model: m\n"
    "nodes: [{name: x, axes: {a: {}}}, {name: y, axes: {a: {}}}, {name: z}]\n"
    "walks:\n"
    "  - {name: first, nodes: [x, y],\n"
    "     signals: [{from: x, to: y, name: xy}, {from: y, name: out}]}\n"
    "  - {name: second, nodes: [x, z],\n"
    "     signals: [{from: x, to: z, name: xz}, {from: x, to: x, name: xx}]}\n"
    "  - {name: third, nodes: [x, y], when_placed: [y],\n"
    "     signals: [{from: y, to: x, name: yx}]}\n";

/* x and z are one group of ranks 0 to 3, y has ranks 4 and 5. */
static const char request[] =
    "model: m\nnode_groups:\n"
    "  - {node_names: [x, z], ranks: [0, 1, 2, 3], sizes: {a: 2}}\n"
    "  - {node_names: [y], ranks: [4, 5], sizes: {a: 2}}\n";

static const char *const names[] = { "n0", "n1", "n2", "n3", "n4", "n5",
                                     "n6", "n7", "n8", "n9", "n10" };
static uint32_t per_host;

static const char *host_by_number(const struct live *live, uint32_t rank)
{
    (void)live;
    return per_host > 0 ? names[rank / per_host] : NULL;
}

static struct asked asked;
static struct live live;

static void route(const char *text, uint32_t ranks_of_a_host,
                  Serried__V1__GetRoutingReply *ret)
{
    ck_assert_msg(ask(&asked, runtime, model, text, NULL), "%s",
                  asked.err.text);
    ck_assert_msg(check_accepts(asked.check), "%s", asked_json(&asked));
    live = (struct live){ .name = "p", .check = asked.check };
    ck_assert_int_eq(
        codec_assignment_common(asked.check, &live.common, &asked.err), 0);
    per_host = ranks_of_a_host;
    serried__v1__get_routing_reply__init(ret);
    ck_assert_msg(routing_make(&live, host_by_number, NULL, 0, asked.arena, ret,
                               &asked.err) == 0,
                  "%s", asked.err.text);
}

START_TEST(what_stays_on_one_host_or_in_one_group_crosses_none)
{
    Serried__V1__GetRoutingReply reply;

    route(request, 8, &reply); /* all on one host */
    ck_assert_uint_eq(reply.n_crossings, 0);
    ck_assert_uint_eq(reply.n_routes, 6);
    asked_close(&asked);
    route(request, 0, &reply); /* bound to none */
    ck_assert_uint_eq(reply.n_crossings, 0);
    asked_close(&asked);
}
END_TEST

START_TEST(what_goes_to_another_host_is_listed_with_both)
{
    Serried__V1__GetRoutingReply reply;
    const Serried__V1__Crossing *c;

    route(request, 4, &reply); /* x and z on n0, y on n1 */
    ck_assert_uint_eq(reply.n_crossings, 2);
    c = reply.crossings[0];
    ck_assert_str_eq(c->walk, "first");
    ck_assert_str_eq(c->from, "x");
    ck_assert_str_eq(c->to, "y");
    ck_assert_str_eq(c->signal, "xy");
    ck_assert_uint_eq(c->n_from_hosts, 1);
    ck_assert_str_eq(c->from_hosts[0], "n0");
    ck_assert_uint_eq(c->n_to_hosts, 1);
    ck_assert_str_eq(c->to_hosts[0], "n1");
    ck_assert_str_eq(reply.crossings[1]->signal, "yx");
    asked_close(&asked);
}
END_TEST

START_TEST(replicas_on_two_hosts_may_send_to_either)
{
    Serried__V1__GetRoutingReply reply;

    route(request, 3, &reply); /* x on n0 and n1, y on n1 */
    ck_assert_uint_eq(reply.n_crossings, 2);
    ck_assert_uint_eq(reply.crossings[0]->n_from_hosts, 2);
    ck_assert_uint_eq(reply.crossings[0]->n_to_hosts, 1);
    asked_close(&asked);
    route("model: m\nnode_groups:\n" /* x on n0 and n1, y on n0 */
          "  - {node_names: [x, z], count: 4, sizes: {a: 2}}\n"
          "  - {node_names: [y], ranks: [0]}\n",
          3, &reply);
    ck_assert_uint_eq(reply.n_crossings, 2);
    ck_assert_uint_eq(reply.crossings[1]->n_to_hosts, 2);
    asked_close(&asked);
}
END_TEST

START_TEST(of_many_hosts_the_first_are_named)
{
    Serried__V1__GetRoutingReply reply;

    route("model: m\nnode_groups:\n"
          "  - {node_names: [x, z], count: 10, sizes: {a: 2}}\n"
          "  - {node_names: [y], ranks: [10]}\n",
          1, &reply);
    ck_assert_uint_eq(reply.n_crossings, 2);
    ck_assert_uint_eq(reply.crossings[0]->n_from_hosts, ROUTING_HOSTS_MAX);
    ck_assert_str_eq(reply.crossings[0]->from_hosts[7], "n7");
    asked_close(&asked);
}
END_TEST

START_TEST(a_full_arena_is_told)
{
    struct arena *full = arena_new(64);
    Serried__V1__GetRoutingReply reply;

    route(request, 1, &reply);
    serried__v1__get_routing_reply__init(&reply);
    ck_assert_int_lt(
        routing_make(&live, host_by_number, NULL, 0, full, &reply, &asked.err),
        0);
    ck_assert_int_eq(asked.err.status, STATUS_EXHAUSTED);
    arena_free(full);
    asked_close(&asked);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("routing");
    TCase *tcase = tcase_create("crossings");

    tcase_add_test(tcase, what_stays_on_one_host_or_in_one_group_crosses_none);
    tcase_add_test(tcase, what_goes_to_another_host_is_listed_with_both);
    tcase_add_test(tcase, replicas_on_two_hosts_may_send_to_either);
    tcase_add_test(tcase, of_many_hosts_the_first_are_named);
    tcase_add_test(tcase, a_full_arena_is_told);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
