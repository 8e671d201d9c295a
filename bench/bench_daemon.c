/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the daemon against floors in the same run: calls, storms, durable
 * writes, what workers feel of them; sizes, idleness, lost replies. */
#include <dirent.h>
#include <sys/resource.h>

#include "base/text.h"
#include "bench/bench_nanomsg.h"
#include "bench/bench_rows.h"
#include "bench/bench_serried.h"

enum {
    CLIENTS = 64,
    CONNECTS = 1000,
    ONE_SHOTS = 9000,
    WRITERS = 32,
    IDLE_S = 5,
    PLACED_RANKS = 64,
};

/* How much is measured; --quick: for a look. */
static struct amount {
    size_t pairs;
    unsigned calls, places, lost_calls;
} amount = { 5, 100000, 640, 1000000 };

/* Only contests whose name holds this are measured; NULL: all there is. */
static const char *only;

static bool wanted(const char *what)
{
    return only == NULL || strstr(what, only) != NULL;
}

/* ---- what is placed ------------------------------------------------------ */

/* The shipped example on more ranks: eight to an instance. */
static const char cosmos[] =
    "deployment: cosmos\n"
    "model: cosmos3_super\n"
    "max_seq_len: 8192\n"
    "node_groups:\n"
    "  - {node_names: [dit], count: 64, sp_size: 2, tp_size: 4}\n"
    "  - {node_names: [vae_encoder, vae_decoder, audio_decoder], ranks: [0]}\n";

/* What the durable writes place, each under a name of its own. */
static const char wan_format[] =
    "deployment: %s\n"
    "model: wan22\n"
    "max_seq_len: 512\n"
    "node_groups:\n"
    "  - {node_names: [dit], ranks: [0, 1], cfg_size: 2}\n"
    "  - node_names: [text_encoder, vae_encoder, vae_decoder]\n"
    "    ranks: [0]\n";

static const char mesh_runtime[] =
    "runtime: bench_mesh\n"
    "version: 1\n"
    "axes:\n"
    "  - {name: replica, splits: [replicas],\n"
    "     default: 'div(world, stage * piece * shard)'}\n"
    "  - {name: stage, splits: [layers], default: 2}\n"
    "  - {name: piece, splits: [tokens], default: 2}\n"
    "  - {name: shard, splits: [heads, weights], default: 2}\n"
    "views: {mesh: [replica, stage, piece, shard]}\n"
    "create: [{union: [replica, stage, piece, shard], sort: lexicographic}]\n";

static const char mesh_model[] =
    "model: bench_mesh\n"
    "runtime: bench_mesh\n"
    "facts: {heads: 64, kv_heads: 8, layers: 64, vocab: 131072}\n"
    "nodes:\n"
    "  - {name: body, axes: {replica: {}, stage: {}, piece: {}, shard: {}}}\n";

static char wan[512];

/* ---- rows that compare servers --------------------------------------------
 */

struct contest {
    struct row row;
    bool over_tcp;
    serve_fn *floor;
    double (*measure)(const struct target *target,
                      const struct request *requests, size_t n);
};

static double calls_cpu_us(const struct target *target,
                           const struct request *requests, size_t n)
{
    struct sample sample;
    struct load load;

    load_init(&load, target, CLIENTS, requests, n);
    sample = load_calls(&load, amount.calls / 10, amount.calls);
    load_close(&load);
    return sample.cpu_s * 1e6;
}

/* A client that sleeps is woken by the server, on the server's account, the
 * more often the more it waits: this is without. */
static double calls_awake_cpu_us(const struct target *target,
                                 const struct request *requests, size_t n)
{
    struct sample sample;
    struct load load;

    load_init(&load, target, CLIENTS, requests, n);
    load.awake = true;
    sample = load_calls(&load, amount.calls / 10, amount.calls);
    load_close(&load);
    return sample.cpu_s * 1e6;
}

static double calls_a_second(const struct target *target,
                             const struct request *requests, size_t n)
{
    struct sample sample;
    struct load load;

    load_init(&load, target, CLIENTS, requests, n);
    sample = load_calls(&load, amount.calls / 10, amount.calls);
    load_close(&load);
    return 1 / sample.wall_s;
}

/* As many at once as descriptors allow. */
static double storm_ms(const struct target *target,
                       const struct request *requests, size_t n, unsigned count)
{
    struct sample sample;
    struct rlimit limit;
    size_t width = count;
    struct load load;

    getrlimit(RLIMIT_NOFILE, &limit);
    if (width > limit.rlim_cur / 2)
        width = limit.rlim_cur / 2;
    load_init(&load, target, width, requests, n);
    sample = load_storm(&load, count);
    load_close(&load);
    return sample.wall_s * count * 1e3;
}

static double connects_ms(const struct target *target,
                          const struct request *requests, size_t n)
{
    return storm_ms(target, requests, n, CONNECTS);
}

static double one_shots_ms(const struct target *target,
                           const struct request *requests, size_t n)
{
    return storm_ms(target, requests, n, ONE_SHOTS);
}

/* clang-format off */
static const struct contest contests[] = {
    { { "GetAssignment / libuv echo, unix", "us of CPU a call", 1.3, false },
      false, serve_floor, calls_cpu_us },
    { { "GetAssignment / libuv echo, tcp", "us of CPU a call", 1.3, false },
      true, serve_floor, calls_cpu_us },
    { { "GetAssignment / libuv echo, clients awake, unix", "us of CPU a call",
        0, false },
      false, serve_floor, calls_awake_cpu_us },
    { { "GetAssignment / libuv echo, clients awake, tcp", "us of CPU a call",
        0, false },
      true, serve_floor, calls_awake_cpu_us },
    { { "GetAssignment / nanomsg echo, unix", "us of CPU a call", 0, false },
      false, serve_nanomsg, calls_cpu_us },
    { { "GetAssignment / nanomsg echo, tcp", "us of CPU a call", 0, false },
      true, serve_nanomsg, calls_cpu_us },
    { { "GetAssignment / nanomsg echo, unix", "calls/s", 0, true },
      false, serve_nanomsg, calls_a_second },
    { { "GetAssignment / nanomsg echo, tcp", "calls/s", 0, true },
      true, serve_nanomsg, calls_a_second },
    { { "1,000 connect, one reply / libuv, unix", "ms", 2, false },
      false, serve_floor, connects_ms },
    { { "1,000 connect, one reply / libuv, tcp", "ms", 2, false },
      true, serve_floor, connects_ms },
    { { "9,000 one-shot workers / libuv, unix", "ms", 1.3, false },
      false, serve_floor, one_shots_ms },
    { { "9,000 one-shot workers / libuv, tcp", "ms", 1.3, false },
      true, serve_floor, one_shots_ms },
};
/* clang-format on */

/* Bytes of one assignment as the reply's body. */
static size_t reply_bytes(const struct target *target,
                          const struct request *request)
{
    struct load load;
    size_t bytes;

    load_init(&load, target, 1, request, 1);
    load_calls(&load, 0, 1);
    bytes = load.reply_bytes;
    load_close(&load);
    return bytes;
}

static bool hold_contest(const struct contest *contest,
                         const struct place *place, const struct target *daemon,
                         const char *placement, uint32_t ranks)
{
    struct target ours = contest->over_tcp ? serried_tcp(daemon) : *daemon;
    struct request *requests = requests_assignment(&ours, placement, ranks);
    size_t bytes = reply_bytes(&ours, &requests[ranks / 2]);
    struct pairs pairs = { 0 };
    bool held;

    for (size_t i = 0; i < amount.pairs; i++) {
        struct target floor = { .path =
                                    contest->over_tcp ? NULL : place->floor };
        double figure;

        target_start(&floor, contest->floor, &bytes);
        figure = contest->measure(&floor, requests, ranks);
        target_stop(&floor);
        pairs_add(&pairs, contest->measure(&ours, requests, ranks), figure);
    }
    held = pairs_print(&contest->row, &pairs);
    requests_free(requests, ranks);
    return held;
}

/* ---- durable writes ------------------------------------------------------ */

static struct request *requests_places(const struct target *target, size_t n,
                                       const char *prefix)
{
    struct request *requests = calloc(n, sizeof(*requests));
    char text[sizeof(wan)], name[32], key[64];

    if (requests == NULL)
        die("memory");
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "%s%zu", prefix, i);
        snprintf(text, sizeof(text), wan_format, name);
        snprintf(key, sizeof(key), "%08x-%s", (unsigned)i * 2654435761U, name);
        requests[i] = request_place(target, text, key);
    }
    return requests;
}

/* All requests once, each client its share of them. */
static struct sample place_all(const struct target *target,
                               const struct request *requests, size_t n,
                               size_t clients)
{
    struct sample sample;
    struct load load;

    load_init(&load, target, clients, requests, n);
    for (size_t i = 0; i < clients; i++) {
        load.clients[i].requests = requests + i * (n / clients);
        load.clients[i].n_requests = n / clients;
        load.clients[i].turn = 0;
    }
    sample = load_calls(&load, 0, (unsigned)(n / clients * clients));
    load_close(&load);
    return sample;
}

/* A round trip of an echo with the sizes of Place. */
static double echo_s(const struct place *place, const struct request *request,
                     size_t bytes)
{
    struct target floor = { .path = place->floor };
    struct sample sample;
    struct load load;

    target_start(&floor, serve_floor, &bytes);
    load_init(&load, &floor, 1, request, 1);
    sample = load_calls(&load, 1000, 10000);
    load_close(&load);
    target_stop(&floor);
    return sample.wall_s;
}

/* A daemon on an empty state, in seconds a placement; *ret_floor: of the floor
 * for the same. */
static double places_s(const struct place *place, size_t clients,
                       double *ret_floor)
{
    struct request *requests;
    struct target target;
    struct sample sample;
    size_t bytes;

    remove_database(place->state);
    remove_database(place->copy);
    serried_start(place, &target);
    requests = requests_places(&target, amount.places, "p");
    sample = place_all(&target, requests, amount.places, clients);
    bytes = reply_bytes(&target, &requests[0]); /* answered again */
    serried_stop(&target);
    if (ret_floor != NULL)
        *ret_floor = measure_rows(place->state, place->copy) +
                     echo_s(place, &requests[0], bytes);
    requests_free(requests, amount.places);
    return sample.wall_s;
}

static bool measure_places(const struct place *place)
{
    static const struct row one = {
        "durable Place, 1 client / echo + sqlite alone", "us", 1.4, false
    };
    static const struct row group = { "durable Place, 32 clients / 1 client",
                                      "placements/s", 3, true };
    struct pairs ones = { 0 }, groups = { 0 };

    for (size_t i = 0; i < amount.pairs; i++) {
        double floor, single = places_s(place, 1, &floor);

        pairs_add(&ones, single * 1e6, floor * 1e6);
        pairs_add(&groups, 1 / places_s(place, WRITERS, NULL), 1 / single);
    }
    return (int)pairs_print(&one, &ones) & (int)pairs_print(&group, &groups);
}

/* ---- reading while others write ------------------------------------------ */

/* p99 of 64 workers' calls in ms, with a client that places all the while. */
static double read_p99_ms(const struct target *target,
                          const struct request *reads,
                          const struct request *writes, size_t n_writes)
{
    struct load load;
    double p99;

    load_init(&load, target, CLIENTS + (n_writes > 0), reads, PLACED_RANKS);
    load.times_max = amount.calls;
    load.times = calloc(load.times_max, sizeof(*load.times));
    if (load.times == NULL)
        die("memory");
    if (n_writes > 0) {
        struct client *writer = &load.clients[CLIENTS];

        writer->requests = writes;
        writer->n_requests = n_writes;
        writer->turn = 0;
        writer->timed = false;
    }
    load_calls(&load, amount.calls / 10, amount.calls);
    p99 = quantile(load.times, load.n_times, 0.99) * 1e3;
    free(load.times);
    load_close(&load);
    return p99;
}

/* More than one client can place in that time; a write that comes again is
 * answered, not repeated. */
enum { WRITES = 4096 };

static bool measure_reads(const struct target *target)
{
    static const struct row row = {
        "GetAssignment while placements are committed / without", "ms, p99", 3,
        false
    };
    struct request *reads = requests_assignment(target, "cosmos", PLACED_RANKS);
    struct pairs pairs = { 0 };
    char prefix[32];
    bool held;

    for (size_t i = 0; i < amount.pairs; i++) {
        double alone = read_p99_ms(target, reads, NULL, 0);
        struct request *writes;

        snprintf(prefix, sizeof(prefix), "r%zu-", i);
        writes = requests_places(target, WRITES, prefix);
        pairs_add(&pairs, read_p99_ms(target, reads, writes, WRITES), alone);
        requests_free(writes, WRITES);
    }
    held = pairs_print(&row, &pairs);
    requests_free(reads, PLACED_RANKS);
    return held;
}

/* ---- figures of their own -------------------------------------------------
 */

static bool measure_sizes(const struct target *target)
{
    static const uint32_t worlds[] = { 8, 1024, 65536, 1048576 };
    bool held = true;

    serried_apply(target, mesh_runtime);
    serried_apply(target, mesh_model);
    for (size_t i = 0; i < ARRAY_LEN(worlds); i++) {
        char name[32], text[128], what[96];
        struct row row = { what, "bytes", 1024, false };
        struct request *request;

        snprintf(name, sizeof(name), "mesh%u", worlds[i]);
        snprintf(what, sizeof(what),
                 "assignment of a regular mesh of %u ranks on the wire",
                 worlds[i]);
        snprintf(text, sizeof(text),
                 "deployment: %s\nmodel: bench_mesh\nworld: %u\n", name,
                 worlds[i]);
        serried_place(target, text);
        request = requests_assignment(target, name, 8);
        held &= figure_print(&row, (double)reply_bytes(target, &request[7]));
        requests_free(request, 8);
    }
    return held;
}

static bool measure_idle(const struct target *target, size_t peers)
{
    struct row row = { peers > 0 ? "idle, 1,000 peers" : "idle",
                       "% of a core over 5 s", 1, false };
    struct request none = { 0 };
    struct load load;
    bool held;
    double cpu;

    load_init(&load, target, peers, &none, 1);
    for (size_t i = 0; i < peers; i++)
        client_connect(&load, &load.clients[i]);
    sleep(1);
    cpu = now_s(target->cpu);
    sleep(IDLE_S);
    held = figure_print(&row, (now_s(target->cpu) - cpu) / IDLE_S * 100);
    load_close(&load);
    return held;
}

static size_t resident_kib(pid_t pid)
{
    size_t pages = 0, resident = 0;
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%zu %zu", &pages, &resident) != 2)
        die(path);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE) / 1024;
}

static size_t descriptors(pid_t pid)
{
    char path[64];
    size_t n = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    dir = opendir(path);
    if (dir == NULL)
        die(path);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2;
}

/* Every reply is awaited and its request id compared: one that is lost or
 * belongs elsewhere ends the program. */
static bool measure_lost(const struct target *target)
{
    static const struct row lost = { "lost replies", "of the calls below", 0,
                                     false };
    static const struct row calls = { "calls whose replies were awaited", "", 0,
                                      false };
    static const struct row memory = { "memory gained over them", "KiB", 0,
                                       false };
    static const struct row files = { "descriptors gained over them", "", 0,
                                      false };
    struct target targets[] = { *target, serried_tcp(target) };
    size_t kib = 0, fds = 0;

    for (size_t i = 0; i < 4; i++) {
        const struct target *to = &targets[i % 2];
        struct request *requests =
            requests_assignment(to, "cosmos", PLACED_RANKS);
        struct load load;

        load_init(&load, to, CLIENTS, requests, PLACED_RANKS);
        load_calls(&load, 0, amount.lost_calls / 4);
        load_close(&load);
        requests_free(requests, PLACED_RANKS);
        if (i == 1) { /* all paths were taken once */
            usleep(100000);
            kib = resident_kib(target->pid);
            fds = descriptors(target->pid);
        }
    }
    usleep(100000);
    figure_print(&calls, amount.lost_calls);
    figure_print(&lost, 0);
    figure_print(&memory, (double)resident_kib(target->pid) - (double)kib);
    figure_print(&files, (double)descriptors(target->pid) - (double)fds);
    return true;
}

/* ---- all ----------------------------------------------------------------- */

static bool measure_served(const struct place *place,
                           const struct target *target)
{
    bool held = true;

    snprintf(wan, sizeof(wan), wan_format, "wan");
    serried_place(target, cosmos);
    serried_place(target, wan);
    for (size_t i = 0; i < ARRAY_LEN(contests); i++)
        if (wanted(contests[i].row.what))
            held &= hold_contest(&contests[i], place, target, "cosmos",
                                 PLACED_RANKS);
    if (only != NULL)
        return held;
    held &= measure_reads(target);
    held &= measure_sizes(target);
    held &= measure_lost(target);
    held &= measure_idle(target, 0);
    held &= measure_idle(target, CONNECTS);
    return held;
}

int main(int argc, char **argv)
{
    struct target target;
    struct place place;
    bool held;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--quick") == 0)
            amount = (struct amount){ 3, 20000, 192, 100000 };
        else
            only = argv[i];
    signal(SIGPIPE, SIG_IGN);
    place_make(&place);
    table_head();
    serried_start(&place, &target);
    held = measure_served(&place, &target);
    serried_stop(&target);
    if (wanted("durable Place"))
        held &= measure_places(&place);
    place_remove(&place);
    return held ? 0 : 1;
}
