/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the devices that a launcher shows go with those of the placement:
 * CUDA_VISIBLE_DEVICES as this worker was started with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/exec.h"

enum { MASK_DEVICES_MAX = 256, MASK_BYTES_MAX = 16384 };

/* What a mask names, in its order. */
struct mask {
    char text[MASK_BYTES_MAX]; /* cut into names */
    const char *names[MASK_DEVICES_MAX];
    size_t n;
};

/* false: there is none, or it is too long to be judged. */
static bool mask_read(const char *value, struct mask *ret)
{
    char *rest = ret->text, *word;

    ret->n = 0;
    if (value == NULL || value[0] == '\0' || strlen(value) >= MASK_BYTES_MAX)
        return false;
    strcpy(ret->text, value);
    while ((word = strsep(&rest, ",")) != NULL) {
        size_t len;

        word += strspn(word, " \t");
        len = strcspn(word, " \t");
        word[len] = '\0';
        if (len == 0)
            continue;
        if (ret->n == MASK_DEVICES_MAX)
            return false;
        ret->names[ret->n++] = word;
    }
    return ret->n > 0;
}

static bool is_index(const char *name)
{
    size_t n = strspn(name, "0123456789");

    return n > 0 && n < 10 && name[n] == '\0';
}

/* Whether all are indexes; else they are UUIDs, or mixed. */
static bool are_indexes(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_index(names[i]))
            return false;
    return true;
}

static bool is_ascending(const char *const *names, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (atoi(names[i - 1]) > atoi(names[i]))
            return false;
    return true;
}

/* A UUID may be written by its beginning. */
static bool is_same(const char *shown, const char *device)
{
    if (is_index(shown) || is_index(device))
        return is_index(shown) && is_index(device) &&
               atoi(shown) == atoi(device);
    return strncmp(shown, device, strlen(shown)) == 0;
}

/* Where a mask has a device; n: nowhere. */
static size_t find(const struct mask *mask, const char *device)
{
    size_t i = 0;

    while (i < mask->n && !is_same(mask->names[i], device))
        i++;
    return i;
}

static void warn(const char *code, const char *reason)
{
    output_complainf("warning: %s: %s", code, reason);
}

/* The mask stays as it is: programs take its devices by their local rank. */
static void check_alone(const char *value, const struct mask *mask)
{
    struct text reason = { 0 };

    if (!are_indexes(mask->names, mask->n) ||
        is_ascending(mask->names, mask->n))
        return;
    text_printf(&reason,
                "CUDA_VISIBLE_DEVICES is %.200s, which is not the order of the "
                "devices, so local rank 0 takes device %s; write it ascending, "
                "or number the ranks so",
                value, mask->names[0]);
    warn("device.mask_permuted", text_string(&reason));
    text_close(&reason);
}

static void put_devices(const struct serry_binding *binding, struct text *out)
{
    for (size_t i = 0; i < binding->n_local_devices; i++)
        text_printf(out, "%s%s", i > 0 ? "," : "", binding->local_devices[i]);
}

static void tell(const char *code, const char *value, const char *what,
                 const struct serry_binding *binding)
{
    struct text reason = { 0 };

    text_printf(&reason, "CUDA_VISIBLE_DEVICES was %.200s %s; it is set to ",
                value, what);
    put_devices(binding, &reason);
    warn(code, text_string(&reason));
    text_close(&reason);
}

static void check_bound(const char *value, const struct mask *mask,
                        const struct serry_binding *binding)
{
    const char *const *devices = binding->local_devices;
    char what[256];
    size_t last = 0;

    if (are_indexes(mask->names, mask->n) !=
        are_indexes(devices, binding->n_local_devices))
        return; /* which of them are the same is not known here */
    for (size_t i = 0; i < binding->n_local_devices; i++) {
        size_t at = find(mask, devices[i]);

        if (at == mask->n) {
            snprintf(what, sizeof(what),
                     "and does not have %.64s, which the placement has on "
                     "%.64s: a program will not find it if the launcher hides "
                     "it",
                     devices[i], binding->host);
            tell("device.mask_hides", value, what, binding);
            return;
        }
        if (at < last) {
            tell("device.mask_permuted", value,
                 "and has the placement's devices in another order than that "
                 "of its ranks",
                 binding);
            return;
        }
        last = at;
    }
}

/* By local rank the devices are not in their own order: once for a host. */
static void check_order(const struct serry_binding *binding)
{
    struct text reason = { 0 };

    if (binding->local_rank != 0 ||
        !are_indexes(binding->local_devices, binding->n_local_devices) ||
        is_ascending(binding->local_devices, binding->n_local_devices))
        return;
    text_printf(&reason, "the ranks on %.64s have the devices ", binding->host);
    put_devices(binding, &reason);
    text_put(&reason, ", which is not the order of the devices; release the "
                      "placement and place it, if that matters");
    warn("device.order", text_string(&reason));
    text_close(&reason);
}

void worker_check_mask(const struct worker *worker)
{
    const struct serry_binding *binding =
        serry_assignment_binding(worker->assignment);
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    bool bound = binding != NULL && binding->n_local_devices > 0;
    struct mask mask;

    if (bound)
        check_order(binding);
    if (!mask_read(value, &mask))
        return;
    if (bound)
        check_bound(value, &mask, binding);
    else
        check_alone(value, &mask);
}
