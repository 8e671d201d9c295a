/* SPDX-License-Identifier: Apache-2.0 */
/* Who may call what: roles, and the tokens that say which one a caller has. */
#ifndef SERRIED_DAEMON_ACCESS_H
#define SERRIED_DAEMON_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "daemon/settings.h"

/* Each may do what those before it may. A worker's token is for one placement:
 * its assignments and its boot, nothing else. */
/* clang-format off */
#define ROLE_LIST(X)         \
    X(WORKER,   "worker")    \
    X(OPERATOR, "operator")  \
    X(ADMIN,    "admin")

/* Methods, by how their path begins behind "/serried.v1.", with the least role
 * that may call them; the first row that fits counts. */
#define ACCESS_LIST(X)               \
    X("Worker/",        WORKER)      \
    X("Catalog/Apply",  ADMIN)       \
    X("Cluster/Apply",  ADMIN)       \
    X("Cluster/Remove", ADMIN)       \
    X("",               OPERATOR)
/* clang-format on */

enum role {
    ROLE_NONE,
#define X(id, name) ROLE_##id,
    ROLE_LIST(X)
#undef X
};

/* The least role for a method's path, "/serried.v1.Admin/Status". */
enum role access_least(const char *path);

/* Where a call comes from. */
struct origin {
    const char *who; /* "uid 0 pid 12", "127.0.0.1:5555" */
    bool local;      /* over a unix socket: the kernel vouches for uid, gid */
    bool loopback;   /* over tcp, from this machine */
    uid_t uid;
    gid_t gid;
};

struct caller {
    enum role role;
    const char *name;      /* of the token; NULL: none was shown */
    const char *placement; /* the only one it may speak of; NULL: any */
};

/* The file of tokens and the group of administrators, as they were read. */
struct access;

/* Reads what the settings name: `tokens`, a file of lines
 *     ROLE NAME HASH [PLACEMENT]
 * (HASH: SHA-256 of the token in hex; PLACEMENT: for workers, required; blank
 * lines and # comments), and `admin_group`.
 *   STATUS_INVALID    a line or a group that cannot be, by its place; a file
 *                     that others may write
 *   STATUS_EXHAUSTED  no memory */
int access_load(const struct settings *settings, struct access **ret_access,
                struct error *err);
void access_free(struct access *access); /* NULL is allowed */

bool access_has_tokens(const struct access *access);

/* Who calls.
 *   authorization  value of the call's metadata; NULL: none
 *   ret            strings are borrowed from access
 * STATUS_DENIED: no token where one is needed, or none that is known. Nothing
 * of a token gets into err. */
int access_identify(const struct access *access, const struct origin *origin,
                    const char *authorization, struct caller *ret,
                    struct error *err);

#endif
