/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon can be told, and where each value came from. */
#ifndef SERRIED_DAEMON_SETTINGS_H
#define SERRIED_DAEMON_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Every setting: name, kind, default, least, most, whether SIGHUP changes it,
 * help. A row is all there is to add: the member of struct settings, the line
 * of the file, --name, SERRIED_NAME, --help and the manual follow from it.
 * For TEXT least and most are bytes. */
/* clang-format off */
#define SETTING_LIST(X)                                                       \
    X(address, TEXT, "/run/serried/serried.sock", 1, 4096, false,             \
      "where to listen, separated by commas: paths of unix sockets, and "     \
      "tcp://HOST:PORT of this machine's loopback")                           \
    X(state, TEXT, "sqlite:/var/lib/serried/serried.db", 1, 4096, false,      \
      "what keeps the state: sqlite:FILE, or memory: to forget it at the end")\
    X(share, TEXT, "", 0, 4096, false,                                        \
      "folder whose runtimes/ and models/ override the built-in ones; "       \
      "empty: none")                                                          \
    X(log_level, LEVEL, "info", 0, 0, true,                                   \
      "least important line to log: error, warn, info or debug")              \
    X(socket_mode, MODE, "0660", 0, 0777, false,                              \
      "permissions of a unix socket, octal")                                  \
    X(socket_group, TEXT, "", 0, 64, false,                                   \
      "group that owns a unix socket; empty: the daemon's")                   \
    X(admin_group, TEXT, "", 0, 64, true,                                     \
      "group whose members may declare models, runtimes and hosts over a "    \
      "unix socket; empty: all that may open it")                             \
    X(tokens, TEXT, "", 0, 4096, true,                                        \
      "file of hashed tokens, read again by SIGHUP; calls over tcp need one; "\
      "empty: none")                                                          \
    X(loopback_open, SWITCH, "off", 0, 0, true,                               \
      "whether callers over tcp of this machine's loopback need no token and "\
      "may do everything")                                                    \
    X(remote, SWITCH, "off", 0, 0, false,                                     \
      "whether address may have tcp addresses that other machines reach; "    \
      "what is sent there is not encrypted")                                  \
    X(connections_max, NUMBER, "20000", 1, 1000000, false,                    \
      "connections at once; fewer where the limit of descriptors is lower")   \
    X(calls_max, NUMBER, "16384", 1, 1000000, false,                          \
      "calls being worked on at once, of all connections")                    \
    X(peer_calls_max, NUMBER, "64", 1, 65536, false,                          \
      "calls being worked on at once, of one connection")                     \
    X(request_bytes, BYTES, "1MiB", 1024, 16777216, false,                    \
      "largest message a peer may send")                                      \
    X(backlog_bytes, BYTES, "4MiB", 1024, 268435456, false,                   \
      "replies waiting for a peer before no more is read from it")            \
    X(stall_ms, TIME, "30s", 100, 600000, false,                              \
      "time for a peer beyond backlog_bytes to read, before it is dropped")   \
    X(greet_ms, TIME, "1s", 100, 600000, false,                               \
      "time for a new peer to greet")                                         \
    X(idle_ms, TIME, "10min", 1000, 86400000, false,                          \
      "time without a call after which a connection is closed")               \
    X(buffers_bytes, BYTES, "256MiB", 1048576, 68719476736, false,            \
      "requests and replies being read and written, of all connections")      \
    X(call_bytes, BYTES, "64MiB", 65536, 4294967296, true,                    \
      "memory of one call")                                                   \
    X(deadline_ms, TIME, "60s", 1, 3600000, true,                             \
      "time for a call that names no deadline, and the longest one can name") \
    X(watch_max, NUMBER, "1024", 0, 1000000, true,                            \
      "calls of Watch parked at once")                                        \
    X(boot_ms, TIME, "10min", 1000, 86400000, true,                           \
      "time for all workers of a placement to join, before those that wait "  \
      "are told who is missing")                                              \
    X(lease_ms, TIME, "90s", 1000, 86400000, true,                            \
      "time without a sign of life after which a worker is lost")             \
    X(port_first, NUMBER, "29500", 1024, 65535, true,                         \
      "first port that is leased to placements; those below 1024 are for "    \
      "privileged programs")                                                  \
    X(port_last, NUMBER, "29999", 1024, 65535, true,                          \
      "last port that is leased to placements")                               \
    X(port_rest_ms, TIME, "60s", 0, 86400000, true,                           \
      "time that a port is leased to nobody after a generation whose workers "\
      "may still have it, and after it was reported to be in use")            \
    X(audit_ms, TIME, "60s", 100, 86400000, true,                             \
      "how often it is looked at that no device and no port has two "         \
      "placements")                                                           \
    X(events_kept, NUMBER, "100000", 100, 10000000, false,                    \
      "events kept in the state; older ones are forgotten")                   \
    X(answers_kept, NUMBER, "10000", 100, 10000000, false,                    \
      "answers kept for writes that are sent again; "                          \
      "a key older than them is new")                                          \
    X(drain_ms, TIME, "10s", 0, 600000, true,                                 \
      "time for calls in flight to end when the daemon is told to stop")
/* clang-format on */

/* How a value is written. TIME is kept in milliseconds and written with ms, s
 * or min, BYTES with KiB, MiB or GiB; without a unit they are what they are
 * kept in. LEVEL is kept as enum log_level,
 * SWITCH as 0 or 1. */
enum setting_kind {
    SETTING_KIND_TEXT,
    SETTING_KIND_NUMBER,
    SETTING_KIND_BYTES,
    SETTING_KIND_TIME,
    SETTING_KIND_MODE,
    SETTING_KIND_LEVEL,
    SETTING_KIND_SWITCH,
};

#define SETTING_TYPE_TEXT char *
#define SETTING_TYPE_NUMBER int64_t
#define SETTING_TYPE_BYTES int64_t
#define SETTING_TYPE_TIME int64_t
#define SETTING_TYPE_MODE int64_t
#define SETTING_TYPE_LEVEL int64_t
#define SETTING_TYPE_SWITCH int64_t

enum setting_id {
#define X(name, ...) SETTING_##name,
    SETTING_LIST(X)
#undef X
        SETTING_COUNT
};

/* From the weakest to the strongest. */
enum setting_source {
    SETTING_FROM_DEFAULT,
    SETTING_FROM_FILE,
    SETTING_FROM_ENVIRONMENT,
    SETTING_FROM_FLAG,
};

/* All values. Start from { 0 }; end with settings_close(). */
struct settings {
#define X(name, kind, ...) SETTING_TYPE_##kind name;
    SETTING_LIST(X)
#undef X
    enum setting_source sources[SETTING_COUNT];
};

void settings_close(struct settings *settings);

/* ---- the command line ---------------------------------------------------- */

enum flags_action {
    FLAGS_RUN,
    FLAGS_SHOW,      /* --show-config: the values in force */
    FLAGS_SHOW_CONF, /* --show-config=conf: a file of the defaults */
    FLAGS_SHOW_RST,  /* --show-config=rst: the manual's table */
    FLAGS_HELP,
    FLAGS_VERSION,
};

/* What the command line says; values point into argv. */
struct flags {
    enum flags_action action;
    const char *config; /* --config, or NULL */
    const char *values[SETTING_COUNT];
};

/* Reads `--name VALUE` and `--name=VALUE`. argv as main() gets it.
 * STATUS_INVALID: an unknown flag, or one twice, or without its value. */
int flags_read(struct flags *ret_flags, int argc, char *const *argv,
               struct error *err);

/* ---- loading ------------------------------------------------------------- */

#define SETTINGS_FILE "/etc/serried/serried.conf"

/* Fills settings from flags, the environment (SERRIED_NAME), the file
 * (flags->config, SERRIED_CONFIG, or SETTINGS_FILE where that exists) and the
 * defaults, the first that has a value winning. root: whether the defaults are
 * the system's; others take theirs from RUNTIME_DIRECTORY or XDG_RUNTIME_DIR,
 * and from STATE_DIRECTORY, XDG_STATE_HOME or HOME.
 * STATUS_INVALID, naming file and line, variable or flag: an unknown name, a
 * value that cannot be, a file that cannot be read. Every source is checked,
 * also where a stronger one wins. */
int settings_load(struct settings *settings, const struct flags *flags,
                  char *const *environment, bool root, struct error *err);

/* Takes from fresh what SIGHUP may change, and tells of every setting that
 * differs whether it was taken. */
void settings_reload(struct settings *settings, struct settings *fresh,
                     void (*told)(void *arg, const char *name, bool taken),
                     void *arg);

/* ---- showing ------------------------------------------------------------- */

/* Prints to out what action asks for; settings is looked at by FLAGS_SHOW
 * only. Not for FLAGS_RUN and FLAGS_VERSION. */
void settings_show(const struct settings *settings, enum flags_action action,
                   struct text *out);

/* ---- for settings_*.c -----------------------------------------------------
 */

struct setting_row {
    const char *name;
    enum setting_kind kind;
    const char *fallback;
    int64_t least, most;
    bool reloadable;
    const char *help;
    size_t offset; /* in struct settings */
};

extern const struct setting_row setting_rows[SETTING_COUNT];

/* The row called name, spelt as in the file; -1: none. */
int setting_find(const char *name);

/* Appends "SERRIED_LOG_LEVEL", "--log-level". */
void setting_put_variable(enum setting_id setting, struct text *out);
void setting_put_flag(enum setting_id setting, struct text *out);

/* The name nearest to an unknown one; NULL: none is near. */
const char *setting_nearest(const char *name);

/* Reads value into settings. STATUS_INVALID: a sentence that starts with the
 * setting's name. */
int setting_set(struct settings *settings, enum setting_id setting,
                const char *value, enum setting_source source,
                struct error *err);

/* Appends the value as a file would have it. */
void setting_put_value(const struct settings *settings, enum setting_id setting,
                       struct text *out);

#endif
