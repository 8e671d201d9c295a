/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/call, calls, rpc and wire: calls without a transport. */
#include "daemon/access.h"
#include "daemon/calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/handlers.h"
#include "daemon/rpc.h"
#include "daemon/settings.h"
#include "tests/tap.h"

/* The transport's end of a call. */
struct call_handle {
    int sent; /* answers */
    bool gone;
    Serried__V1__Answer *answer; /* the last */
};

/* What handlers find behind call_daemon(). */
struct daemon {
    uv_loop_t loop;
    struct settings settings;
    struct log log;
    struct rpc *rpc;
    struct calls *calls;
    struct call *kept; /* by rpc_check, rpc_watch */
    bool working;      /* rpc_watch waits for work, not for news */
    int ended;         /* times that ended() was called */
    size_t reply_bytes;
    const void *answer; /* of rpc_release */
    size_t answer_len;
    char seen[256]; /* what a handler saw of its call */
};

static struct daemon daemon_;

/* ---- handlers -------------------------------------------------------------
 */

/* Answers at once. */
void rpc_status(Serried__V1__Admin_Service *service,
                const Serried__V1__StatusRequest *request,
                Serried__V1__StatusReply_Closure reply, void *closure_data)
{
    Serried__V1__StatusReply out = SERRIED__V1__STATUS_REPLY__INIT;
    struct call *call = closure_data;
    size_t len;

    (void)service;
    (void)request;
    call_request(call, &len);
    snprintf(daemon_.seen, sizeof(daemon_.seen), "%s %s %zu %s %d",
             call_who(call), call_method(call), len,
             call_metadata(call, "key") != NULL ? call_metadata(call, "key")
                                                : "none",
             call_expired(call));
    out.version = (char *)(uintptr_t) "1";
    reply(&out, closure_data);
}

/* Keeps the call for later. */
void rpc_check(Serried__V1__Placement_Service *service,
               const Serried__V1__CheckRequest *request,
               Serried__V1__CheckReply_Closure reply, void *closure_data)
{
    (void)service;
    (void)reply;
    snprintf(daemon_.seen, sizeof(daemon_.seen), "%s",
             request->document != NULL ? request->document->text : "");
    daemon_.kept = closure_data;
}

static void on_ended(void *arg)
{
    struct daemon *daemon = arg;

    daemon->ended++;
    daemon->kept = NULL;
}

/* Parks the call. */
void rpc_watch(Serried__V1__Placement_Service *service,
               const Serried__V1__WatchRequest *request,
               Serried__V1__WatchReply_Closure reply, void *closure_data)
{
    (void)service;
    (void)request;
    (void)reply;
    daemon_.kept = closure_data;
    call_on_end(closure_data, on_ended, call_daemon(closure_data));
    if (!daemon_.working)
        call_set_idle(closure_data);
}

/* Refuses with findings. */
void rpc_place(Serried__V1__Placement_Service *service,
               const Serried__V1__PlaceRequest *request,
               Serried__V1__PlaceReply_Closure reply, void *closure_data)
{
    struct error err;

    (void)service;
    (void)request;
    (void)reply;
    error_set(&err, STATUS_REFUSED, "24 heads do not split in 5");
    call_refuse(closure_data, &err, "{\"verdict\":\"refuse\"}");
}

/* Answers with bytes kept from before. */
void rpc_release(Serried__V1__Placement_Service *service,
                 const Serried__V1__ReleaseRequest *request,
                 Serried__V1__ReleaseReply_Closure reply, void *closure_data)
{
    (void)service;
    (void)request;
    (void)reply;
    call_answer_bytes(closure_data, daemon_.answer, daemon_.answer_len);
}

/* Answers with a reply whose text has reply_bytes. */
void rpc_suggest(Serried__V1__Placement_Service *service,
                 const Serried__V1__SuggestRequest *request,
                 Serried__V1__SuggestReply_Closure reply, void *closure_data)
{
    Serried__V1__SuggestReply out = SERRIED__V1__SUGGEST_REPLY__INIT;

    (void)service;
    (void)request;
    out.suggestions_json = malloc(daemon_.reply_bytes + 1);
    memset(out.suggestions_json, 'a', daemon_.reply_bytes);
    out.suggestions_json[daemon_.reply_bytes] = '\0';
    reply(&out, closure_data);
    free(out.suggestions_json);
}

/* Ends its call twice, a bug. */
void rpc_events(Serried__V1__Admin_Service *service,
                const Serried__V1__EventsRequest *request,
                Serried__V1__EventsReply_Closure reply, void *closure_data)
{
    Serried__V1__EventsReply out = SERRIED__V1__EVENTS_REPLY__INIT;

    (void)service;
    (void)request;
    reply(&out, closure_data);
    reply(&out, closure_data);
}

/* Those that no test calls. */
#define UNUSED_HANDLER(service_name, method, request_name, reply_name)         \
    RPC_HANDLER(service_name, method, request_name, reply_name)                \
    {                                                                          \
        (void)service;                                                         \
        (void)request;                                                         \
        (void)reply;                                                           \
        (void)closure_data;                                                    \
    }
UNUSED_HANDLER(Catalog, apply, ApplyRequest, Declaration)
UNUSED_HANDLER(Catalog, get_declaration, GetDeclarationRequest, Declaration)
UNUSED_HANDLER(Catalog, list_declarations, ListDeclarationsRequest,
               ListDeclarationsReply)
UNUSED_HANDLER(Cluster, apply_hosts, ApplyHostsRequest, ApplyHostsReply)
UNUSED_HANDLER(Cluster, list_hosts, ListHostsRequest, ListHostsReply)
UNUSED_HANDLER(Cluster, set_host_state, SetHostStateRequest, SetHostStateReply)
UNUSED_HANDLER(Cluster, remove_hosts, RemoveHostsRequest, RemoveHostsReply)
UNUSED_HANDLER(Placement, get_placement, GetPlacementRequest, PlacementInfo)
UNUSED_HANDLER(Placement, list_placements, ListPlacementsRequest,
               ListPlacementsReply)
UNUSED_HANDLER(Placement, get_routing, GetRoutingRequest, GetRoutingReply)
UNUSED_HANDLER(Admin, diagnose, DiagnoseRequest, DiagnoseReply)
UNUSED_HANDLER(Worker, get_assignment, GetAssignmentRequest, Assignment)
UNUSED_HANDLER(Worker, join, JoinRequest, JoinReply)
UNUSED_HANDLER(Worker, await, AwaitRequest, AwaitReply)
UNUSED_HANDLER(Worker, leave, LeaveRequest, LeaveReply)
UNUSED_HANDLER(Worker, report_port, ReportPortRequest, ReportPortReply)

static const struct origin nobody = { .who = "uid 0 pid 1", .local = true };

/* ---- a daemon without one --------------------------------------------------
 */

static void send_answer(struct call_handle *handle, const void *bytes,
                        size_t len)
{
    ck_assert_uint_le(len, CALL_ANSWER_BYTES);
    handle->sent++;
    handle->answer = serried__v1__answer__unpack(NULL, len, bytes);
    ck_assert_ptr_nonnull(handle->answer);
}

static bool is_wanted(const struct call_handle *handle)
{
    return !handle->gone;
}

static void setup(void)
{
    struct daemon *daemon = &daemon_;
    struct calls_options options = {
        .loop = &daemon->loop,
        .daemon = daemon,
        .settings = &daemon->settings,
        .log = &daemon->log,
        .send = send_answer,
        .wanted = is_wanted,
    };

    memset(daemon, 0, sizeof(*daemon));
    daemon->settings.call_bytes = 64 << 20;
    daemon->settings.deadline_ms = 60000;
    log_init(&daemon->log, STDERR_FILENO, LOG_LEVEL_ERROR, NULL);
    ck_assert_int_eq(uv_loop_init(&daemon->loop), 0);
    daemon->rpc = rpc_new(NULL);
    ck_assert_ptr_nonnull(daemon->rpc);
    options.rpc = daemon->rpc;
    daemon->calls = calls_new(&options, NULL);
    ck_assert_ptr_nonnull(daemon->calls);
}

static void teardown(void)
{
    calls_close(daemon_.calls);
    uv_run(&daemon_.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&daemon_.loop), 0);
    rpc_free(daemon_.rpc);
}

static void forget(struct call_handle *handle)
{
    serried__v1__answer__free_unpacked(handle->answer, NULL);
    memset(handle, 0, sizeof(*handle));
}

/* Runs the loop for ms. */
static void stop_loop(uv_timer_t *timer)
{
    uv_stop(timer->loop);
    uv_close((uv_handle_t *)timer, NULL);
}

static void run(uint64_t ms)
{
    uv_timer_t timer;

    uv_update_time(&daemon_.loop);
    uv_timer_init(&daemon_.loop, &timer);
    uv_timer_start(&timer, stop_loop, ms, 0);
    uv_run(&daemon_.loop, UV_RUN_DEFAULT);
    uv_run(&daemon_.loop, UV_RUN_NOWAIT);
}

/* Calls method with a packed request; id 7. */
static void call_bytes(struct call_handle *handle, const char *method,
                       const void *request, size_t len, uint32_t deadline_ms)
{
    Serried__V1__Metadata pair = SERRIED__V1__METADATA__INIT;
    Serried__V1__Metadata *pairs[] = { &pair };
    Serried__V1__Call call = SERRIED__V1__CALL__INIT;
    uint8_t *body;
    size_t n;

    pair.key = (char *)(uintptr_t) "key";
    pair.value = (char *)(uintptr_t) "k1";
    call.method = (char *)(uintptr_t)method;
    call.has_request_id = 1;
    call.request_id = 7;
    call.has_deadline_ms = deadline_ms > 0;
    call.deadline_ms = deadline_ms;
    call.n_metadata = 1;
    call.metadata = pairs;
    call.has_request = 1;
    call.request.data = (uint8_t *)(uintptr_t)request;
    call.request.len = len;
    n = serried__v1__call__get_packed_size(&call);
    body = malloc(n);
    serried__v1__call__pack(&call, body);
    uv_update_time(&daemon_.loop);
    calls_begin(daemon_.calls, handle, &nobody, body, n);
    free(body);
}

static void call(struct call_handle *handle, const char *method,
                 uint32_t deadline_ms)
{
    call_bytes(handle, method, "", 0, deadline_ms);
}

static void ended_as(const struct call_handle *handle, enum status status,
                     const char *message)
{
    ck_assert_int_eq(handle->sent, 1);
    ck_assert_uint_eq(handle->answer->status, status);
    ck_assert_msg(strstr(handle->answer->message, message) != NULL,
                  "\"%s\" lacks \"%s\"", handle->answer->message, message);
}

/* ---- beginning ------------------------------------------------------------
 */

START_TEST(a_call_is_answered_with_its_id_and_reply)
{
    struct call_handle handle = { 0 };
    Serried__V1__StatusReply *reply;

    call(&handle, "/serried.v1.Admin/Status", 0);
    ck_assert_int_eq(handle.sent, 1);
    ck_assert_uint_eq(handle.answer->request_id, 7);
    ck_assert_int_eq(handle.answer->has_status, 0);
    ck_assert_ptr_null(handle.answer->message);
    reply = serried__v1__status_reply__unpack(NULL, handle.answer->reply.len,
                                              handle.answer->reply.data);
    ck_assert_str_eq(reply->version, "1");
    serried__v1__status_reply__free_unpacked(reply, NULL);
    forget(&handle);
    ck_assert_str_eq(daemon_.seen,
                     "uid 0 pid 1 /serried.v1.Admin/Status 0 k1 0");
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
}
END_TEST

static const struct {
    const char *method, *message;
} unknown[] = {
    { "/serried.v1.Admin/Statsu", "did you mean /serried.v1.Admin/Status" },
    { "/serried.v1.admin/status", "did you mean /serried.v1.Admin/Status" },
    { "/elephant", "no method is called \"/elephant\"; one is /serried.v1." },
    { "", "no method is called \"\"" },
};

START_TEST(an_unknown_method_is_unimplemented_and_the_nearest_named)
{
    struct call_handle handle = { 0 };

    call(&handle, unknown[_i].method, 0);
    ended_as(&handle, STATUS_UNIMPLEMENTED, unknown[_i].message);
    ck_assert_uint_eq(handle.answer->request_id, 7);
    forget(&handle);
}
END_TEST

/* Bodies that are no Call. */
static const struct {
    const char *bytes;
    size_t len;
    const char *message;
} garbage[] = {
    { "", 0, "names no method" },
    { "\x12\x01", 2, "names no method" }, /* request_id sent as bytes */
    { "\x0a", 1, "no serried.v1.Call" },  /* no length */
    { "\x0a\x05"
      "ab",
      4, "no serried.v1.Call" }, /* cut short */
    { "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11,
      "no serried.v1.Call" },
    { "\x0b", 1, "no serried.v1.Call" },     /* a group */
    { "\x00\x00", 2, "no serried.v1.Call" }, /* field 0 */
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11,
      "no serried.v1.Call" },
    { "GET / HTTP/1.1\r\n\r\n", 18, "no serried.v1.Call" },
    { "\x0a\x02"
      "a\0",
      4, "method is not UTF-8 text without NULs" },
    { "\x0a\x01\xff", 3, "method is not UTF-8 text without NULs" },
    { "\x22\x03\x0a\x01\xc0", 5, "metadata.key is not UTF-8" },
    { "\x22\x02\x0a\x09", 4, "metadata is cut short" },
    { "\x08\x01", 2, "no serried.v1.Call" },         /* method as a number */
    { "\x12\x01\x05", 3, "no serried.v1.Call" },     /* request_id as bytes */
    { "\x22\x02\x10\x01", 4, "no serried.v1.Call" }, /* metadata.value */
};

START_TEST(garbage_is_an_invalid_argument)
{
    struct call_handle handle = { 0 };

    calls_begin(daemon_.calls, &handle, &nobody, garbage[_i].bytes,
                garbage[_i].len);
    ck_assert_int_eq(handle.sent, 1);
    ck_assert_uint_eq(handle.answer->status, STATUS_INVALID);
    if (_i != 1)
        ended_as(&handle, STATUS_INVALID, garbage[_i].message);
    forget(&handle);
    ck_assert_uint_eq(rpc_refused(daemon_.rpc), 1);
}
END_TEST

/* Fields in any order, some twice, some of a later version, empty texts. */
START_TEST(an_envelope_is_read_in_any_order)
{
    static const char method[] = "/serried.v1.Admin/Status";
    static const char head[] = "\x22\x04\x0a\x00\x12\x00"
                               "\x22\x0a\x12\x01v\x78\x01\x0a\x03key"
                               "\x0a\x04/old"
                               "\x78\x01\x7a\x02xy\x10\x07";
    struct call_handle handle = { 0 };
    uint8_t body[128];
    size_t len = sizeof(head) - 1;

    memcpy(body, head, len);
    body[len++] = 0x0a;
    body[len++] = sizeof(method) - 1;
    memcpy(body + len, method, sizeof(method) - 1);
    len += sizeof(method) - 1;
    calls_begin(daemon_.calls, &handle, &nobody, body, len);
    ck_assert_int_eq(handle.sent, 1);
    ck_assert_uint_eq(handle.answer->status, STATUS_OK);
    ck_assert_uint_eq(handle.answer->request_id, 7);
    ck_assert_str_eq(daemon_.seen,
                     "uid 0 pid 1 /serried.v1.Admin/Status 0 v 0");
    forget(&handle);
}
END_TEST

START_TEST(any_bytes_get_one_answer)
{
    unsigned seed = 1;

    for (int round = 0; round < 20000; round++) {
        struct call_handle handle = { 0 };
        uint8_t bytes[64];
        size_t len;

        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)(rand_r(&seed) % (round % 2 ? 256 : 48));
        len = (size_t)rand_r(&seed) % sizeof(bytes);
        calls_begin(daemon_.calls, &handle, &nobody, bytes, len);
        ck_assert_int_eq(handle.sent, 1);
        forget(&handle);
    }
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
    ck_assert_uint_eq(rpc_ended(daemon_.rpc), 20000);
}
END_TEST

/* Requests of Check: document (1) has text (1) and source (2). */
static const struct {
    const char *bytes;
    size_t len;
    const char *message; /* NULL: the handler gets it */
} requests[] = {
    { "\x0a\x05\x0a\x03"
      "a: ",
      7, NULL },
    { "\x0a\x05\x0a\x03"
      "\xe2\x82\xac",
      7, NULL },
    { "\x0a\x05\x0a\x03"
      "a\0b",
      7, "document.text is not UTF-8 text without NULs" },
    { "\x0a\x05\x0a\x03"
      "\xe2\x82x",
      7, "document.text is not UTF-8" },
    { "\x0a\x05\x12\x03"
      "\xed\xa0\x80",
      7, "document.source is not UTF-8" },
    { "\x12\x02"
      "a\0",
      4, "lists is not UTF-8 text without NULs" },
    { "\x0a\x05\x0a\x04"
      "abc",
      7, "document is cut short or no message" },
    { "\x0a\x7f", 2, "the request is no serried.v1.CheckRequest message" },
    { "\x08\x01", 2, "the request is no serried.v1.CheckRequest message" },
};

START_TEST(text_is_checked_before_a_handler_sees_it)
{
    struct call_handle handle = { 0 };

    call_bytes(&handle, "/serried.v1.Placement/Check", requests[_i].bytes,
               requests[_i].len, 0);
    if (requests[_i].message == NULL) {
        struct error err;

        ck_assert_ptr_nonnull(daemon_.kept);
        ck_assert_int_eq(memcmp(daemon_.seen, requests[_i].bytes + 4, 3), 0);
        error_set(&err, STATUS_INTERNAL, "enough");
        call_refuse(daemon_.kept, &err, NULL);
        ended_as(&handle, STATUS_INTERNAL, "enough");
    } else {
        ck_assert_ptr_null(daemon_.kept);
        ended_as(&handle, STATUS_INVALID, requests[_i].message);
    }
    forget(&handle);
}
END_TEST

START_TEST(unpacking_cannot_go_beyond_call_bytes)
{
    struct call_handle handle = { 0 };
    uint8_t body[60000];

    /* Empty metadata: 2 bytes here, 32 when read. */
    for (size_t i = 0; i < sizeof(body); i += 2) {
        body[i] = 0x22;
        body[i + 1] = 0;
    }
    daemon_.settings.call_bytes = 15 << 16;
    calls_begin(daemon_.calls, &handle, &nobody, body, sizeof(body));
    ended_as(&handle, STATUS_EXHAUSTED, "needs more memory than one request");
    forget(&handle);
    daemon_.settings.call_bytes = 64 << 20;
    calls_trim(daemon_.calls);
    calls_begin(daemon_.calls, &handle, &nobody, body, sizeof(body));
    ended_as(&handle, STATUS_INVALID, "names no method");
    forget(&handle);
}
END_TEST

/* ---- answering ------------------------------------------------------------
 */

START_TEST(a_refusal_carries_its_sentence_and_findings)
{
    struct call_handle handle = { 0 };

    call(&handle, "/serried.v1.Placement/Place", 0);
    ended_as(&handle, STATUS_REFUSED, "24 heads do not split in 5");
    ck_assert_uint_eq(handle.answer->n_details, 1);
    ck_assert_str_eq(handle.answer->details[0]->type, "findings");
    ck_assert_str_eq(handle.answer->details[0]->json,
                     "{\"verdict\":\"refuse\"}");
    forget(&handle);
}
END_TEST

START_TEST(a_kept_answer_gets_the_id_of_the_call)
{
    Serried__V1__Answer answer = SERRIED__V1__ANSWER__INIT;
    struct call_handle handle = { 0 };
    uint8_t bytes[64];

    answer.has_request_id = 1;
    answer.request_id = 1000;
    answer.has_reply = 1;
    answer.reply.data = (uint8_t *)(uintptr_t) "abc";
    answer.reply.len = 3;
    daemon_.answer = bytes;
    daemon_.answer_len = serried__v1__answer__pack(&answer, bytes);
    call(&handle, "/serried.v1.Placement/Release", 0);
    ck_assert_uint_eq(handle.answer->request_id, 7);
    ck_assert_uint_eq(handle.answer->reply.len, 3);
    forget(&handle);
}
END_TEST

START_TEST(a_kept_answer_that_cannot_be_read_is_an_internal_error)
{
    struct call_handle handle = { 0 };

    daemon_.answer = "\x0a";
    daemon_.answer_len = 1;
    call(&handle, "/serried.v1.Placement/Release", 0);
    ended_as(&handle, STATUS_INTERNAL, "the kept answer cannot be read");
    forget(&handle);
    daemon_.answer = "\x10\x7f"; /* status 127 */
    daemon_.answer_len = 2;
    call(&handle, "/serried.v1.Placement/Release", 0);
    ended_as(&handle, STATUS_INTERNAL, "the kept answer cannot be read");
    forget(&handle);
}
END_TEST

START_TEST(a_reply_fills_a_message_but_does_not_exceed_it)
{
    /* request_id 2 bytes, reply and its text each a tag and 3 of length. */
    const size_t most = CALL_ANSWER_BYTES - 2 - 4 - 4;
    struct call_handle handle = { 0 };

    daemon_.reply_bytes = most;
    call(&handle, "/serried.v1.Placement/Suggest", 0);
    ck_assert_int_eq(handle.answer->has_status, 0);
    ck_assert_uint_gt(handle.answer->reply.len, most);
    forget(&handle);
    daemon_.reply_bytes = most + 1;
    call(&handle, "/serried.v1.Placement/Suggest", 0);
    ended_as(&handle, STATUS_EXHAUSTED,
             "a message holds 1048512; ask for less");
    forget(&handle);
    daemon_.settings.call_bytes = 1 << 20;
    calls_trim(daemon_.calls);
    daemon_.reply_bytes = 700000;
    call(&handle, "/serried.v1.Placement/Suggest", 0);
    ended_as(&handle, STATUS_EXHAUSTED, "needs more memory than one request");
    forget(&handle);
}
END_TEST

START_TEST(ending_a_call_twice_is_a_bug)
{
    struct call_handle handle = { 0 };

    call(&handle, "/serried.v1.Admin/Events", 0);
}
END_TEST

/* ---- waiting --------------------------------------------------------------
 */

START_TEST(a_call_that_waits_is_answered_at_its_deadline_and_its_reply_dropped)
{
    Serried__V1__CheckReply reply = SERRIED__V1__CHECK_REPLY__INIT;
    struct call_handle handle = { 0 };

    call(&handle, "/serried.v1.Placement/Check", 50);
    ck_assert_int_eq(handle.sent, 0);
    ck_assert(!call_expired(daemon_.kept));
    ck_assert_uint_le(call_left_ms(daemon_.kept), 50);
    ck_assert_uint_eq(calls_waiting(daemon_.calls), 1);
    run(120);
    ended_as(&handle, STATUS_DEADLINE,
             "no answer to /serried.v1.Placement/Check came before");
    ck_assert_uint_eq(calls_waiting(daemon_.calls), 0);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 1);
    ck_assert(call_expired(daemon_.kept));
    call_reply(daemon_.kept, &reply.base);
    ck_assert_int_eq(handle.sent, 1);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
    ck_assert_uint_eq(rpc_ended(daemon_.rpc), 1);
    forget(&handle);
}
END_TEST

START_TEST(a_call_answered_in_time_is_not_answered_again)
{
    Serried__V1__CheckReply reply = SERRIED__V1__CHECK_REPLY__INIT;
    struct call_handle handle = { 0 };

    call(&handle, "/serried.v1.Placement/Check", 50);
    run(5);
    call_reply(daemon_.kept, &reply.base);
    run(120);
    ck_assert_int_eq(handle.sent, 1);
    ck_assert_int_eq(handle.answer->has_status, 0);
    forget(&handle);
}
END_TEST

START_TEST(the_daemons_deadline_bounds_that_of_a_call)
{
    struct call_handle handles[2] = { 0 };

    daemon_.settings.deadline_ms = 50;
    call(&handles[0], "/serried.v1.Placement/Check", 3600000);
    ck_assert_uint_le(call_left_ms(daemon_.kept), 50);
    call(&handles[1], "/serried.v1.Placement/Watch", 0);
    run(120);
    ck_assert_int_eq(handles[0].sent + handles[1].sent, 2);
    forget(&handles[0]);
    forget(&handles[1]);
}
END_TEST

START_TEST(a_short_deadline_is_kept_behind_a_long_one)
{
    struct call_handle handles[100] = { 0 };

    call(&handles[0], "/serried.v1.Placement/Watch", 0);
    run(5);
    for (int i = 1; i < 100; i++)
        call(&handles[i], "/serried.v1.Placement/Watch", (uint32_t)(20 + i));
    run(250);
    for (int i = 1; i < 100; i++) {
        ended_as(&handles[i], STATUS_DEADLINE, "deadline");
        forget(&handles[i]);
    }
    ck_assert_int_eq(handles[0].sent, 0);
    ck_assert_int_eq(daemon_.ended, 99);
    calls_cut(daemon_.calls);
    forget(&handles[0]);
}
END_TEST

START_TEST(a_parked_call_ends_at_its_deadline_and_is_gone)
{
    struct call_handle handle = { 0 };

    call(&handle, "/serried.v1.Placement/Watch", 50);
    ck_assert_int_eq(daemon_.ended, 0);
    run(120);
    ended_as(&handle, STATUS_DEADLINE, "deadline");
    ck_assert_int_eq(daemon_.ended, 1);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
    forget(&handle);
}
END_TEST

START_TEST(a_parked_call_that_is_answered_is_not_ended_too)
{
    Serried__V1__WatchReply reply = SERRIED__V1__WATCH_REPLY__INIT;
    struct call_handle handle = { 0 };

    call(&handle, "/serried.v1.Placement/Watch", 50);
    call_reply(daemon_.kept, &reply.base);
    run(120);
    ck_assert_int_eq(handle.sent, 1);
    ck_assert_int_eq(daemon_.ended, 0);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
    forget(&handle);
}
END_TEST

START_TEST(a_parked_call_ends_when_its_peer_goes_but_others_do_not)
{
    struct call_handle parked = { 0 }, kept = { 0 };

    call(&parked, "/serried.v1.Placement/Watch", 0);
    call(&kept, "/serried.v1.Placement/Check", 0);
    parked.gone = true;
    kept.gone = true;
    run(1300);
    ck_assert_int_eq(parked.sent, 1);
    ck_assert_int_eq(daemon_.ended, 1);
    ck_assert_int_eq(kept.sent, 0);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 1);
    forget(&parked);
    calls_cut(daemon_.calls);
    ck_assert_int_eq(kept.sent, 1);
    forget(&kept);
}
END_TEST

/* ---- stopping -------------------------------------------------------------
 */

START_TEST(draining_refuses_new_calls_and_ends_idle_ones_only)
{
    struct call_handle parked = { 0 }, kept = { 0 }, late = { 0 };
    struct call_handle working = { 0 };
    Serried__V1__CheckReply reply = SERRIED__V1__CHECK_REPLY__INIT;
    struct call *in_flight;

    call(&kept, "/serried.v1.Placement/Check", 0);
    in_flight = daemon_.kept;
    call(&parked, "/serried.v1.Placement/Watch", 0);
    daemon_.working = true;
    call(&working, "/serried.v1.Placement/Watch", 0);
    calls_drain(daemon_.calls);
    ended_as(&parked, STATUS_UNAVAILABLE, "the daemon is stopping");
    ck_assert_int_eq(working.sent, 0);
    ck_assert_int_eq(daemon_.ended, 1);
    call(&late, "/serried.v1.Admin/Status", 0);
    ended_as(&late, STATUS_UNAVAILABLE, "the daemon is stopping");
    ck_assert_uint_eq(calls_waiting(daemon_.calls), 2);
    call_reply(in_flight, &reply.base);
    ck_assert_int_eq(kept.answer->has_status, 0);
    ck_assert_uint_eq(calls_waiting(daemon_.calls), 1);
    calls_cut(daemon_.calls);
    ended_as(&working, STATUS_UNAVAILABLE, "the daemon is stopping");
    ck_assert_int_eq(daemon_.ended, 2);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
    forget(&working);
    forget(&kept);
    forget(&parked);
    forget(&late);
}
END_TEST

START_TEST(cutting_answers_everything_and_handlers_may_still_end)
{
    struct call_handle kept = { 0 };
    struct error err;

    call(&kept, "/serried.v1.Placement/Check", 0);
    calls_cut(daemon_.calls);
    ended_as(&kept, STATUS_UNAVAILABLE, "the daemon is stopping");
    ck_assert_uint_eq(calls_waiting(daemon_.calls), 0);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 1);
    calls_cut(daemon_.calls);
    error_set(&err, STATUS_LOST, "late");
    call_refuse(daemon_.kept, &err, NULL);
    ck_assert_int_eq(kept.sent, 1);
    ck_assert_uint_eq(calls_in_progress(daemon_.calls), 0);
    forget(&kept);
}
END_TEST

START_TEST(calls_are_counted_by_method_and_status)
{
    struct call_handle handle = { 0 };
    const struct rpc_method *methods;
    uint64_t ok = 0, refused = 0;
    size_t n;

    for (int i = 0; i < 3; i++) {
        call(&handle, "/serried.v1.Admin/Status", 0);
        forget(&handle);
    }
    call(&handle, "/serried.v1.Placement/Place", 0);
    forget(&handle);
    call(&handle, "/elephant", 0);
    forget(&handle);
    methods = rpc_methods(daemon_.rpc, &n);
    ck_assert_uint_ge(n, 13);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(methods[i].path, "/serried.v1.Admin/Status") == 0)
            ok += methods[i].ends[STATUS_OK];
        if (strcmp(methods[i].path, "/serried.v1.Placement/Place") == 0)
            refused += methods[i].ends[STATUS_REFUSED];
    }
    ck_assert_uint_eq(ok, 3);
    ck_assert_uint_eq(refused, 1);
    ck_assert_uint_eq(methods[n].ends[STATUS_UNIMPLEMENTED], 1);
    ck_assert_str_eq(methods[n].path, "");
    ck_assert_uint_eq(rpc_ended(daemon_.rpc), 5);
    ck_assert_uint_eq(rpc_refused(daemon_.rpc), 2);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

int main(void)
{
    Suite *suite = suite_create("call");
    TCase *tcase = tcase_create("call");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_call_is_answered_with_its_id_and_reply);
    tcase_add_loop_test(
        tcase, an_unknown_method_is_unimplemented_and_the_nearest_named, 0,
        COUNT(unknown));
    tcase_add_loop_test(tcase, garbage_is_an_invalid_argument, 0,
                        COUNT(garbage));
    tcase_add_test(tcase, an_envelope_is_read_in_any_order);
    tcase_add_test(tcase, any_bytes_get_one_answer);
    tcase_add_loop_test(tcase, text_is_checked_before_a_handler_sees_it, 0,
                        COUNT(requests));
    tcase_add_test(tcase, unpacking_cannot_go_beyond_call_bytes);
    tcase_add_test(tcase, a_refusal_carries_its_sentence_and_findings);
    tcase_add_test(tcase, a_kept_answer_gets_the_id_of_the_call);
    tcase_add_test(tcase,
                   a_kept_answer_that_cannot_be_read_is_an_internal_error);
    tcase_add_test(tcase, a_reply_fills_a_message_but_does_not_exceed_it);
    tcase_add_test_raise_signal(tcase, ending_a_call_twice_is_a_bug, SIGABRT);
    tcase_add_test(
        tcase,
        a_call_that_waits_is_answered_at_its_deadline_and_its_reply_dropped);
    tcase_add_test(tcase, a_call_answered_in_time_is_not_answered_again);
    tcase_add_test(tcase, the_daemons_deadline_bounds_that_of_a_call);
    tcase_add_test(tcase, a_short_deadline_is_kept_behind_a_long_one);
    tcase_add_test(tcase, a_parked_call_ends_at_its_deadline_and_is_gone);
    tcase_add_test(tcase, a_parked_call_that_is_answered_is_not_ended_too);
    tcase_add_test(tcase,
                   a_parked_call_ends_when_its_peer_goes_but_others_do_not);
    tcase_add_test(tcase, draining_refuses_new_calls_and_ends_idle_ones_only);
    tcase_add_test(tcase,
                   cutting_answers_everything_and_handlers_may_still_end);
    tcase_add_test(tcase, calls_are_counted_by_method_and_status);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
