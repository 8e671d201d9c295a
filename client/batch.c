/* SPDX-License-Identifier: Apache-2.0 */
/* serry check --batch: a line in, a line out. */
#include "client/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/batch_ask.h"
#include "proto/answer.h"

enum {
    READ_BYTES = 1 << 16,
    FLUSH_BYTES = 1 << 20, /* of answers, while more input is at hand */
};

/* Lines of one file. */
struct lines {
    int fd;
    const char *path;
    char *buffer; /* BATCH_LINE_MAX + READ_BYTES */
    size_t begin, end;
    bool at_end;   /* of the file */
    bool too_long; /* the line being read; it is passed over */
    size_t number; /* of the line, from 1 */
};

struct batch {
    struct invocation *v;
    struct live *live; /* NULL: nobody is asked */
    struct catalog *catalog;
    struct lines lines;
    bool bad; /* some line was answered with an error */
};

/* ---- lines --------------------------------------------------------------- */

/* Reads more behind what is there. */
static int fill(struct lines *lines, struct error *err)
{
    ssize_t n;

    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin,
                lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    do
        n = read(lines->fd, lines->buffer + lines->end, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_set(err, STATUS_INVALID, "%s: %s", lines->path,
                         strerror(errno));
    lines->at_end = n == 0;
    lines->end += (size_t)n;
    return 0;
}

/* The next whole line that is at hand, without its newline, or NULL. Of a line
 * that is too long nothing is kept but that it was. */
static char *take_line(struct lines *lines, size_t *ret_len)
{
    char *line = lines->buffer + lines->begin;
    size_t n = lines->end - lines->begin;
    char *newline = memchr(line, '\n', n);

    if (newline == NULL && (!lines->at_end || n == 0)) {
        if (n > BATCH_LINE_MAX) {
            lines->too_long = true;
            lines->begin = lines->end;
        }
        if (!lines->at_end || !lines->too_long)
            return NULL;
    }
    *ret_len = newline != NULL ? (size_t)(newline - line) : n;
    lines->begin += *ret_len + (newline != NULL);
    if (*ret_len > BATCH_LINE_MAX)
        lines->too_long = true;
    lines->number++;
    return line;
}

static bool is_blank(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr(" \t\r", line[i]) == NULL || line[i] == '\0')
            return false;
    return true;
}

/* ---- answers ------------------------------------------------------------- */

static int answer_too_long(struct batch *batch)
{
    text_printf(&batch->v->out.text,
                "{\"id\":null,\"error\":{\"status\":\"%s\",\"message\":"
                "\"line %zu is longer than %d bytes\"}}\n",
                status_name(STATUS_INVALID), batch->lines.number,
                BATCH_LINE_MAX);
    batch->lines.too_long = false;
    batch->bad = true;
    return 0;
}

static int answer(struct batch *batch, const char *line, size_t len,
                  struct error *err)
{
    struct text *out = &batch->v->out.text;
    enum status status;

    if (batch->lines.too_long)
        return answer_too_long(batch);
    if (is_blank(line, len))
        return 0;
    if (batch->live != NULL
            ? batch_ask(batch->live, batch->catalog, line, len, out, &status,
                        err) < 0
            : answer_line(batch->catalog, line, len, out, &status, err) < 0)
        return -1;
    if (status != STATUS_OK && status != STATUS_REFUSED)
        batch->bad = true;
    text_put(out, "\n");
    if (out->len < FLUSH_BYTES)
        return 0;
    return output_flush(&batch->v->out, err);
}

static int answer_lines(struct batch *batch, struct error *err)
{
    struct lines *lines = &batch->lines;
    size_t len;
    char *line;

    for (;;) {
        while ((line = take_line(lines, &len)) != NULL)
            if (answer(batch, line, len, err) < 0)
                return -1;
        if (lines->at_end)
            return 0;
        if (output_flush(&batch->v->out, err) < 0 || fill(lines, err) < 0)
            return -1;
    }
}

static int answer_file(struct batch *batch, const char *path, struct error *err)
{
    struct lines *lines = &batch->lines;
    bool standard = strcmp(path, "-") == 0;
    int rc;

    lines->path = standard ? "standard input" : path;
    lines->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (lines->fd < 0)
        return error_set(err,
                         errno == ENOENT ? STATUS_UNKNOWN_NAME : STATUS_INVALID,
                         "%s: %s", path, strerror(errno));
    lines->begin = lines->end = lines->number = 0;
    lines->at_end = lines->too_long = false;
    rc = answer_lines(batch, err);
    if (!standard)
        close(lines->fd);
    return rc;
}

static int answer_files(struct batch *batch, struct error *err)
{
    const struct invocation *v = batch->v;
    const char *path;
    size_t at = 0;

    if (!option_given(v, "file") && v->n_operands == 0)
        return answer_file(batch, "-", err);
    while ((path = option_next(v, "file", &at)) != NULL)
        if (answer_file(batch, path, err) < 0)
            return -1;
    for (size_t i = 0; i < v->n_operands; i++)
        if (answer_file(batch, v->operands[i], err) < 0)
            return -1;
    return 0;
}

int batch_run(struct invocation *v, struct live *live, struct catalog *catalog)
{
    struct batch batch = { .v = v, .live = live, .catalog = catalog };
    struct error err;
    int rc = EXIT_OK;

    if (catalog == NULL)
        batch.catalog = live_catalog(live, &err);
    if (batch.catalog == NULL)
        return command_failed(&err);
    batch.lines.buffer = malloc(BATCH_LINE_MAX + READ_BYTES);
    if (batch.lines.buffer == NULL)
        error_exhausted(&err);
    if (batch.lines.buffer == NULL || answer_files(&batch, &err) < 0)
        rc = command_failed(&err);
    else if (batch.bad)
        rc = EXIT_MALFORMED;
    free(batch.lines.buffer);
    return rc;
}
