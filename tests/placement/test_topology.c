/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters: names, loading, questions, refusals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/names.h"
#include "placement/topology.h"
#include "proto/document.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 256 << 20, MANY_HOSTS = 65536 };

static struct arena *arena;

static void set_up(void)
{
    arena = arena_new(ARENA_BYTES);
    ck_assert_ptr_nonnull(arena);
}

static void tear_down(void)
{
    arena_free(arena);
}

static const struct tree *yaml(const char *text)
{
    struct error err = { 0 };
    const struct tree *tree = NULL;

    ck_assert_msg(document_read_one(arena, "c.yaml", 1, text, strlen(text),
                                    &tree, &err) == 0,
                  "%s in %s", err.text, text);
    return tree;
}

static const struct topology *load(const char *text)
{
    struct error err = { 0 };
    const struct topology *topology = topology_load(arena, yaml(text), &err);

    ck_assert_msg(topology != NULL, "%s", err.text);
    return topology;
}

/* ---- names -------------------------------------------------------------- */

static const char *const ascending[] = {
    "",
    "Node1",
    "a",
    "a01",
    "a1",
    "a1b2",
    "a1b10",
    "a002",
    "a2",
    "a10",
    "a10.x",
    "node7",
    "node66",
    "node066x",
    "node66x",
    "node100000000000000000000",
    "node100000000000000000001",
    "z",
};

START_TEST(names_are_ordered_as_people_expect)
{
    for (size_t i = 0; i < ARRAY_LEN(ascending); i++)
        for (size_t k = 0; k < ARRAY_LEN(ascending); k++) {
            int order = name_compare(ascending[i], ascending[k]);

            ck_assert_msg((order > 0) - (order < 0) == (i > k) - (i < k),
                          "%s and %s", ascending[i], ascending[k]);
        }
}
END_TEST

static const struct {
    const char *text, *want; /* joined by blanks */
} lists[] = {
    { "a", "a" },
    { "a,b,a", "a b a" },
    { "n[1-3]", "n1 n2 n3" },
    { "n[09-11]", "n09 n10 n11" },
    { "n[9-11]x", "n9x n10x n11x" },
    { "r[1-2]n[3,1]", "r1n3 r1n1 r2n3 r2n1" },
    { " n[1] , m ", "n1 m" },
    { "[1-2]", "1 2" },
    { "a.b-c_d:[0]", "a.b-c_d:0" },
};

START_TEST(a_nodelist_is_expanded_in_order)
{
    const char *const *names;
    struct text got = { 0 };
    struct error err = { 0 };
    size_t n;

    ck_assert_msg(nodelist_expand(arena, lists[_i].text, &names, &n, &err) == 0,
                  "%s", err.text);
    for (size_t i = 0; i < n; i++)
        text_printf(&got, "%s%s", i > 0 ? " " : "", names[i]);
    ck_assert_str_eq(text_string(&got), lists[_i].want);
    text_close(&got);
}
END_TEST

START_TEST(a_nodelist_may_have_as_many_names_as_there_are_hosts)
{
    const char *const *names;
    size_t n;

    ck_assert_int_eq(nodelist_expand(arena, "n[1-65536]", &names, &n, NULL), 0);
    ck_assert_uint_eq(n, NODELIST_NAMES_MAX);
    ck_assert_int_lt(nodelist_expand(arena, "n[1-65537]", &names, &n, NULL), 0);
}
END_TEST

START_TEST(a_name_of_a_nodelist_is_as_long_as_a_hosts_may_be)
{
    const char *const *names;
    char text[300], list[310];
    size_t n;

    for (size_t len = 230; len < sizeof(text); len++) {
        memset(text, 'a', len);
        text[len] = '\0';
        ck_assert_int_eq(nodelist_expand(arena, text, &names, &n, NULL) == 0,
                         len <= HOST_NAME_BYTES_MAX);
        snprintf(list, sizeof(list), "%s[08-10]", text);
        ck_assert_int_eq(nodelist_expand(arena, list, &names, &n, NULL) == 0,
                         len + 2 <= HOST_NAME_BYTES_MAX);
    }
}
END_TEST

static const struct {
    const char *text;
    bool read;
    const char *want;
} pcis[] = {
    { "00000000:1B:00.0", true, "0000:1b:00.0" },
    { "0000:1b:00.0", true, "0000:1b:00.0" },
    { "1b:0.0", true, "0000:1b:00.0" },
    { "00010000:CB:1F.7", true, "10000:cb:1f.7" },
    { "1b:00", false, "" },
    { "1b:00.0x", false, "" },
    { ":1b:00.0", false, "" },
    { "000000000:1b:00.0", false, "" },
    { "", false, "" },
    { "GPU0", false, "" },
};

START_TEST(pci_addresses_are_written_in_one_way)
{
    char out[24] = "";

    ck_assert_int_eq(pci_normal(pcis[_i].text, out), pcis[_i].read);
    ck_assert_str_eq(out, pcis[_i].want);
}
END_TEST

START_TEST(a_level_has_one_word_and_a_rack_is_a_block)
{
    for (int l = 0; l < LINK_COUNT; l++)
        ck_assert_int_eq(link_named(link_name((enum link_level)l)), l);
    ck_assert_int_eq(link_named("rack"), LINK_BLOCK);
    ck_assert_int_eq(link_named("pcie"), -1);
}
END_TEST

/* ---- loading ------------------------------------------------------------ */

static const char two_hosts[] =
    "cluster: lab\n"
    "hosts:\n"
    "  - name: b\n"
    "    addresses: [10.0.0.2, b.lab]\n"
    "    labels: {zone: x, tier: 3}\n"
    "    rack: r1\n"
    "    state: drained\n"
    "    reason: fan\n"
    "    by: eve\n"
    "    spare: true\n"
    "    own_domain: true\n"
    "    devices:\n"
    "      - {index: 1, uuid: GPU-b1, pci: '00000000:1B:00.0', numa: 1}\n"
    "      - {index: 0, uuid: GPU-b0, memory_mib: 81559, model: H, domain: d}\n"
    "  - {name: 'a[1-2]', block: r1, domain: d, devices: 2}\n"
    "  - {name: c}\n";

START_TEST(a_cluster_is_loaded_in_the_order_of_its_document)
{
    const struct topology *t = load(two_hosts);
    const struct host *b = &t->hosts[0];
    const struct device *d = &t->devices[b->first_device];

    ck_assert_str_eq(t->name, "lab");
    ck_assert_uint_eq(t->n_hosts, 4);
    ck_assert_uint_eq(t->n_devices, 6);
    ck_assert_str_eq(b->name, "b");
    ck_assert_uint_eq(b->n_addresses, 2);
    ck_assert(host_has_label(b, "zone", "x") && host_has_label(b, "tier", ""));
    ck_assert(host_has_label(b, "tier", "3") &&
              !host_has_label(b, "zone", "y"));
    ck_assert_int_eq(b->state, HOST_DRAINED);
    ck_assert(b->spare && b->devices_known);
    ck_assert_str_eq(b->by, "eve");
    ck_assert_str_eq(d[0].uuid, "GPU-b0");
    ck_assert_uint_eq(d[0].memory_mib, 81559);
    ck_assert_int_eq(d[0].numa, -1);
    ck_assert_str_eq(d[1].pci, "0000:1b:00.0");
    ck_assert_int_eq(d[1].numa, 1);
    ck_assert_str_eq(t->domains[d[0].domain], "d");
    ck_assert_str_eq(t->domains[d[1].domain], "b");
    ck_assert_str_eq(t->hosts[2].name, "a2");
    ck_assert_uint_eq(t->hosts[2].block, b->block);
    ck_assert_uint_eq(t->devices[t->hosts[2].first_device + 1].domain,
                      d[0].domain);
    ck_assert(!t->hosts[3].devices_known);
    ck_assert_uint_eq(t->hosts[3].block, BLOCK_NONE);
}
END_TEST

START_TEST(names_may_give_the_order_instead)
{
    const struct topology *t =
        load("{order: names, hosts: [{name: n66}, {name: n7}, {name: m9}]}");

    ck_assert_str_eq(t->hosts[0].name, "m9");
    ck_assert_str_eq(t->hosts[1].name, "n7");
    ck_assert_str_eq(t->hosts[2].name, "n66");
    ck_assert_uint_eq(topology_host(t, "n66"), 2);
    ck_assert_uint_eq(topology_host(t, "n6"), HOST_NONE);
}
END_TEST

START_TEST(an_unknown_domain_is_none)
{
    const struct topology *t =
        load("hosts: [{name: a, devices: 2}, {name: b, devices: 2}]");

    for (uint32_t d = 0; d < t->n_devices; d++)
        ck_assert_uint_eq(t->devices[d].domain, DOMAIN_NONE);
    ck_assert_uint_eq(t->n_domains, 0);
}
END_TEST

START_TEST(hosts_are_marked_by_a_nodelist)
{
    const struct topology *t = load(two_hosts);
    bool marks[4] = { false };
    struct error err = { 0 };

    ck_assert_int_eq(topology_mark(t, arena, "a[1-2],c", marks, &err), 0);
    ck_assert(!marks[0] && marks[1] && marks[2] && marks[3]);
    ck_assert_int_lt(topology_mark(t, arena, "b,a12", marks, &err), 0);
    ck_assert_int_eq(err.status, STATUS_UNKNOWN_NAME);
    ck_assert_ptr_nonnull(strstr(err.text, "a1"));
    ck_assert(!marks[0]);
}
END_TEST

START_TEST(a_cluster_of_the_largest_size_is_loaded)
{
    const struct topology *t =
        load("hosts: [{name: 'n[1-65536]', own_domain: true, devices: 16}]");

    ck_assert_uint_eq(t->n_hosts, MANY_HOSTS);
    ck_assert_uint_eq(t->n_devices, CLUSTER_DEVICES_MAX);
    ck_assert_uint_eq(t->n_domains, MANY_HOSTS);
    ck_assert_uint_eq(topology_host(t, "n65536"), MANY_HOSTS - 1);
}
END_TEST

static const struct {
    const char *text, *said;
} refused[] = {
    { "[]", "a map" },
    { "{hosts: 3}", "list" },
    { "{host: []}", "hosts" },
    { "{hosts: [], order: size}", "document, names" },
    { "{hosts: [a]}", "a map" },
    { "{hosts: [{name: ''}]}", "empty" },
    { "{hosts: [{block: b}]}", "name" },
    { "{hosts: [{name: 'a/b'}]}", "name of a host" },
    { "{hosts: [{name: 'a[1'}]}", "bracket" },
    { "{hosts: [{name: a, adresses: b}]}", "addresses" },
    { "{hosts: [{name: a}, {name: b}, {name: a}]}", "a is declared twice" },
    { "{hosts: [{name: 'a[1-3]'}, {name: a2}]}", "a2 is declared twice" },
    { "{hosts: [{name: a, state: fine}]}", "cordoned" },
    { "{hosts: [{name: a, addresses: ['x y']}]}", "no address" },
    { "{hosts: [{name: a, labels: {x: [1]}}]}", "a string or an integer" },
    { "{hosts: [{name: a, rack: r, block: b}]}", "one of both" },
    { "{hosts: [{name: a, domain: d, own_domain: true}]}", "one of both" },
    { "{hosts: [{name: a, devices: -1}]}", "-1" },
    { "{hosts: [{name: a, devices: 257}]}", "257" },
    { "{hosts: [{name: a, devices: [{uuid: u}, {index: 0}]}]}", "index 0" },
    { "{hosts: [{name: a, devices: [{uid: u}]}]}", "uuid" },
    { "{hosts: [{name: a, devices: [{uuid: u}]},"
      " {name: b, devices: [{uuid: u}]}]}",
      "of b has the UUID u" },
    { "{hosts: [{name: a, devices: [{pci: '1:0.0'}, {pci: '01:00.0'}]}]}",
      "PCI address 0000:01:00.0" },
    { "{hosts: [{name: a, devices: [{pci: x}]}]}", "no PCI address" },
    { "{hosts: [{name: a, devices: [{numa: -1}]}]}", "-1" },
    { "{hosts: [{name: a, devices: [{memory_mib: 0}]}]}", "0" },
    { "{hosts: [{name: a, own_domain: true, devices: 1},"
      " {name: b, devices: 1, domain: a}]}",
      "own domain" },
    { "{hosts: [{name: 'n[1-65536]'}, {name: m}]}", "65536 hosts at most" },
    { "{hosts: [{name: 'n[1-65536]', devices: 17}]}", "devices at most" },
};

START_TEST(a_bad_document_is_refused)
{
    struct error err = { 0 };

    ck_assert_ptr_null(topology_load(arena, yaml(refused[_i].text), &err));
    ck_assert_msg(strstr(err.text, refused[_i].said) != NULL, "%s", err.text);
    ck_assert_msg(strstr(err.text, "c.yaml") != NULL, "%s", err.text);
}
END_TEST

/* The first YAML block of the page on clusters. */
static const char *block_of_page(void)
{
    const char *srcdir = getenv("srcdir");
    char *text = arena_alloc(arena, 65536), *start, *end;
    FILE *in = fopen(arena_printf(arena, "%s/docs/cluster.md",
                                  srcdir != NULL ? srcdir : "."),
                     "r");

    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, 65535, in)] = '\0';
    fclose(in);
    start = strstr(text, "```yaml\n");
    ck_assert_ptr_nonnull(start);
    end = strstr(start + 8, "```");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    return start + 8;
}

START_TEST(the_cluster_of_the_page_is_one)
{
    const struct topology *t = load(block_of_page());

    ck_assert_uint_eq(t->n_hosts, 1 + 7 + 18 + 1);
    ck_assert_uint_eq(t->n_devices, 2 + 7 * 2 + 18 * 4 + 2);
    ck_assert(t->hosts[t->n_hosts - 1].spare);
}
END_TEST

START_TEST(a_small_arena_is_an_error_and_no_crash)
{
    const struct tree *tree = yaml(two_hosts);

    for (size_t bytes = 0; bytes < 8192; bytes += 64) {
        struct arena *small = arena_new(bytes);
        struct error err = { 0 };

        if (topology_load(small, tree, &err) == NULL)
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        arena_free(small);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("topology");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, names_are_ordered_as_people_expect);
    tcase_add_loop_test(tcase, a_nodelist_is_expanded_in_order, 0,
                        ARRAY_LEN(lists));
    tcase_add_test(tcase, a_nodelist_may_have_as_many_names_as_there_are_hosts);
    tcase_add_test(tcase, a_name_of_a_nodelist_is_as_long_as_a_hosts_may_be);
    tcase_add_loop_test(tcase, pci_addresses_are_written_in_one_way, 0,
                        ARRAY_LEN(pcis));
    tcase_add_test(tcase, a_level_has_one_word_and_a_rack_is_a_block);
    tcase_add_test(tcase, a_cluster_is_loaded_in_the_order_of_its_document);
    tcase_add_test(tcase, names_may_give_the_order_instead);
    tcase_add_test(tcase, an_unknown_domain_is_none);
    tcase_add_test(tcase, hosts_are_marked_by_a_nodelist);
    tcase_add_test(tcase, a_cluster_of_the_largest_size_is_loaded);
    tcase_add_loop_test(tcase, a_bad_document_is_refused, 0,
                        ARRAY_LEN(refused));
    tcase_add_test(tcase, the_cluster_of_the_page_is_one);
    tcase_add_test(tcase, a_small_arena_is_an_error_and_no_crash);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
