/* SPDX-License-Identifier: Apache-2.0 */
/* serry asks a daemon whose JSON is not as it should be: of another version, or
 * hostile. It may fail, but in order. */
#include <fcntl.h>

#include "base/arena.h"
#include "proto/document.h"
#include "tests/client/fake_daemon.h"

/* What the daemon's JSON is like when all is well: verdicts on an accepted
 * request, bound to devices and placed anew, and on a refused one; suggestions.
 */
static const char accepted[] =
    "{\"verdict\":\"accept\",\"findings\":[],"
    "\"unchecked\":[{\"code\":\"c\",\"needs\":[\"model.heads\"]}],"
    "\"warnings\":[{\"code\":\"w\",\"subject\":\"s\",\"reason\":\"r\"}],"
    "\"derived\":{\"d\":2},\"alternatives\":[],"
    "\"node_groups\":[{\"index\":0,\"node_names\":[\"dit\"],"
    "\"sizes\":{\"cfg\":2},\"graph_walks\":[\"w\"],"
    "\"instances\":[{\"ranks\":[0,1],\"groups\":{\"cfg\":[[0,1]]}}]}],"
    "\"views\":[{\"name\":\"v\",\"axes\":[{\"axis\":\"a\",\"size\":2}]}],"
    "\"lists\":{\"cfg\":[[0,1]]},\"per_rank\":{\"cfg\":[0,1]},"
    "\"creation\":[{\"list\":\"cfg\",\"backend\":\"device\",\"ranks\":[0,1]}],"
    "\"digests\":{\"total\":\"00\"},"
    "\"assignment\":{\"rank\":0,\"nodes\":[{\"node\":\"dit\",\"group\":0,"
    "\"coordinates\":{\"cfg\":0},\"sizes\":{\"cfg\":2},"
    "\"shares\":[{\"what\":\"rows\",\"parts\":2,\"part\":0,\"total\":4,"
    "\"range\":[0,2]}]}]},"
    "\"binding\":{\"ranks\":2,\"hosts\":1,\"axes\":{\"cfg\":{\"wants\":\"any\","
    "\"groups\":1,\"inside\":1,\"joined_by\":{\"host\":1}}},"
    "\"runs\":[{\"host\":\"h\",\"first\":0,\"count\":2}],\"n_runs\":1,"
    "\"spares\":[],\"moves\":{\"ranks\":1,\"new\":0,\"say\":\"1 rank "
    "moves\"}}}";
static const char refused[] =
    "{\"verdict\":\"refuse\",\"findings\":[{\"code\":\"c\",\"subject\":\"s\","
    "\"equation\":\"1 != 2\",\"reason\":\"r\",\"fixes\":[\"f\"]}],"
    "\"findings_left_out\":3,\"unchecked\":[],\"warnings\":[],\"derived\":{},"
    "\"alternatives\":[{\"set\":{\"world\":4,\"a\":null},\"say\":\"s\"}],"
    "\"node_groups\":[],\"binding\":{\"refused\":{\"code\":\"place.never\","
    "\"reason\":\"r\"},\"wanted\":2,\"free\":1,\"held\":1,"
    "\"holders\":[{\"name\":\"n\",\"devices\":1}]}}";
/* No place for it now; and what is wrong with a daemon. */
static const char no_place[] =
    "{\"verdict\":\"accept\",\"unchecked\":[],\"warnings\":[],"
    "\"binding\":{\"refused\":{\"code\":\"place.not_now\",\"reason\":\"r\"},"
    "\"holders\":[{\"placement\":\"n\",\"devices\":1}],"
    "\"evict\":{\"say\":\"s\",\"placements\":[\"n\"]}}}";
static const char ill[] =
    "{\"healthy\":false,\"findings\":[{\"code\":\"c\",\"weight\":\"error\","
    "\"what\":\"w\",\"next\":\"n\"}],\"findings_left_out\":1,"
    "\"placements\":[{\"name\":\"p\",\"state\":\"booting\",\"ranks\":2,"
    "\"joined\":1,\"missing\":1,\"lost\":0,\"booting_ms\":1000,"
    "\"waits_for\":[{\"rank\":1,\"state\":\"absent\",\"host\":\"h\","
    "\"host_state\":\"ready\",\"silent_ms\":5}],"
    "\"refused\":[{\"rank\":1,\"count\":2,\"who\":\"w\",\"reason\":\"r\"}]}],"
    "\"daemon\":{\"version\":\"1\",\"address\":\"a\",\"started_ms\":1}}";
static const char suggested[] =
    "{\"model\":\"m\",\"runtime\":\"r\",\"world\":2,\"objective\":\"memory\","
    "\"suggestions\":[{\"set\":{\"cfg\":2},\"sizes\":{\"cfg\":2},"
    "\"replicas\":1,\"stages\":[{\"stage\":\"s\",\"peak_gib\":1.5}],"
    "\"unchecked\":0,\"warnings\":[\"w\"],\"say\":\"s\"}],\"valid\":1,"
    "\"tried\":4,\"cut\":true,\"fell_out\":[{\"code\":\"c\",\"count\":2,"
    "\"say\":\"s\"}],\"near\":[{\"set\":{\"cfg\":1},\"say\":\"s\"}],"
    "\"notes\":[\"n\"]}";

/* Commands whose answer is made of such JSON; @ is the request's file. */
static const struct {
    const char *words[8];
    const char *json;
} commands[] = {
    { { "check", "-f", "@", "--strict" }, accepted },
    { { "check", "-f", "@", "-o", "json" }, refused },
    { { "check", "-f", "@" }, refused },
    { { "place", "-f", "@" }, accepted },
    { { "diff", "-f", "@" }, accepted },
    { { "diff", "-f", "@" }, refused },
    { { "plan", "-f", "@", "--evict" }, accepted },
    { { "plan", "-f", "@", "--evict" }, no_place },
    { { "doctor", "p" }, ill },
    { { "describe", "p" }, accepted },
    { { "describe", "p", "-o", "svg" }, accepted },
    { { "get", "placement", "p", "-o", "yaml" }, accepted },
    { { "export", "--as", "hostfile", "p" }, accepted },
    { { "export", "--as", "json", "p" }, accepted },
    { { "suggest", "m", "--world", "2" }, suggested },
};

enum { TYPES = 6 }; /* of what stands in the place of a value */

/* Every command that calls the daemon, but for those that wait for news. */
static const char *const all_commands[][8] = {
    { "apply", "-f", "@" },
    { "assignment", "p", "--all" },
    { "assignment", "p", "--rank", "0" },
    { "check", "-f", "@" },
    { "describe", "p" },
    { "diff", "-f", "@" },
    { "doctor" },
    { "events" },
    { "exec", "--placement", "p", "--rank", "0", "--", "true" },
    { "export", "--as", "hostfile", "p" },
    { "get", "hosts" },
    { "get", "models", "m" },
    { "get", "placements" },
    { "get", "placement", "p", "-o", "json" },
    { "get", "runtimes" },
    { "host", "drain", "h" },
    { "host", "list", "-o", "json" },
    { "place", "-f", "@" },
    { "plan", "-f", "@", "--evict" },
    { "release", "p" },
    { "routing", "p" },
    { "status" },
    { "suggest", "m", "--world", "2" },
};

/* In memory that the fake shares: what it answers with. */
static struct shared {
    bool accepts;
    char json[8192];
} * shared;

static void answer_strangely(int n, const Serried__V1__Call *call,
                             struct fake_answer *ret)
{
    static Serried__V1__CheckReply check = SERRIED__V1__CHECK_REPLY__INIT;
    static Serried__V1__PlaceReply place = SERRIED__V1__PLACE_REPLY__INIT;
    static Serried__V1__PlacementInfo info = SERRIED__V1__PLACEMENT_INFO__INIT;
    static Serried__V1__Document document = SERRIED__V1__DOCUMENT__INIT;
    static Serried__V1__DiagnoseReply diagnosis =
        SERRIED__V1__DIAGNOSE_REPLY__INIT;
    static Serried__V1__SuggestReply suggest = SERRIED__V1__SUGGEST_REPLY__INIT;
    static Serried__V1__ListDeclarationsReply list =
        SERRIED__V1__LIST_DECLARATIONS_REPLY__INIT;
    static Serried__V1__Generation generation = SERRIED__V1__GENERATION__INIT;
    static uint8_t digest[32];

    (void)n;
    document.text = (char *)"{deployment: p, runtime: r, model: m}";
    check.verdict_json = info.verdict_json = place.verdict_json =
        suggest.suggestions_json = diagnosis.report_json = shared->json;
    check.has_accepts = true;
    check.accepts = shared->accepts;
    place.name = info.name = (char *)"p";
    place.generation = info.generation = &generation;
    place.has_digest = info.has_digest = true;
    place.digest = info.digest = (ProtobufCBinaryData){ 32, digest };
    info.document = &document;
    info.has_ranks = true;
    info.ranks = 2;
    if (strstr(call->method, "/Check") != NULL)
        ret->reply = &check.base;
    else if (strstr(call->method, "/Place") != NULL &&
             strstr(call->method, "/GetPlacement") == NULL)
        ret->reply = &place.base;
    else if (strstr(call->method, "/GetPlacement") != NULL)
        ret->reply = &info.base;
    else if (strstr(call->method, "/Diagnose") != NULL)
        ret->reply = &diagnosis.base;
    else if (strstr(call->method, "/Suggest") != NULL)
        ret->reply = &suggest.base;
    else
        ret->reply = &list.base;
}

/* A reply of any type in which every field is absent. */
static void answer_nothing(int n, const Serried__V1__Call *call,
                           struct fake_answer *ret)
{
    static const Serried__V1__ReleaseReply empty =
        SERRIED__V1__RELEASE_REPLY__INIT;

    (void)n, (void)call;
    ret->reply = &empty.base;
}

/* Runs serry; gives its exit code, or 128 and a signal's number. */
static int run_serry(const char *const *words, const char *file,
                     const char *url)
{
    const char *args[16] = { "serry" };
    int n = 1, status = -1, null;
    pid_t pid;

    args[n++] = words[0];
    if (strcmp(words[0], "host") == 0)
        args[n++] = words[1];
    args[n++] = "--address";
    args[n++] = url;
    for (int i = n - 3; i < 8 && words[i] != NULL; i++)
        args[n++] = strcmp(words[i], "@") == 0 ? file : words[i];
    args[n] = NULL;
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        null = open("/dev/null", O_RDWR);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execv(getenv("SERRY"), (char **)args);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- values that stand where others should ------------------------------- */

/* Counts down the values of a tree in the order of the text; the one at which
 * *left is 0 is given. */
static struct tree *value_at(struct tree *tree, size_t *left)
{
    if ((*left)-- == 0)
        return tree;
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        struct tree *found = value_at((struct tree *)t, left);

        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Puts value number `at` of a JSON text into another type; false: there is no
 * such value. */
static bool write_strange(const char *json, size_t at, int type)
{
    static const enum tree_type types[TYPES] = { TREE_NULL,   TREE_INT,
                                                 TREE_STRING, TREE_LIST,
                                                 TREE_MAP,    TREE_LIST };
    struct arena *arena = arena_new(1 << 20);
    struct text text = { 0 };
    struct tree *tree = NULL, *value;
    struct error err;

    ck_assert_msg(
        document_read_json(arena, NULL, json, strlen(json), &tree, &err) == 0,
        "%s", err.text);
    value = value_at(tree, &at);
    if (value != NULL) {
        value->type = types[type];
        value->text = types[type] == TREE_STRING ? "strange" : NULL;
        value->len = types[type] == TREE_STRING ? strlen("strange") : 0;
        memset(&value->u, 0, sizeof(value->u));
        if (type == TYPES - 1)
            tree_new_int(arena, value, NULL, 1);
        ck_assert_int_eq(document_write_json(tree, false, &text), 0);
        ck_assert_uint_lt(text.len, sizeof(shared->json));
        memcpy(shared->json, text_string(&text), text.len + 1);
    }
    text_close(&text);
    arena_free(arena);
    return value != NULL;
}

static void open_with_request(struct fake_daemon *fake, char *file, size_t size)
{
    FILE *request;

    fake_open(fake);
    snprintf(file, size, "%s/p.yaml", fake->folder);
    request = fopen(file, "w");
    ck_assert_ptr_nonnull(request);
    fputs("{deployment: p, runtime: r, model: m, world: 2}\n", request);
    fclose(request);
}

START_TEST(an_answer_with_a_strange_value_ends_no_command_by_a_signal)
{
    struct fake_daemon fake;
    char file[64];

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    shared->accepts = commands[_i].json != refused;
    open_with_request(&fake, file, sizeof(file));
    fake_start(&fake, answer_strangely);
    for (size_t at = 0;
         write_strange(commands[_i].json, at / TYPES, (int)(at % TYPES));
         at++) {
        int code = run_serry(commands[_i].words, file, fake.url);

        ck_assert_msg(code < 127, "serry %s ended with %d at %s",
                      commands[_i].words[0], code, shared->json);
    }
    unlink(file);
    fake_close(&fake);
}
END_TEST

START_TEST(an_answer_without_a_field_ends_no_command_by_a_signal)
{
    struct fake_daemon fake;
    char file[64];
    int code;

    open_with_request(&fake, file, sizeof(file));
    fake_start(&fake, answer_nothing);
    code = run_serry(all_commands[_i], file, fake.url);
    ck_assert_msg(code < 127, "serry %s ended with %d", all_commands[_i][0],
                  code);
    unlink(file);
    fake_close(&fake);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("strange");
    TCase *tcase = tcase_create("json");

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(
        tcase, an_answer_with_a_strange_value_ends_no_command_by_a_signal, 0,
        ARRAY_LEN(commands));
    tcase_add_loop_test(tcase,
                        an_answer_without_a_field_ends_no_command_by_a_signal,
                        0, ARRAY_LEN(all_commands));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
