/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed: documents for programs, pieces of text for people. */
#include "client/output.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "proto/document.h"

enum {
    WIDTH_DEFAULT = 80,
    WIDTH_MIN = 40,
    WIDTH_MAX = 120, /* longer lines are hard to read */
};

/* ---- start and end ------------------------------------------------------- */

static int terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
        size.ws_col == 0)
        return WIDTH_DEFAULT;
    if (size.ws_col < WIDTH_MIN)
        return WIDTH_MIN;
    return size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}

static bool wants_colour(void)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");

    if (off != NULL && off[0] != '\0')
        return false;
    return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

void output_init(struct output *out, enum format format)
{
    *out = (struct output){
        .format = format,
        .colour = wants_colour(),
        .width = terminal_width(),
    };
    setlocale(LC_CTYPE, "");
    out->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void output_close(struct output *out)
{
    text_close(&out->text);
}

int output_flush(struct output *out, struct error *err)
{
    size_t len = out->text.len;
    bool failed = out->text.failed;

    if (!failed && len > 0 &&
        (fwrite(out->text.data, 1, len, stdout) != len || fflush(stdout) != 0))
        return error_set(err, STATUS_INTERNAL, "standard output: %s",
                         strerror(errno));
    text_clear(&out->text);
    return failed ? error_exhausted(err) : 0;
}

/* ---- for programs -------------------------------------------------------- */

int output_document(struct output *out, const struct tree *tree,
                    struct error *err)
{
    bool first = !out->wrote_first;
    int rc;

    out->wrote_first = true;
    if (out->format == FORMAT_YAML && !first)
        text_put(&out->text, "---\n");
    if (out->format == FORMAT_YAML)
        rc = document_write_yaml(tree, &out->text);
    else
        rc = document_write_json(tree, !out->documents, &out->text);
    if (rc < 0)
        return error_set(err, STATUS_EXHAUSTED,
                         "the answer is too large to be written");
    if (out->text.len > 0 && out->text.data[out->text.len - 1] != '\n')
        text_put(&out->text, "\n");
    return 0;
}

/* ---- pieces of text ------------------------------------------------------ */

static const char *style_code(enum style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",         [STYLE_BOLD] = "\033[1m",
        [STYLE_DIM] = "\033[2m",    [STYLE_GOOD] = "\033[1;32m",
        [STYLE_BAD] = "\033[1;31m", [STYLE_WARN] = "\033[33m",
        [STYLE_NAME] = "\033[36m",
    };
    /* Pairs that stand beside each other differ the most. */
    static const char *const groups[STYLE_GROUPS] = {
        "\033[36m", "\033[33m", "\033[35m", "\033[32m",
        "\033[34m", "\033[31m", "\033[96m", "\033[95m",
    };

    if (style >= STYLE_GROUP)
        return groups[(style - STYLE_GROUP) % STYLE_GROUPS];
    return codes[style];
}

/* Whether the character at s is a control character that a terminal might act
 * on: below a space, DEL, or one of the 32 after it (two bytes in UTF-8). */
static size_t control_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;

    if (u[0] < 0x20 || u[0] == 0x7f)
        return 1;
    return u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0 ? 2 : 0;
}

static void put_clean(struct text *text, const char *s, size_t len)
{
    size_t start = 0, i = 0;

    while (i < len) {
        size_t n = control_length(s + i);

        if (n == 0) {
            i++;
            continue;
        }
        text_put_bytes(text, s + start, i - start);
        text_put(text, "?");
        i += n;
        start = i;
    }
    text_put_bytes(text, s + start, len - start);
}

void output_bytes(struct output *out, enum style style, const char *s,
                  size_t len)
{
    bool colour = out->colour && style != STYLE_PLAIN && len > 0;

    if (colour)
        text_put(&out->text, style_code(style));
    put_clean(&out->text, s, len);
    if (colour)
        text_put(&out->text, "\033[0m");
}

void output_put(struct output *out, enum style style, const char *string)
{
    output_bytes(out, style, string, strlen(string));
}

void output_printf(struct output *out, enum style style, const char *fmt, ...)
{
    char small[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(small, sizeof(small), fmt, ap);
    va_end(ap);
    output_put(out, style, small);
}

void output_spaces(struct output *out, int count)
{
    for (; count > 0; count--)
        text_put(&out->text, " ");
}

void output_line(struct output *out)
{
    struct text *text = &out->text;

    while (text->len > 0 && text->data[text->len - 1] == ' ')
        text->data[--text->len] = '\0';
    text_put(text, "\n");
}

/* ---- errors -------------------------------------------------------------- */

void output_complain(const char *text)
{
    struct text clean = { 0 };

    put_clean(&clean, text, strlen(text));
    fprintf(stderr, "serry: %s\n", text_string(&clean));
    text_close(&clean);
}

void output_complainf(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    output_complain(text != NULL ? text : "no memory");
    free(text);
}
