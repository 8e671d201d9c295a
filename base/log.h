/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: one event, one line, `event key=value key="two words"`. */
#ifndef SERRIED_BASE_LOG_H
#define SERRIED_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers are syslog's. error: a person must act; warn: the program acted;
 * info: something changed; debug: the rest. */
enum log_level {
    LOG_LEVEL_ERROR = 3,
    LOG_LEVEL_WARN = 4,
    LOG_LEVEL_INFO = 6,
    LOG_LEVEL_DEBUG = 7,
};

/* Where lines go. In the caller's memory; nothing to close. */
struct log {
    int fd;
    enum log_level level; /* lines beyond it are dropped; may be changed */
    bool journal;         /* the journal keeps the time and reads "<6>" */
};

/* journal_stream: $JOURNAL_STREAM, or NULL. Where it names fd ("DEVICE:INODE"),
 * lines begin with their level as "<N>", elsewhere with time and level. */
void log_init(struct log *log, int fd, enum log_level level,
              const char *journal_stream);

/* Writes one line. fmt is the event followed by its pairs, as in
 *
 *   log_line(log, LOG_LEVEL_INFO, "placed name=%s ranks=%u", name, n);
 *
 * and knows %s, %d, %i, %u, %x with the lengths l, ll, z, j, and %%; nothing
 * else, no width. A text right after '=' is put in quotes where it has spaces,
 * quotes, '=' or bytes that are not printable ASCII or UTF-8; control bytes
 * are written as \xHH everywhere, so that a peer's text cannot begin a line.
 * Never hand over a secret. Lines end at 2,000 bytes. */
void log_line(const struct log *log, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* One kind of line that peers can provoke. Start from { 0 }. */
struct log_limit {
    int64_t window_ms; /* when the present window began */
    uint32_t lines;    /* written in it */
    uint64_t dropped;  /* since the last line that was written */
};

enum { LOG_LIMIT_WINDOW_MS = 10000, LOG_LIMIT_LINES = 5 };

/* log_line(), at most LOG_LIMIT_LINES in LOG_LIMIT_WINDOW_MS; the first of a
 * later window says how many were left out, in dropped=N. now_ms: any clock
 * in milliseconds, always the same one for a limit. */
void log_limited(const struct log *log, struct log_limit *limit, int64_t now_ms,
                 enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* "error", "warn", "info", "debug"; NULL for another number. */
const char *log_level_name(int level);

#endif
