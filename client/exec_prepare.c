/* SPDX-License-Identifier: Apache-2.0 */
/* What the program of a worker finds: a file, and its environment. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/assignment_show.h"
#include "client/exec.h"
#include "proto/document.h"

enum { NUMBER_BYTES = sizeof("4294967295") };

/* ---- the file ------------------------------------------------------------ */

static void make_boot(struct tree_maker *maker, struct tree *map,
                      const struct worker *w)
{
    struct tree *boot = make_map(maker, map, "boot");

    make_int(maker, boot, "incarnation", (int64_t)w->incarnation);
    make_string(maker, boot, "address", w->address);
    make_string(maker, boot, "master_address", w->boot->master_address);
    make_int(maker, boot, "master_port", w->boot->master_port);
    make_string(maker, boot, "store_prefix", w->boot->store_prefix);
    make_int(maker, boot, "world", w->boot->world);
    assignment_make_ports(maker, boot, w->boot->ports, w->boot->n_ports);
}

/* What serry assignment prints, how the boot ended, and the message itself,
 * from which libserry expands every group. */
static int make_document(struct worker *w, struct text *out, struct error *err)
{
    struct tree_maker maker = { .arena = w->live->v->arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    const void *bytes;
    size_t len;

    if (assignment_fill(w->live, &maker, map, w->assignment, err) < 0)
        return -1;
    make_boot(&maker, map, w);
    bytes = serry_assignment_bytes(w->assignment, &len);
    live_make_hex(&maker, map, "message", bytes, len);
    if (maker.failed || document_write_json(map, true, out) < 0)
        return error_exhausted(err);
    text_put(out, "\n");
    return out->failed ? error_exhausted(err) : 0;
}

static int refuse_file(const char *name, struct error *err)
{
    return error_set(err, STATUS_INTERNAL,
                     "%s: the file of the assignment cannot be written: %s; "
                     "TMPDIR names another folder",
                     name, strerror(errno));
}

static int write_all(int fd, const struct text *text)
{
    for (size_t at = 0; at < text->len;) {
        ssize_t n = write(fd, text->data + at, text->len - at);

        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int write_file(struct worker *w, const struct text *text,
                      struct error *err)
{
    static const char suffix[] = ".json";
    const char *folder = getenv("TMPDIR");
    char name[sizeof(w->file)];
    int fd, rc;

    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    if ((size_t)snprintf(name, sizeof(name), "%s/serry-XXXXXX%s", folder,
                         suffix) >= sizeof(name))
        return error_set(err, STATUS_INVALID, "TMPDIR is too long a name");
    fd = mkstemps(name, (int)strlen(suffix));
    if (fd < 0)
        return refuse_file(name, err);
    memcpy(w->file, name, sizeof(name));
    rc = write_all(fd, text);
    if (close(fd) < 0 || rc < 0)
        return refuse_file(name, err);
    return 0;
}

/* ---- the environment ----------------------------------------------------- */

static int set(const char *name, const char *value, struct error *err)
{
    return setenv(name, value, 1) == 0 ? 0 : error_exhausted(err);
}

static int set_number(const char *name, uint32_t value, struct error *err)
{
    char text[NUMBER_BYTES];

    snprintf(text, sizeof(text), "%" PRIu32, value);
    return set(name, text, err);
}

/* Programs take the device with the number of their local rank, so all devices
 * of the placement on this host are shown, in that order. */
static int set_devices(const struct serry_binding *binding, struct error *err)
{
    struct text list = { 0 };
    int rc = 0;

    for (size_t i = 0; i < binding->n_local_devices; i++)
        text_printf(&list, "%s%s", i > 0 ? "," : "", binding->local_devices[i]);
    if (list.failed)
        rc = error_exhausted(err);
    else if (binding->n_local_devices > 0)
        rc = set("CUDA_VISIBLE_DEVICES", text_string(&list), err);
    text_close(&list);
    return rc;
}

/* Workers that are bound to no devices are on one host, as far as is known. */
static int set_place(const struct worker *w, struct error *err)
{
    const struct serry_binding *binding =
        serry_assignment_binding(w->assignment);
    const struct serry_binding one_host = {
        .local_rank = w->rank,
        .local_world_size = serry_assignment_world(w->assignment),
    };

    if (binding == NULL)
        binding = &one_host;
    if (set_number("LOCAL_RANK", binding->local_rank, err) < 0 ||
        set_number("LOCAL_WORLD_SIZE", binding->local_world_size, err) < 0 ||
        set_number("GROUP_RANK", binding->group_rank, err) < 0)
        return -1;
    return set_devices(binding, err);
}

static int set_environment(const struct worker *w, struct error *err)
{
    worker_check_mask(w);
    /* Set by torchrun: its own process would hold the store at MASTER_PORT. */
    unsetenv("TORCHELASTIC_USE_AGENT_STORE");
    if (set_number("RANK", w->rank, err) < 0 ||
        set_number("WORLD_SIZE", serry_assignment_world(w->assignment), err) <
            0 ||
        set_place(w, err) < 0 || worker_set_ports(w, err) < 0 ||
        set("MASTER_ADDR", w->boot->master_address, err) < 0 ||
        set("SERRY_ASSIGNMENT", w->file, err) < 0 ||
        set("SERRY_ADDRESS", serry_address(w->live->client), err) < 0)
        return -1;
    return w->boot->master_port == 0
               ? 0
               : set_number("MASTER_PORT", w->boot->master_port, err);
}

int worker_prepare(struct worker *w, struct error *err)
{
    struct text text = { 0 };
    int rc = make_document(w, &text, err);

    if (rc == 0)
        rc = write_file(w, &text, err);
    text_close(&text);
    return rc == 0 ? set_environment(w, err) : -1;
}

void worker_close(struct worker *w)
{
    if (w->file[0] != '\0')
        unlink(w->file);
    serry_free(w->boot);
    serry_free(w->assignment);
}
