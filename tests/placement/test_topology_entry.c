/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of hosts: copies, and the cluster that they make together. */
#include "placement/topology_entry.h"

#include <stdlib.h>
#include <string.h>

#include "proto/document.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 16 << 20, HOSTS_MAX = 8 };

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

static const struct tree *yaml(struct arena *in, const char *text)
{
    struct error err = { 0 };
    const struct tree *tree = NULL;

    ck_assert_msg(document_read_one(in, "c.yaml", 1, text, strlen(text), &tree,
                                    &err) == 0,
                  "%s in %s", err.text, text);
    return tree;
}

/* What a host is called, and the entry in a document of its own. */
static const struct named_entry {
    const char *name, *text;
} entries[] = {
    { "b", "{name: b, addresses: [10.0.0.2, b.lab], labels: {zone: x, tier: 3},"
           " rack: r1, state: drained, reason: fan, by: eve, spare: true,"
           " own_domain: true, devices: [{index: 1, uuid: u1, pci: '1B:00.0',"
           " model: H}, {index: 0, uuid: u0, model: H, numa: 1, domain: d},"
           " {index: 7, uuid: u7, memory_mib: 9, domain: e}]}" },
    { "a1", "{name: a1, block: r1, domain: d, devices: 2}" },
    { "c", "{name: c}" },
    { "a2", "{name: a2, rack: r2, domain: e, devices: [{model: I},"
            " {domain: d}]}" },
    { "z", "{name: z, own_domain: true, devices: 2}" },
};

/* A copy whose origin is gone. */
static struct host_entry *copy_of(const char *text)
{
    struct arena *away = arena_new(ARENA_BYTES);
    struct host_entry entry, *copy;
    struct error err = { 0 };

    ck_assert_ptr_nonnull(away);
    ck_assert_msg(host_entry_read(away, yaml(away, text), &entry, &err) == 0,
                  "%s", err.text);
    copy = host_entry_copy(&entry);
    ck_assert_ptr_nonnull(copy);
    arena_free(away);
    return copy;
}

static void same_text(const char *a, const char *b)
{
    ck_assert((a == NULL) == (b == NULL));
    if (a != NULL)
        ck_assert_str_eq(a, b);
}

static void same_host(const struct topology *ta, const struct topology *tb,
                      uint32_t h)
{
    const struct host *a = &ta->hosts[h], *b = &tb->hosts[h];

    same_text(a->name, b->name);
    same_text(a->reason, b->reason);
    same_text(a->by, b->by);
    ck_assert_int_eq(a->state, b->state);
    ck_assert(a->spare == b->spare && a->devices_known == b->devices_known);
    ck_assert_uint_eq(a->block, b->block);
    ck_assert_uint_eq(a->first_device, b->first_device);
    ck_assert_uint_eq(a->n_devices, b->n_devices);
    ck_assert_uint_eq(a->n_addresses, b->n_addresses);
    for (size_t i = 0; i < a->n_addresses; i++)
        same_text(a->addresses[i], b->addresses[i]);
    ck_assert_uint_eq(a->n_labels, b->n_labels);
    for (size_t i = 0; i < a->n_labels; i++) {
        same_text(a->labels[i].key, b->labels[i].key);
        same_text(a->labels[i].value, b->labels[i].value);
    }
}

static void same_device(const struct device *a, const struct device *b)
{
    same_text(a->uuid, b->uuid);
    same_text(a->model, b->model);
    same_text(a->pci, b->pci);
    ck_assert_uint_eq(a->memory_mib, b->memory_mib);
    ck_assert_uint_eq(a->host, b->host);
    ck_assert_uint_eq(a->index, b->index);
    ck_assert_int_eq(a->numa, b->numa);
    ck_assert_uint_eq(a->domain, b->domain);
}

static void same_cluster(const struct topology *a, const struct topology *b)
{
    ck_assert_uint_eq(a->n_hosts, b->n_hosts);
    ck_assert_uint_eq(a->n_devices, b->n_devices);
    ck_assert_uint_eq(a->n_domains, b->n_domains);
    ck_assert_uint_eq(a->n_blocks, b->n_blocks);
    for (uint32_t h = 0; h < a->n_hosts; h++) {
        same_host(a, b, h);
        ck_assert_uint_eq(a->by_name[h], b->by_name[h]);
    }
    for (uint32_t d = 0; d < a->n_devices; d++)
        same_device(&a->devices[d], &b->devices[d]);
    for (size_t i = 0; i < a->n_domains; i++)
        same_text(a->domains[i], b->domains[i]);
    for (size_t i = 0; i < a->n_blocks; i++)
        same_text(a->blocks[i], b->blocks[i]);
}

START_TEST(copies_of_entries_make_the_cluster_of_their_document)
{
    struct host_entry *copies[HOSTS_MAX];
    struct placed_host placed[HOSTS_MAX];
    struct text document = { 0 };
    const struct topology *want, *got;
    struct error err = { 0 };
    const uint32_t n = ARRAY_LEN(entries);

    text_put(&document, "hosts:\n");
    for (uint32_t h = 0; h < n; h++) {
        copies[h] = copy_of(entries[h].text);
        placed[h] = (struct placed_host){ entries[h].name, copies[h], NULL };
        text_printf(&document, "  - %s\n", entries[h].text);
    }
    want = topology_load(arena, yaml(arena, text_string(&document)), &err);
    ck_assert_msg(want != NULL, "%s", err.text);
    got = topology_join(arena, placed, n, NULL, &err);
    ck_assert_msg(got != NULL, "%s", err.text);
    same_cluster(want, got);
    got = topology_join(arena, placed, n, want->by_name, &err);
    ck_assert_msg(got != NULL, "%s", err.text);
    same_cluster(want, got);
    for (uint32_t h = 0; h < n; h++)
        free(copies[h]);
    text_close(&document);
}
END_TEST

START_TEST(a_string_of_all_devices_is_kept_once)
{
    struct host_entry *copy =
        copy_of("{name: a, devices: [{model: H}, {model: H}, {model: I}, {}]}");

    ck_assert_ptr_eq(copy->devices[0].model, copy->devices[1].model);
    ck_assert_str_eq(copy->devices[2].model, "I");
    ck_assert_ptr_null(copy->devices[3].model);
    free(copy);
}
END_TEST

START_TEST(a_domain_of_two_owners_is_refused_without_a_document)
{
    struct host_entry *a = copy_of("{name: a, own_domain: true, devices: 1}");
    struct host_entry *b = copy_of("{name: b, domain: a, devices: 1}");
    const struct placed_host placed[] = { { "a", a, NULL }, { "b", b, NULL } };
    struct error err = { 0 };

    ck_assert_ptr_null(topology_join(arena, placed, 2, NULL, &err));
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "own domain"));
    ck_assert_ptr_nonnull(topology_join(arena, placed, 1, NULL, &err));
    free(a);
    free(b);
}
END_TEST

START_TEST(a_small_arena_is_an_error_and_no_crash)
{
    struct host_entry *copy = copy_of(entries[0].text);
    const struct placed_host placed = { "b", copy, NULL };

    for (size_t bytes = 0; bytes < 4096; bytes += 32) {
        struct arena *small = arena_new(bytes);
        struct error err = { 0 };

        if (topology_join(small, &placed, 1, NULL, &err) == NULL)
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        arena_free(small);
    }
    free(copy);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("topology_entry");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, copies_of_entries_make_the_cluster_of_their_document);
    tcase_add_test(tcase, a_string_of_all_devices_is_kept_once);
    tcase_add_test(tcase, a_domain_of_two_owners_is_refused_without_a_document);
    tcase_add_test(tcase, a_small_arena_is_an_error_and_no_crash);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
