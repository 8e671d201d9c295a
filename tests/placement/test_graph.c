/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting of walks into worker graphs, written as short texts. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "placement/graph.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 1 << 22 };

/* A walk as text: a digit is a node, (..) a sequence, [..] a parallel section,
 * {..} a loop. */
static struct section *read_section(struct arena *arena, const char **text)
{
    struct section *section = arena_alloc(arena, sizeof(*section));
    const char *closing[] = {
        [SECTION_SEQUENCE] = ")", [SECTION_PARALLEL] = "]", [SECTION_LOOP] = "}"
    };
    char c = *(*text)++;

    ck_assert_ptr_nonnull(section);
    if (c >= '0' && c <= '9') {
        section->node = (uint32_t)(c - '0');
        return section;
    }
    section->kind = c == '('   ? SECTION_SEQUENCE
                    : c == '[' ? SECTION_PARALLEL
                               : SECTION_LOOP;
    while (**text != *closing[section->kind])
        section_add(section, read_section(arena, text));
    (*text)++;
    return section;
}

static void write_section(const struct section *section, struct text *out)
{
    static const char *const brackets[] = { "", "()", "[]", "{}" };

    if (section->kind == SECTION_NODE) {
        text_printf(out, "%u", section->node);
        return;
    }
    text_put_bytes(out, brackets[section->kind], 1);
    for (const struct section *child = section->first; child != NULL;
         child = child->next)
        write_section(child, out);
    text_put_bytes(out, brackets[section->kind] + 1, 1);
}

/* groups: the group of each node; streams: the nodes that take in one; want:
 * GROUP:SECTION for each piece. */
static const struct {
    const char *walk, *groups, *streams, *want;
} cuts[] = {
    { "0", "7", "", "7:0" },
    { "[012]", "010", "", "0:[02] 1:1" },
    { "(012)", "000", "", "0:(012)" },
    { "(012)", "010", "", "0:0 1:1 0:2" },
    { "(012)", "011", "", "0:0 1:(12)" },
    { "(012)", "000", "1", "0:0 0:(12)" },
    { "(012)", "000", "0", "0:(012)" },
    { "((01)(23))", "0000", "", "0:((01)(23))" },
    { "((01)(23))", "0011", "", "0:(01) 1:(23)" },
    { "((01)(23))", "0110", "", "0:0 1:(12) 0:3" },
    { "(0[12]3)", "0000", "", "0:(0[12]3)" },
    { "(0[12]3)", "0010", "", "0:(01) 1:2 0:3" },
    { "[0(12)3]", "0010", "", "0:[03] 0:1 1:2" },
    { "[0(12)3]", "0000", "", "0:[0(12)3]" },
    { "[012]", "000", "1", "0:[02] 0:1" },
    { "[0123]", "2121", "", "2:[02] 1:[13]" },
    { "{0}", "0", "", "0:{0}" },
    { "{(012)}", "001", "", "0:{(01)} 1:{2}" },
    { "({(01)}2)", "001", "", "0:{(01)} 1:2" },
    { "(0{(12)}3)", "0011", "", "0:(0{1}) 1:({2}3)" },
    { "{{(01)}}", "01", "", "0:{{0}} 1:{{1}}" },
    { "(0{1}2)", "000", "", "0:(0{1}2)" },
};

START_TEST(a_walk_is_cut_where_its_group_changes)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    const char *walk = cuts[_i].walk;
    struct graph_node nodes[10] = { { 0 } };
    uint32_t n = (uint32_t)strlen(cuts[_i].groups);
    struct worker_graphs got;
    struct error err = { 0 };
    struct text out = { 0 };

    for (uint32_t i = 0; i < n; i++) {
        nodes[i].group = (uint32_t)(cuts[_i].groups[i] - '0');
        nodes[i].streams = strchr(cuts[_i].streams, '0' + (int)i) != NULL;
    }
    ck_assert_msg(
        graph_cut(arena, read_section(arena, &walk), nodes, n, &got, &err) == 0,
        "%s", err.text);
    for (size_t i = 0; i < got.count; i++) {
        text_printf(&out, "%s%u:", i > 0 ? " " : "", got.items[i].group);
        write_section(got.items[i].section, &out);
    }
    ck_assert_str_eq(text_string(&out), cuts[_i].want);
    text_close(&out);
    arena_free(arena);
}
END_TEST

START_TEST(a_piece_lists_its_nodes_in_order_and_says_that_it_streams)
{
    const struct graph_node nodes[] = {
        { 3, true }, { 4, false }, { 3, false }, { 3, false }
    };
    const uint32_t want[] = { 0, 3, 2 };
    struct arena *arena = arena_new(ARENA_BYTES);
    const char *walk = "(0[32]1)";
    struct worker_graphs got;

    ck_assert_int_eq(
        graph_cut(arena, read_section(arena, &walk), nodes, 4, &got, NULL), 0);
    ck_assert_uint_eq(got.count, 2);
    ck_assert_uint_eq(got.items[0].n_nodes, 3);
    ck_assert_mem_eq(got.items[0].nodes, want, sizeof(want));
    ck_assert(got.items[0].streams);
    ck_assert(!got.items[1].streams);
    arena_free(arena);
}
END_TEST

static const char *const bad_walks[] = { "()", "(0[])", "{}", "{01}", "(09)" };

START_TEST(a_walk_that_cannot_run_is_refused)
{
    const struct graph_node nodes[2] = { { 0 } };
    struct arena *arena = arena_new(ARENA_BYTES);
    const char *walk = bad_walks[_i];
    struct worker_graphs got = { NULL, 77 };
    struct error err = { 0 };

    ck_assert_int_eq(
        graph_cut(arena, read_section(arena, &walk), nodes, 2, &got, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_uint_eq(got.count, 77);
    arena_free(arena);
}
END_TEST

/* depth loops around a node */
static int cut_deep(int depth, struct worker_graphs *ret, struct error *err)
{
    static const struct graph_node node = { 0 };
    struct section sections[GRAPH_DEPTH_MAX + 1] = { { 0 } };
    struct arena *arena = arena_new(ARENA_BYTES);
    int rc;

    for (int i = 0; i < depth - 1; i++) {
        sections[i].kind = SECTION_LOOP;
        section_add(&sections[i], &sections[i + 1]);
    }
    rc = graph_cut(arena, sections, &node, 1, ret, err);
    arena_free(arena);
    return rc;
}

START_TEST(sections_nest_up_to_the_bound)
{
    struct worker_graphs got;
    struct error err = { 0 };

    ck_assert_int_eq(cut_deep(GRAPH_DEPTH_MAX, &got, &err), 0);
    ck_assert_int_eq(cut_deep(GRAPH_DEPTH_MAX + 1, &got, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
}
END_TEST

START_TEST(a_walk_holds_sections_up_to_the_bound)
{
    static const struct graph_node node = { 0 };
    static struct section nodes[GRAPH_SECTIONS_MAX];
    struct section all = { .kind = SECTION_PARALLEL };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct worker_graphs got;
    struct error err = { 0 };

    for (int i = 0; i < GRAPH_SECTIONS_MAX - 1; i++)
        section_add(&all, &nodes[i]);
    ck_assert_int_eq(graph_cut(arena, &all, &node, 1, &got, &err), 0);
    ck_assert_uint_eq(got.items[0].n_nodes, GRAPH_SECTIONS_MAX - 1);
    section_add(&all, &nodes[GRAPH_SECTIONS_MAX - 1]);
    ck_assert_int_eq(graph_cut(arena, &all, &node, 1, &got, &err), -1);
    arena_free(arena);
}
END_TEST

START_TEST(a_full_arena_is_said)
{
    static const struct graph_node nodes[3] = { { 0 } };
    struct arena *arena = arena_new(ARENA_BYTES);
    const char *text = "[(01){2}]";
    struct section *walk = read_section(arena, &text);
    struct worker_graphs got;
    size_t bytes = 0;
    int rc = -1;

    for (; rc < 0; bytes += 16) {
        struct arena *small = arena_new(bytes);
        struct error err = { 0 };

        rc = graph_cut(small, walk, nodes, 3, &got, &err);
        ck_assert_int_eq(err.status, rc < 0 ? STATUS_EXHAUSTED : STATUS_OK);
        arena_free(small);
    }
    ck_assert_uint_gt(bytes, 256);
    arena_free(arena);
}
END_TEST

static Suite *graph_suite(void)
{
    Suite *suite = suite_create("graph");
    TCase *tcase = tcase_create("graph");

    tcase_add_loop_test(tcase, a_walk_is_cut_where_its_group_changes, 0,
                        ARRAY_LEN(cuts));
    tcase_add_test(tcase,
                   a_piece_lists_its_nodes_in_order_and_says_that_it_streams);
    tcase_add_loop_test(tcase, a_walk_that_cannot_run_is_refused, 0,
                        ARRAY_LEN(bad_walks));
    tcase_add_test(tcase, sections_nest_up_to_the_bound);
    tcase_add_test(tcase, a_walk_holds_sections_up_to_the_bound);
    tcase_add_test(tcase, a_full_arena_is_said);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(graph_suite());
}
