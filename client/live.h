/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that ask a daemon share: the connection, and small words.
 */
#ifndef SERRIED_CLIENT_LIVE_H
#define SERRIED_CLIENT_LIVE_H

#include "client/command.h"
#include "client/libserry/serry.h"

/* Rows of commands that talk to a daemon. */
#define LIVE_OPTION_ADDRESS                                                    \
    {                                                                          \
        "address", 0, "ADDRESS",                                               \
            "ask the daemon at ADDRESS (/PATH, ipc:///PATH or "                \
            "tcp://HOST:PORT); default: SERRY_ADDRESS, then the system's "     \
            "socket"                                                           \
    }
#define LIVE_OPTION_OFFLINE                                                    \
    {                                                                          \
        "offline", 0, NULL,                                                    \
            "take the declarations built in, and ask no daemon"                \
    }
#define LIVE_OPTION_FILE                                                       \
    {                                                                          \
        "file", 'f', "FILE",                                                   \
            "read documents from FILE, - for standard input; may be repeated"  \
    }
#define LIVE_OPTION_EXPECT                                                     \
    {                                                                          \
        "expect", 0, "GENERATION",                                             \
            "only if this generation (EPOCH.REVISION) is in force; 0: only "   \
            "if there is none"                                                 \
    }

/* A command's conversation with a daemon. */
struct live {
    struct invocation *v;
    struct serry_client *client;
    struct serry_error err;  /* of the last call */
    struct catalog *catalog; /* live_catalog() */
};

/* Makes the client of --address, else of libserry's defaults; connects at the
 * first call. Closed by live_close(), also after a failure.
 *   STATUS_INVALID  the address cannot be read */
int live_open(struct live *live, struct invocation *v, struct error *err);
void live_close(struct live *live);

/* Opens, runs body, closes, and returns the exit code: *ret_exit of body
 * (EXIT_OK at first), or that of its error, which is printed. */
typedef int live_body_fn(struct live *live, int *ret_exit, struct error *err);
int live_run(struct invocation *v, live_body_fn *body);

/* Hands the sentence of the call that failed to err; returns -1. A generation
 * that is not in force any more, and a worker that a newer one took the place
 * of, are STATUS_LOST. */
int live_failed(struct live *live, struct error *err);

/* Whether a daemon is to be asked, for commands that can do without: never with
 * --offline; with --address always; else not with --share; else with
 * SERRY_ADDRESS; else not with SERRIED_SHARE; else when one listens at the
 * default socket. */
bool live_wanted(const struct invocation *v);

/* The declarations in force at the daemon, fetched when first asked for; owned
 * by live. NULL: err is set. */
struct catalog *live_catalog(struct live *live, struct error *err);

/* Explains options that exclude each other in commands that can do without a
 * daemon; returns EXIT_OK or EXIT_USAGE. */
int live_options(const struct invocation *v);

/* Runs body with the declarations in force at the daemon, where one is to be
 * asked, else with those of this program; as live_run(). With `spare`, those of
 * this program do too where the daemon that was not named does not hand its own
 * out, which is said. */
typedef int live_catalog_fn(struct invocation *v, struct catalog *catalog,
                            int *ret_exit, struct error *err);
int live_with_catalog(struct invocation *v, bool spare, live_catalog_fn *body);

/* ---- words --------------------------------------------------------------- */

enum { LIVE_WORD = 48 };

/* "1.12" */
const char *live_generation(const struct serry_generation *generation,
                            char room[LIVE_WORD]);
/* "2026-11-29T16:28:23Z" */
const char *live_time(int64_t time_ms, char room[LIVE_WORD]);

/* Reads "EPOCH.REVISION", or "0". false: it is neither. */
bool live_read_generation(const char *word, struct serry_generation *ret);

/* Takes the value of an option that is a generation; *ret is NULL, or room.
 * Returns EXIT_OK, or what to exit with after the mistake was explained. */
int live_option_generation(const struct invocation *v, const char *option,
                           struct serry_generation *room,
                           const struct serry_generation **ret);

/* The same for a number from 0 to most; *ret is as before without it. */
int live_option_number(const struct invocation *v, const char *option,
                       uint64_t most, uint64_t *ret);

/* Values of answers, by the names of the .proto. */
void live_make_generation(struct tree_maker *maker, struct tree *map,
                          const char *key,
                          const struct serry_generation *generation);
void live_make_hex(struct tree_maker *maker, struct tree *map, const char *key,
                   const uint8_t *bytes, size_t len);

/* A new map: the name and the generation of a placement. */
struct tree *live_make_placement(struct tree_maker *maker, const char *name,
                                 const struct serry_generation *generation);

/* Lower-case hex, in arena; "" when it is full. */
const char *live_hex(struct arena *arena, const uint8_t *bytes, size_t len);

/* JSON that the daemon sent, a map, as a tree. STATUS_INTERNAL: it is none. */
int live_json(struct arena *arena, const char *json, const struct tree **ret,
              struct error *err);

/* Prints a made tree as a document. */
int live_document(struct live *live, const struct tree_maker *maker,
                  const struct tree *tree, struct error *err);

#endif
