/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that were declared, in memory, in step with the store. */
#include "daemon/inventory.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/inventory_parts.h"
#include "proto/serried.pb-c.h"

struct inventory *inventory_new(struct daemon *daemon)
{
    struct inventory *inventory = calloc(1, sizeof(*inventory));

    if (inventory != NULL)
        inventory->daemon = daemon;
    return inventory;
}

static void host_free(void *thing)
{
    struct inventory_host *host = thing;

    free((char *)host->name);
    free(host->why);
    free(host->who);
    free(host->document);
    free(host->claims);
    free(host->entry);
    free(host);
}

void inventory_free(struct inventory *inventory)
{
    if (inventory == NULL)
        return;
    inventory_forget(inventory);
    index_clear(&inventory->hosts, host_free);
    free(inventory);
}

/* ---- asking -------------------------------------------------------------- */

uint32_t inventory_count(const struct inventory *inventory)
{
    return inventory->n_declared;
}

uint32_t inventory_next_index(const struct inventory *inventory)
{
    return inventory->next_index;
}

struct names {
    const char **names;
    size_t n;
};

static void add_name(void *thing, void *arg)
{
    const struct inventory_host *host = thing;
    struct names *names = arg;

    if (host->declared)
        names->names[names->n++] = host->name;
}

struct inventory_host *inventory_find(const struct inventory *inventory,
                                      const char *name, struct error *err)
{
    struct inventory_host *host = index_find(&inventory->hosts, name);
    struct names names = { 0 };
    const char *nearest = NULL;

    if (host != NULL && host->declared)
        return host;
    if (err == NULL) /* nobody reads what would be said */
        return NULL;
    /* a typing mistake deserves help, a scan of very many names does not pay */
    if (inventory->hosts.count <= 4096)
        names.names = calloc(inventory->hosts.count + 1, sizeof(*names.names));
    if (names.names != NULL) {
        index_walk(&inventory->hosts, add_name, &names);
        nearest = text_nearest(name, names.names, names.n);
    }
    error_set(err, STATUS_UNKNOWN_NAME, "no host is called %.253s%s%s", name,
              nearest != NULL ? "; the nearest name is " : "",
              nearest != NULL ? nearest : "");
    free(names.names);
    return NULL;
}

struct inventory_host *inventory_intern(struct inventory *inventory,
                                        const char *name)
{
    struct inventory_host *host = index_find(&inventory->hosts, name);

    if (host != NULL)
        return host;
    host = calloc(1, sizeof(*host));
    if (host == NULL)
        return NULL;
    host->number = HOST_NONE;
    host->name = strdup(name);
    host->why = strdup("");
    host->who = strdup("");
    host->document = strdup("");
    if (host->name != NULL && host->why != NULL && host->who != NULL &&
        host->document != NULL && index_add(&inventory->hosts, host) == 0)
        return host;
    host_free(host);
    return NULL;
}

int inventory_state_named(const char *word)
{
    for (int state = 0; state < HOST_STATE_COUNT; state++)
        if (word != NULL &&
            strcmp(host_state_name((enum host_state)state), word) == 0)
            return state;
    return -1;
}

/* ---- following ----------------------------------------------------------- */

static bool replace(char **text, const char *by)
{
    char *copy = strdup(by != NULL ? by : "");

    if (copy == NULL)
        return false;
    free(*text);
    *text = copy;
    return true;
}

static void log_unreadable(const struct inventory *inventory, const char *name,
                           const char *reason)
{
    log_line(daemon_log(inventory->daemon), LOG_LEVEL_ERROR,
             "host unreadable name=%s reason=%s", name, reason);
}

static bool take_record(struct inventory *inventory,
                        struct inventory_host *host,
                        const Serried__V1__HostRecord *record)
{
    struct error err;
    int state = inventory_state_named(record->state);
    bool same = host->declared && host->index == record->index &&
                record->document != NULL &&
                strcmp(host->document, record->document) == 0;

    if (state < 0 || record->document == NULL)
        return false;
    if (!replace(&host->document, record->document) ||
        !replace(&host->why, record->why) || !replace(&host->who, record->who))
        return false;
    host->state = (enum host_state)state;
    host->since_ms = record->since_ms;
    host->index = record->index;
    inventory->n_declared += !host->declared;
    host->declared = true;
    if (host->index >= inventory->next_index)
        inventory->next_index = host->index + 1;
    if (same)
        inventory_restate(inventory, host);
    else if (inventory_take_entry(inventory, host, &err) < 0)
        log_unreadable(inventory, host->name, err.text);
    return true;
}

/* What is said of it is forgotten; the host stays for placements' records. */
static void undeclare(void *thing, void *arg)
{
    struct inventory_host *host = thing;
    struct inventory *inventory = arg;

    inventory_drop_entry(inventory, host);
    inventory->n_declared -= host->declared;
    host->declared = false;
    host->rev = 0;
    replace(&host->document, "");
    replace(&host->why, "");
    replace(&host->who, "");
}

void inventory_follow(struct inventory *inventory,
                      const struct store_record *record)
{
    Serried__V1__HostRecord *message = NULL;
    struct inventory_host *host = inventory_intern(inventory, record->id);

    if (record->gone) {
        if (host != NULL)
            undeclare(host, inventory);
        return;
    }
    message = serried__v1__host_record__unpack(NULL, record->len, record->body);
    if (host == NULL || message == NULL ||
        !take_record(inventory, host, message))
        log_unreadable(inventory, record->id, "its record makes no sense");
    else
        host->rev = record->rev;
    if (message != NULL)
        serried__v1__host_record__free_unpacked(message, NULL);
}

/* Placements that are left may point to hosts, so that these stay. */
void inventory_forget(struct inventory *inventory)
{
    if (inventory == NULL)
        return;
    index_walk(&inventory->hosts, undeclare, inventory);
    inventory->next_index = 0;
    inventory_drop_topology(inventory);
}

uint32_t inventory_undeclared(const struct inventory *inventory)
{
    return (uint32_t)inventory->hosts.count - inventory->n_declared;
}

struct sweeping {
    struct inventory_host **hosts; /* to go */
    size_t n;
};

static void look_at(void *thing, void *arg)
{
    struct inventory_host *host = thing;
    struct sweeping *sweeping = arg;

    if (!host->declared && host->mark == 0 && sweeping->hosts != NULL)
        sweeping->hosts[sweeping->n++] = host;
    host->mark = 0;
}

/* Without memory for the list all stay until the next time, and as long as a
 * cluster that is held may borrow their names. */
void inventory_sweep(struct inventory *inventory)
{
    struct sweeping sweeping = { 0 };

    sweeping.hosts =
        calloc(inventory->hosts.count + 1, sizeof(*sweeping.hosts));
    index_walk(&inventory->hosts, look_at, &sweeping);
    for (size_t i = 0; i < sweeping.n && inventory->retired == NULL; i++) {
        index_remove(&inventory->hosts, sweeping.hosts[i]);
        host_free(sweeping.hosts[i]);
    }
    free(sweeping.hosts);
}

/* ---- writing ------------------------------------------------------------- */

uint8_t *inventory_record(const struct inventory_host *host, size_t *ret_len)
{
    Serried__V1__HostRecord record = SERRIED__V1__HOST_RECORD__INIT;
    uint8_t *packed;

    record.document = host->document;
    record.has_index = record.has_since_ms = true;
    record.index = host->index;
    record.state = (char *)host_state_name(host->state);
    record.why = host->why;
    record.who = host->who;
    record.since_ms = host->since_ms;
    *ret_len = serried__v1__host_record__get_packed_size(&record);
    packed = malloc(*ret_len + 1);
    if (packed != NULL)
        serried__v1__host_record__pack(&record, packed);
    return packed;
}
