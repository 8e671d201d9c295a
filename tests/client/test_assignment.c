/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments as the daemon packs them, read back by libserry. */
#include <stdio.h>
#include <stdlib.h>

#include "client/libserry/serry.h"
#include "proto/codec.h"
#include "tests/client/fake_daemon.h"
#include "tests/placement/check_fixture.h"

static const char runtime_text[] =
    "runtime: r\n"
    "axes: [{name: a}, {name: b}, {name: c}]\n"
    "create:\n"
    "  - {list: instance, backend: cpu, when: 'a * b * c > 1'}\n"
    "  - {union: [c, b, a], backend: gpu, sort: lexicographic}\n"
    "carry: {max_seq_len: {type: int}}\n";

static const char model_text[] = "model: m\n"
                                 "facts: {heads: 24}\n"
                                 "nodes: [{name: x, axes: {a: {}, b: {}, "
                                 "c: {}}}, {name: y, axes: {a: {}}}]\n";

static const char request_text[] =
    "deployment: d\nmodel: m\nmax_seq_len: 512\n"
    "node_groups:\n"
    "  - {node_names: [x], ranks: [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3,"
    " 4, 5, 6, 7], a: 2, b: 2, c: 2}\n"
    "  - {node_names: [y], ranks: [3]}\n";

static struct asked asked;
static struct assignment_common common;
static struct serry_error err;

static void setup(void)
{
    err = (struct serry_error)SERRY_ERROR_INIT;
    ck_assert_msg(ask(&asked, runtime_text, model_text, request_text, NULL),
                  "%s", asked.err.text);
    ck_assert_msg(check_accepts(asked.check), "%s", asked_json(&asked));
    ck_assert_int_eq(codec_assignment_common(asked.check, &common, &asked.err),
                     0);
}

static void teardown(void)
{
    serry_error_clear(&err);
    asked_close(&asked);
}

/* What the daemon would send to a rank: what is common, then what is its own.
 */
static uint8_t *pack(uint32_t rank, size_t *ret_len)
{
    Serried__V1__Assignment own = SERRIED__V1__ASSIGNMENT__INIT;
    uint8_t *bytes;

    ck_assert_int_eq(
        codec_assignment_rank(asked.check, asked.arena, rank, &own, &asked.err),
        0);
    own.placement = (char *)"d";
    bytes = malloc(common.len + serried__v1__assignment__get_packed_size(&own));
    memcpy(bytes, common.packed, common.len);
    *ret_len =
        common.len + serried__v1__assignment__pack(&own, bytes + common.len);
    return bytes;
}

static struct serry_assignment *get(uint32_t rank)
{
    struct serry_assignment *a = NULL;
    size_t len;
    uint8_t *bytes = pack(rank, &len);

    ck_assert_msg(serry_assignment_parse(bytes, len, &a, &err) == 0, "%s",
                  err.text);
    free(bytes);
    return a;
}

START_TEST(a_rank_learns_its_place_on_every_axis)
{
    struct serry_assignment *a = get(3);
    const struct serry_node *x = serry_node_find(a, "x");

    ck_assert_uint_eq(serry_assignment_rank(a), 3);
    ck_assert_uint_eq(serry_assignment_world(a), 16);
    ck_assert_str_eq(serry_assignment_placement(a), "d");
    ck_assert_str_eq(serry_assignment_model(a), "m");
    ck_assert_str_eq(serry_assignment_runtime(a), "r");
    ck_assert_str_eq(serry_assignment_carried_json(a), "{\"max_seq_len\":512}");
    ck_assert_uint_eq(serry_node_count(a), 2);
    ck_assert_ptr_eq(serry_node_at(a, 0), x);
    ck_assert_uint_eq(x->instance, 1);
    ck_assert_uint_eq(x->instance_rank, 3);
    ck_assert_uint_eq(x->instance_size, 8);
    ck_assert_uint_eq(serry_node_coordinate(x, "a")->coordinate, 0);
    ck_assert_uint_eq(serry_node_coordinate(x, "b")->coordinate, 1);
    ck_assert_uint_eq(serry_node_coordinate(x, "c")->coordinate, 1);
    ck_assert_uint_eq(serry_node_coordinate(x, "c")->size, 2);
    ck_assert_ptr_null(serry_node_coordinate(x, "d"));
    ck_assert_ptr_null(serry_node_find(a, "z"));
    serry_free(a);
}
END_TEST

static void ck_group(const struct serry_assignment *a, const char *list,
                     uint32_t rank, size_t index, size_t position, size_t n,
                     const uint32_t *ranks)
{
    struct serry_group *group = NULL;

    ck_assert_msg(serry_group_of(a, list, rank, &group, &err) == 0, "%s",
                  err.text);
    ck_assert_uint_eq(group->index, index);
    ck_assert_uint_eq(group->position, position);
    ck_assert_uint_eq(group->length, n);
    ck_assert_mem_eq(group->ranks, ranks, n * sizeof(*ranks));
    serry_free(group);
}

START_TEST(a_rank_learns_its_groups)
{
    struct serry_assignment *a = get(3);
    struct serry_group *group = NULL;

    ck_group(a, "node_groups[0].c", 3, 5, 1, 2, (const uint32_t[]){ 2, 3 });
    ck_group(a, "node_groups[0].b", 3, 5, 1, 2, (const uint32_t[]){ 1, 3 });
    ck_group(a, "node_groups[0].a", 3, 7, 0, 2, (const uint32_t[]){ 3, 7 });
    ck_group(a, "node_groups[0].a", 12, 0, 1, 2, (const uint32_t[]){ 8, 12 });
    ck_group(a, "node_groups[1].a", 3, 0, 0, 1, (const uint32_t[]){ 3 });
    ck_assert_int_eq(serry_group_of(a, "node_groups[1].a", 4, &group, &err),
                     -1);
    ck_assert_int_eq(err.status, SERRY_UNKNOWN_NAME);
    ck_assert_str_eq(err.text, "rank 4 is in no group of node_groups[1].a");
    ck_assert_int_eq(serry_group_of(a, "node_group[1].a", 3, &group, &err), -1);
    ck_assert_str_eq(err.text, "there is no list node_group[1].a; the nearest "
                               "is node_groups[1].a");
    serry_free(a);
}
END_TEST

/* Each group of each list, against the group of each of its members. */
START_TEST(the_groups_of_a_list_and_of_its_ranks_are_the_same)
{
    struct serry_assignment *a = get(9);

    for (size_t l = 0; l < serry_list_count(a); l++) {
        const char *list = serry_list_name(a, l);
        struct serry_groups *groups = NULL;

        ck_assert_int_eq(serry_groups(a, list, &groups, &err), 0);
        for (size_t i = 0; i < groups->count; i++)
            for (size_t j = 0; j < groups->begin[i + 1] - groups->begin[i]; j++)
                ck_group(a, list, groups->ranks[groups->begin[i] + j], i, j,
                         groups->length, groups->ranks + groups->begin[i]);
        serry_free(groups);
    }
    serry_free(a);
}
END_TEST

START_TEST(the_creation_sequence_is_that_of_the_daemon)
{
    struct serry_assignment *a = get(0);
    struct serry_creation *creation = NULL;
    struct serry_created created;
    struct creation sequence;
    uint32_t ranks[16];

    ck_assert_int_eq(table_creation(asked.check, &sequence, &asked.err), 0);
    ck_assert_int_eq(serry_creation_begin(a, &creation, &err), 0);
    ck_assert_uint_eq(serry_creation_count(creation), sequence.count);
    ck_assert_uint_eq(sequence.count, 2 + 3 * 8);
    for (size_t i = 0; i < sequence.count; i++) {
        struct created want = creation_at(&sequence, i);

        created_ranks(&want, ranks);
        ck_assert(serry_creation_next(creation, &created));
        ck_assert_str_eq(created.list, want.source->name);
        ck_assert_str_eq(created.backend, want.backend);
        ck_assert_uint_eq(created.length, created_length(&want));
        ck_assert_mem_eq(created.ranks, ranks, created.length * sizeof(*ranks));
    }
    ck_assert(!serry_creation_next(creation, &created));
    ck_assert(!serry_creation_next(creation, &created));
    serry_free(creation);
    serry_free(a);
}
END_TEST

START_TEST(shares_are_ranges_where_the_total_is_known)
{
    struct serry_assignment *a = get(3);
    const struct serry_node *x = serry_node_find(a, "x");

    for (size_t i = 0; i < x->n_shares; i++) {
        const struct serry_share *share = x->shares[i];

        ck_assert_uint_lt(share->part, share->parts);
        ck_assert(!share->has_range || share->end <= share->total);
    }
    serry_free(a);
}
END_TEST

START_TEST(an_assignment_survives_being_kept)
{
    struct serry_assignment *a = get(5), *again = NULL;
    const void *bytes;
    size_t len;

    bytes = serry_assignment_bytes(a, &len);
    ck_assert_int_eq(serry_assignment_parse(bytes, len, &again, &err), 0);
    serry_free(a);
    ck_assert_uint_eq(serry_assignment_rank(again), 5);
    ck_assert_int_eq(serry_verify(again, &err), 0);
    serry_free(again);
}
END_TEST

/* ---- the device ---------------------------------------------------------- */

/* Reads an assignment with what is a rank's own; -1: err. */
static int get_with(const Serried__V1__Assignment *own,
                    struct serry_assignment **ret)
{
    size_t len, more;
    uint8_t *bytes = pack(3, &len);
    int rc;

    more = serried__v1__assignment__get_packed_size(own);
    bytes = realloc(bytes, len + more);
    serried__v1__assignment__pack(own, bytes + len);
    rc = serry_assignment_parse(bytes, len + more, ret, &err);
    free(bytes);
    return rc;
}

static int get_bound(const Serried__V1__Binding *binding,
                     struct serry_assignment **ret)
{
    Serried__V1__Assignment own = SERRIED__V1__ASSIGNMENT__INIT;

    own.binding = (Serried__V1__Binding *)binding;
    return get_with(&own, ret);
}

static char *two[] = { (char *)"GPU-a", (char *)"GPU-b" };

static Serried__V1__Binding a_binding(void)
{
    Serried__V1__Binding b = SERRIED__V1__BINDING__INIT;

    b.host = (char *)"node7";
    b.n_address = 1;
    b.address = two;
    b.has_index = b.has_local_rank = b.has_local_world_size = true;
    b.has_group_rank = b.has_hosts = true;
    b.index = 5;
    b.local_rank = 1;
    b.local_world_size = 2;
    b.group_rank = 3;
    b.hosts = 4;
    b.n_local_devices = 2;
    b.local_devices = two;
    return b;
}

START_TEST(a_rank_learns_its_device)
{
    Serried__V1__Binding from = a_binding();
    const struct serry_binding *b;
    struct serry_assignment *a = get(3);

    ck_assert_ptr_null(serry_assignment_binding(a));
    serry_free(a);
    ck_assert_int_eq(get_bound(&from, &a), 0);
    b = serry_assignment_binding(a);
    ck_assert_str_eq(b->host, "node7");
    ck_assert_str_eq(b->addresses[0], "GPU-a");
    ck_assert_str_eq(b->device, "");
    ck_assert_int_eq(b->numa, -1);
    ck_assert_uint_eq(b->index, 5);
    ck_assert_uint_eq(b->local_rank, 1);
    ck_assert_uint_eq(b->group_rank, 3);
    ck_assert_str_eq(b->local_devices[1], "GPU-b");
    serry_free(a);
}
END_TEST

static void ck_binding_refused(const Serried__V1__Binding *b, const char *text)
{
    struct serry_assignment *a = NULL;

    ck_assert_int_eq(get_bound(b, &a), -1);
    ck_assert_int_eq(err.status, SERRY_INVALID);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}

START_TEST(a_device_out_of_bounds_is_refused)
{
    Serried__V1__Binding b = a_binding();

    b.host = NULL;
    ck_binding_refused(&b, "names no host");
    b = a_binding();
    b.local_rank = 2;
    ck_binding_refused(&b, "local rank 2 of 2");
    b = a_binding();
    b.hosts = 3;
    ck_binding_refused(&b, "host 3 of 3");
    b = a_binding();
    b.n_local_devices = 1;
    ck_binding_refused(&b, "1 devices of 2 workers");
}
END_TEST

/* ---- ports --------------------------------------------------------------- */

/* Reads an assignment with a port; -1: err. */
static int get_port(const Serried__V1__Port *port, struct serry_assignment **a)
{
    Serried__V1__Port *ports[] = { (Serried__V1__Port *)port };
    Serried__V1__Assignment own = SERRIED__V1__ASSIGNMENT__INIT;

    own.n_ports = 1;
    own.ports = ports;
    return get_with(&own, a);
}

static Serried__V1__Port a_port(void)
{
    Serried__V1__Port port = SERRIED__V1__PORT__INIT;

    port.purpose = (char *)"rpc";
    port.has_port = true;
    port.port = 29501;
    return port;
}

START_TEST(ports_are_read_with_what_is_not_said)
{
    struct serry_assignment *a;
    Serried__V1__Port port = a_port();
    const struct serry_port *got;
    size_t n;

    ck_assert_int_eq(get_port(&port, &a), 0);
    got = serry_assignment_ports(a, &n);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(got->purpose, "rpc");
    ck_assert_str_eq(got->address, "");
    ck_assert_uint_eq(got->port, 29501);
    ck_assert(got->group == -1 && got->instance == -1 && !got->confirms);
    ck_assert_uint_eq(serry_assignment_listed_rank(a),
                      serry_assignment_rank(a));
    serry_free(a);
}
END_TEST

static void ck_port_refused(const Serried__V1__Port *port, const char *text)
{
    struct serry_assignment *a;

    ck_assert_int_eq(get_port(port, &a), -1);
    ck_assert_int_eq(err.status, SERRY_INVALID);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}

START_TEST(what_is_no_port_is_refused)
{
    Serried__V1__Port port = a_port();

    port.purpose = NULL;
    ck_port_refused(&port, "no purpose");
    port = a_port();
    port.port = 0;
    ck_port_refused(&port, "from 1 to 65535");
    port.port = 65536;
    ck_port_refused(&port, "from 1 to 65535");
}
END_TEST

/* ---- digests ------------------------------------------------------------- */

START_TEST(both_sides_have_the_same_digest)
{
    struct serry_assignment *a = get(3);
    struct serry_digests *digests = NULL;

    ck_assert_msg(serry_verify(a, &err) == 0, "%s", err.text);
    ck_assert_int_eq(serry_digest(a, &digests, &err), 0);
    ck_assert_mem_eq(digests->total, common.digest, SERRY_DIGEST_BYTES);
    ck_assert_uint_eq(digests->n_lists, serry_list_count(a));
    serry_free(digests);
    serry_free(a);
}
END_TEST

enum spoilt { LIST_DIGEST, SEQUENCE, TOTAL, STRIDES, NO_DIGEST, SHORT_DIGEST };

static const struct {
    enum spoilt what;
    const char *text;
} differences[] = {
    { LIST_DIGEST, "list node_groups[0].b: its groups here are not" },
    { SEQUENCE, "the creation sequence here is not" },
    { TOTAL, "the digest here is not" },
    { STRIDES, "list node_groups[0].a: its groups here are not" },
    { NO_DIGEST, "lacks digests" },
    { SHORT_DIGEST, "lacks digests" },
};

static void spoil(Serried__V1__Assignment *message, enum spoilt what)
{
    Serried__V1__GroupList *list = message->lists[0];
    Serried__V1__Dim **swap;
    size_t n;

    switch (what) {
    case LIST_DIGEST:
        message->list_digests[1].data[7] ^= 1;
        return;
    case SEQUENCE:
        message->sequence_digest.data[0] ^= 1;
        return;
    case TOTAL:
        message->digest.data[31] ^= 1;
        return;
    case STRIDES: /* still a partition, of other groups */
        swap = list->outer;
        n = list->n_outer;
        list->outer = list->inner;
        list->n_outer = list->n_inner;
        list->inner = swap;
        list->n_inner = n;
        return;
    case NO_DIGEST:
        message->has_digest = false;
        return;
    case SHORT_DIGEST:
        message->digest.len = 31;
        return;
    }
}

START_TEST(a_digest_that_differs_names_the_first_list)
{
    size_t len;
    uint8_t *bytes = pack(3, &len);
    Serried__V1__Assignment *message =
        serried__v1__assignment__unpack(NULL, len, bytes);
    struct serry_assignment *a = NULL;

    spoil(message, differences[_i].what);
    free(bytes);
    bytes = malloc(serried__v1__assignment__get_packed_size(message));
    len = serried__v1__assignment__pack(message, bytes);
    serried__v1__assignment__free_unpacked(message, NULL);
    ck_assert_msg(serry_assignment_parse(bytes, len, &a, &err) == 0, "%s",
                  err.text);
    ck_assert_int_eq(serry_verify(a, &err), -1);
    ck_assert_int_eq(err.status, SERRY_INTERNAL);
    ck_assert_msg(strstr(err.text, differences[_i].text) != NULL, "%s",
                  err.text);
    serry_free(a);
    free(bytes);
}
END_TEST

/* ---- hostile bytes ------------------------------------------------------- */

/* Uses all of an assignment that was let through. */
static void use(const struct serry_assignment *a)
{
    struct serry_creation *creation = NULL;
    struct serry_created created;

    for (size_t l = 0; l < serry_list_count(a); l++) {
        struct serry_groups *groups = NULL;

        if (serry_groups(a, serry_list_name(a, l), &groups, NULL) == 0)
            serry_free(groups);
    }
    if (serry_creation_begin(a, &creation, NULL) == 0)
        while (serry_creation_next(creation, &created))
            continue;
    serry_free(creation);
    serry_verify(a, NULL);
}

START_TEST(bytes_turned_over_are_refused_or_harmless)
{
    size_t len, through = 0;
    uint8_t *bytes = pack(3, &len);
    struct serry_assignment *a = NULL;

    srand(1);
    for (int i = 0; i < 20000; i++) {
        size_t at = (size_t)rand() % len;
        uint8_t was = bytes[at];

        bytes[at] = (uint8_t)rand();
        if (serry_assignment_parse(bytes, len, &a, NULL) == 0) {
            use(a);
            through++;
            serry_free(a);
        }
        bytes[at] = was;
    }
    ck_assert_uint_gt(through, 0);
    for (size_t cut = 0; cut < len; cut++)
        if (serry_assignment_parse(bytes, cut, &a, NULL) == 0)
            serry_free(a);
    free(bytes);
}
END_TEST

START_TEST(what_is_no_assignment_is_refused)
{
    struct serry_assignment *a = NULL;

    ck_assert_int_eq(serry_assignment_parse("\xff\xff", 2, &a, &err), -1);
    ck_assert_int_eq(err.status, SERRY_INVALID);
    ck_assert_ptr_null(a);
}
END_TEST

/* ---- a million ranks ----------------------------------------------------- */

START_TEST(a_million_ranks_take_a_kilobyte)
{
    struct serry_assignment *a;
    struct serry_group *group = NULL;
    uint8_t *bytes;
    size_t len;

    asked_close(&asked);
    asked = (struct asked){ .arena = arena_new(1 << 30) };
    ck_assert_msg(load_asked(&asked, runtime_text, model_text,
                             "deployment: d\nmodel: m\nnode_groups:\n"
                             "  - {node_names: [x, y], count: 1048576,"
                             " a: 64, b: 128, c: 128}\n"),
                  "%s", asked.err.text);
    asked.question = (struct question){ .runtime = asked.runtime,
                                        .model = asked.model,
                                        .deployment = asked.deployment };
    asked.check = check_run(&asked.question, asked.arena, 0, &asked.err);
    ck_assert_msg(asked.check != NULL, "%s", asked.err.text);
    ck_assert_msg(check_accepts(asked.check), "refused");
    ck_assert_msg(codec_assignment_common(asked.check, &common, &asked.err) ==
                      0,
                  "%s", asked.err.text);
    bytes = pack(1048575, &len);
    free(bytes);
    ck_assert_uint_le(len, 1024);
    a = get(1048575);
    ck_assert_uint_eq(serry_assignment_world(a), 1048576);
    ck_assert_msg(serry_verify(a, &err) == 0, "%s", err.text);
    ck_assert_int_eq(
        serry_group_of(a, "node_groups[0].c", 1048575, &group, &err), 0);
    ck_assert_uint_eq(group->length, 128);
    ck_assert_uint_eq(group->ranks[127], 1048575);
    serry_free(group);
    serry_free(a);
}
END_TEST

/* ---- a client in another language ---------------------------------------- */

static uint8_t *packed;
static size_t packed_len;

/* Status, Check, and the assignment of rank 3. */
static void answer_python(int n, const Serried__V1__Call *call,
                          struct fake_answer *ret)
{
    static Serried__V1__StatusReply status = SERRIED__V1__STATUS_REPLY__INIT;
    static Serried__V1__CheckReply check = SERRIED__V1__CHECK_REPLY__INIT;

    (void)n;
    status.version = (char *)"1.2.3";
    check.has_accepts = check.accepts = true;
    if (strstr(call->method, "/Status") != NULL)
        ret->reply = &status.base;
    else if (strstr(call->method, "/Check") != NULL)
        ret->reply = &check.base;
    else if (strcmp(call->method, "/serried.v1.Worker/GetAssignment") == 0)
        ret->reply =
            &serried__v1__assignment__unpack(NULL, packed_len, packed)->base;
}

/* Runs a shell command with the fake's folder as $1 and its address as $2. */
static int run(const struct fake_daemon *fake, const char *command)
{
    int status = -1;
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, "sh", fake->folder, fake->url,
              (char *)NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *const urls[] = { "ipc", "tcp" };

START_TEST(sixty_lines_of_python_from_the_manual_get_the_same_digest)
{
    struct fake_daemon fake;

    fake_open(&fake);
    if (strcmp(urls[_i], "tcp") == 0)
        fake_use_tcp(&fake);
    if (run(&fake, "exec >$1/out 2>&1; command -v protoc || exit; "
                   "for p in ${PYTHON3:-python3} /usr/bin/python3; do "
                   "$p -c 'import google.protobuf' && ln -s $(command -v $p) "
                   "$1/python && exit; done; exit 1") != 0) {
        printf("# SKIP protoc or python3-protobuf is missing\n");
    } else {
        packed = pack(3, &packed_len);
        fake_start(&fake, answer_python);
        ck_assert_int_eq(
            run(&fake, "echo 'model: m' >$1/d.yaml && "
                       "protoc --proto_path=\"${srcdir:-.}\"/proto "
                       "--python_out=$1 serried.proto && "
                       "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1 "
                       "$1/python \"${srcdir:-.}\"/tests/client/protocol.py "
                       "$2 d 3 $1/d.yaml >$1/out && "
                       "grep -q '^status 1.2.3' $1/out && "
                       "grep -q '^accepts True' $1/out && "
                       "grep -q '^digest agrees' $1/out"),
            0);
        ck_assert_int_eq(fake.seen->n, 3);
        free(packed);
    }
    run(&fake, "rm -f $1/d.yaml $1/out $1/python $1/serried_pb2.py");
    fake_close(&fake);
}
END_TEST

/* ---- a refused Join ------------------------------------------------------ */

/* What a daemon refuses with, however often it is asked. Lists are a, b, c of
 * one node group, of 8 groups each, and of the other, of 1. */
static const struct {
    const char *type;
    bool whole;
    uint32_t list, first, groups, block, count;
    int calls;
    const char *behind; /* what libserry adds to the sentence */
} details[] = {
    { "say_groups", true, 1, 0, 0, 0, 0, 4, "" },
    { "say_groups", false, 1, 2, 2, 1, 8, 4, "" },
    { "say_groups", false, 1, 100, 2, 1, 1000, 4, "" },
    { "say_groups", false, 1, 0, 1 << 20, 1024, 1 << 20, 4, "" },
    { "say_groups", false, 1, 0, 1 << 20, 1023, 1 << 20, 1, "" },
    { "say_groups", false, 1, 0, 4, 0, 8, 1, "" },
    { "say_groups", false, 1, 5, 4, 1, 8, 1, "" },
    { "say_groups", false, 1, UINT32_MAX, UINT32_MAX, 1, 8, 1, "" },
    { "say_groups", true, 6, 0, 0, 0, 0, 1, "" },
    { "say_groups", true, UINT32_MAX, 0, 0, 0, 0, 1, "" },
    { "say_something", true, 1, 0, 0, 0, 0, 1, "" },
    { NULL, true, 1, 0, 0, 0, 0, 1, "" },
    { "group", false, 2, 1, 1, 1, 8, 1, ", here of ranks 10, 11" },
    { "group", false, 3, 0, 1, 1, 1, 1, ", here of rank 3" },
    { "group", false, 2, 8, 1, 1, 9, 1, "" },
    { "group", false, 9, 0, 1, 1, 9, 1, "" },
    { "group", false, 2, UINT32_MAX, 1, 1, 9, 1, "" },
};

static void answer_detail(int n, const Serried__V1__Call *call,
                          struct fake_answer *ret)
{
    static Serried__V1__Detail detail = SERRIED__V1__DETAIL__INIT;
    static Serried__V1__GroupSpan groups = SERRIED__V1__GROUP_SPAN__INIT;
    Serried__V1__JoinRequest *request = serried__v1__join_request__unpack(
        NULL, call->request.len, call->request.data);
    const uint64_t row = request->incarnation; /* of the details */

    (void)n;
    serried__v1__join_request__free_unpacked(request, NULL);
    groups.has_list = groups.has_count = true;
    groups.has_first = groups.has_groups = groups.has_block =
        !details[row].whole;
    groups.list = details[row].list;
    groups.first = details[row].first;
    groups.groups = details[row].groups;
    groups.block = details[row].block;
    groups.count = details[row].count;
    detail.type = (char *)details[row].type;
    detail.groups = &groups;
    ret->status = SERRY_REFUSED;
    ret->message = "DIGEST_DIFFERS: so it is";
    ret->detail = &detail;
}

START_TEST(a_refused_worker_says_what_it_can_and_not_for_ever)
{
    struct serry_assignment *a = get(3);
    struct serry_client *client = NULL;
    struct fake_daemon fake;
    char text[128];

    fake_open(&fake);
    fake_start(&fake, answer_detail);
    ck_assert_int_eq(serry_open(fake.url, &client, &err), 0);
    ck_assert_int_eq(serry_join(client, a, (uint64_t)_i, "", &err), -1);
    ck_assert_int_eq(err.status, SERRY_REFUSED);
    snprintf(text, sizeof(text), "DIGEST_DIFFERS: so it is%s",
             details[_i].behind);
    ck_assert_str_eq(err.text, text);
    ck_assert_int_eq(fake.seen->n, details[_i].calls);
    ck_assert_int_eq(serry_join(client, a, (uint64_t)_i, "", NULL), -1);
    serry_close(client);
    serry_free(a);
    fake_close(&fake);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("assignment");
    TCase *tcase = tcase_create("assignment");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_rank_learns_its_place_on_every_axis);
    tcase_add_test(tcase, a_rank_learns_its_groups);
    tcase_add_test(tcase, the_groups_of_a_list_and_of_its_ranks_are_the_same);
    tcase_add_test(tcase, the_creation_sequence_is_that_of_the_daemon);
    tcase_add_test(tcase, shares_are_ranges_where_the_total_is_known);
    tcase_add_test(tcase, an_assignment_survives_being_kept);
    tcase_add_test(tcase, a_rank_learns_its_device);
    tcase_add_test(tcase, a_device_out_of_bounds_is_refused);
    tcase_add_test(tcase, ports_are_read_with_what_is_not_said);
    tcase_add_test(tcase, what_is_no_port_is_refused);
    tcase_add_test(tcase, both_sides_have_the_same_digest);
    tcase_add_loop_test(tcase, a_digest_that_differs_names_the_first_list, 0,
                        sizeof(differences) / sizeof(differences[0]));
    tcase_add_test(tcase, bytes_turned_over_are_refused_or_harmless);
    tcase_add_test(tcase, what_is_no_assignment_is_refused);
    tcase_add_test(tcase, a_million_ranks_take_a_kilobyte);
    tcase_add_loop_test(tcase,
                        a_refused_worker_says_what_it_can_and_not_for_ever, 0,
                        ARRAY_LEN(details));
    tcase_add_loop_test(
        tcase, sixty_lines_of_python_from_the_manual_get_the_same_digest, 0,
        sizeof(urls) / sizeof(urls[0]));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
