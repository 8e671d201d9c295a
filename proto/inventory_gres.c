/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's generic resources of a node: which of them are devices. */
#include "proto/inventory_gres.h"

#include <string.h>

#include "placement/topology.h"

/* Cuts the next part off *text, up to a separator outside of parentheses. */
char *gres_next_part(char **text, char separator)
{
    char *part = *text;
    int depth = 0;

    if (part == NULL || *part == '\0')
        return NULL;
    for (char *c = part;; c++) {
        depth += *c == '(';
        depth -= *c == ')';
        if (*c == '\0' || (*c == separator && depth <= 0)) {
            *text = *c == '\0' ? NULL : c + 1;
            *c = '\0';
            return part;
        }
    }
}

/* ---- generic resources -------------------------------------------------- */

/* A count, which may end in K, M, ...: what is counted so is no device. */
static bool read_amount(char *text, uint32_t *ret)
{
    size_t n = strlen(text);
    char unit = '\0';
    bool read;

    if (n > 1 && strchr("KMGT", text[n - 1]) != NULL) {
        unit = text[n - 1];
        text[n - 1] = '\0';
    }
    read = read_count(text, ret);
    if (unit != '\0')
        text[n - 1] = unit;
    return read;
}

/* Whether a word is written as a count, though it may be too large for one. */
static bool is_amount(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 &&
           (text[digits] == '\0' ||
            (strchr("KMGT", text[digits]) != NULL && text[digits + 1] == '\0'));
}

/* "gpu:a100:4(S:0-1)", "gpu:4", "gpu". */
static int read_gres(struct importing *im, char *text, struct gres *ret)
{
    char *detail = strchr(text, '('), *parts[4];
    size_t n = 0;

    *ret = (struct gres){ .count = 1 };
    if (detail != NULL) {
        *detail++ = '\0';
        if (strncmp(detail, "S:", 2) == 0) {
            detail[strcspn(detail, ")")] = '\0';
            ret->sockets = detail + 2;
        }
    }
    while (n < ARRAY_LEN(parts) &&
           (parts[n] = gres_next_part(&text, ':')) != NULL)
        n++;
    if (n == 0)
        return line_error(im, "a generic resource has no name");
    if (n > 1 && is_amount(parts[n - 1])) {
        if (!read_amount(parts[n - 1], &ret->count)) {
            if (strcmp(parts[0], "gpu") == 0)
                return line_error(im, "a node does not have %.40s devices",
                                  parts[n - 1]);
            import_warn(im,
                        "the count of %.40s is not read: %.40s is too large",
                        parts[0], parts[n - 1]);
        }
        n--;
    }
    ret->name = parts[0];
    ret->type = n > 1 ? parts[n - 1] : NULL;
    return 0;
}

int gres_read(struct importing *im, char *text, struct gres *all, size_t *ret_n)
{
    char *part;

    *ret_n = 0;
    while ((part = gres_next_part(&text, ',')) != NULL) {
        if (*ret_n == GRES_MAX)
            return line_error(im, "a node has %d generic resources at most",
                              GRES_MAX);
        if (read_gres(im, part, &all[(*ret_n)++]) < 0)
            return -1;
    }
    return 0;
}

void gres_put(struct importing *im, struct tree *map, const struct gres *all,
              size_t n)
{
    struct tree *list = make_list(im->maker, map, "gres");

    for (size_t i = 0; i < n; i++) {
        struct tree *one = make_map(im->maker, list, NULL);

        make_string(im->maker, one, "name", all[i].name);
        put_text(im->maker, one, "type", all[i].type);
        make_int(im->maker, one, "count", all[i].count);
        put_text(im->maker, one, "sockets", all[i].sockets);
    }
}

/* Devices are counted; where their types are said, they are listed in the
 * order of the record. */
int gres_put_devices(struct importing *im, struct tree *host,
                     const struct gres *all, size_t n, uint32_t *ret_gpus)
{
    struct tree *list;
    uint64_t gpus = 0;
    bool typed = false;

    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, "gpu") == 0) {
            gpus += all[i].count;
            typed = typed || all[i].type != NULL;
        }
    if (gpus > HOST_DEVICES_MAX)
        return line_error(im, "a host has %d devices at most, not %llu",
                          HOST_DEVICES_MAX, (unsigned long long)gpus);
    *ret_gpus = (uint32_t)gpus;
    if (!typed) {
        make_int(im->maker, host, "devices", (int64_t)gpus);
        return 0;
    }
    list = make_list(im->maker, host, "devices");
    gpus = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0;
             strcmp(all[i].name, "gpu") == 0 && k < all[i].count; k++) {
            struct tree *device = make_map(im->maker, list, NULL);

            make_int(im->maker, device, "index", (int64_t)gpus++);
            if (all[i].type != NULL)
                make_string(im->maker, device, "model", all[i].type);
        }
    return 0;
}
