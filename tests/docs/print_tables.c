/* SPDX-License-Identifier: Apache-2.0 */
/* Prints tables of the documentation as Markdown: members and checks of
 * docs/runtimes.md, troubles of docs/faults.md. */
#include <stdio.h>
#include <string.h>

#include "placement/items.h"
#include "placement/structure.h"
#include "proto/trouble.h"

/* Text of the fault table: {word} in italics, without what is only added when
 * a near name was found. */
static void put_reason(const char *reason)
{
    for (const char *c = reason; *c != '\0'; c++) {
        if (strncmp(c, "{near}", 6) == 0)
            c += 5;
        else if (*c == '{' || *c == '}')
            putchar('*');
        else
            putchar(*c);
    }
}

static void print_members(void)
{
    struct text text = { 0 };

    puts("| list | member | type | meaning |\n|---|---|---|---|");
    items_print(&text);
    fputs(text_string(&text), stdout);
    text_close(&text);
}

static void print_checks(void)
{
    puts("| check | word | code | effect | what is wrong |\n"
         "|---|---|---|---|---|");
    for (int s = 0; s < STRUCTURE_COUNT; s++)
        for (int f = 0; f < FAULT_COUNT; f++) {
            const struct fault_row *row = &fault_rows[f];

            if ((int)row->check != s)
                continue;
            printf("| `%s`%s | `%s` | `%s` | %s | ", structure_name(s),
                   structure_runs_first(s) ? " (always)" : "", row->word,
                   row->code, row->warns ? "warns" : "refuses");
            put_reason(row->reason);
            puts(" |");
        }
}

static void print_troubles(void)
{
    puts("| code | weight | what is wrong | the next step |\n"
         "|---|---|---|---|");
    for (int t = 0; t < TROUBLE_COUNT; t++) {
        const struct trouble_row *row = &trouble_rows[t];

        printf("| `%s` | %s | %s | %s |\n", row->code,
               trouble_weight_name(row->weight), row->means, row->next);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "members") == 0)
        print_members();
    else if (argc == 2 && strcmp(argv[1], "checks") == 0)
        print_checks();
    else if (argc == 2 && strcmp(argv[1], "troubles") == 0)
        print_troubles();
    else
        return fprintf(stderr, "usage: print_tables members|checks|troubles\n"),
               64;
    return 0;
}
