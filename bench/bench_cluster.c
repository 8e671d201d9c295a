/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a placement of 65,536 ranks on 8,192 declared hosts, from a client's
 * call to its answer: text, check, packing, digests, one durable commit. The
 * floor is what it cannot do without: packing the same ranks in this process,
 * and a commit by sqlite alone of the very row that the daemon wrote. */
#include "bench/bench_rows.h"
#include "bench/bench_serried.h"
#include "placement/replace.h"
#include "proto/document.h"

enum {
    HOSTS = 8192,
    PER_HOST = 8,
    WORLD = HOSTS * PER_HOST,
    AXES = 3,
    ROUNDS = 9,
    ARENA_BYTES = 256 << 20,
};

static const char request_format[] =
    "{\"deployment\":\"%s\",\"runtime\":\"torchtitan\",\"world\":65536,"
    "\"sizes\":{\"pp\":16,\"dp_shard\":512,\"tp\":8},"
    "\"links\":{\"tp\":\"nvlink\"}}";
static const char *const names[AXES] = { "pp", "dp_shard", "tp" };
static const int64_t sizes[AXES] = { 16, 512, 8 };
static const enum link_level wants[AXES] = { LINK_ANY, LINK_ANY, LINK_NVLINK };

/* ---- hosts --------------------------------------------------------------- */

static void write_hosts(uint32_t first, uint32_t n, struct text *out)
{
    text_put(out, "{\"hosts\":[");
    for (uint32_t h = first; h < first + n; h++) {
        text_printf(out,
                    "%s{\"name\":\"node%u\",\"own_domain\":true,"
                    "\"rack\":\"rack%u\",\"devices\":[",
                    h > first ? "," : "", h, h / 32);
        for (int i = 0; i < PER_HOST; i++)
            text_printf(out, "%s{\"uuid\":\"GPU-%u-%d\"}", i > 0 ? "," : "", h,
                        i);
        text_put(out, "]}");
    }
    text_put(out, "]}");
    errno = 0;
    if (out->failed)
        die("no memory");
}

static void declare_hosts(const struct target *target)
{
    enum { HOSTS_A_CALL = 64 };

    for (uint32_t h = 0; h < HOSTS; h += HOSTS_A_CALL) {
        Serried__V1__ApplyHostsRequest request =
            SERRIED__V1__APPLY_HOSTS_REQUEST__INIT;
        Serried__V1__Document document = SERRIED__V1__DOCUMENT__INIT;
        struct text text = { 0 };

        write_hosts(h, HOSTS_A_CALL, &text);
        document.text = text.data;
        request.document = &document;
        serried__v1__answer__free_unpacked(
            serried_ask(target, "/serried.v1.Cluster/ApplyHosts",
                        &request.base),
            NULL);
        text_close(&text);
    }
}

/* ---- the daemon ---------------------------------------------------------- */

static void release(const struct target *target, const char *name)
{
    Serried__V1__ReleaseRequest request = SERRIED__V1__RELEASE_REQUEST__INIT;

    request.name = (char *)(uintptr_t)name;
    serried__v1__answer__free_unpacked(
        serried_ask(target, "/serried.v1.Placement/Release", &request.base),
        NULL);
}

static void place_world(const struct target *target, const char *name)
{
    char text[512];

    snprintf(text, sizeof(text), request_format, name);
    serried_place(target, text);
}

static uint64_t revision(const struct target *target)
{
    Serried__V1__StatusRequest request = SERRIED__V1__STATUS_REQUEST__INIT;
    Serried__V1__Answer *answer =
        serried_ask(target, "/serried.v1.Admin/Status", &request.base);
    Serried__V1__StatusReply *status = serried__v1__status_reply__unpack(
        NULL, answer->reply.len, answer->reply.data);
    uint64_t revision = status->position->revision;

    serried__v1__status_reply__free_unpacked(status, NULL);
    serried__v1__answer__free_unpacked(answer, NULL);
    return revision;
}

static double resident_bytes(pid_t pid)
{
    char path[64];
    unsigned long pages = 0;
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    in = fopen(path, "r");
    if (in == NULL || fscanf(in, "%*u %lu", &pages) != 1)
        die(path);
    fclose(in);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* ---- the floor ----------------------------------------------------------- */

/* What is packed, and the row that is committed. */
struct alone {
    struct arena *arena;
    const struct topology *topology;
    struct place_axis axes[AXES];
    struct place_request request;
    uint32_t *devices;
    sqlite3 *from, *to;
    struct rows row;
};

static void pack_init(struct alone *alone)
{
    struct text text = { 0 };
    const struct tree *tree;
    struct lists lists;
    struct view view;
    struct error err;

    alone->arena = arena_new(ARENA_BYTES);
    write_hosts(0, HOSTS, &text);
    if (document_read_one(alone->arena, NULL, 1, text.data, text.len, &tree,
                          &err) < 0)
        die(err.text);
    alone->topology = topology_load(alone->arena, tree, &err);
    if (alone->topology == NULL ||
        view_init(&view, names, sizes, AXES, &err) < 0)
        die(err.text);
    for (int a = 0; a < AXES; a++) {
        alone->axes[a] = (struct place_axis){
            .name = names[a],
            .want = wants[a],
            .group_of = place_groups_new(alone->arena, WORLD),
        };
        lists_over(&view, 1U << a, &lists);
        if (place_axis_add(alone->arena, &alone->axes[a], &lists, NULL, 0,
                           &err) < 0)
            die(err.text);
    }
    alone->request = (struct place_request){ .n_ranks = WORLD,
                                             .axes = alone->axes,
                                             .n_axes = AXES };
    alone->devices = arena_array(alone->arena, WORLD, sizeof(uint32_t));
    text_close(&text);
}

/* The row of the placement that the daemon has just written. */
static void row_init(struct alone *alone, const struct place *place)
{
    if (sqlite3_open_v2(place->state, &alone->from, SQLITE_OPEN_READONLY,
                        NULL) != SQLITE_OK ||
        sqlite3_open(place->copy, &alone->to) != SQLITE_OK)
        die("a database cannot be opened");
    copy_schema(alone->from, alone->to);
    rows_read(&alone->row, alone->from, "SELECT * FROM record WHERE kind = 4",
              alone->to, "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    errno = 0;
    if (alone->row.n != 1)
        die("the daemon did not write one row for the placement");
}

static double floor_s(struct alone *alone)
{
    static const struct occupancy empty;
    struct arena_mark mark = arena_mark(alone->arena);
    struct place_refusal refusal;
    struct error err;
    double start = now_s(CLOCK_MONOTONIC);

    if (place(alone->arena, alone->topology, &empty, &alone->request,
              alone->devices, NULL, &refusal, &err) < 0)
        die(err.text);
    check_sql(alone->to,
              sqlite3_exec(alone->to, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    alone->row.done = 0;
    rows_put(&alone->row, alone->to);
    check_sql(alone->to, sqlite3_exec(alone->to, "COMMIT", NULL, NULL, NULL));
    start = now_s(CLOCK_MONOTONIC) - start;
    arena_rewind(alone->arena, mark);
    check_sql(alone->to,
              sqlite3_exec(alone->to, "DELETE FROM record", NULL, NULL, NULL));
    return start;
}

static void alone_close(struct alone *alone)
{
    rows_free(&alone->row);
    sqlite3_close(alone->from);
    sqlite3_close(alone->to);
    arena_free(alone->arena);
}

/* ---- all ----------------------------------------------------------------- */

static bool measure(const struct target *target, struct alone *alone)
{
    static const struct row wall = {
        "place 65,536 ranks on 8,192 hosts / packing + sqlite alone", "ms", 0,
        false
    };
    static const struct row bar = { "the same", "ms", 50, false };
    static const struct row cpu = { "of the daemon's processors", "ms", 25,
                                    false };
    static const struct row commits = { "commits", "of one placement", 1,
                                        false };
    static const struct row memory = { "memory", "bytes a rank", 64, false };
    struct pairs pairs = { .n = 0 };
    double cpus[ROUNDS], grown[ROUNDS];
    bool held = true;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = revision(target);
        double rss = resident_bytes(target->pid), start = now_s(target->cpu);
        double began = now_s(CLOCK_MONOTONIC), took;

        place_world(target, "w");
        took = now_s(CLOCK_MONOTONIC) - began;
        cpus[i] = 1e3 * (now_s(target->cpu) - start);
        grown[i] = (resident_bytes(target->pid) - rss) / WORLD;
        if (i == 0)
            held = figure_print(&commits, (double)(revision(target) - before));
        release(target, "w");
        pairs_add(&pairs, 1e3 * took, 1e3 * floor_s(alone));
    }
    pairs_print(&wall, &pairs);
    held &= figure_print(&bar, quantile(pairs.ours, pairs.n, 0.5));
    held &= figure_print(&cpu, quantile(cpus, ROUNDS, 0.5));
    return (int)figure_print(&memory, quantile(grown, ROUNDS, 0.5)) & (int)held;
}

int main(void)
{
    struct target target;
    struct place place;
    struct alone alone = { 0 };
    bool held;

    signal(SIGPIPE, SIG_IGN);
    place_make(&place);
    table_head();
    serried_start(&place, &target);
    declare_hosts(&target);
    pack_init(&alone);
    place_world(&target, "w"); /* what is taken for a time stays the heap's */
    row_init(&alone, &place);
    release(&target, "w");
    held = measure(&target, &alone);
    serried_stop(&target);
    alone_close(&alone);
    place_remove(&place);
    return held ? 0 : 1;
}
