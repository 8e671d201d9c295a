/* SPDX-License-Identifier: Apache-2.0 */
/* Measures checks of one request in process (verdict only), and the search for
 * alternatives of a refused one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placement/alternatives.h"
#include "proto/catalog.h"
#include "proto/document.h"

enum { PASSES = 7, REQUEST_BYTES = 1 << 30 };

/* A request: a group of `ranks` ranks for the model's first node, and one rank
 * for the others. */
static const struct {
    const char *name;
    const char *others; /* nodes on rank 0 */
    const char *model, *node, *sizes;
    int ranks;
    int rounds;
} requests[] = {
    { "accepted, 4 ranks", "vae_encoder, vae_decoder, audio_decoder",
      "cosmos3_super", "dit", "tp_size: 2, sp_size: 2", 4, 20000 },
    { "refused, 3 ranks", "text_encoder, vae_encoder, vae_decoder", "wan22",
      "dit", "cfg_size: 3", 3, 20000 },
    { "refused, 64 ranks", "vae_encoder, vae_decoder, audio_decoder", "cosmos3",
      "dit", "tp_size: 64", 64, 5000 },
    { "refused, 65536 ranks", "vae_encoder, vae_decoder, audio_decoder",
      "cosmos3", "dit", "tp_size: 64", 65536, 20 },
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(double *times)
{
    qsort(times, PASSES, sizeof(*times), by_size);
    return times[PASSES / 2];
}

static void write_request(size_t r, struct text *out)
{
    text_printf(out, "model: %s\nmax_seq_len: 1\nnode_groups:\n",
                requests[r].model);
    text_printf(out, "  - {node_names: [%s], %s, ranks: [", requests[r].node,
                requests[r].sizes);
    for (int i = 0; i < requests[r].ranks; i++)
        text_printf(out, "%s%d", i > 0 ? ", " : "", i);
    text_printf(out, "]}\n  - {node_names: [%s], ranks: [0]}\n",
                requests[r].others);
}

static double time_checks(const struct question *question, int rounds,
                          struct arena *scratch)
{
    double start = now_s();

    for (int i = 0; i < rounds; i++) {
        arena_reset(scratch);
        if (check_run(question, scratch, CHECK_VERDICT_ONLY, NULL) == NULL)
            abort();
    }
    return (now_s() - start) / rounds;
}

static double time_alternatives(const struct question *question,
                                struct arena *scratch, struct alternatives *ret)
{
    struct check *check;
    double start;

    arena_reset(scratch);
    check = check_run(question, scratch, 0, NULL);
    start = now_s();
    if (check == NULL || alternatives_find(check, ret, NULL) < 0)
        abort();
    return now_s() - start;
}

static void measure(const struct question *question, size_t r)
{
    struct arena *scratch = arena_new(REQUEST_BYTES);
    struct alternatives found = { 0 };
    double checks[PASSES], searches[PASSES], seconds;

    for (int p = 0; p < PASSES; p++)
        checks[p] = time_checks(question, requests[r].rounds, scratch);
    for (int p = 0; p < PASSES; p++)
        searches[p] = time_alternatives(question, scratch, &found);
    seconds = median(checks);
    printf("%-22s check %10.2f us  %9.0f checks/s   alternatives %9.1f us, "
           "%zu found, %zu tried\n",
           requests[r].name, seconds * 1e6, 1 / seconds, median(searches) * 1e6,
           found.n, found.tried);
    arena_free(scratch);
}

static int run(struct catalog *catalog, size_t r, struct error *err)
{
    struct arena *arena = arena_new(REQUEST_BYTES);
    struct question question = { 0 };
    struct text text = { 0 };
    struct tree *documents;
    int rc = -1;

    write_request(r, &text);
    question.model = catalog_model(catalog, requests[r].model, err);
    if (question.model != NULL)
        question.runtime =
            catalog_runtime(catalog, question.model->runtime, err);
    if (question.runtime == NULL ||
        document_read_yaml(arena, NULL, text_string(&text), text.len,
                           &documents, err) < 0)
        goto out;
    question.deployment =
        deployment_load(arena, question.runtime, tree_first(documents), err);
    if (question.deployment == NULL)
        goto out;
    measure(&question, r);
    rc = 0;
out:
    text_close(&text);
    arena_free(arena);
    return rc;
}

int main(void)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    int rc = catalog == NULL;

    for (size_t r = 0; rc == 0 && r < ARRAY_LEN(requests); r++)
        rc = run(catalog, r, &err) < 0;
    if (rc != 0)
        fprintf(stderr, "%s\n", err.text);
    catalog_free(catalog);
    return rc;
}
