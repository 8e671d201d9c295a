/* SPDX-License-Identifier: Apache-2.0 */
/* What a doctor can find wrong with a daemon, its placements and its hosts:
 * codes that stay, what they mean, and the step to take next. */
#ifndef SERRIED_PROTO_TROUBLE_H
#define SERRIED_PROTO_TROUBLE_H

#include "base/text.h"
#include "base/tree.h"

/* The word that a report has. A note is no fault: it says what is waited for.
 */
/* clang-format off */
#define TROUBLE_WEIGHT_LIST(X) \
    X(ERROR,   "error")        \
    X(WARNING, "warning")      \
    X(NOTE,    "note")

/* The code, what it means, and what to do: the words PLACEMENT, RANK and HOST
 * stand for those of a finding. Of one weight, those that explain others come
 * first: a report names its findings in this order. */
#define TROUBLE_LIST(X)                                                        \
    X(UNREACHABLE, ERROR, "daemon.unreachable",                                \
      "the daemon gives no answer at its address",                             \
      "start serried, or name its address with --address or SERRY_ADDRESS")    \
    X(NO_ANSWER, ERROR, "daemon.no_answer",                                    \
      "something listens at the address and gives no answer",                  \
      "look whether it is serried, and at its log: it may be stopped, or "     \
      "wait for its disk")                                                     \
    X(NOT_PERMITTED, ERROR, "daemon.not_permitted",                            \
      "the daemon is there, but this caller may not ask it",                   \
      "ask as a user that the socket's group lets in, or name the file of a "  \
      "token in SERRY_TOKEN_FILE")                                             \
    X(INVARIANT, ERROR, "daemon.invariant",                                    \
      "devices are bound in a way that must not be: to two placements, twice " \
      "to one, or without being declared",                                     \
      "release one of the placements that are named, or place it again")       \
    X(INVENTORY, ERROR, "host.unreadable",                                     \
      "hosts do not fit together, or what is kept of one cannot be read, so "  \
      "that nothing is placed on any device",                                  \
      "declare HOST anew (serry host apply -f FILE), or remove it: serry host "\
      "remove HOST")                                                           \
    X(UNREADABLE, ERROR, "placement.unreadable",                               \
      "the placement's record cannot be read by this daemon",                  \
      "place PLACEMENT again, or release it: serry release PLACEMENT")         \
    X(DIGEST, ERROR, "worker.digest_differs",                                  \
      "a worker computed other groups than those of the placement, so it is "  \
      "not let in and the others wait for it",                                 \
      "let it take the groups that it is given, with the libserry that the "   \
      "others run: serry assignment PLACEMENT --rank RANK --creation")         \
    X(WRONG_MACHINE, ERROR, "worker.wrong_machine",                            \
      "a worker runs on another machine than the one that the host of its "    \
      "rank is declared to be",                                                \
      "start rank RANK where it is bound to: serry assignment PLACEMENT "      \
      "--rank RANK; or declare the host's machine_id anew")                    \
    X(REBOOTED, ERROR, "host.rebooted",                                        \
      "a host was started anew, and its workers of before are lost",           \
      "start its workers again: serry exec --placement PLACEMENT --host HOST " \
      "--local-rank N -- COMMAND")                                             \
    X(HOST_AWAY, ERROR, "boot.host_not_ready",                                 \
      "ranks that are waited for stand on hosts that are down or to be left",  \
      "bring HOST back (serry host uncordon HOST), or place PLACEMENT again, " \
      "which moves its ranks: serry place -f FILE")                            \
    X(REFUSED, ERROR, "worker.refused",                                        \
      "a worker's call was refused, and its rank is not there",                \
      "read its reason, and start the worker again: serry exec --placement "   \
      "PLACEMENT --rank RANK -- COMMAND")                                      \
    X(TIMED_OUT, ERROR, "boot.timed_out",                                      \
      "not all workers joined within the time of the setting boot_ms",         \
      "start those that are missing: serry exec --placement PLACEMENT --rank " \
      "RANK -- COMMAND; a worker that joins begins the boot anew")             \
    X(LOST, ERROR, "worker.lost",                                              \
      "workers were there and nothing was heard of them for the time of the "  \
      "setting lease_ms, so that their collectives hang",                      \
      "start them again: serry exec --placement PLACEMENT --rank RANK -- "     \
      "COMMAND; or drain their host and place PLACEMENT again")                \
    X(DRAINING, WARNING, "daemon.stopping",                                    \
      "the daemon was told to stop and takes no new work",                     \
      "wait for its next start, which workers do by themselves")               \
    X(DESCRIPTORS, WARNING, "daemon.connections",                              \
      "nine of ten connections that the daemon can hold are taken",            \
      "raise its limit of descriptors and the setting connections_max")        \
    X(CALLS, WARNING, "daemon.calls",                                          \
      "nine of ten calls that the daemon works on at once are in flight",      \
      "raise the setting calls_max, or ask less often")                        \
    X(SLOW_BOOT, WARNING, "boot.slow",                                         \
      "workers wait for others that have not joined, for longer than a lease", \
      "look at the ranks that are missing first: serry exec --placement "      \
      "PLACEMENT --rank RANK -- COMMAND")                                      \
    X(SILENT, WARNING, "worker.silent",                                        \
      "nothing was heard of a worker for more than half of its lease",         \
      "look whether its process still runs: it counts as lost when the lease " \
      "ends")                                                                  \
    X(NO_SUCH_RANK, WARNING, "worker.no_such_rank",                            \
      "a worker asks for a rank that the placement does not have, and ends: "  \
      "more workers are started than were placed",                             \
      "start as many workers as the placement has ranks, or place it for "     \
      "more")                                                                  \
    X(STALE_GENERATION, WARNING, "worker.stale_generation",                    \
      "a worker of an earlier generation still asks",                          \
      "end it: the placement was placed anew, and its rank is another's")      \
    X(STALE_INCARNATION, WARNING, "worker.stale_incarnation",                  \
      "two workers ask as one rank, and the newer one counts",                 \
      "end the older one of rank RANK")                                        \
    X(NO_ADDRESS, WARNING, "boot.no_address",                                  \
      "the worker of the lowest rank did not say where others reach it, so "   \
      "that they have no place to meet",                                       \
      "start it with serry exec --address-of-me ADDRESS, or declare the "      \
      "addresses of its host")                                                 \
    X(LEAVING, WARNING, "placement.on_host_not_ready",                         \
      "ranks stand on hosts that are drained or down",                         \
      "place PLACEMENT again, which moves them: serry place -f FILE")          \
    X(SWAPPED, WARNING, "host.other_machine",                                  \
      "workers of one host joined from different machines, one after the "     \
      "other",                                                                 \
      "declare the machine_id of HOST, so that the wrong one is refused")      \
    X(TWINS, WARNING, "host.same_machine",                                     \
      "two hosts are one machine, so that its devices are given away twice",   \
      "let nothing come to the name that is wrong: serry host down HOST")      \
    X(BOOTING, NOTE, "boot.waiting",                                           \
      "some workers have joined and wait for the others",                      \
      "wait, or look at the ranks that are missing")                           \
    X(NOT_STARTED, NOTE, "boot.not_started",                                   \
      "no worker has joined since the placement was placed or the daemon "     \
      "started",                                                               \
      "start its workers: serry exec --placement PLACEMENT -- COMMAND")        \
    X(HOSTS_AWAY, NOTE, "host.not_ready",                                      \
      "hosts take no new ranks",                                               \
      "let ranks come again when it is well: serry host uncordon HOST")        \
    X(UNSEEN, NOTE, "host.not_seen",                                           \
      "ranks are bound to hosts from which no worker was heard since the "     \
      "daemon started, though others were",                                    \
      "look whether HOST is there; if it is not: serry host down HOST, and "   \
      "place what is there again")
/* clang-format on */

enum trouble_weight {
#define X(id, word) TROUBLE_##id##_WEIGHT,
    TROUBLE_WEIGHT_LIST(X)
#undef X
};

enum trouble {
#define X(id, ...) TROUBLE_##id,
    TROUBLE_LIST(X)
#undef X
        TROUBLE_COUNT
};

struct trouble_row {
    const char *code;
    enum trouble_weight weight;
    const char *means, *next;
};

extern const struct trouble_row trouble_rows[TROUBLE_COUNT];

const char *trouble_weight_name(enum trouble_weight weight);

/* One thing that is wrong. */
struct ailment {
    enum trouble trouble;
    const char *what;      /* one sentence: which thing, and what is wrong */
    const char *placement; /* NULL: of none */
    const char *host;      /* NULL: of none, or of many */
    int64_t rank;          /* -1: of none; else the lowest of n_ranks */
    uint32_t n_ranks;
};

/* The next step, with what the ailment knows in the place of its words. */
void trouble_next(const struct ailment *ailment, struct text *out);

/* Adds "findings", the dominant first: by weight, then in the order of the
 * table, then by how many ranks they are of, then as they stand. */
void troubles_write(const struct ailment *ailments, size_t n,
                    struct tree_maker *maker, struct tree *map);

/* Whether all of them are notes. */
bool troubles_healthy(const struct ailment *ailments, size_t n);

#endif
