/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of a worker: whether they can be had, and what its program finds.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "client/exec.h"

enum {
    TRIES_MAX = 50, /* of a report while others are committed */
    AGAIN_MS = 40,
    LOOKS = 3, /* at a port that seems to be in use */
    LOOK_MS = 10,
};

/* ---- trying them --------------------------------------------------------- */

/* Whether something listens on a port of this machine already. A connection of
 * before that lingers does not count, nor does what keeps this program from
 * finding out. */
static bool is_in_use(int family, const struct sockaddr *address, socklen_t len)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    bool used;

    if (fd < 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    used = (bind(fd, address, len) < 0 || listen(fd, 1) < 0) &&
           errno == EADDRINUSE;
    close(fd);
    return used;
}

static bool is_port_taken(uint32_t port)
{
    const struct sockaddr_in four = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_ANY),
    };
    const struct sockaddr_in6 six = {
        .sin6_family = AF_INET6,
        .sin6_port = htons((uint16_t)port),
        .sin6_addr = IN6ADDR_ANY_INIT,
    };

    return is_in_use(AF_INET, (const struct sockaddr *)&four, sizeof(four)) ||
           is_in_use(AF_INET6, (const struct sockaddr *)&six, sizeof(six));
}

/* Others that look as this one does are quick: what is in use stays so. */
static bool is_port_in_use(const struct worker *w, uint32_t port)
{
    struct timespec pause = { .tv_nsec =
                                  (LOOK_MS + w->rank % LOOK_MS) * 1000000L };

    for (int i = 1; is_port_taken(port); i++) {
        if (i == LOOKS)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Another rank's report may be on its way; then this one is sent again. */
static int report(struct worker *w, const struct serry_port *port,
                  struct serry_port **ret, struct error *err)
{
    struct timespec pause = { 0 };

    for (int i = 0; i < TRIES_MAX; i++) {
        if (serry_report_port(w->live->client, w->assignment, port, ret,
                              &w->live->err) == 0)
            return 0;
        if (w->live->err.status != SERRY_LOST)
            break;
        pause.tv_nsec = (AGAIN_MS + w->rank % AGAIN_MS) * 1000000L;
        nanosleep(&pause, NULL);
    }
    return live_failed(w->live, err);
}

static int confirm(struct worker *w, const struct serry_port *port,
                   struct error *err)
{
    struct serry_port *own = NULL, *next;
    int rc = 0;

    while (rc == 0 && is_port_in_use(w, port->port)) {
        rc = report(w, port, &next, err);
        if (rc < 0)
            break;
        serry_free(own);
        port = own = next;
    }
    serry_free(own);
    return rc;
}

int worker_confirm_ports(struct worker *w, struct error *err)
{
    size_t n;
    const struct serry_port *ports = serry_assignment_ports(w->assignment, &n);

    for (size_t i = 0; i < n; i++)
        if (ports[i].confirms && confirm(w, &ports[i], err) < 0)
            return -1;
    return 0;
}

/* ---- telling the program ------------------------------------------------- */

static int set(const struct text *name, uint32_t port, struct error *err)
{
    struct text value = { 0 };
    int rc;

    text_printf(&value, "%" PRIu32, port);
    rc = !name->failed && !value.failed
             ? setenv(text_string(name), text_string(&value), 1)
             : -1;
    text_close(&value);
    return rc == 0 ? 0 : error_exhausted(err);
}

/* SERRY_PORT_PURPOSE; of instances also SERRY_PORT_PURPOSE_GROUPn, as a rank
 * may be in several. */
static int set_port(const struct serry_port *port, bool first,
                    struct error *err)
{
    struct text name = { 0 };
    int rc = 0;

    text_put(&name, "SERRY_PORT_");
    for (const char *p = port->purpose; *p != '\0'; p++)
        text_printf(&name, "%c", toupper((unsigned char)*p));
    if (first)
        rc = set(&name, port->port, err);
    text_printf(&name, "_GROUP%" PRId32, port->group);
    if (rc == 0 && port->group >= 0)
        rc = set(&name, port->port, err);
    text_close(&name);
    return rc;
}

int worker_set_ports(const struct worker *w, struct error *err)
{
    const struct serry_boot *boot = w->boot;

    for (size_t i = 0; i < boot->n_ports; i++) {
        const struct serry_port *port = &boot->ports[i];
        bool first = i == 0 || strcmp(port[-1].purpose, port->purpose) != 0;

        if (set_port(port, first, err) < 0)
            return -1;
    }
    return 0;
}
