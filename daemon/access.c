/* SPDX-License-Identifier: Apache-2.0 */
/* Who may call what: roles, and the tokens that say which one a caller has. */
#include "daemon/access.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "placement/digest.h"

enum {
    TOKENS_MAX = 10000,
    TOKENS_BYTES_MAX = 4 << 20, /* of the file */
    TOKEN_BYTES_MAX = 512,
    NAME_BYTES_MAX = 64,
};

struct token {
    enum role role;
    uint8_t hash[DIGEST_BYTES];
    const char *name, *placement; /* in the file's text */
};

struct access {
    char *text; /* of the file, cut into words */
    struct token *tokens;
    size_t n_tokens;
    bool loopback_open;
    bool has_admins; /* else all that may connect by a unix socket are */
    gid_t admin_group;
    uid_t *admins; /* members of the group */
    size_t n_admins;
};

enum role access_least(const char *path)
{
    static const struct {
        const char *prefix;
        enum role role;
    } rows[] = {
#define X(prefix, role) { prefix, ROLE_##role },
        ACCESS_LIST(X)
#undef X
    };
    static const char package[] = "/serried.v1.";
    size_t i = 0;

    if (strncmp(path, package, strlen(package)) == 0)
        path += strlen(package);
    while (strncmp(path, rows[i].prefix, strlen(rows[i].prefix)) != 0)
        i++; /* the last row fits all */
    return rows[i].role;
}

/* ---- the file ------------------------------------------------------------ */

static int unreadable(const char *path, struct error *err)
{
    return error_set(err, STATUS_INVALID, "tokens: %s cannot be read: %s", path,
                     strerror(errno));
}

/* What can be known before the first byte is read. */
static int check_file(int fd, const char *path, struct error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return unreadable(path, err);
    if (!S_ISREG(st.st_mode) || st.st_size > TOKENS_BYTES_MAX)
        return error_set(err, STATUS_INVALID,
                         "tokens: %s is no file of at most %d bytes", path,
                         TOKENS_BYTES_MAX);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return error_set(err, STATUS_INVALID,
                         "tokens: others than its owner may write %s, so "
                         "anybody could add a token; take that away (chmod "
                         "go-w)",
                         path);
    return 0;
}

/* Reads all of it into text, which has TOKENS_BYTES_MAX + 1 bytes. */
static int read_text(int fd, const char *path, char *text, struct error *err)
{
    size_t len = 0;
    ssize_t n = 1;

    while (n > 0 && len < TOKENS_BYTES_MAX) {
        n = read(fd, text + len, TOKENS_BYTES_MAX - len);
        len += n > 0 ? (size_t)n : 0;
    }
    if (n < 0)
        return unreadable(path, err);
    text[len] = '\0';
    if (strlen(text) != len)
        return error_set(err, STATUS_INVALID,
                         "tokens: %s has a NUL byte; it is a text, a line for "
                         "each token",
                         path);
    return 0;
}

/* What is no file is not waited for, such as a pipe that nobody writes. */
static int read_file(const char *path, char **ret, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    char *text = NULL;
    int rc = -1;

    if (fd < 0)
        return unreadable(path, err);
    if (check_file(fd, path, err) < 0)
        goto out;
    text = malloc(TOKENS_BYTES_MAX + 1);
    if (text == NULL) {
        error_exhausted(err);
        goto out;
    }
    if (read_text(fd, path, text, err) < 0)
        goto out;
    *ret = text;
    text = NULL;
    rc = 0;
out:
    close(fd);
    free(text);
    return rc;
}

static int role_named(const char *name)
{
    static const char *const names[] = {
#define X(id, name) [ROLE_##id] = name,
        ROLE_LIST(X)
#undef X
    };

    for (int role = ROLE_WORKER; role <= ROLE_ADMIN; role++)
        if (strcmp(names[role], name) == 0)
            return role;
    return -1;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hash(const char *text, uint8_t *ret)
{
    if (strlen(text) != 2 * DIGEST_BYTES)
        return false;
    for (int i = 0; i < DIGEST_BYTES; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        ret[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The words of one line; an error says nothing of what stands in it, since
 * somebody may have put a token there. */
static int read_line(struct token *token, char *line, const char *path,
                     unsigned number, struct error *err)
{
    char *words[5] = { NULL }, *next, *rest = NULL;
    size_t n = 0;
    int role;

    for (next = strtok_r(line, " \t\r", &rest); next != NULL && n < 5;
         next = strtok_r(NULL, " \t\r", &rest))
        words[n++] = next;
    role = n > 0 ? role_named(words[0]) : -1;
    if (role < 0 || (n != 3 && n != 4) || strlen(words[1]) > NAME_BYTES_MAX ||
        !read_hash(words[2], token->hash))
        return error_set(err, STATUS_INVALID,
                         "tokens: %s, line %u: expected worker, operator or "
                         "admin, a name, the token's SHA-256 in lower-case "
                         "hex, and for a worker its placement",
                         path, number);
    if ((role == ROLE_WORKER) != (n == 4))
        return error_set(err, STATUS_INVALID,
                         "tokens: %s, line %u: a worker's token is for one "
                         "placement, which its line names, other tokens are "
                         "for all",
                         path, number);
    token->role = (enum role)role;
    token->name = words[1];
    token->placement = words[3];
    return 0;
}

static int read_tokens(struct access *access, const char *path,
                       struct error *err)
{
    char *rest;
    unsigned number = 0;

    if (read_file(path, &access->text, err) < 0)
        return -1;
    access->tokens = calloc(TOKENS_MAX, sizeof(*access->tokens));
    if (access->tokens == NULL)
        return error_exhausted(err);
    rest = access->text;
    for (char *line = strsep(&rest, "\n"); line != NULL;
         line = strsep(&rest, "\n")) {
        number++;
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        if (access->n_tokens == TOKENS_MAX)
            return error_set(err, STATUS_INVALID,
                             "tokens: %s has more than %d tokens", path,
                             TOKENS_MAX);
        if (read_line(&access->tokens[access->n_tokens], line, path, number,
                      err) < 0)
            return -1;
        access->n_tokens++;
    }
    return 0;
}

/* ---- the group of administrators ----------------------------------------- */

static int read_admins(struct access *access, const char *name,
                       struct error *err)
{
    const struct group *group = getgrnam(name);
    size_t n_members = 0;

    if (group == NULL)
        return error_set(err, STATUS_INVALID,
                         "admin_group is %.64s, must be a group of this "
                         "machine",
                         name);
    access->has_admins = true;
    access->admin_group = group->gr_gid;
    while (group->gr_mem[n_members] != NULL)
        n_members++;
    access->admins = calloc(n_members + 1, sizeof(*access->admins));
    if (access->admins == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n_members; i++) {
        const struct passwd *user = getpwnam(group->gr_mem[i]);

        if (user != NULL)
            access->admins[access->n_admins++] = user->pw_uid;
    }
    return 0;
}

int access_load(const struct settings *settings, struct access **ret_access,
                struct error *err)
{
    struct access *access = calloc(1, sizeof(*access));

    if (access == NULL)
        return error_exhausted(err);
    access->loopback_open = settings->loopback_open != 0;
    if ((settings->tokens[0] != '\0' &&
         read_tokens(access, settings->tokens, err) < 0) ||
        (settings->admin_group[0] != '\0' &&
         read_admins(access, settings->admin_group, err) < 0)) {
        access_free(access);
        return -1;
    }
    *ret_access = access;
    return 0;
}

void access_free(struct access *access)
{
    if (access == NULL)
        return;
    free(access->admins);
    free(access->tokens);
    free(access->text);
    free(access);
}

bool access_has_tokens(const struct access *access)
{
    return access->n_tokens > 0;
}

/* ---- who calls ----------------------------------------------------------- */

/* Takes as long whether and wherever the token is found. */
static const struct token *find_token(const struct access *access,
                                      const char *text)
{
    uint8_t hash[DIGEST_BYTES];
    const struct token *found = NULL;

    digest_bytes(text, strlen(text), hash);
    for (size_t i = 0; i < access->n_tokens; i++)
        if (digest_equal(access->tokens[i].hash, hash))
            found = &access->tokens[i];
    return found;
}

static int identify_token(const struct access *access,
                          const char *authorization, struct caller *ret,
                          struct error *err)
{
    static const char scheme[] = "Bearer ";
    const struct token *token = NULL;

    if (strncmp(authorization, scheme, strlen(scheme)) == 0 &&
        strlen(authorization) <= TOKEN_BYTES_MAX)
        token = find_token(access, authorization + strlen(scheme));
    if (token == NULL)
        return error_set(err, STATUS_DENIED,
                         "the token is not known here; it may have been "
                         "withdrawn");
    *ret = (struct caller){ token->role, token->name, token->placement };
    return 0;
}

static bool is_admin(const struct access *access, const struct origin *origin)
{
    if (!access->has_admins || origin->uid == 0 || origin->uid == geteuid() ||
        origin->gid == access->admin_group)
        return true;
    for (size_t i = 0; i < access->n_admins; i++)
        if (access->admins[i] == origin->uid)
            return true;
    return false;
}

int access_identify(const struct access *access, const struct origin *origin,
                    const char *authorization, struct caller *ret,
                    struct error *err)
{
    *ret = (struct caller){ .role = ROLE_NONE };
    if (authorization != NULL)
        return identify_token(access, authorization, ret, err);
    if (origin->local) {
        ret->role = is_admin(access, origin) ? ROLE_ADMIN : ROLE_OPERATOR;
        return 0;
    }
    if (origin->loopback && access->loopback_open) {
        ret->role = ROLE_ADMIN;
        return 0;
    }
    return error_set(err, STATUS_DENIED,
                     "calls over tcp need a token; name its file in "
                     "SERRY_TOKEN_FILE");
}
