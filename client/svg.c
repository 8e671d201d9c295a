/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of an SVG picture. */
#include "client/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- words --------------------------------------------------------------- */

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Bytes of the character at s, which is UTF-8. */
static size_t character(const char *s)
{
    unsigned char c = (unsigned char)s[0];

    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* What stands for the character at s in XML 1.0; NULL: itself. */
static const char *stand_in(const char *s)
{
    switch (s[0]) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        break;
    }
    if ((unsigned char)s[0] < 0x20 || s[0] == 0x7f)
        return replacement;
    /* U+FFFE and U+FFFF are no characters of XML. */
    if (strncmp(s, "\xef\xbf\xbe", 3) == 0 ||
        strncmp(s, "\xef\xbf\xbf", 3) == 0)
        return replacement;
    return NULL;
}

/* Names of the command line may be any bytes: of those that are not UTF-8,
 * all but ASCII is replaced. */
static void put_escaped(struct text *out, const char *words)
{
    bool utf8 = text_is_utf8(words, strlen(words));

    while (words[0] != '\0') {
        bool broken = !utf8 && (unsigned char)words[0] >= 0x80;
        size_t len = broken ? 1 : character(words);
        const char *instead = broken ? replacement : stand_in(words);

        if (instead != NULL)
            text_put(out, instead);
        else
            text_put_bytes(out, words, len);
        words += len;
    }
}

void svg_fit(struct text *out, const char *words, int columns)
{
    size_t len = 0, kept = 0;
    int n = 0;

    for (; words[len] != '\0'; len++)
        if (((unsigned char)words[len] & 0xc0) != 0x80 && ++n == columns)
            kept = len;
    if (n <= columns) {
        text_put(out, words);
        return;
    }
    text_put_bytes(out, words, kept);
    text_put(out, "…");
}

void svg_words(struct text *out, const char *style, int x, int y,
               const char *words)
{
    text_printf(out, "<text class=\"serry-%s\" x=\"%d\" y=\"%d\">", style, x,
                y);
    put_escaped(out, words);
    text_put(out, "</text>\n");
}

/* ---- shapes -------------------------------------------------------------- */

static void put_rect(struct text *out, const char *style, int x, int y,
                     int width, int height, int radius)
{
    text_printf(out,
                "<rect class=\"serry-%s\" x=\"%d\" y=\"%d\" width=\"%d\" "
                "height=\"%d\" rx=\"%d\"/>\n",
                style, x, y, width, height, radius);
}

void svg_rect(struct text *out, const char *style, int x, int y, int width,
              int height)
{
    put_rect(out, style, x, y, width, height, 6);
}

void svg_cell(struct text *out, uint32_t group, int x, int y, int width,
              int height)
{
    uint32_t pattern = group / SVG_COLOURS % SVG_PATTERNS;
    char style[32];

    if (group == LISTS_NONE) {
        put_rect(out, "bare", x, y, width, height, 3);
        return;
    }
    snprintf(style, sizeof(style), "c%" PRIu32, group % SVG_COLOURS);
    put_rect(out, style, x, y, width, height, 3);
    if (pattern == 0)
        return;
    snprintf(style, sizeof(style), "p%" PRIu32, pattern);
    put_rect(out, style, x, y, width, height, 3);
}

/* ---- begin and end ------------------------------------------------------- */

/* Muted hues that differ in lightness as well as in hue, so that red-green and
 * blue-yellow blindness leave them apart. */
static const char *const colours[SVG_COLOURS] = {
    "#77aadd", "#ee8866", "#eedd88", "#44bb99",
    "#ffaabb", "#99ddff", "#bbcc33", "#cfcfcf",
};

static const char letters[] = "system-ui,-apple-system,'Segoe UI',Roboto,"
                              "'DejaVu Sans',sans-serif";
static const char styles[] =
    ".serry-title{font-size:20px;font-weight:600}\n"
    ".serry-sub{font-size:13px;fill:#57606a}\n"
    ".serry-head{font-size:15px;font-weight:600}\n"
    ".serry-axes{font-size:13px}\n"
    ".serry-list{font-size:13px;font-weight:600}\n"
    ".serry-note{font-size:11.5px;fill:#57606a}\n"
    ".serry-axis,.serry-row,.serry-col{font-size:11px;fill:#57606a}\n"
    ".serry-row{text-anchor:end}\n"
    ".serry-col,.serry-rank{text-anchor:middle}\n"
    ".serry-rank,.serry-key,.serry-tag,.serry-mark{font-family:ui-monospace,"
    "Menlo,"
    "Consolas,'DejaVu Sans Mono',monospace}\n"
    ".serry-rank{font-size:13px}\n"
    ".serry-key{font-size:11px}\n"
    ".serry-tag{font-size:9px;text-anchor:end;fill:#30363d}\n"
    ".serry-canvas{fill:#ffffff;stroke:#d0d7de}\n"
    ".serry-band{fill:#f6f8fa;stroke:none}\n"
    ".serry-frame{fill:#ffffff;stroke:#aab2bb}\n"
    ".serry-gap{fill:none;stroke:#aab2bb;stroke-dasharray:3 3}\n"
    ".serry-bare{fill:#ffffff;stroke:#d0d7de}\n"
    ".serry-mark{font-size:10px;text-anchor:middle}\n";

static void put_patterns(struct text *out)
{
    static const char *const shapes[SVG_PATTERNS] = {
        "",
        "<path d=\"M0 6L6 0\" stroke=\"#1b1f24\" stroke-opacity=\".28\"/>",
        ("<circle cx=\"3\" cy=\"3\" r=\"1\" fill=\"#1b1f24\" "
         "fill-opacity=\".3\"/>"),
        "<path d=\"M0 3H6\" stroke=\"#1b1f24\" stroke-opacity=\".22\"/>",
    };

    text_put(out, "<defs>\n");
    for (int i = 1; i < SVG_PATTERNS; i++)
        text_printf(out,
                    "<pattern id=\"serry-pattern%d\" width=\"6\" height=\"6\" "
                    "patternUnits=\"userSpaceOnUse\">%s</pattern>\n",
                    i, shapes[i]);
    text_put(out, "</defs>\n");
}

void svg_begin(struct text *out, int width, int height, const char *title)
{
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
        "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" fill=\"#1b1f24\" "
        "font-family=\"%s\">\n<title>",
        width, height, width, height, letters);
    put_escaped(out, title);
    text_printf(out, "</title>\n<style>\n%s", styles);
    for (int i = 0; i < SVG_COLOURS; i++)
        text_printf(out, ".serry-c%d{fill:%s}\n", i, colours[i]);
    for (int i = 1; i < SVG_PATTERNS; i++)
        text_printf(out, ".serry-p%d{fill:url(#serry-pattern%d)}\n", i, i);
    text_put(out, "</style>\n");
    put_patterns(out);
    text_printf(out,
                "<rect class=\"serry-canvas\" x=\"0.5\" y=\"0.5\" rx=\"10\" "
                "width=\"%d\" height=\"%d\"/>\n",
                width - 1, height - 1);
}

void svg_end(struct text *out)
{
    text_put(out, "</svg>\n");
}
