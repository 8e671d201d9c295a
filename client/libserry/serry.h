/* SPDX-License-Identifier: Apache-2.0 */
/* libserry: ask the daemon serried for placements, and be a worker of one. */
#ifndef SERRY_H
#define SERRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rules that hold for all of it ----------------------------------------
 *
 * Results   Functions returning int give 0, or -1 with err filled; on failure
 *           no ret_ argument is touched. Where a result is handed out, it is
 *           one block that the caller frees with serry_free(); all that it
 *           points to lives as long as it does. Strings end in a NUL, are
 *           UTF-8, and are never NULL: "" where the daemon said nothing, unless
 *           a comment says NULL.
 * Threads   A client is used by one thread at a time: a call on it while
 *           another call is in flight is refused (SERRY_INVALID). Several
 *           clients may be used by several threads at once. Results do not
 *           change and may be read by several threads at once.
 * fork      A client does not survive fork(): the child gets SERRY_INVALID from
 *           every call on it. Close all clients before fork(), or open the
 *           first one in the child: a child of a process that had clients
 *           open cannot open its own until it calls exec().
 * Signals   Calls go on after a signal handler returns.
 * Limits    At most 512 clients of a process are connected at a time; each
 *           holds 3 descriptors. A request has at most 1 MiB less 64 bytes, an
 *           answer at most 16 MiB.
 * Growth    Structs that the library hands out may grow at their end in later
 *           versions; do not copy or embed them. */

/* ---- errors ---------------------------------------------------------------
 */

/* gRPC's numbers. Those marked * are tried again by the library, within the
 * call's deadline, before they are returned. */
enum serry_status {
    SERRY_OK = 0,
    SERRY_INVALID = 3,        /* malformed, or used against the rules above */
    SERRY_DEADLINE = 4,       /* no answer in time */
    SERRY_UNKNOWN_NAME = 5,   /* the text names the nearest known one */
    SERRY_ALREADY_EXISTS = 6, /* the key was used with another request */
    SERRY_DENIED = 7,
    SERRY_EXHAUSTED = 8,      /* * no capacity, or a limit, or no memory */
    SERRY_REFUSED = 9,        /* by rules: see findings_json */
    SERRY_LOST = 10,          /* * somebody else changed it first */
    SERRY_UNIMPLEMENTED = 12, /* the daemon is older than this library */
    SERRY_INTERNAL = 13,      /* a bug, or an answer that makes no sense */
    SERRY_UNAVAILABLE = 14    /* * no daemon there, or it is stopping */
};

/* Start from SERRY_ERROR_INIT; use it for any number of calls; end with
 * serry_error_clear(). Every err argument may be NULL. */
struct serry_error {
    int status;          /* enum serry_status; numbers not listed may come */
    char text[512];      /* one sentence without a full stop, for the user */
    char *findings_json; /* why rules refused, as serry check -o json prints;
                            NULL: no such detail. Owned by the error */
};

/* clang-format off */
#define SERRY_ERROR_INIT { SERRY_OK, "", NULL }
/* clang-format on */

/* Empty again; frees the findings. */
void serry_error_clear(struct serry_error *err);

/* "FAILED_PRECONDITION"; "UNKNOWN" for a number that is not listed. Constant.
 */
const char *serry_status_name(int status);

/* What serry(1) exits with when this status ends it. */
int serry_status_exit_code(int status);

/* Frees any result of this library. NULL is allowed. */
void serry_free(void *result);

/* "0.1.0": of the library in use. Constant. */
const char *serry_version(void);

/* ---- clients --------------------------------------------------------------
 */

struct serry_client;

/* Makes a client of the daemon at an address: "ipc:///PATH", a plain "/PATH",
 * or "tcp://HOST:PORT" ("tcp://[ADDRESS]:PORT" for IPv6). NULL: what
 * $SERRY_ADDRESS says; else /run/serried/serried.sock, for root, or
 * $XDG_RUNTIME_DIR/serried.sock, for others. Does not connect: the first call
 * does. Close it with serry_close().
 *   SERRY_INVALID    the address cannot be read, or a path is over 107 bytes;
 *                    the file of $SERRY_TOKEN_FILE cannot be read
 *   SERRY_EXHAUSTED  no memory */
int serry_open(const char *address, struct serry_client **ret_client,
               struct serry_error *err);

/* Gives up what is in flight and frees the client. NULL is allowed. In a child
 * made by fork() it only frees the memory. */
void serry_close(struct serry_client *client);

/* The address in full, "ipc:///run/serried/serried.sock". Owned by client. */
const char *serry_address(const struct serry_client *client);

/* Tells the daemon who calls, in every later call; needed over tcp. NULL: no
 * token. At first: the first line of the file that $SERRY_TOKEN_FILE names.
 *   SERRY_INVALID    empty, over 500 bytes, or not printable ASCII
 *   SERRY_EXHAUSTED  no memory */
int serry_set_token(struct serry_client *client, const char *token,
                    struct serry_error *err);

/* How long each of the later calls may take, retries included, in
 * milliseconds, 1 to 3,600,000; out of that range it is cut to it. At first:
 * 10,000. The one thing outside is the system's own search for a host name. */
void serry_set_deadline(struct serry_client *client, uint32_t deadline_ms);

/* Waits until the daemon answers: for a worker that boots beside it. (Other
 * calls fail with SERRY_UNAVAILABLE when nothing listens for half a second and
 * this client never reached the daemon before; a client that did reach it waits
 * for it to come back, within the deadline.) A daemon that refuses to say how
 * it is, as it does to workers by token, has answered. wait_ms  at most so long
 *   SERRY_UNAVAILABLE, SERRY_DEADLINE  it did not; others as of any call */
int serry_wait(struct serry_client *client, uint32_t wait_ms,
               struct serry_error *err);

struct serry_reply {
    const void *data; /* the method's reply message */
    size_t len;
};

/* Calls any method by name, "/serried.v1.Placement/Check", with a packed
 * request message. Waits, and tries again with growing random pauses while
 * the daemon answers one of the statuses marked *: SERRY_UNAVAILABLE until the
 * deadline, the others three times. A resent request may be carried out
 * twice, so a write must carry an idempotency key of its own.
 *   deadline_ms  for this call; 0: the client's
 * Fails with the status that the daemon answered, or
 *   SERRY_INVALID      the client is in a call, or was inherited by fork()
 *   SERRY_EXHAUSTED    the request is too long, or out of memory or descriptors
 *   SERRY_UNAVAILABLE  nothing listens at the address
 *   SERRY_DEADLINE     no answer in time: it may still have been carried out
 *   SERRY_INTERNAL     the answer cannot be read */
int serry_call(struct serry_client *client, const char *method,
               const void *request, size_t len, uint32_t deadline_ms,
               struct serry_reply **ret_reply, struct serry_error *err);

/* ---- what requests are made of --------------------------------------------
 */

/* A fencing token: compare epoch first. Rises with every change of its
 * placement and is never used twice. */
struct serry_generation {
    uint64_t epoch, revision;
};

/* Less than, equal to, greater than 0, as a is older, the same, newer. */
int serry_generation_compare(const struct serry_generation *a,
                             const struct serry_generation *b);

/* A document as it was written. Borrowed during the call. */
struct serry_document {
    const char *text;   /* YAML or JSON */
    const char *source; /* its file, for messages; NULL: none */
    uint32_t line;      /* of its first line in that file, from 1; 0: unknown */
};

/* What else a write may carry; NULL where it is asked for: nothing. */
struct serry_write {
    /* Of what the write replaces: another one in force is SERRY_LOST, at once.
     * Revision 0: it must not exist yet. NULL: any. Apply looks at the
     * revision alone. */
    const struct serry_generation *expected;
    /* The same key makes a write that was already done be answered and not
     * repeated, from another process too. NULL: a new random one, the same over
     * all retries of this call. At most 128 bytes. */
    const char *idempotency_key;
};

/* ---- models and runtimes --------------------------------------------------
 */

struct serry_declaration {
    const char *kind; /* "model", "runtime" */
    const char *name;
    uint64_t revision; /* 0: shipped with the daemon */
    const char *hash;  /* SHA-256 of the text, in hex */
    const char *text;  /* NULL in lists and from serry_apply() */
    bool changed;      /* by the serry_apply() that returned this */
};

struct serry_declarations {
    size_t count;
    const struct serry_declaration *const *items;
};

/* Declares a model or a runtime. SERRY_INVALID: the document has a fault. */
int serry_apply(struct serry_client *client,
                const struct serry_document *document,
                const struct serry_write *write,
                struct serry_declaration **ret_declaration,
                struct serry_error *err);

/* kind: "model" or "runtime". SERRY_UNKNOWN_NAME: there is none. */
int serry_get_declaration(struct serry_client *client, const char *kind,
                          const char *name,
                          struct serry_declaration **ret_declaration,
                          struct serry_error *err);

/* All of a kind, as above, without their texts. */
int serry_list_declarations(struct serry_client *client, const char *kind,
                            struct serry_declarations **ret_declarations,
                            struct serry_error *err);

/* ---- hosts ----------------------------------------------------------------
 */

struct serry_host {
    const char *name;
    uint32_t index;    /* place in the inventory */
    const char *state; /* "ready", "cordoned", "drained", "down" */
    const char *why, *who;
    int64_t since_ms;
    const char *machine_id; /* as declared, else as its workers said; "" */
    const char *boot_id;    /* as they said; "": not known */
    int64_t seen_ms;    /* the last sign of a worker there; 0: none, since the
                           daemon started */
    bool devices_known; /* false: nobody said how many it has */
    uint32_t devices, free;
    const char *domain; /* NVLink domains of its devices; "" */
    const char *rack;
    uint64_t revision;
    size_t n_placements;
    const char *const *placements; /* that have devices there: the first 32 */
    const char *document;          /* JSON of its entry; NULL in lists of all */
    size_t all_placements;         /* so many have devices there */
};

struct serry_hosts {
    size_t count;
    const struct serry_host *const *items;
};

struct serry_applied_hosts {
    size_t count;
    const char *const *names;
    const bool *changed; /* of each */
};

/* Declares hosts, at most 100 in one call.
 *   first_index  place in the inventory of the first; -1: hosts that are new go
 *                to the end, others stay where they are
 *   SERRY_INVALID  the document has a fault
 *   SERRY_REFUSED  a device is another host's, or one that a placement holds
 *                  would be gone */
int serry_apply_hosts(struct serry_client *client,
                      const struct serry_document *document,
                      int64_t first_index, const struct serry_write *write,
                      struct serry_applied_hosts **ret_applied,
                      struct serry_error *err);

/* All of them, in the order of the inventory, or those of n_names names; asked
 * for in pages, each of which has the client's deadline. Hosts that are
 * declared or removed meanwhile may be among them or not.
 *   SERRY_UNKNOWN_NAME  there is no such host */
int serry_list_hosts(struct serry_client *client, const char *const *names,
                     size_t n_names, struct serry_hosts **ret_hosts,
                     struct serry_error *err);

/* Gives hosts a state, at most 100 in one call; placements of a result are
 * those that have to move, where the state says so.
 *   why  NULL: nothing
 *   SERRY_UNKNOWN_NAME  there is no such host */
int serry_set_host_state(struct serry_client *client, const char *const *names,
                         size_t n_names, const char *state, const char *why,
                         const struct serry_write *write,
                         struct serry_hosts **ret_hosts,
                         struct serry_error *err);

/* Takes hosts out of the inventory, all or none, at most 100 in one call.
 *   SERRY_UNKNOWN_NAME  there is no such host
 *   SERRY_REFUSED       a placement has devices there; it is named */
int serry_remove_hosts(struct serry_client *client, const char *const *names,
                       size_t n_names, const struct serry_write *write,
                       struct serry_error *err);

/* ---- placements -----------------------------------------------------------
 */

/* What a check says beside the verdict. NULL where it is asked for: nothing. */
struct serry_wanted {
    const char *const *lists; /* n_lists names, "attn.a+b" */
    size_t n_lists;
    bool all_lists; /* every axis of every view, and the declared groups */
    bool views;     /* the axes of every view, outermost first */
    bool per_rank;
    bool creation;        /* the creation sequence */
    const uint32_t *rank; /* what this rank would get; NULL: nothing */
    bool bind;  /* the devices it would be placed on; of serry_check() only */
    bool evict; /* with bind, where there is no room now: the fewest placements
                   whose release would make some */
    const char *up_to; /* the layer behind which no rule is judged; NULL: all
                          are; of serry_check() only, and not with bind */
};

struct serry_verdict {
    bool accepts;
    bool unchecked;   /* some rule could not be judged */
    const char *json; /* the object that serry check -o json prints */
};

/* Judges a deployment; nothing changes. What rules refuse is a verdict, not an
 * error. */
int serry_check(struct serry_client *client,
                const struct serry_document *document,
                const struct serry_wanted *wanted,
                struct serry_verdict **ret_verdict, struct serry_error *err);

enum { SERRY_DIGEST_BYTES = 32, SERRY_DIGEST_SHORT_BYTES = 8 };

struct serry_placed {
    const char *name;
    struct serry_generation generation;
    uint8_t digest[SERRY_DIGEST_BYTES];
    const char *verdict_json;
};

/* Places a deployment, or places it anew under its name.
 *   SERRY_REFUSED    by rules: err->findings_json
 *   SERRY_EXHAUSTED  no capacity now
 *   SERRY_LOST       another generation than write->expected is in force */
int serry_place(struct serry_client *client,
                const struct serry_document *document,
                const struct serry_write *write,
                struct serry_placed **ret_placed, struct serry_error *err);

/* What makes a configuration a good one. */
struct serry_preference {
    const char *objective; /* "memory", "latency", "throughput"; NULL: memory */
    uint64_t memory_bytes; /* that a rank has; 0: no bound */
    uint32_t most;         /* how many to name; 0: 8 */
};

struct serry_suggestions {
    uint32_t valid;   /* how many there are */
    const char *json; /* the best of them, and why others are not */
};

/* Valid configurations for what a document leaves open, the best first.
 * preference: NULL for the defaults. */
int serry_suggest(struct serry_client *client,
                  const struct serry_document *document,
                  const struct serry_preference *preference,
                  struct serry_suggestions **ret_suggestions,
                  struct serry_error *err);

/* Neighbouring ports of one host. */
struct serry_port_run {
    const char *host; /* "": bound to no hosts */
    uint32_t first, count;
};

/* Ports of one purpose: one for each seat, in order. */
struct serry_lease {
    const char *purpose;
    const char *on; /* what a seat is, as of struct serry_port */
    uint32_t seats;
    size_t n_runs;
    const struct serry_port_run *runs; /* of all seats, or the first ones */
};

struct serry_placement {
    const char *name;
    struct serry_generation generation;
    const char *state; /* "placed", "released" */
    const char *model;
    const char *runtime;
    const char *runtime_version;
    int64_t time_ms; /* since 1970, when it was placed */
    const char *who; /* placed it */
    uint32_t ranks;
    uint8_t digest[SERRY_DIGEST_BYTES];
    struct serry_document document; /* text and source NULL in lists */
    const char *verdict_json;       /* NULL in lists */
    size_t n_ports;                 /* purposes; 0 in lists */
    const struct serry_lease *ports;
};

struct serry_placements {
    size_t count;
    const struct serry_placement *const *items;
};

/* SERRY_UNKNOWN_NAME: there is none of this name. */
int serry_get_placement(struct serry_client *client, const char *name,
                        struct serry_placement **ret_placement,
                        struct serry_error *err);

/* The same, with more in verdict_json. wanted: without rank; NULL: nothing. */
int serry_get_placement_with(struct serry_client *client, const char *name,
                             const struct serry_wanted *wanted,
                             struct serry_placement **ret_placement,
                             struct serry_error *err);

int serry_list_placements(struct serry_client *client,
                          struct serry_placements **ret_placements,
                          struct serry_error *err);

/* The instances of one node group. The workers of instance k, in the order of
 * their instance ranks, are ranks[k * size] and on. */
struct serry_replicas {
    uint32_t group; /* number among the placement's node groups */
    uint32_t size;  /* ranks of an instance */
    uint32_t instances, usable;
    const uint32_t *ranks; /* instances * size, global */
    const bool *masked;    /* by instance: a worker of it is lost or has left */
};

/* Where a node runs in a walk ("": the model has no walks). */
struct serry_route {
    const char *walk, *node;
    const struct serry_replicas *replicas;
};

/* A signal that may go from one host to another, with the first hosts of either
 * end. */
struct serry_crossing {
    const char *walk, *from, *to, *signal;
    size_t n_from_hosts, n_to_hosts;
    const char *const *from_hosts, *const *to_hosts;
};

struct serry_routing {
    struct serry_generation generation;
    const char *state; /* of the placement */
    size_t n_routes, n_replicas, n_crossings;
    const struct serry_route *routes; /* walk by walk */
    const struct serry_replicas *replicas;
    const struct serry_crossing *crossings;
    size_t n_gone;        /* ranks whose workers are lost or have left */
    const uint32_t *gone; /* the first of them, ascending: */
    size_t n_gone_named;  /* so many */
};

/* Which workers run which node, for who sends requests to them. Watch for
 * "degraded", "ready" and "placed anew" and ask again.
 *   SERRY_UNKNOWN_NAME  there is no such placement
 *   SERRY_INTERNAL      what the daemon said makes no sense */
int serry_get_routing(struct serry_client *client, const char *name,
                      struct serry_routing **ret_routing,
                      struct serry_error *err);

struct serry_released {
    const char *name;
    struct serry_generation generation; /* of the release */
};

/* Ends a placement. Errors as of serry_place() and serry_get_placement(). */
int serry_release(struct serry_client *client, const char *name,
                  const struct serry_write *write,
                  struct serry_released **ret_released,
                  struct serry_error *err);

/* ---- events ---------------------------------------------------------------
 */

struct serry_event {
    uint64_t sequence; /* rises by 1 */
    struct serry_generation position;
    int64_t time_ms; /* since 1970 */
    const char *who;
    const char *what; /* "placed", "released", "declared" */
    const char *subject;
    const char *detail;
};

struct serry_events {
    size_t count;
    const struct serry_event *const *items;
};

struct serry_changes {
    struct serry_generation position; /* watch again after this */
    bool reset; /* some before these were forgotten: list anew */
    size_t count;
    const struct serry_event *const *items; /* in order; may be none */
};

/* Waits for something to happen after a position.
 *   after    NULL: from now on
 *   wait_ms  at most so long, 30,000 at most; then no events are returned. The
 *            client's deadline counts from there */
int serry_watch(struct serry_client *client,
                const struct serry_generation *after, uint32_t wait_ms,
                struct serry_changes **ret_changes, struct serry_error *err);

/* What happened, the newest first.
 *   before  only those of a lower sequence; 0: from the newest
 *   limit   at most so many, 1,000 at most; 0: as many as the daemon likes */
int serry_events(struct serry_client *client, uint64_t before, uint32_t limit,
                 struct serry_events **ret_events, struct serry_error *err);

struct serry_diagnosis {
    bool healthy;     /* nothing but notes was found */
    const char *json; /* what is wrong, the dominant first, as serry doctor
                         prints it */
};

/* What is wrong with a placement, NULL: with all, and with the daemon.
 *   SERRY_UNKNOWN_NAME  there is no such placement */
int serry_diagnose(struct serry_client *client, const char *placement,
                   struct serry_diagnosis **ret_diagnosis,
                   struct serry_error *err);

struct serry_daemon {
    const char *version;
    struct serry_generation position; /* of the newest commit */
    int64_t started_ms;               /* since 1970 */
    const char *address;
    uint32_t models, runtimes, placements;
    uint32_t connections;
    uint64_t calls, refused_calls;
    uint32_t calls_in_flight;
    uint32_t descriptors; /* the limit */
    bool draining;        /* it is stopping */
};

int serry_status(struct serry_client *client, struct serry_daemon **ret_daemon,
                 struct serry_error *err);

/* ---- assignments: what one worker gets ------------------------------------
 */

struct serry_assignment;

/* Fetches what a rank gets. Every count and bound in it is checked before it is
 * returned; nothing of the world's size is expanded but irregular rank lists.
 *   generation  NULL: the one in force
 *   SERRY_UNKNOWN_NAME  no such placement, or it has no such rank
 *   SERRY_REFUSED       the generation is not in force any more
 *   SERRY_INTERNAL      the daemon's answer is out of bounds */
int serry_assignment(struct serry_client *client, const char *placement,
                     uint32_t rank, const struct serry_generation *generation,
                     struct serry_assignment **ret_assignment,
                     struct serry_error *err);

/* The same for the worker with a number among those of the placement on one
 * host: of SERRY_UNKNOWN_NAME also when there is no such host or worker, or
 * when the placement is bound to no hosts. */
int serry_assignment_on_host(struct serry_client *client, const char *placement,
                             const char *host, uint32_t local_rank,
                             const struct serry_generation *generation,
                             struct serry_assignment **ret_assignment,
                             struct serry_error *err);

/* The message it came in, for keeping it over a restart. Owned by the
 * assignment. */
const void *serry_assignment_bytes(const struct serry_assignment *assignment,
                                   size_t *ret_len);

/* Reads such a message. SERRY_INVALID: it cannot be read or is out of bounds;
 * SERRY_EXHAUSTED: out of memory. */
int serry_assignment_parse(const void *bytes, size_t len,
                           struct serry_assignment **ret_assignment,
                           struct serry_error *err);

const char *serry_assignment_placement(const struct serry_assignment *a);
struct serry_generation
serry_assignment_generation(const struct serry_assignment *a);
uint32_t serry_assignment_rank(const struct serry_assignment *a); /* global */
/* The number that the request lists the rank under: another one where a sparse
 * world was renumbered. */
uint32_t serry_assignment_listed_rank(const struct serry_assignment *a);
/* Ranks of the placement: the highest global rank and one. */
uint32_t serry_assignment_world(const struct serry_assignment *a);
const char *serry_assignment_model(const struct serry_assignment *a);
const char *serry_assignment_runtime(const struct serry_assignment *a);
/* Request keys handed through to the worker: a JSON object. */
const char *serry_assignment_carried_json(const struct serry_assignment *a);

/* The device that the rank is bound to, and the workers beside it. */
struct serry_binding {
    const char *host;
    size_t n_addresses; /* of the host */
    const char *const *addresses;
    const char *device, *pci; /* UUID and PCI address; "": not known */
    uint32_t index;           /* of the device on its host */
    int32_t numa;             /* node; -1: not known */
    uint32_t local_rank, local_world_size;
    uint32_t group_rank, hosts; /* number of the host, and how many */
    size_t n_local_devices;     /* of the placement on this host, by local rank:
                                   UUIDs, or indexes; 0: not told */
    const char *const *local_devices;
};

/* NULL: the placement is bound to no devices. Owned by the assignment. */
const struct serry_binding *
serry_assignment_binding(const struct serry_assignment *a);

/* A port that is leased to the placement's generation. */
struct serry_port {
    const char *purpose; /* "master": where all workers meet */
    uint32_t port;
    const char *on;          /* "first_rank", "each_host", "each_instance",
                                "each_rank": what it is one of */
    const char *address;     /* of its host; "": bound to none */
    int32_t group, instance; /* whose it is; -1: no instance's */
    bool confirms;           /* this rank is to report it where it is in use */
};

/* Those that the rank is to know, as they were when the assignment was fetched:
 * an answer of serry_await() has them as they are. Owned by the assignment. */
const struct serry_port *
serry_assignment_ports(const struct serry_assignment *a, size_t *ret_n);

/* ---- the nodes that the rank hosts ----------------------------------------
 */

struct serry_coordinate {
    const char *axis;
    uint32_t coordinate; /* 0 <= coordinate < size */
    uint32_t size;       /* ranks along the axis */
};

/* A part of one quantity that the rank holds: the items begin <= i < end of
 * total, part number `part` of `parts`. Where a rank holds two parts, as a
 * block from either end of a sequence, there are two shares of one name. */
struct serry_share {
    const char *what;     /* "rows", "tokens", "query_heads", "experts", ... */
    const char *rule;     /* how the total is split, by name */
    const char *resource; /* for this resource only; NULL: for the node */
    uint32_t parts, part;
    bool has_range; /* else the total is known only with a request */
    uint64_t total, begin, end;
};

/* A slice of a signal for one receiver, in units of 1 / (from_size * to_size)
 * of the whole. */
struct serry_send {
    uint32_t to_rank; /* instance rank */
    bool whole;       /* the whole signal; then the rest is 0 */
    uint64_t begin, end;
    uint64_t local_begin; /* where it begins in what this rank holds */
};

/* A signal that the rank sends or receives. */
struct serry_transfer {
    const char *signal, *walk;
    bool sharded;
    uint32_t dim;                 /* cut along this dimension, if sharded */
    int32_t from_group, to_group; /* node groups; -1: outside the model */
    uint32_t from_size, to_size;  /* ranks of an instance at each end */
    bool receives;
    uint32_t fan_in; /* from how many ranks */
    size_t n_sends;
    const struct serry_send *const *sends;
};

struct serry_node {
    const char *name;
    uint32_t group;         /* number of its node group */
    uint32_t instance;      /* number of its instance in the group */
    uint32_t instance_rank; /* position of the rank in the instance */
    uint32_t instance_size; /* ranks of an instance */
    size_t n_coordinates;   /* outermost axis first */
    const struct serry_coordinate *const *coordinates;
    size_t n_shares;
    const struct serry_share *const *shares;
    size_t n_transfers;
    const struct serry_transfer *const *transfers;
};

/* Nodes in the order of the node groups; i < count. Owned by the assignment. */
size_t serry_node_count(const struct serry_assignment *a);
const struct serry_node *serry_node_at(const struct serry_assignment *a,
                                       size_t i);

/* The first node of this name; NULL: the rank does not host it. */
const struct serry_node *serry_node_find(const struct serry_assignment *a,
                                         const char *name);

/* The node's place on an axis; NULL: it has no such axis. */
const struct serry_coordinate *
serry_node_coordinate(const struct serry_node *node, const char *axis);

/* ---- groups ---------------------------------------------------------------
 */

/* Lists of the group table in its order; i < count. Owned by the assignment. */
size_t serry_list_count(const struct serry_assignment *a);
const char *serry_list_name(const struct serry_assignment *a, size_t i);

/* All groups of one list as global ranks, group after group: group i is
 * ranks[begin[i]] up to and without ranks[begin[i + 1]]. Nearly all lists have
 * groups of one length, and a few leave ranks out. */
struct serry_groups {
    size_t count, length;  /* length: ranks of the longest group */
    const uint32_t *begin; /* count + 1 */
    const uint32_t *ranks;
};

/* Expands a list, "node_groups[0].AXIS"; up to 8 MiB at a million ranks.
 *   SERRY_UNKNOWN_NAME  no such list
 *   SERRY_EXHAUSTED     no memory */
int serry_groups(const struct serry_assignment *a, const char *list,
                 struct serry_groups **ret_groups, struct serry_error *err);

struct serry_group {
    size_t index;    /* number of the group in its list */
    size_t position; /* of the rank in the group */
    size_t length;
    const uint32_t *ranks; /* length global ranks */
};

/* The one group of a list that a rank is in, without expanding the others.
 *   SERRY_UNKNOWN_NAME  no such list, or the rank is in none of its groups
 *   SERRY_EXHAUSTED     no memory */
int serry_group_of(const struct serry_assignment *a, const char *list,
                   uint32_t rank, struct serry_group **ret_group,
                   struct serry_error *err);

/* ---- the boot of a worker -------------------------------------------------
 */

/* A worker joins, waits until all are there, and goes on waiting for the state
 * to change, which is its sign of life too; then it leaves.
 *
 * incarnation  rises with each start of this rank, and stays while it runs;
 *              serry_incarnation() makes one. The newest one wins
 * After a restart of the daemon serry_await() joins again by itself. */

/* Microseconds since 1970: later starts get higher numbers. */
uint64_t serry_incarnation(void);

/* Tells that the rank of an assignment is here, and proves by the digests of
 * its own expansion that it has the groups of all others. Where it has not, the
 * daemon is told more of them until it names the first one that differs: two or
 * three calls, each with the client's deadline.
 *   address  where other workers reach it, at most 255 bytes; NULL: ""
 *   SERRY_REFUSED  the text begins with STALE_GENERATION, STALE_INCARNATION, or
 *                  DIGEST_DIFFERS and then names the list and the group that
 *                  differ, its ranks, and those that it has here; others as of
 *                  any call */
int serry_join(struct serry_client *client, const struct serry_assignment *a,
               uint64_t incarnation, const char *address,
               struct serry_error *err);

enum serry_boot_state {
    SERRY_BOOTING,
    SERRY_READY,   /* all workers are here */
    SERRY_DEGRADED /* all were, and some are lost */
};

struct serry_boot {
    enum serry_boot_state state;
    uint32_t joined, world;     /* workers that are here, and all */
    const char *master_address; /* of the lowest rank */
    uint32_t master_port;       /* leased to this generation; 0: none */
    const char *store_prefix;   /* keys of this generation begin with it */
    size_t n_missing;           /* at most 32 are told */
    const uint32_t *missing;    /* ranks, ascending */
    size_t n_missing_hosts;
    const char *const *missing_hosts;
    uint32_t retry_ms; /* wait so long before asking again: drawn for each
                          answer, so that not all workers ask at once */
    size_t n_ports;
    const struct serry_port *ports; /* of this rank, as they are now */
};

/* Waits for another state than the one that is known (SERRY_BOOTING at first).
 *   address  as given to serry_join(), for joining again
 *   wait_ms  at most so long, 30,000 at most; then the state is returned as it
 *            is
 *   SERRY_DEADLINE  some workers did not join in the daemon's time; they are
 *                   named
 *   SERRY_REFUSED   as serry_join() */
int serry_await(struct serry_client *client, const struct serry_assignment *a,
                uint64_t incarnation, const char *address,
                enum serry_boot_state known, uint32_t wait_ms,
                struct serry_boot **ret_boot, struct serry_error *err);

/* Tells that a port which this rank confirms is in use by something else. The
 * port that it has instead is returned, also where it was replaced before; the
 * generation stays. Best before serry_join(): then nobody has been told of the
 * old one.
 *   SERRY_REFUSED    another rank confirms it; the generation is not in force
 *   SERRY_LOST       another report is being committed: report again
 *   SERRY_EXHAUSTED  the host has no port left, or too many were in use */
int serry_report_port(struct serry_client *client,
                      const struct serry_assignment *a,
                      const struct serry_port *port,
                      struct serry_port **ret_port, struct serry_error *err);

/* Tells that the worker ends of its own will. */
int serry_leave(struct serry_client *client, const struct serry_assignment *a,
                uint64_t incarnation, struct serry_error *err);

/* ---- the creation sequence ------------------------------------------------
 */

/* Every worker creates, or takes part in creating, every group of the sequence
 * in its order, also the groups that it is not in. */
struct serry_creation;

/* A group to create. Valid until the next serry_creation_next(). */
struct serry_created {
    const char *list;
    const char *backend;
    size_t length; /* at least 2 */
    const uint32_t *ranks;
};

/* Works the sequence out and stands before its first group. The assignment must
 * outlive it. For one thread at a time. Freed with serry_free().
 *   SERRY_INVALID    the sequence is out of bounds
 *   SERRY_EXHAUSTED  no memory: 56 bytes for each group */
int serry_creation_begin(const struct serry_assignment *a,
                         struct serry_creation **ret_creation,
                         struct serry_error *err);

/* How many groups the sequence has. */
size_t serry_creation_count(const struct serry_creation *creation);

/* Gives the next group; false: there was none left. */
bool serry_creation_next(struct serry_creation *creation,
                         struct serry_created *ret_created);

/* ---- digests --------------------------------------------------------------
 */

struct serry_digests {
    uint8_t total[SERRY_DIGEST_BYTES]; /* the placement's */
    uint8_t sequence[SERRY_DIGEST_SHORT_BYTES];
    size_t n_lists; /* one for each list, in the order of the table */
    const uint8_t (*lists)[SERRY_DIGEST_SHORT_BYTES];
};

/* Computes the digests from this side's own expansion of the groups; what the
 * daemon sent plays no part. Errors as of serry_creation_begin(). */
int serry_digest(const struct serry_assignment *a,
                 struct serry_digests **ret_digests, struct serry_error *err);

/* Whether this side's digests are those that the daemon sent.
 *   SERRY_INTERNAL  they are not: the text names the first list that differs,
 *                   or says that none were sent; others as of serry_digest() */
int serry_verify(const struct serry_assignment *a, struct serry_error *err);

#ifdef __cplusplus
}
#endif

#endif
