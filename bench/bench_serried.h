/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon in a process of its own, and requests to it. */
#ifndef SERRIED_BENCH_SERRIED_H
#define SERRIED_BENCH_SERRIED_H

#include "bench/bench_floor.h"
#include "proto/serried.pb-c.h"

/* Where a measurement keeps its files. Paths of sockets hold 107 bytes. */
enum { FOLDER_BYTES = 96, PATH_BYTES = 128 };

struct place {
    char folder[FOLDER_BYTES];
    char socket[PATH_BYTES], state[PATH_BYTES], log[PATH_BYTES];
    char floor[PATH_BYTES]; /* a floor's socket */
    char copy[PATH_BYTES];  /* a floor's database */
};

static inline void place_make(struct place *place)
{
    char here[FOLDER_BYTES - 32];

    if (getcwd(here, sizeof(here)) == NULL)
        die("run it in a folder with a shorter path");
    snprintf(place->folder, sizeof(place->folder), "%s/bench_daemon.XXXXXX",
             here);
    if (mkdtemp(place->folder) == NULL)
        die("no folder can be made here");
#define NAME(to, name) snprintf(to, sizeof(to), "%s/" name, place->folder)
    NAME(place->socket, "socket");
    NAME(place->state, "state.db");
    NAME(place->log, "log");
    NAME(place->floor, "floor");
    NAME(place->copy, "floor.db");
#undef NAME
}

static inline void remove_database(const char *path)
{
    static const char *const ends[] = { "", "-wal", "-shm", ".lock" };
    char name[PATH_BYTES + 8];

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
}

static inline void place_remove(const struct place *place)
{
    remove_database(place->state);
    remove_database(place->copy);
    unlink(place->log);
    unlink(place->socket);
    if (rmdir(place->folder) < 0)
        fprintf(stderr, "bench: %s is left behind\n", place->folder);
}

/* ---- the daemon ---------------------------------------------------------- */

static inline void serried_exec(const struct place *place)
{
    const char *program = getenv("SERRIED");
    char state[PATH_BYTES + 8], address[PATH_BYTES + 32];
    FILE *log = fopen(place->log, "w");

    if (log == NULL)
        die(place->log);
    dup2(fileno(log), STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(state, sizeof(state), "sqlite:%s", place->state);
    snprintf(address, sizeof(address), "ipc://%s,tcp://127.0.0.1:0",
             place->socket);
    if (program == NULL)
        program = "daemon/serried";
    execl(program, program, "--address", address, "--state", state,
          "--loopback-open", "on", "--port-first", "1024", "--port-last",
          "65535", (char *)NULL); /* a port for each of many placements */
    die(program);
}

/* Waits at most 10 s for the daemon's socket. */
static inline void serried_wait(struct target *target)
{
    int status;

    for (int i = 0; i < 1000; i++) {
        int fd = target_connect(target);
        const struct timespec nap = { 0, 10000000 };

        if (fd >= 0) {
            close(fd);
            return;
        }
        errno = 0;
        if (waitpid(target->pid, &status, WNOHANG) == target->pid)
            die("the daemon ended; its log says why");
        nanosleep(&nap, NULL);
    }
    errno = 0;
    die("the daemon did not start within 10 s");
}

/* target: at its unix socket. */
static inline void serried_start(const struct place *place,
                                 struct target *target)
{
    *target = (struct target){ .path = place->socket };
    fflush(stdout);
    target->pid = fork();
    if (target->pid < 0)
        die("fork");
    if (target->pid == 0)
        serried_exec(place);
    serried_wait(target);
    clock_getcpuclockid(target->pid, &target->cpu);
}

/* Ends as an operator would, so that the state is whole in its file. */
static inline void serried_stop(struct target *target)
{
    kill(target->pid, SIGTERM);
    waitpid(target->pid, NULL, 0);
}

/* ---- requests ------------------------------------------------------------ */

static inline struct request request_call(const struct target *target,
                                          const char *method,
                                          const ProtobufCMessage *message)
{
    Serried__V1__Call call = SERRIED__V1__CALL__INIT;
    size_t len = protobuf_c_message_get_packed_size(message);
    uint8_t *inner = malloc(len + 1), *outer;
    struct request request;

    if (inner == NULL)
        die("memory");
    protobuf_c_message_pack(message, inner);
    call.method = (char *)(uintptr_t)method;
    call.has_request = true;
    call.request = (ProtobufCBinaryData){ len, inner };
    len = serried__v1__call__get_packed_size(&call);
    outer = malloc(len + 1);
    if (outer == NULL)
        die("memory");
    serried__v1__call__pack(&call, outer);
    request = request_frame(target, outer, len);
    free(inner);
    free(outer);
    return request;
}

static inline void read_whole(int fd, uint8_t *to, size_t len)
{
    while (len > 0) {
        ssize_t n = recv(fd, to, len, 0);

        if (n <= 0)
            die("the daemon closed the connection");
        to += n;
        len -= (size_t)n;
    }
}

/* One call over a connection of its own; the answer is to be freed by
 * serried__v1__answer__free_unpacked(). */
static inline Serried__V1__Answer *serried_ask(const struct target *target,
                                               const char *method,
                                               const ProtobufCMessage *message)
{
    struct request request = request_call(target, method, message);
    uint8_t hello[8] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 }, head[FRAME_MAX];
    size_t frame = frame_bytes(target), len;
    Serried__V1__Answer *answer;
    int fd = target_connect(target);
    uint8_t *body;

    if (fd < 0 || send(fd, hello, 8, MSG_NOSIGNAL) != 8 ||
        send(fd, request.bytes, request.len, MSG_NOSIGNAL) !=
            (ssize_t)request.len)
        die("connect");
    read_whole(fd, hello, 8);
    read_whole(fd, head, frame);
    len = (size_t)head[frame - 7] << 16 | (size_t)head[frame - 6] << 8 |
          head[frame - 5];
    body = malloc(len);
    if (body == NULL)
        die("memory");
    read_whole(fd, body, len - 4);
    answer = serried__v1__answer__unpack(NULL, len - 4, body);
    errno = 0;
    if (answer == NULL || answer->status != 0)
        die(answer != NULL && answer->message != NULL ? answer->message
                                                      : "no answer");
    free(body);
    free(request.bytes);
    close(fd);
    return answer;
}

/* The same daemon over tcp; its address is asked for. */
static inline struct target serried_tcp(const struct target *unix_target)
{
    Serried__V1__StatusRequest request = SERRIED__V1__STATUS_REQUEST__INIT;
    Serried__V1__Answer *answer =
        serried_ask(unix_target, "/serried.v1.Admin/Status", &request.base);
    Serried__V1__StatusReply *status = serried__v1__status_reply__unpack(
        NULL, answer->reply.len, answer->reply.data);
    struct target target = *unix_target;
    const char *port = strrchr(status->address, ':');

    target.path = NULL;
    target.port = (uint16_t)atoi(port + 1);
    serried__v1__status_reply__free_unpacked(status, NULL);
    serried__v1__answer__free_unpacked(answer, NULL);
    return target;
}

/* ---- what is asked ------------------------------------------------------- */

static inline struct request request_place(const struct target *target,
                                           const char *text, const char *key)
{
    Serried__V1__PlaceRequest request = SERRIED__V1__PLACE_REQUEST__INIT;
    Serried__V1__Document document = SERRIED__V1__DOCUMENT__INIT;

    document.text = (char *)(uintptr_t)text;
    request.document = &document;
    request.idempotency_key = (char *)(uintptr_t)key;
    return request_call(target, "/serried.v1.Placement/Place", &request.base);
}

static inline void serried_place(const struct target *target, const char *text)
{
    Serried__V1__PlaceRequest request = SERRIED__V1__PLACE_REQUEST__INIT;
    Serried__V1__Document document = SERRIED__V1__DOCUMENT__INIT;

    document.text = (char *)(uintptr_t)text;
    request.document = &document;
    serried__v1__answer__free_unpacked(
        serried_ask(target, "/serried.v1.Placement/Place", &request.base),
        NULL);
}

static inline void serried_apply(const struct target *target, const char *text)
{
    Serried__V1__ApplyRequest request = SERRIED__V1__APPLY_REQUEST__INIT;
    Serried__V1__Document document = SERRIED__V1__DOCUMENT__INIT;

    document.text = (char *)(uintptr_t)text;
    request.document = &document;
    serried__v1__answer__free_unpacked(
        serried_ask(target, "/serried.v1.Catalog/Apply", &request.base), NULL);
}

/* One request for each of the first n ranks. */
static inline struct request *requests_assignment(const struct target *target,
                                                  const char *placement,
                                                  uint32_t n)
{
    struct request *requests = calloc(n, sizeof(*requests));
    Serried__V1__GetAssignmentRequest request =
        SERRIED__V1__GET_ASSIGNMENT_REQUEST__INIT;

    if (requests == NULL)
        die("memory");
    request.placement = (char *)(uintptr_t)placement;
    request.has_rank = true;
    for (request.rank = 0; request.rank < n; request.rank++)
        requests[request.rank] = request_call(
            target, "/serried.v1.Worker/GetAssignment", &request.base);
    return requests;
}

#endif
