/* SPDX-License-Identifier: Apache-2.0 */
/* Clients: opening, closing, and calls by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "client/libserry/call.h"

enum { TOKEN_BYTES_MAX = 500 };

const char *serry_version(void)
{
    return PACKAGE_VERSION;
}

/* ---- tokens -------------------------------------------------------------- */

int serry_set_token(struct serry_client *client, const char *token,
                    struct serry_error *err)
{
    static const char scheme[] = "Bearer ";
    size_t len = token != NULL ? strnlen(token, TOKEN_BYTES_MAX + 1) : 1;
    char *copy = NULL;

    if (len == 0 || len > TOKEN_BYTES_MAX)
        return refuse(err, SERRY_INVALID, "a token has 1 to %d bytes",
                      TOKEN_BYTES_MAX);
    for (size_t i = 0; token != NULL && i < len; i++)
        if (token[i] <= ' ' || token[i] > '~')
            return refuse(err, SERRY_INVALID,
                          "a token has printable ASCII bytes only");
    if (token != NULL) {
        copy = malloc(sizeof(scheme) + len);
        if (copy == NULL)
            return refuse_exhausted(err);
        memcpy(copy, scheme, strlen(scheme));
        memcpy(copy + strlen(scheme), token, len + 1);
    }
    free(client->authorization);
    client->authorization = copy;
    return 0;
}

/* Cuts n bytes to the first line without blanks behind it; false: it holds a
 * NUL byte, and whatever stands behind that would not be seen. */
static bool cut_line(char *line, size_t n)
{
    size_t len = strcspn(line, "\r\n");
    bool whole = len == n || line[len] != '\0';

    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
        len--;
    line[len] = '\0';
    return whole;
}

/* The first line of $SERRY_TOKEN_FILE; no file is named: no token. */
static int read_token(struct serry_client *client, struct serry_error *err)
{
    const char *path = getenv("SERRY_TOKEN_FILE");
    char line[TOKEN_BYTES_MAX + 3] = "";
    size_t n = 0;
    FILE *file;
    int why;

    if (path == NULL || path[0] == '\0')
        return 0;
    file = fopen(path, "re");
    if (file != NULL)
        n = fread(line, 1, sizeof(line) - 1, file);
    why = file == NULL || ferror(file) ? errno : 0;
    if (file != NULL)
        fclose(file);
    if (why != 0 || n == 0)
        return refuse(err, SERRY_INVALID,
                      "the token in the file %.200s (SERRY_TOKEN_FILE) cannot "
                      "be read: %s",
                      path, why != 0 ? strerror(why) : "it is empty");
    if (!cut_line(line, n))
        return refuse(err, SERRY_INVALID,
                      "the file %.200s (SERRY_TOKEN_FILE) has a NUL byte in "
                      "its first line; it holds a token there and nothing else",
                      path);
    return serry_set_token(client, line, err);
}

/* ---- clients ------------------------------------------------------------- */

int serry_open(const char *address, struct serry_client **ret_client,
               struct serry_error *err)
{
    struct serry_client *client;
    struct address where;

    if (address_read(address, &where, err) < 0)
        return -1;
    client = calloc(1, sizeof(*client));
    if (client == NULL)
        return refuse_exhausted(err);
    transport_init(&client->transport, &where);
    client->pid = getpid();
    client->deadline_ms = CALL_DEADLINE_MS_DEFAULT;
    atomic_flag_clear(&client->busy);
    /* Numbers that do not begin at 1 tell clients apart in the daemon's log. */
    if (getrandom(&client->request_id, sizeof(client->request_id),
                  GRND_NONBLOCK) < 0)
        client->request_id = (uint64_t)client->pid << 32;
    client->request_id >>= 1;
    if (read_token(client, err) < 0) {
        serry_close(client);
        return -1;
    }
    *ret_client = client;
    return 0;
}

void serry_close(struct serry_client *client)
{
    if (client == NULL)
        return;
    /* In a child the thread that would close the socket does not exist. */
    if (client->pid == getpid())
        transport_close(&client->transport);
    free(client->authorization);
    free(client);
}

const char *serry_address(const struct serry_client *client)
{
    return client->transport.address.url;
}

static uint32_t cut_deadline(uint32_t deadline_ms)
{
    if (deadline_ms < 1)
        return 1;
    return deadline_ms < CALL_DEADLINE_MS_MAX ? deadline_ms
                                              : CALL_DEADLINE_MS_MAX;
}

void serry_set_deadline(struct serry_client *client, uint32_t deadline_ms)
{
    client->deadline_ms = cut_deadline(deadline_ms);
}

int serry_call(struct serry_client *client, const char *method,
               const void *request, size_t len, uint32_t deadline_ms,
               struct serry_reply **ret_reply, struct serry_error *err)
{
    const struct call call = { .method = method,
                               .deadline_ms = deadline_ms == 0
                                                  ? client->deadline_ms
                                                  : cut_deadline(deadline_ms) };
    struct arena *arena = arena_new(RESULT_BYTES_MAX);
    Serried__V1__Answer *answer;
    struct serry_reply *reply;

    if (arena == NULL)
        return refuse_exhausted(err);
    if (call_bytes(client, &call, request, len, arena, &answer, err) < 0)
        goto out;
    reply = result_new(arena, sizeof(*reply));
    if (reply == NULL) {
        refuse_exhausted(err);
        goto out;
    }
    reply->data = answer->reply.data;
    reply->len = answer->reply.len;
    *ret_reply = reply;
    return 0;
out:
    arena_free(arena);
    return -1;
}

int serry_wait(struct serry_client *client, uint32_t wait_ms,
               struct serry_error *err)
{
    int64_t until_ms = transport_now_ms() + cut_deadline(wait_ms), left_ms;
    struct serry_reply *reply = NULL;
    struct serry_error why = SERRY_ERROR_INIT;
    int rc, tries = 0;

    do {
        left_ms = until_ms - transport_now_ms();
        rc = serry_call(client, "/serried.v1.Admin/Status", NULL, 0,
                        left_ms > 1 ? (uint32_t)left_ms : 1, &reply, &why);
    } while (rc < 0 && why.status == SERRY_UNAVAILABLE &&
             call_pause(++tries, until_ms));
    if (why.status == SERRY_DENIED) /* of a worker: the daemon is there */
        rc = 0;
    if (rc < 0)
        refuse_answer(err, why.status, why.text, why.findings_json);
    serry_error_clear(&why);
    serry_free(reply);
    return rc;
}

int serry_generation_compare(const struct serry_generation *a,
                             const struct serry_generation *b)
{
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? -1 : 1;
    return (a->revision > b->revision) - (a->revision < b->revision);
}
