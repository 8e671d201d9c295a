/* SPDX-License-Identifier: Apache-2.0 */
/* What libyaml's parser refuses, in words that say what would be right. */
#include "proto/document_problem.h"

#include <string.h>

#include "base/text.h"
#include "proto/document_place.h"

#define NEEDS_QUOTES "an expression with such characters needs quotes"

const char problem_tag[] =
    "tags are not taken; quote a value that starts with !";
const char problem_anchor[] = "& and * would start an anchor or alias here, "
                              "and those are not taken; " NEEDS_QUOTES;

/* Where a message points. */
enum where {
    AT_PROBLEM,
    AT_START, /* of what was being read: an open quote, a tag */
};

/* By libyaml's words, the first row that fits; NULL fits all. The words behind
 * the parser's are its interface: it has no codes. */
/* clang-format off */
static const struct row {
    const char *context, *problem;
    enum where where;
    const char *sentence;
} rows[] = {
    { "a tag directive", NULL, AT_START, problem_tag },
    { "%TAG", NULL, AT_START, problem_tag },
    { "a tag", NULL, AT_START, problem_tag },
    { NULL, "undefined tag handle", AT_PROBLEM, problem_tag },
    { "an anchor", NULL, AT_START, problem_anchor },
    { "an alias", NULL, AT_START, problem_anchor },
    { "directive", NULL, AT_START,
      "not a directive that is known; only %YAML 1.1 and %YAML 1.2 are, quote "
      "a value that starts with %" },
    { NULL, "duplicate %YAML", AT_PROBLEM,
      "a second %YAML directive; a document has one at most" },
    { NULL, "incompatible YAML", AT_PROBLEM,
      "not a version of YAML that is known; write %YAML 1.2 or nothing" },
    { "quoted scalar", "unexpected end", AT_START,
      "the quote that opens here is never closed; close it, or put a value that "
      "contains quotes into single quotes" },
    { "quoted scalar", "document indicator", AT_START,
      "the quote that opens here is not closed before the document ends; close "
      "it" },
    { "quoted scalar", NULL, AT_PROBLEM,
      "not an escape of double quotes; write \\\\ for a backslash, or use single "
      "quotes" },
    { "block scalar", "tab", AT_PROBLEM,
      "a tab cannot indent; use spaces" },
    { "block scalar", "comment or line break", AT_START,
      "a value that starts with | or > is a block of lines below; quote it if "
      "it is an expression" },
    { "block scalar", NULL, AT_START,
      "not the start of a block of lines; write | or > alone, or quote the "
      "value" },
    { "plain scalar", "tab", AT_PROBLEM, "a tab cannot indent; use spaces" },
    { "plain scalar", NULL, AT_PROBLEM,
      "a ':' cannot stand here; " NEEDS_QUOTES },
    { "simple key", NULL, AT_START,
      "expected ':' after this key, on the same line; check the indentation, "
      "and quote a value of several lines" },
    { NULL, "mapping values are not", AT_PROBLEM,
      "a ':' cannot stand here; " NEEDS_QUOTES
      " ('a ? b : c'), a key stands on a line of its own" },
    { NULL, "mapping keys are not", AT_PROBLEM,
      "a '?' cannot stand here; " NEEDS_QUOTES },
    { NULL, "block sequence entries are not", AT_PROBLEM,
      "a list item cannot start here; put it on a line of its own, or quote the "
      "value" },
    { NULL, "expected ',' or ']'", AT_PROBLEM,
      "expected ',' or ']' in the list; " NEEDS_QUOTES },
    { NULL, "expected ',' or '}'", AT_PROBLEM,
      "expected ',' or '}' in the map; " NEEDS_QUOTES },
    { NULL, "expected key", AT_PROBLEM,
      "expected a key here; check the indentation, and quote the whole of a "
      "value, not a part of it" },
    { NULL, "expected '-'", AT_PROBLEM,
      "expected '-' for the next item here; check the indentation, and quote "
      "the whole of a value, not a part of it" },
    { NULL, "expected node content", AT_PROBLEM,
      "expected a value here; " NEEDS_QUOTES },
    { NULL, "<document start>", AT_PROBLEM,
      "the document has ended before this; check the indentation and the quotes, "
      "or separate documents with a line of ---" },
};
/* clang-format on */

static bool fits(const struct row *row, const yaml_parser_t *parser)
{
    const char *context = parser->context != NULL ? parser->context : "";

    return (row->context == NULL || strstr(context, row->context) != NULL) &&
           (row->problem == NULL ||
            strstr(parser->problem, row->problem) != NULL);
}

/* Whether the text ended before its brackets did. */
static bool is_unclosed(const struct source *source,
                        const yaml_parser_t *parser)
{
    struct cursor cursor = { 0, 0 };

    return parser->context != NULL && strstr(parser->context, "flow") != NULL &&
           place_byte(source, &cursor, &parser->problem_mark) == '\0';
}

/* The one failure whose sense hangs on the character it met. */
static int start_error(const struct source *source, const yaml_mark_t *mark,
                       char met, struct error *err)
{
    uint32_t line = (uint32_t)mark->line + 1,
             column = (uint32_t)mark->column + 1;

    if (met == '\t')
        return source_error(source, line, column, err,
                            "a tab cannot indent; use spaces");
    return source_error(source, line, column, err,
                        "a value cannot start with '%c'; quote it", met);
}

static int mark_error(const struct source *source, const yaml_mark_t *mark,
                      const char *sentence, struct error *err)
{
    return source_error(source, (uint32_t)mark->line + 1,
                        (uint32_t)mark->column + 1, err, "%s", sentence);
}

int problem_error(const struct source *source, const yaml_parser_t *parser,
                  struct error *err)
{
    if (parser->error == YAML_MEMORY_ERROR || parser->problem == NULL)
        return error_exhausted(err);
    if (parser->error == YAML_READER_ERROR) {
        uint32_t line, column;

        source_place(source, parser->problem_offset, &line, &column);
        return source_error(source, line, column, err, "%s", parser->problem);
    }
    if (strstr(parser->problem, "cannot start any token") != NULL)
        return start_error(source, &parser->problem_mark,
                           *(const char *)parser->buffer.pointer, err);
    if (is_unclosed(source, parser))
        return mark_error(
            source, &parser->context_mark,
            "a [ or { is never closed; close it, or quote a value "
            "that contains one",
            err);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool at_start = rows[i].where == AT_START && parser->context != NULL;

        if (fits(&rows[i], parser))
            return mark_error(source,
                              at_start ? &parser->context_mark
                                       : &parser->problem_mark,
                              rows[i].sentence, err);
    }
    return mark_error(source, &parser->problem_mark, parser->problem, err);
}
