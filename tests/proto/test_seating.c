/* SPDX-License-Identifier: Apache-2.0 */
/* Which host ranks are on, by files of launchers: right readings, refusals. */
#include <string.h>

#include "base/text.h"
#include "proto/seating.h"
#include "tests/tap.h"

#define TORCHRUN(n, node, procs, master)                                       \
    "torchrun --nnodes=" n " --node-rank=" node " --nproc-per-node=" procs     \
    " --master-addr=" master " --master-port=29500\n"

/* clang-format off */
static const struct {
    seating_fn *read;
    const char *text;
    const char *want; /* "HOST.SLOT" or "HOST" by rank */
} right[] = {
    { seating_hostfile, "# x: 3 ranks\nb slots=2\na slots=1\n", "b b a" },
    { seating_rankfile, "# x\nrank 2=b slot=1\nrank 0=b slot=0\n"
                        "rank 1=a slot=7\n", "b.0 a.7 b.1" },
    { seating_torchrun, "# x: 3 ranks\n# on b: ranks 0 to 1\n"
                        TORCHRUN("2", "0", "2", "b") "# on a: rank 2\n"
                        TORCHRUN("2", "1", "1", "b"), "b b a" },
    { seating_slurm_hostfile, "b\na\nb\n", "b a b" },
    { seating_ray, "{\"name\": \"node:\\\"hosts\", \"bundles\": "
                   "[{\"GPU\": 1, \"node:b\": 0.1}, {\"node:a\" : 0.1}, "
                   "{\"node:b\": 0.1}], \"hosts\": [\"b\", \"a\", \"b\"]}",
      "b a b" },
};

/* Each is one of the above with one thing wrong. */
static const struct {
    seating_fn *read;
    const char *text;
    const char *says;
} wrong[] = {
    { seating_hostfile, "b slots=2\n", "rank 2 is on no host" },
    { seating_hostfile, "b slots=2\na slots=2\n", "there are 3 ranks" },
    { seating_hostfile, "b\na slots=2\n", "\"b\" is not known" },
    { seating_hostfile, "b slots=2 x\n", "\"b\" is not known" },
    { seating_rankfile, "rank 0=b slot=0\nrank 0=a slot=0\n",
      "rank 0 is on b and on a" },
    { seating_rankfile, "rank 0=b slot=0\nrank 2=a slot=0\n",
      "rank 1 is on no host" },
    { seating_rankfile, "rank 0=b\n", "is not known" },
    { seating_rankfile, "0=b slot=0\n", "is not known" },
    { seating_torchrun, TORCHRUN("1", "0", "3", "b"), "is not known" },
    { seating_torchrun, "# on b: x\n" TORCHRUN("2", "0", "3", "b"),
      "1 commands for 2 nodes" },
    { seating_torchrun, "# on b: x\n" TORCHRUN("1", "1", "3", "b"),
      "do not fit" },
    { seating_torchrun, "# on b: x\n" TORCHRUN("1", "0", "3", "a"),
      "do not fit" },
    { seating_torchrun, "# on b: x\nrm\n", "\"rm\" is not known" },
    { seating_slurm_hostfile, "# x\nb\nb\nb\n", "there are 3 ranks" },
    { seating_ray, "{\"bundles\": [{\"node:b\": 1}], \"hosts\": [\"a\"]}",
      "name a where" },
    { seating_ray, "{\"bundles\": [{\"node:b\": 1}], \"hosts\": []}",
      "1 bundles and 0 hosts" },
    { seating_ray, "{\"bundles\": [], \"hosts\": [\"a\"]}", "name a where" },
    { seating_ray, "", "rank 0 is on no host" },
};
/* clang-format on */

static void say(const struct seating *seats, struct text *out)
{
    for (uint32_t rank = 0; rank < seats->n; rank++) {
        text_printf(out, "%s%s", rank > 0 ? " " : "", seats->hosts[rank]);
        if (seats->slots != NULL)
            text_printf(out, ".%u", seats->slots[rank]);
    }
}

START_TEST(ranks_are_where_the_text_says)
{
    struct arena *arena = arena_new(1 << 20);
    struct text got = { 0 };
    struct seating seats;
    struct error err = { 0 };

    ck_assert_msg(seating_read(arena, right[_i].read, right[_i].text,
                               strlen(right[_i].text), 3, &seats, &err) == 0,
                  "%s", err.text);
    say(&seats, &got);
    ck_assert_str_eq(text_string(&got), right[_i].want);
    text_close(&got);
    arena_free(arena);
}
END_TEST

START_TEST(a_text_that_seats_others_is_refused)
{
    struct arena *arena = arena_new(1 << 20);
    struct seating seats;
    struct error err = { 0 };

    ck_assert_int_eq(seating_read(arena, wrong[_i].read, wrong[_i].text,
                                  strlen(wrong[_i].text), 3, &seats, &err),
                     -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, wrong[_i].says) != NULL, "%s", err.text);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("seating");
    TCase *tc = tcase_create("seating");

    tcase_add_loop_test(tc, ranks_are_where_the_text_says, 0, ARRAY_LEN(right));
    tcase_add_loop_test(tc, a_text_that_seats_others_is_refused, 0,
                        ARRAY_LEN(wrong));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
