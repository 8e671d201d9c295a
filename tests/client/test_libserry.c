/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libserry against a daemon that misbehaves on demand. */
#include <pthread.h>
#include <time.h>

#include "base/text.h"
#include "client/libserry/serry.h"
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/client/fake_daemon.h"

static struct fake_daemon fake;
static struct serry_client *client;
static struct serry_error err;

static void setup(void)
{
    fake_open(&fake);
    err = (struct serry_error)SERRY_ERROR_INIT;
    ck_assert_int_eq(serry_open(fake.url, &client, &err), 0);
    serry_set_deadline(client, 5000);
}

static void teardown(void)
{
    serry_close(client);
    serry_error_clear(&err);
    fake_close(&fake);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void ck_status(int status, const char *text)
{
    ck_assert_msg(err.status == status, "%d: %s", err.status, err.text);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}

static const struct serry_document document = { "model: x\n", "x.yaml", 3 };

/* ---- addresses ----------------------------------------------------------- */

static const struct {
    const char *text, *url;
} addresses[] = {
    { "/run/a.sock", "ipc:///run/a.sock" },
    { "./a.sock", "ipc://./a.sock" },
    { "ipc:///run/a.sock", "ipc:///run/a.sock" },
    { "tcp://127.0.0.1:5555", "tcp://127.0.0.1:5555" },
    { "tcp://[::1]:1", "tcp://[::1]:1" },
    { "tcp://node7.example:65535", "tcp://node7.example:65535" },
};

START_TEST(an_address_may_be_a_path_or_a_url)
{
    struct serry_client *other = NULL;

    ck_assert_int_eq(serry_open(addresses[_i].text, &other, &err), 0);
    ck_assert_str_eq(serry_address(other), addresses[_i].url);
    serry_close(other);
}
END_TEST

static const struct {
    const char *text, *why;
} bad_addresses[] = {
    { "", "neither a path nor a known scheme" },
    { "serried", "neither a path nor a known scheme" },
    { "http://a/b", "neither a path nor a known scheme" },
    { "ipc://", "it has no path" },
    { "tcp://a", "no port" },
    { "tcp://a:", "no port" },
    { "tcp://a:0", "no port" },
    { "tcp://a:65536", "no port" },
    { "tcp://a:1x", "no port" },
    { "tcp://:5", "its host" },
    { "tcp://[]:5", "its host" },
    { "tcp://::1:5", "stands in brackets" },
};

START_TEST(an_address_that_cannot_be_read_is_refused)
{
    struct serry_client *other = NULL;

    ck_assert_int_eq(serry_open(bad_addresses[_i].text, &other, &err), -1);
    ck_assert_ptr_null(other);
    ck_status(SERRY_INVALID, bad_addresses[_i].why);
}
END_TEST

START_TEST(a_path_may_have_107_bytes_and_no_more)
{
    struct serry_client *other = NULL;
    char path[110];

    memset(path, 'x', sizeof(path));
    path[0] = '/';
    path[107] = '\0';
    ck_assert_int_eq(serry_open(path, &other, &err), 0);
    serry_close(other);
    path[107] = 'x';
    path[108] = '\0';
    ck_assert_int_eq(serry_open(path, &other, &err), -1);
    ck_status(SERRY_INVALID, "at most 107 bytes, this one has 108");
}
END_TEST

START_TEST(the_environment_names_the_daemon_where_the_caller_does_not)
{
    struct serry_client *other = NULL;

    setenv("SERRY_ADDRESS", "tcp://127.0.0.1:7", 1);
    ck_assert_int_eq(serry_open(NULL, &other, &err), 0);
    ck_assert_str_eq(serry_address(other), "tcp://127.0.0.1:7");
    serry_close(other);
    setenv("SERRY_ADDRESS", "", 1);
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    ck_assert_int_eq(serry_open(NULL, &other, &err), 0);
    ck_assert_str_eq(serry_address(other),
                     geteuid() == 0 ? "ipc:///run/serried/serried.sock"
                                    : "ipc:///run/user/1/serried.sock");
    serry_close(other);
    setenv("SERRY_ADDRESS", "nonsense", 1);
    ck_assert_int_eq(serry_open(NULL, &other, &err), -1);
    unsetenv("SERRY_ADDRESS");
}
END_TEST

/* ---- every method -------------------------------------------------------- */

static Serried__V1__Generation generation = {
    PROTOBUF_C_MESSAGE_INIT(&serried__v1__generation__descriptor), 1, 7, 1, 42
};
static char name[] = "wan", kind[] = "model", text[] = "model: x", who[] = "me";

/* Answers every method; what comes from the request is echoed. */
static void answer_all(int n, const Serried__V1__Call *call,
                       struct fake_answer *ret)
{
    static Serried__V1__StatusReply status = SERRIED__V1__STATUS_REPLY__INIT;
    static Serried__V1__Declaration model = SERRIED__V1__DECLARATION__INIT;
    static Serried__V1__ListDeclarationsReply models =
        SERRIED__V1__LIST_DECLARATIONS_REPLY__INIT;
    static Serried__V1__CheckReply check = SERRIED__V1__CHECK_REPLY__INIT;
    static Serried__V1__PlaceReply place = SERRIED__V1__PLACE_REPLY__INIT;
    static Serried__V1__SuggestReply suggest = SERRIED__V1__SUGGEST_REPLY__INIT;
    static Serried__V1__PlacementInfo info = SERRIED__V1__PLACEMENT_INFO__INIT;
    static Serried__V1__ListPlacementsReply list =
        SERRIED__V1__LIST_PLACEMENTS_REPLY__INIT;
    static Serried__V1__ReleaseReply release = SERRIED__V1__RELEASE_REPLY__INIT;
    static Serried__V1__Event event = SERRIED__V1__EVENT__INIT;
    static Serried__V1__WatchReply watch = SERRIED__V1__WATCH_REPLY__INIT;
    static Serried__V1__EventsReply events = SERRIED__V1__EVENTS_REPLY__INIT;
    static Serried__V1__Declaration *model_items[] = { &model, &model };
    static Serried__V1__PlacementInfo *info_items[] = { &info };
    static Serried__V1__Event *event_items[] = { &event };
    static const struct {
        const char *method;
        const ProtobufCMessage *reply;
    } table[] = {
        { "Admin/Status", &status.base },
        { "Admin/Events", &events.base },
        { "Catalog/Apply", &model.base },
        { "Catalog/GetDeclaration", &model.base },
        { "Catalog/ListDeclarations", &models.base },
        { "Placement/Check", &check.base },
        { "Placement/Place", &place.base },
        { "Placement/Suggest", &suggest.base },
        { "Placement/GetPlacement", &info.base },
        { "Placement/ListPlacements", &list.base },
        { "Placement/Release", &release.base },
        { "Placement/Watch", &watch.base },
    };

    (void)n;
    status.version = name;
    status.has_descriptors = status.has_draining = status.draining = 1;
    status.descriptors = 1024;
    status.position = &generation;
    model.kind = kind;
    model.name = name;
    model.text = text;
    model.has_changed = model.changed = 1;
    models.n_declarations = 2;
    models.declarations = model_items;
    check.verdict_json = text;
    check.has_accepts = check.accepts = 1;
    place.generation = &generation;
    place.name = name;
    place.has_digest = 1;
    place.digest =
        (ProtobufCBinaryData){ 32,
                               (uint8_t *)"0123456789abcdef0123456789abcdef" };
    suggest.suggestions_json = text;
    suggest.has_valid = true;
    suggest.valid = 3;
    info.name = name;
    info.who = who;
    info.has_ranks = 1;
    info.ranks = 8;
    list.n_placements = 1;
    list.placements = info_items;
    release.name = name;
    release.generation = &generation;
    event.what = kind;
    event.has_sequence = 1;
    event.sequence = 9;
    watch.position = &generation;
    watch.n_events = events.n_events = 1;
    watch.events = events.events = event_items;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcmp(call->method + strlen("/serried.v1."), table[i].method) == 0)
            ret->reply = table[i].reply;
    if (ret->reply == NULL)
        ret->status = SERRY_UNIMPLEMENTED;
}

START_TEST(the_state_of_the_daemon_is_read)
{
    struct serry_events *events = NULL;
    struct serry_changes *changes = NULL;
    struct serry_daemon *daemon = NULL;

    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_status(client, &daemon, &err), 0);
    ck_assert_str_eq(daemon->version, "wan");
    ck_assert_str_eq(daemon->address, "");
    ck_assert_uint_eq(daemon->descriptors, 1024);
    ck_assert_uint_eq(daemon->position.revision, 42);
    ck_assert(daemon->draining);
    ck_assert_int_eq(serry_events(client, 0, 10, &events, &err), 0);
    ck_assert_uint_eq(events->count, 1);
    ck_assert_uint_eq(events->items[0]->sequence, 9);
    ck_assert_str_eq(events->items[0]->what, "model");
    ck_assert_int_eq(serry_watch(client, NULL, 100, &changes, &err), 0);
    ck_assert_uint_eq(changes->position.epoch, 7);
    ck_assert_uint_eq(changes->count, 1);
    ck_assert(!changes->reset);
    serry_free(daemon);
    serry_free(events);
    serry_free(changes);
}
END_TEST

START_TEST(declarations_are_read_and_written)
{
    struct serry_declaration *one = NULL, *other = NULL;
    struct serry_declarations *all = NULL;

    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_apply(client, &document, NULL, &one, &err), 0);
    ck_assert(one->changed);
    ck_assert_int_eq(
        serry_get_declaration(client, "model", "wan", &other, &err), 0);
    ck_assert_str_eq(other->text, "model: x");
    ck_assert_int_eq(serry_list_declarations(client, "model", &all, &err), 0);
    ck_assert_uint_eq(all->count, 2);
    ck_assert_str_eq(all->items[1]->name, "wan");
    serry_free(one);
    serry_free(other);
    serry_free(all);
}
END_TEST

START_TEST(placements_are_read_and_written)
{
    struct serry_verdict *verdict = NULL;
    const struct serry_preference preference = { .objective = "latency" };
    struct serry_suggestions *suggestions = NULL;
    struct serry_placed *placed = NULL;
    struct serry_placement *info = NULL;
    struct serry_placements *all = NULL;
    struct serry_released *released = NULL;

    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_check(client, &document, NULL, &verdict, &err), 0);
    ck_assert(verdict->accepts && !verdict->unchecked);
    ck_assert_int_eq(
        serry_suggest(client, &document, &preference, &suggestions, &err), 0);
    ck_assert_str_eq(suggestions->json, "model: x");
    ck_assert_uint_eq(suggestions->valid, 3);
    ck_assert_int_eq(serry_place(client, &document, NULL, &placed, &err), 0);
    ck_assert_uint_eq(placed->generation.revision, 42);
    ck_assert_int_eq(placed->digest[31], 'f');
    ck_assert_int_eq(serry_get_placement(client, "wan", &info, &err), 0);
    ck_assert_uint_eq(info->ranks, 8);
    ck_assert_ptr_null(info->verdict_json);
    ck_assert_int_eq(info->digest[0], 0);
    ck_assert_int_eq(serry_list_placements(client, &all, &err), 0);
    ck_assert_str_eq(all->items[0]->who, "me");
    ck_assert_int_eq(serry_release(client, "wan", NULL, &released, &err), 0);
    ck_assert_str_eq(released->name, "wan");
    serry_free(verdict);
    serry_free(suggestions);
    serry_free(placed);
    serry_free(info);
    serry_free(all);
    serry_free(released);
}
END_TEST

START_TEST(a_method_that_the_daemon_does_not_know_is_refused_by_it)
{
    struct serry_reply *reply = NULL;

    fake_start(&fake, answer_all);
    ck_assert_int_eq(
        serry_call(client, "/serried.v1.Admin/Status", "", 0, 0, &reply, &err),
        0);
    ck_assert_uint_gt(reply->len, 0);
    serry_free(reply);
    ck_assert_int_eq(
        serry_call(client, "/serried.v1.Admin/Quit", "", 0, 0, &reply, &err),
        -1);
    ck_status(SERRY_UNIMPLEMENTED, "does not say why");
}
END_TEST

/* ---- trying again -------------------------------------------------------- */

static void answer_third(int n, const Serried__V1__Call *call,
                         struct fake_answer *ret)
{
    answer_all(n, call, ret);
    if (n % 3 != 2)
        ret->status = SERRY_UNAVAILABLE;
}

START_TEST(a_write_is_tried_again_with_the_key_it_had)
{
    struct serry_placed *placed = NULL;

    fake_start(&fake, answer_third);
    ck_assert_int_eq(serry_place(client, &document, NULL, &placed, &err), 0);
    serry_free(placed);
    ck_assert_int_eq(fake.seen->n, 3);
    ck_assert_uint_eq(strlen(fake.seen->keys[0]), 32);
    ck_assert_str_eq(fake.seen->keys[0], fake.seen->keys[2]);
    ck_assert_int_eq(serry_place(client, &document, NULL, &placed, &err), 0);
    serry_free(placed);
    ck_assert_str_ne(fake.seen->keys[0], fake.seen->keys[3]);
}
END_TEST

START_TEST(a_key_of_the_caller_is_sent_as_it_is)
{
    struct serry_write write = { NULL, "mine" };
    struct serry_placed *placed = NULL;
    char long_key[130];

    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_place(client, &document, &write, &placed, &err), 0);
    serry_free(placed);
    ck_assert_str_eq(fake.seen->keys[0], "mine");
    memset(long_key, 'k', 129);
    long_key[129] = '\0';
    write.idempotency_key = long_key;
    ck_assert_int_eq(serry_place(client, &document, &write, &placed, &err), -1);
    ck_status(SERRY_INVALID, "1 to 128 bytes");
    ck_assert_int_eq(fake.seen->n, 1);
}
END_TEST

static uint32_t status_now; /* for the child: set before it is started */

static void answer_status(int n, const Serried__V1__Call *call,
                          struct fake_answer *ret)
{
    (void)n;
    (void)call;
    ret->status = status_now;
    ret->message = "because";
    ret->findings = "[]";
}

static const struct {
    int status, tries, tries_compared;
} tries[] = {
    { SERRY_INVALID, 1, 1 },
    { SERRY_DEADLINE, 1, 1 },
    { SERRY_REFUSED, 1, 1 },
    { SERRY_INTERNAL, 1, 1 },
    { SERRY_EXHAUSTED, 4, 4 },
    { SERRY_LOST, 4, 1 },
    { 99, 1, 1 },
};

START_TEST(what_may_change_is_tried_again_and_no_other_refusal)
{
    const struct serry_generation expected = { 7, 41 };
    const struct serry_write write = { &expected, NULL };
    struct serry_placed *placed = NULL;

    status_now = (uint32_t)tries[_i].status;
    fake_start(&fake, answer_status);
    ck_assert_int_eq(serry_place(client, &document, NULL, &placed, &err), -1);
    ck_status(tries[_i].status, "because");
    ck_assert_str_eq(err.findings_json, "[]");
    ck_assert_int_eq(fake.seen->n, tries[_i].tries);
    ck_assert_int_eq(serry_place(client, &document, &write, &placed, &err), -1);
    ck_assert_int_eq(fake.seen->n, tries[_i].tries + tries[_i].tries_compared);
    ck_assert_ptr_null(placed);
}
END_TEST

START_TEST(a_daemon_that_stays_unavailable_ends_with_the_deadline)
{
    struct serry_daemon *daemon = NULL;
    int64_t begin = now_ms();

    status_now = SERRY_UNAVAILABLE;
    fake_start(&fake, answer_status);
    serry_set_deadline(client, 600);
    ck_assert_int_eq(serry_status(client, &daemon, &err), -1);
    ck_status(SERRY_UNAVAILABLE, "because");
    ck_assert_int_le(now_ms() - begin, 700);
    ck_assert_int_gt(fake.seen->n, 2);
}
END_TEST

/* ---- time ---------------------------------------------------------------- */

static void answer_late(int n, const Serried__V1__Call *call,
                        struct fake_answer *ret)
{
    answer_all(n, call, ret);
    ret->after_ms = n == 0 ? 400 : 0;
}

START_TEST(a_late_answer_is_not_taken_for_that_of_the_next_call)
{
    struct serry_daemon *daemon = NULL;
    struct serry_verdict *verdict = NULL;
    int64_t begin = now_ms();

    fake_start(&fake, answer_late);
    serry_set_deadline(client, 200);
    ck_assert_int_eq(serry_status(client, &daemon, &err), -1);
    ck_status(SERRY_DEADLINE, "no answer within");
    ck_assert_int_le(now_ms() - begin, 350);
    serry_set_deadline(client, 5000);
    ck_assert_int_eq(serry_check(client, &document, NULL, &verdict, &err), 0);
    ck_assert_str_eq(verdict->json, "model: x");
    ck_assert_int_eq(fake.seen->n, 2);
    serry_free(verdict);
}
END_TEST

START_TEST(the_daemon_is_told_the_time_that_is_left)
{
    struct serry_changes *changes = NULL;
    struct serry_reply *reply = NULL;

    fake_start(&fake, answer_all);
    serry_set_deadline(client, 1000);
    ck_assert_int_eq(serry_watch(client, NULL, 60000, &changes, &err), 0);
    serry_free(changes);
    ck_assert_uint_le(fake.seen->deadlines_ms[0], 31000);
    ck_assert_uint_ge(fake.seen->deadlines_ms[0], 30500);
    ck_assert_int_eq(serry_call(client, "/serried.v1.Admin/Status", "", 0, 300,
                                &reply, &err),
                     0);
    serry_free(reply);
    ck_assert_uint_le(fake.seen->deadlines_ms[1], 300);
}
END_TEST

static const char *const nowhere[] = { "/nowhere/serried.sock",
                                       "tcp://127.0.0.1:%d",
                                       "tcp://localhost:%d", "tcp://[::1]:%d" };

START_TEST(an_address_where_nobody_listens_is_told_from_a_slow_daemon)
{
    struct serry_daemon *daemon = NULL;
    struct serry_client *other = NULL;
    int64_t begin = now_ms();
    struct text url = { 0 };

    if (strchr(nowhere[_i], '%') != NULL)
        text_printf(&url, "%.*s%d", (int)strcspn(nowhere[_i], "%"), nowhere[_i],
                    fake_port());
    else
        text_put(&url, nowhere[_i]);
    ck_assert_int_eq(serry_open(text_string(&url), &other, &err), 0);
    ck_assert_int_eq(serry_status(other, &daemon, &err), -1);
    ck_status(SERRY_UNAVAILABLE, "nothing listens at");
    ck_assert_int_le(now_ms() - begin, 1500);
    serry_close(other);
    text_close(&url);
}
END_TEST

/* In a child without root's rights: 0 where a call is refused as it should be.
 */
static int ask_without_rights(const char *url)
{
    struct serry_daemon *daemon = NULL;
    struct serry_client *other = NULL;

    if (geteuid() == 0 && setuid(65534) < 0)
        return 1;
    if (serry_open(url, &other, &err) < 0)
        return 2;
    if (serry_status(other, &daemon, &err) == 0)
        return 3;
    return err.status == SERRY_DENIED &&
                   strstr(err.text, "not permitted") != NULL
               ? 0
               : 4;
}

START_TEST(a_socket_that_one_may_not_use_is_no_absent_daemon)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char folder[] = "/tmp/serry-test.XXXXXX";
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), status = 0;
    pid_t child;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chmod(folder, 0755), 0);
    snprintf(at.sun_path, sizeof(at.sun_path), "%s/sock", folder);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    ck_assert_int_eq(listen(fd, 4), 0);
    ck_assert_int_eq(chmod(at.sun_path, 0), 0);
    child = fork();
    if (child == 0)
        _exit(ask_without_rights(at.sun_path));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    close(fd);
    unlink(at.sun_path);
    rmdir(folder);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

START_TEST(a_host_that_is_not_known_is_unavailable)
{
    struct serry_daemon *daemon = NULL;
    struct serry_client *other = NULL;

    ck_assert_int_eq(serry_open("tcp://no.such.invalid:5", &other, &err), 0);
    ck_assert_int_eq(serry_status(other, &daemon, &err), -1);
    ck_status(SERRY_UNAVAILABLE, "no.such.invalid");
    serry_close(other);
}
END_TEST

START_TEST(tcp_carries_the_same_calls)
{
    struct serry_daemon *daemon = NULL;
    struct serry_client *other = NULL;

    fake_use_tcp(&fake);
    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_open(fake.url, &other, &err), 0);
    ck_assert_int_eq(serry_status(other, &daemon, &err), 0);
    ck_assert_str_eq(daemon->version, "wan");
    serry_free(daemon);
    serry_close(other);
}
END_TEST

START_TEST(a_worker_may_wait_for_a_daemon_that_starts_later)
{
    ck_assert_int_eq(serry_wait(client, 300, &err), -1);
    ck_status(SERRY_DEADLINE, "");
    /* nanomsg must not be in use in this process when the fake forks */
    serry_close(client);
    fake.pid = fork();
    ck_assert_int_ge(fake.pid, 0);
    if (fake.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        usleep(900000);
        fake_serve(fake.url, fake.seen, answer_all);
    }
    ck_assert_int_eq(serry_open(fake.url, &client, &err), 0);
    ck_assert_int_eq(serry_wait(client, 5000, &err), 0);
}
END_TEST

START_TEST(a_client_bridges_a_restart_of_the_daemon)
{
    struct serry_daemon *daemon = NULL;
    struct fake_daemon second = fake;

    /* the second one is there from the start and listens when told */
    second.pid = fork();
    ck_assert_int_ge(second.pid, 0);
    if (second.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        usleep(1200000);
        fake_serve(fake.url, fake.seen, answer_all);
    }
    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_status(client, &daemon, &err), 0);
    serry_free(daemon);
    fake_stop(&fake);
    ck_assert_int_eq(serry_status(client, &daemon, &err), 0);
    serry_free(daemon);
    ck_assert_int_eq(fake.seen->n, 2);
    kill(second.pid, SIGKILL);
    waitpid(second.pid, NULL, 0);
}
END_TEST

/* ---- hostile answers ----------------------------------------------------- */

static const struct {
    const char *bytes;
    size_t len;
    const char *why;
} garbage[] = {
    { "\xff\xff\xff\xff", 4, "cannot be read" },
    { "", 0, "another request" },
    { "\x10\x05", 2, "does not say why" },
    { "\x1a\x02\xc3\x28\x10\x05", 6, "cannot be read" }, /* no UTF-8 */
};

static int garbage_now;

static void answer_garbage(int n, const Serried__V1__Call *call,
                           struct fake_answer *ret)
{
    (void)n;
    (void)call;
    ret->raw = garbage[garbage_now].bytes;
    ret->raw_len = garbage[garbage_now].len;
}

START_TEST(an_answer_that_makes_no_sense_is_refused)
{
    struct serry_daemon *daemon = NULL;

    garbage_now = _i;
    fake_start(&fake, answer_garbage);
    ck_assert_int_eq(serry_status(client, &daemon, &err), -1);
    ck_status(_i == 2 ? SERRY_UNKNOWN_NAME : SERRY_INTERNAL, garbage[_i].why);
}
END_TEST

/* Pages of hosts: the token says how many there were before. The fourth is
 * empty, and the last where the test wants it so. */
static bool pages_end;

static void answer_page(int n, const Serried__V1__Call *call,
                        struct fake_answer *ret)
{
    static Serried__V1__ListHostsReply reply =
        SERRIED__V1__LIST_HOSTS_REPLY__INIT;
    static Serried__V1__HostInfo hosts[2], *items[] = { &hosts[0], &hosts[1] };
    static char token[16], names[2][16];
    Serried__V1__ListHostsRequest *request =
        serried__v1__list_hosts_request__unpack(NULL, call->request.len,
                                                call->request.data);
    int before = request->page_token != NULL ? atoi(request->page_token) : 0;

    (void)n;
    for (int i = 0; i < 2; i++) {
        serried__v1__host_info__init(&hosts[i]);
        snprintf(names[i], sizeof(names[i]), "n%d", before + i);
        hosts[i].name = names[i];
    }
    reply.hosts = items;
    reply.n_hosts = before < 6 ? 2 : 0;
    snprintf(token, sizeof(token), "%d", before + 2);
    reply.next_page_token = before < 6 || !pages_end ? token : NULL;
    ret->reply = &reply.base;
    serried__v1__list_hosts_request__free_unpacked(request, NULL);
}

START_TEST(pages_are_one_list_and_end)
{
    struct serry_hosts *hosts = NULL;

    pages_end = _i == 0;
    fake_start(&fake, answer_page);
    if (!pages_end) {
        ck_assert_int_eq(serry_list_hosts(client, NULL, 0, &hosts, &err), -1);
        ck_status(SERRY_INTERNAL, "empty page");
        return;
    }
    ck_assert_int_eq(serry_list_hosts(client, NULL, 0, &hosts, &err), 0);
    ck_assert_uint_eq(hosts->count, 6);
    ck_assert_str_eq(hosts->items[0]->name, "n0");
    ck_assert_str_eq(hosts->items[5]->name, "n5");
    serry_free(hosts);
}
END_TEST

/* What is wrong with a routing, and what is said of it. */
static const struct {
    uint32_t size, instances, positions, masked, twice, replicas;
    const char *why; /* NULL: nothing is wrong */
} routings[] = {
    { 2, 3, 6, 1, 0, 0, NULL },
    { 0, 3, 6, 1, 0, 0, "no 3 instances of 0" },
    { 2, 2, 6, 1, 0, 0, "no 2 instances of 2" },
    { 4, 1, 6, 0, 0, 0, "no 1 instances of 4" },
    { 2, 3, 0, 1, 0, 0, "0 positions" },
    { 1, UINT32_MAX, UINT32_MAX, 1, 0, 0, "positions" },
    { 2, 3, 6, 3, 0, 0, "masked instance 3" },
    { 2, 3, 6, 1, 1, 0, "masked instance 1" },
    { 2, 3, 6, 1, 0, 1, "replicas that are not there" },
};

static int routing_now;

static void answer_routing(int n, const Serried__V1__Call *call,
                           struct fake_answer *ret)
{
    static Serried__V1__GetRoutingReply reply =
        SERRIED__V1__GET_ROUTING_REPLY__INIT;
    static Serried__V1__ReplicaSet set = SERRIED__V1__REPLICA_SET__INIT;
    static Serried__V1__RankMap map = SERRIED__V1__RANK_MAP__INIT;
    static Serried__V1__Run run = SERRIED__V1__RUN__INIT;
    static Serried__V1__Route route = SERRIED__V1__ROUTE__INIT;
    static Serried__V1__Run *masked[] = { &run, &run };
    static Serried__V1__ReplicaSet *sets[] = { &set };
    static Serried__V1__Route *routes[] = { &route };

    (void)n;
    (void)call;
    map.has_positions = map.has_offset = true;
    map.positions = routings[routing_now].positions;
    map.offset = 10;
    run.has_start = true;
    run.start = routings[routing_now].masked;
    set.workers = &map;
    set.has_size = set.has_instances = true;
    set.size = routings[routing_now].size;
    set.instances = routings[routing_now].instances;
    set.n_masked = 1 + routings[routing_now].twice;
    set.masked = masked;
    route.node = name;
    route.has_replicas = true;
    route.replicas = routings[routing_now].replicas;
    reply.n_replicas = reply.n_routes = 1;
    reply.replicas = sets;
    reply.routes = routes;
    reply.generation = &generation;
    ret->reply = &reply.base;
}

START_TEST(a_routing_is_read_or_refused_where_it_makes_no_sense)
{
    struct serry_routing *routing = NULL;
    int rc;

    routing_now = _i;
    fake_start(&fake, answer_routing);
    rc = serry_get_routing(client, "wan", &routing, &err);
    if (routings[_i].why != NULL) {
        ck_assert_int_eq(rc, -1);
        ck_status(SERRY_INTERNAL, routings[_i].why);
        return;
    }
    ck_assert_int_eq(rc, 0);
    ck_assert_uint_eq(routing->generation.revision, 42);
    ck_assert_uint_eq(routing->n_routes, 1);
    ck_assert_str_eq(routing->routes[0].node, "wan");
    ck_assert_str_eq(routing->routes[0].walk, "");
    ck_assert_ptr_eq(routing->routes[0].replicas, routing->replicas);
    ck_assert_uint_eq(routing->replicas[0].usable, 2);
    ck_assert(!routing->replicas[0].masked[0]);
    ck_assert(routing->replicas[0].masked[1]);
    ck_assert_uint_eq(routing->replicas[0].ranks[0], 10);
    ck_assert_uint_eq(routing->replicas[0].ranks[5], 15);
    serry_free(routing);
}
END_TEST

static void answer_other(int n, const Serried__V1__Call *call,
                         struct fake_answer *ret)
{
    answer_all(n, call, ret);
    ret->other_id = true;
}

START_TEST(an_answer_to_another_request_is_refused)
{
    struct serry_daemon *daemon = NULL;

    fake_start(&fake, answer_other);
    ck_assert_int_eq(serry_status(client, &daemon, &err), -1);
    ck_status(SERRY_INTERNAL, "another request");
}
END_TEST

START_TEST(a_request_is_sent_up_to_the_limit_and_refused_above)
{
    struct serry_reply *reply = NULL;
    size_t len = 1100000, fits = (1 << 20) - 64 - 64;
    char *bytes = calloc(1, len);

    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_call(client, "/serried.v1.Admin/Status", bytes, fits,
                                0, &reply, &err),
                     0);
    serry_free(reply);
    ck_assert_int_eq(serry_call(client, "/serried.v1.Admin/Status", bytes, len,
                                0, &reply, &err),
                     -1);
    ck_status(SERRY_EXHAUSTED, "can be sent");
    ck_assert_int_eq(fake.seen->n, 1);
    free(bytes);
}
END_TEST

/* ---- threads and processes ----------------------------------------------- */

static void answer_slowly(int n, const Serried__V1__Call *call,
                          struct fake_answer *ret)
{
    answer_all(n, call, ret);
    ret->after_ms = 400;
}

static void *call_status(void *arg)
{
    struct serry_daemon *daemon = NULL;
    int rc = serry_status(arg, &daemon, NULL);

    serry_free(daemon);
    return rc == 0 ? arg : NULL;
}

START_TEST(a_second_thread_in_a_client_is_refused_and_the_first_answered)
{
    struct serry_daemon *daemon = NULL;
    void *first = NULL;
    pthread_t thread;

    fake_start(&fake, answer_slowly);
    ck_assert_int_eq(pthread_create(&thread, NULL, call_status, client), 0);
    usleep(150000);
    ck_assert_int_eq(serry_status(client, &daemon, &err), -1);
    ck_status(SERRY_INVALID, "one client for each thread");
    pthread_join(thread, &first);
    ck_assert_ptr_eq(first, client);
}
END_TEST

START_TEST(clients_of_their_own_serve_threads_at_once)
{
    struct serry_client *clients[4];
    pthread_t threads[4];
    void *rc;

    fake_start(&fake, answer_all);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(serry_open(fake.url, &clients[i], &err), 0);
        pthread_create(&threads[i], NULL, call_status, clients[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &rc);
        ck_assert_ptr_eq(rc, clients[i]);
        serry_close(clients[i]);
    }
}
END_TEST

START_TEST(a_client_is_refused_in_a_child_and_goes_on_in_the_parent)
{
    struct serry_daemon *daemon = NULL;
    int status = 0;
    pid_t child;

    fake_start(&fake, answer_all);
    ck_assert_int_eq(serry_status(client, &daemon, &err), 0);
    serry_free(daemon);
    child = fork();
    if (child == 0) {
        int rc = serry_status(client, &daemon, &err);

        serry_close(client);
        _exit(rc < 0 && err.status == SERRY_INVALID ? 0 : 1);
    }
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(serry_status(client, &daemon, &err), 0);
    serry_free(daemon);
}
END_TEST

/* ---- small things -------------------------------------------------------- */

START_TEST(statuses_have_names_and_exit_codes)
{
    ck_assert_str_eq(serry_status_name(SERRY_REFUSED), "FAILED_PRECONDITION");
    ck_assert_str_eq(serry_status_name(99), "UNKNOWN");
    ck_assert_int_eq(serry_status_exit_code(SERRY_REFUSED), 2);
    ck_assert_int_eq(serry_status_exit_code(99), 70);
}
END_TEST

START_TEST(generations_are_compared_by_epoch_first)
{
    const struct serry_generation a = { 1, 9 }, b = { 2, 3 }, c = { 2, 4 };

    ck_assert_int_lt(serry_generation_compare(&a, &b), 0);
    ck_assert_int_gt(serry_generation_compare(&c, &b), 0);
    ck_assert_int_eq(serry_generation_compare(&c, &c), 0);
}
END_TEST

START_TEST(nothing_can_be_freed_and_closed)
{
    serry_free(NULL);
    serry_close(NULL);
}
END_TEST

static void add_calls(Suite *suite)
{
    TCase *tcase = tcase_create("calls");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, an_address_may_be_a_path_or_a_url, 0,
                        ARRAY_LEN(addresses));
    tcase_add_loop_test(tcase, an_address_that_cannot_be_read_is_refused, 0,
                        ARRAY_LEN(bad_addresses));
    tcase_add_test(tcase, a_path_may_have_107_bytes_and_no_more);
    tcase_add_test(tcase,
                   the_environment_names_the_daemon_where_the_caller_does_not);
    tcase_add_test(tcase, the_state_of_the_daemon_is_read);
    tcase_add_test(tcase, declarations_are_read_and_written);
    tcase_add_test(tcase, placements_are_read_and_written);
    tcase_add_test(tcase,
                   a_method_that_the_daemon_does_not_know_is_refused_by_it);
    tcase_add_test(tcase, a_write_is_tried_again_with_the_key_it_had);
    tcase_add_test(tcase, a_key_of_the_caller_is_sent_as_it_is);
    tcase_add_loop_test(tcase,
                        what_may_change_is_tried_again_and_no_other_refusal, 0,
                        ARRAY_LEN(tries));
    tcase_add_test(tcase, statuses_have_names_and_exit_codes);
    tcase_add_test(tcase, generations_are_compared_by_epoch_first);
    tcase_add_test(tcase, nothing_can_be_freed_and_closed);
    suite_add_tcase(suite, tcase);
}

static void add_trouble(Suite *suite)
{
    TCase *tcase = tcase_create("trouble");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase,
                   a_daemon_that_stays_unavailable_ends_with_the_deadline);
    tcase_add_test(tcase, a_late_answer_is_not_taken_for_that_of_the_next_call);
    tcase_add_test(tcase, the_daemon_is_told_the_time_that_is_left);
    tcase_add_loop_test(
        tcase, an_address_where_nobody_listens_is_told_from_a_slow_daemon, 0,
        ARRAY_LEN(nowhere));
    tcase_add_test(tcase, a_socket_that_one_may_not_use_is_no_absent_daemon);
    tcase_add_test(tcase, a_host_that_is_not_known_is_unavailable);
    tcase_add_test(tcase, tcp_carries_the_same_calls);
    tcase_add_test(tcase, a_worker_may_wait_for_a_daemon_that_starts_later);
    tcase_add_test(tcase, a_client_bridges_a_restart_of_the_daemon);
    tcase_add_loop_test(tcase, pages_are_one_list_and_end, 0, 2);
    tcase_add_loop_test(tcase, an_answer_that_makes_no_sense_is_refused, 0,
                        ARRAY_LEN(garbage));
    tcase_add_loop_test(tcase,
                        a_routing_is_read_or_refused_where_it_makes_no_sense, 0,
                        ARRAY_LEN(routings));
    tcase_add_test(tcase, an_answer_to_another_request_is_refused);
    tcase_add_test(tcase, a_request_is_sent_up_to_the_limit_and_refused_above);
    tcase_add_test(
        tcase, a_second_thread_in_a_client_is_refused_and_the_first_answered);
    tcase_add_test(tcase, clients_of_their_own_serve_threads_at_once);
    tcase_add_test(tcase,
                   a_client_is_refused_in_a_child_and_goes_on_in_the_parent);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("libserry");

    add_calls(suite);
    add_trouble(suite);
    return tap_run(suite);
}
