/* SPDX-License-Identifier: Apache-2.0 */
/* Why a daemon gives no answer: its address tried step by step. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/doctor.h"
#include "proto/trouble.h"

enum { CONNECT_MS = 2000, HOST_BYTES = 256 };

/* What came of trying an address. */
struct attempt {
    const char *url;
    enum trouble trouble;
    const char *reason; /* one word, for programs */
    char what[512];
};

static void conclude(struct attempt *a, enum trouble trouble,
                     const char *reason, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void conclude(struct attempt *a, enum trouble trouble,
                     const char *reason, const char *fmt, ...)
{
    va_list ap;

    a->trouble = trouble;
    a->reason = reason;
    va_start(ap, fmt);
    vsnprintf(a->what, sizeof(a->what), fmt, ap);
    va_end(ap);
}

/* ---- connecting ---------------------------------------------------------- */

/* 0, or errno. */
static int connect_within(int fd, const struct sockaddr *to, socklen_t len)
{
    struct pollfd waiting = { .fd = fd, .events = POLLOUT };
    socklen_t size = sizeof(int);
    int failed = 0;

    if (connect(fd, to, len) == 0)
        return 0;
    if (errno == EAGAIN) /* a unix socket whose backlog is full */
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    if (poll(&waiting, 1, CONNECT_MS) <= 0)
        return ETIMEDOUT;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) < 0)
        return errno;
    return failed;
}

static int try_address(int family, const struct sockaddr *to, socklen_t len)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int rc;

    if (fd < 0)
        return errno;
    rc = connect_within(fd, to, len);
    close(fd);
    return rc;
}

static void conclude_listens(struct attempt *a)
{
    conclude(a, TROUBLE_NO_ANSWER, "no_answer",
             "something listens at %s, and it gave no answer in time", a->url);
}

/* ---- unix sockets -------------------------------------------------------- */

/* The folder of a path, and what keeps one from looking into it. */
static void conclude_absent(struct attempt *a, const char *path)
{
    char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
    char *slash;
    struct stat st;

    snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        strcpy(folder, slash == folder ? "/" : ".");
    else
        *slash = '\0';
    if (stat(folder, &st) < 0 && errno == ENOENT)
        conclude(a, TROUBLE_UNREACHABLE, "absent",
                 "there is no socket %s: its folder does not exist", path);
    else
        conclude(a, TROUBLE_UNREACHABLE, "absent",
                 "there is no socket %s: no daemon was started with this "
                 "address",
                 path);
}

static void try_unix(struct attempt *a, const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct stat st;
    int rc;

    snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    if (stat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        conclude_absent(a, path);
        return;
    }
    rc = try_address(AF_UNIX, (struct sockaddr *)&to, sizeof(to));
    if (rc == 0)
        conclude_listens(a);
    else if (rc == EACCES || rc == EPERM)
        conclude(a, TROUBLE_NOT_PERMITTED, "not_permitted",
                 "uid %u may not use the socket %s", (unsigned)geteuid(), path);
    else if (stat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
        conclude(a, TROUBLE_UNREACHABLE, "no_socket",
                 "%s is there and is no socket", path);
    else if (rc == ECONNREFUSED)
        conclude(a, TROUBLE_UNREACHABLE, "refused",
                 "nothing listens at %s: the socket is left behind by a daemon "
                 "that ended",
                 path);
    else
        conclude(a, TROUBLE_UNREACHABLE, "failed", "%s: %s", path,
                 strerror(rc));
}

/* ---- tcp ----------------------------------------------------------------- */

/* HOST and PORT of "tcp://HOST:PORT", which libserry has read already. */
static void split_tcp(const char *url, char host[HOST_BYTES], const char **port)
{
    const char *begin = url + strlen("tcp://"), *colon = strrchr(begin, ':');
    size_t len = colon != NULL ? (size_t)(colon - begin) : strlen(begin);

    if (len >= 2 && begin[0] == '[') {
        begin++;
        len -= 2;
    }
    snprintf(host, HOST_BYTES, "%.*s", (int)len, begin);
    *port = colon != NULL ? colon + 1 : "";
}

static void conclude_tcp(struct attempt *a, const char *host, int rc)
{
    if (rc == 0)
        conclude_listens(a);
    else if (rc == ECONNREFUSED)
        conclude(a, TROUBLE_UNREACHABLE, "refused",
                 "%s is there and nothing listens at %s", host, a->url);
    else if (rc == ETIMEDOUT)
        conclude(a, TROUBLE_UNREACHABLE, "timeout",
                 "%s did not take the connection within %d s: the host is "
                 "away, or a firewall drops it",
                 a->url, CONNECT_MS / 1000);
    else
        conclude(a, TROUBLE_UNREACHABLE, "failed", "%s: %s", a->url,
                 strerror(rc));
}

static void try_tcp(struct attempt *a)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char host[HOST_BYTES];
    const char *port;
    int rc;

    split_tcp(a->url, host, &port);
    rc = getaddrinfo(host, port, &hints, &found);
    if (rc != 0) {
        conclude(a, TROUBLE_UNREACHABLE, "unknown_host",
                 "the host %s of %s is not known: %s", host, a->url,
                 gai_strerror(rc));
        return;
    }
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next) {
        rc = try_address(at->ai_family, at->ai_addr, at->ai_addrlen);
        if (rc == 0) /* a name may stand for two families, one of them used */
            break;
    }
    freeaddrinfo(found);
    conclude_tcp(a, host, rc);
}

/* ---- the report ---------------------------------------------------------- */

bool doctor_is_away(const struct live *live)
{
    return live->err.status == SERRY_UNAVAILABLE ||
           live->err.status == SERRY_DEADLINE ||
           live->err.status == SERRY_DENIED;
}

/* Where the address comes from. */
static const char *origin_of(const struct invocation *v)
{
    const char *variable = getenv("SERRY_ADDRESS");

    if (option_given(v, "address"))
        return "--address";
    return variable != NULL && variable[0] != '\0' ? "SERRY_ADDRESS"
                                                   : "the default";
}

/* The daemon spoke itself, or the address is tried again. */
static void find_out(struct live *live, struct attempt *a)
{
    static const char scheme[] = "ipc://";

    if (strncmp(a->url, scheme, strlen(scheme)) == 0)
        try_unix(a, a->url + strlen(scheme));
    else
        try_tcp(a);
    if (a->trouble != TROUBLE_NO_ANSWER)
        return;
    if (live->err.status == SERRY_DENIED)
        conclude(a, TROUBLE_NOT_PERMITTED, "not_permitted", "%s",
                 live->err.text);
    else if (live->err.status == SERRY_UNAVAILABLE)
        conclude(a, TROUBLE_UNREACHABLE, "unavailable", "%s", live->err.text);
}

struct tree *doctor_away(struct live *live, struct tree_maker *maker,
                         enum status *ret_status)
{
    struct attempt a = { .url = serry_address(live->client) };
    struct tree *map = make_map(maker, NULL, NULL), *tried;
    struct ailment ailment = { .rank = -1 };

    find_out(live, &a);
    ailment.trouble = a.trouble;
    ailment.what = a.what;
    make_bool(maker, map, "healthy", false);
    troubles_write(&ailment, 1, maker, map);
    tried = make_map(maker, map, "tried");
    make_string(maker, tried, "address", a.url);
    make_string(maker, tried, "from", origin_of(live->v));
    make_string(maker, tried, "reason", a.reason);
    *ret_status =
        a.trouble == TROUBLE_NOT_PERMITTED ? STATUS_DENIED : STATUS_UNAVAILABLE;
    return map;
}
