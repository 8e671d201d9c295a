/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts: order, and numbers for equal ones. */
#include "placement/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares the numbers at *a and *b, which it moves behind them. */
static int compare_numbers(const char **a, const char **b)
{
    size_t n, m;
    int order;

    while (**a == '0')
        (*a)++;
    while (**b == '0')
        (*b)++;
    for (n = 0; is_digit((*a)[n]);)
        n++;
    for (m = 0; is_digit((*b)[m]);)
        m++;
    order = n != m ? (n < m ? -1 : 1) : memcmp(*a, *b, n);
    *a += n;
    *b += m;
    return order;
}

int name_compare(const char *a, const char *b)
{
    const char *x = a, *y = b;

    while (*x != '\0' && *y != '\0') {
        int order;

        if (is_digit(*x) && is_digit(*y)) {
            order = compare_numbers(&x, &y);
        } else {
            order = (unsigned char)*x - (unsigned char)*y;
            x++;
            y++;
        }
        if (order != 0)
            return order;
    }
    if (*x != *y)
        return *x == '\0' ? -1 : 1;
    return strcmp(a, b); /* n01 and n1 differ */
}

bool name_is_host(const char *text)
{
    size_t n = strlen(text);

    if (n == 0 || n > HOST_NAME_BYTES_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x80 && !isalnum(c) && strchr("._-:", c) == NULL)
            return false;
    }
    return true;
}

/* ---- numbers for names -------------------------------------------------- */

struct sorted_use {
    const char *name;
    uint32_t at;
};

static int compare_uses(const void *va, const void *vb)
{
    const struct sorted_use *a = va, *b = vb;
    int order = strcmp(a->name, b->name);

    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* Whether the use before has the same name: neighbours mostly do where many
 * have one, and need not be sorted. */
static bool is_run(const struct name_use *uses, size_t i)
{
    return i > 0 && uses[i - 1].name != NULL &&
           strcmp(uses[i].name, uses[i - 1].name) == 0;
}

int names_number(struct arena *arena, struct name_use *uses, size_t n,
                 const char *const **ret_names, size_t *ret_n,
                 struct error *err)
{
    struct sorted_use *sorted = arena_array(arena, n, sizeof(*sorted));
    const char **names = arena_array(arena, n, sizeof(*names));
    size_t m = 0, count = 0;

    if (sorted == NULL || names == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++)
        if (uses[i].name == NULL)
            uses[i].id = uses[i].first = NAME_NONE;
        else if (!is_run(uses, i))
            sorted[m++] = (struct sorted_use){ uses[i].name, (uint32_t)i };
    qsort(sorted, m, sizeof(*sorted), compare_uses);
    for (size_t k = 0; k < m; k++) {
        bool again = k > 0 && strcmp(sorted[k].name, sorted[k - 1].name) == 0;

        uses[sorted[k].at].first =
            again ? uses[sorted[k - 1].at].first : sorted[k].at;
    }
    for (size_t i = 0; i < n; i++) {
        if (uses[i].name == NULL)
            continue;
        if (is_run(uses, i))
            uses[i].first = uses[i - 1].first;
        if (uses[i].first == i) {
            uses[i].id = (uint32_t)count;
            names[count++] = uses[i].name;
        }
        uses[i].id = uses[uses[i].first].id;
    }
    *ret_names = names;
    *ret_n = count;
    return 0;
}
