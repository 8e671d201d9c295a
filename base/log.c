/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: one event, one line, `event key=value key="two words"`. */
#include "base/log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* A pipe takes up to 4,096 bytes whole, so lines of several writers do not
 * mix; half of that is plenty for one event. */
enum { LINE_BYTES = 2000 };

/* The line being made; the last byte is kept for its end. */
struct line {
    char data[LINE_BYTES];
    size_t len;
};

static const struct {
    enum log_level level;
    const char *name;
} levels[] = {
    { LOG_LEVEL_ERROR, "error" },
    { LOG_LEVEL_WARN, "warn" },
    { LOG_LEVEL_INFO, "info" },
    { LOG_LEVEL_DEBUG, "debug" },
};

const char *log_level_name(int level)
{
    for (size_t i = 0; i < ARRAY_LEN(levels); i++)
        if ((int)levels[i].level == level)
            return levels[i].name;
    return NULL;
}

/* The variable is inherited by children whose output goes elsewhere, so what
 * it names is compared. */
static bool is_journal(int fd, const char *journal_stream)
{
    uintmax_t device, inode;
    struct stat status;

    if (journal_stream == NULL || fstat(fd, &status) < 0 ||
        sscanf(journal_stream, "%ju:%ju", &device, &inode) != 2)
        return false;
    return status.st_dev == device && status.st_ino == inode;
}

void log_init(struct log *log, int fd, enum log_level level,
              const char *journal_stream)
{
    log->fd = fd;
    log->level = level;
    log->journal = is_journal(fd, journal_stream);
}

static void line_put(struct line *line, char c)
{
    if (line->len < LINE_BYTES - 1)
        line->data[line->len++] = c;
}

static void line_puts(struct line *line, const char *text)
{
    while (*text != '\0')
        line_put(line, *text++);
}

/* Bytes above 0x7f pass only in a text that is UTF-8 as a whole. */
static bool byte_is_plain(unsigned char c, bool utf8)
{
    return (c >= 0x20 && c < 0x7f) || (c >= 0x80 && utf8);
}

static bool text_needs_quotes(const char *text, bool utf8)
{
    if (*text == '\0')
        return true;
    for (const char *p = text; *p != '\0'; p++)
        if (!byte_is_plain((unsigned char)*p, utf8) ||
            strchr(" \"=\\", *p) != NULL)
            return true;
    return false;
}

static void line_put_text(struct line *line, const char *text, bool value)
{
    const bool utf8 = text_is_utf8(text, strlen(text));
    const bool quoted = value && text_needs_quotes(text, utf8);

    if (quoted)
        line_put(line, '"');
    for (const char *p = text; *p != '\0'; p++) {
        char hex[sizeof("\\xff")];

        if (!byte_is_plain((unsigned char)*p, utf8)) {
            snprintf(hex, sizeof(hex), "\\x%02x", (unsigned char)*p);
            line_puts(line, hex);
            continue;
        }
        if (quoted && (*p == '"' || *p == '\\'))
            line_put(line, '\\');
        line_put(line, *p);
    }
    if (quoted)
        line_put(line, '"');
}

/* How wide a number of a conversion is, by its letters between % and the
 * last. */
enum width { WIDTH_INT, WIDTH_LONG, WIDTH_LONG_LONG, WIDTH_SIZE, WIDTH_MAX };

static enum width width_read(const char **p)
{
    const char first = **p;

    if (first != 'l' && first != 'z' && first != 'j')
        return WIDTH_INT;
    (*p)++;
    if (first == 'z')
        return WIDTH_SIZE;
    if (first == 'j')
        return WIDTH_MAX;
    if (**p != 'l')
        return WIDTH_LONG;
    (*p)++;
    return WIDTH_LONG_LONG;
}

/* va_list arrays decay in parameters, so it is handed on within a struct. */
struct args {
    va_list list;
};

static intmax_t signed_take(struct args *args, enum width width)
{
    switch (width) {
    case WIDTH_INT:
        return va_arg(args->list, int);
    case WIDTH_LONG:
        return va_arg(args->list, long);
    case WIDTH_LONG_LONG:
        return va_arg(args->list, long long);
    case WIDTH_SIZE:
        return va_arg(args->list, ptrdiff_t);
    case WIDTH_MAX:
        break;
    }
    return va_arg(args->list, intmax_t);
}

static uintmax_t unsigned_take(struct args *args, enum width width)
{
    switch (width) {
    case WIDTH_INT:
        return va_arg(args->list, unsigned);
    case WIDTH_LONG:
        return va_arg(args->list, unsigned long);
    case WIDTH_LONG_LONG:
        return va_arg(args->list, unsigned long long);
    case WIDTH_SIZE:
        return va_arg(args->list, size_t);
    case WIDTH_MAX:
        break;
    }
    return va_arg(args->list, uintmax_t);
}

/* One conversion; *p stands behind the % and ends behind the conversion. */
static void line_convert(struct line *line, const char **p, bool value,
                         struct args *args)
{
    char number[24]; /* the longest: -9223372036854775808 */
    const enum width width = width_read(p);
    const char kind = *(*p)++;

    switch (kind) {
    case 's':
        line_put_text(line, va_arg(args->list, const char *), value);
        return;
    case 'd':
    case 'i':
        snprintf(number, sizeof(number), "%" PRIdMAX, signed_take(args, width));
        break;
    case 'u':
        snprintf(number, sizeof(number), "%" PRIuMAX,
                 unsigned_take(args, width));
        break;
    case 'x':
        snprintf(number, sizeof(number), "%" PRIxMAX,
                 unsigned_take(args, width));
        break;
    default:
        assert(kind == '%');
        strcpy(number, "%");
    }
    line_puts(line, number);
}

static void line_format(struct line *line, const char *fmt, struct args *args)
{
    const char *p = fmt;

    while (*p != '\0') {
        const bool value = p > fmt && p[-1] == '=';

        if (*p != '%') {
            line_put(line, *p++);
            continue;
        }
        p++;
        line_convert(line, &p, value, args);
    }
}

static void line_begin(struct line *line, const struct log *log,
                       enum log_level level)
{
    char front[CLOCK_TEXT_BYTES + sizeof(" error ")];

    line->len = 0;
    if (log->journal) {
        snprintf(front, sizeof(front), "<%d>", (int)level);
    } else {
        clock_text(clock_wall_ms(), front);
        strcat(front, " ");
        strcat(front, log_level_name(level));
        strcat(front, " ");
    }
    line_puts(line, front);
}

/* A log that cannot be written must not stop what it tells about. */
static void line_end(struct line *line, const struct log *log)
{
    line->data[line->len++] = '\n';
    if (write(log->fd, line->data, line->len) < 0)
        return;
}

void log_line(const struct log *log, enum log_level level, const char *fmt, ...)
{
    struct line line;
    struct args args;

    if (level > log->level)
        return;
    line_begin(&line, log, level);
    va_start(args.list, fmt);
    line_format(&line, fmt, &args);
    va_end(args.list);
    line_end(&line, log);
}

/* Whether one more line may be written now. */
static bool limit_take(struct log_limit *limit, int64_t now_ms)
{
    if (limit->lines > 0 && now_ms - limit->window_ms < LOG_LIMIT_WINDOW_MS) {
        if (limit->lines == LOG_LIMIT_LINES) {
            limit->dropped++;
            return false;
        }
        limit->lines++;
        return true;
    }
    limit->window_ms = now_ms;
    limit->lines = 1;
    return true;
}

void log_limited(const struct log *log, struct log_limit *limit, int64_t now_ms,
                 enum log_level level, const char *fmt, ...)
{
    struct line line;
    struct args args;

    if (level > log->level || !limit_take(limit, now_ms))
        return;
    line_begin(&line, log, level);
    va_start(args.list, fmt);
    line_format(&line, fmt, &args);
    va_end(args.list);
    if (limit->dropped > 0) {
        char dropped[40];

        snprintf(dropped, sizeof(dropped), " dropped=%" PRIu64, limit->dropped);
        line_puts(&line, dropped);
        limit->dropped = 0;
    }
    line_end(&line, log);
}
