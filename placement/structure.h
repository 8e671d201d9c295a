/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a request's structure, the same for every runtime, and the
 * faults that they find. */
#ifndef SERRIED_PLACEMENT_STRUCTURE_H
#define SERRIED_PLACEMENT_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

/* Checks that a runtime places with `check: NAME`: name, whether it runs (first
 * and in this order) when the runtime does not place it. */
/* clang-format off */
#define STRUCTURE_LIST(X)          \
    X(keys,         true)          \
    X(model,        true)          \
    X(sizes,        true)          \
    X(ranks,        true)          \
    X(world,        false)         \
    X(product,      false)         \
    X(axis_sets,    false)         \
    X(declared,     false)         \
    X(resolution,   false)         \
    X(dense_ranks,  false)         \
    X(conflicts,    false)         \
    X(streams,      false)         \
    X(resources,    false)         \
    X(combined,     false)         \
    X(options,      false)         \
    X(same_groups,  false)         \
    X(order,        false)         \
    X(hosts,        false)
/* clang-format on */

enum structure {
#define X(name, first) STRUCTURE_##name,
    STRUCTURE_LIST(X)
#undef X
        STRUCTURE_COUNT
};

/* What a fault does: warns; refuses, and other sizes might mend it; refuses
 * whatever the sizes. */
enum fault_level { FAULT_WARNS, FAULT_OF_SIZES, FAULT_OF_FORM };

/* Every fault a structure check can find. A row: identifier, the check that
 * owns it, the word for `codes: {word: CODE}`, default code, level, what it is
 * about, the equation ("" for none), what is wrong, what would be right. In the
 * texts {group} stands for the node group, {axis} for the field, {node} {walk}
 * {rank} {name} {near} {to} {a} {b} for what was found. */
/* clang-format off */
#define FAULT_LIST(X)                                                         \
    X(KEY_MISSING, keys, "missing", "config.missing_key",  FAULT_OF_FORM,              \
      "{place}{name}", "",                                                    \
      "the request has no {name}, which {runtime} needs",                     \
      "add {name}")                                                           \
    X(KEY_UNKNOWN, keys, "unknown", "config.unknown_key",  FAULT_OF_FORM,              \
      "{place}{name}", "",                                                    \
      "nothing reads the key {name}",                                         \
      "remove it{near}")                                                      \
    X(KEY_WARNED, keys, "warned", "config.accepted_key",  FAULT_WARNS,                \
      "{place}{name}", "",                                                    \
      "{to}",                                                            \
      "")                                                                     \
    X(FACT_UNUSED, keys, "unused_fact", "model.unused_fact",  FAULT_WARNS,            \
      "{subject}", "",                                                     \
      "no rule of {runtime} reads the fact {name}",                           \
      "remove it{near}")                                                      \
    X(MODEL_UNKNOWN, model, "unknown", "model.unknown",  FAULT_OF_FORM,                \
      "model", "",                                                            \
      "no model is called {name}",                                            \
      "declare it{near}")                                                     \
    X(SIZE_BELOW_ONE, sizes, "bad_size", "axis.bad_size",  FAULT_OF_SIZES,              \
      "{place}{axis}", "{axis} < 1: {a} < 1",                                 \
      "a size counts ranks, so the smallest is 1 (the axis is off)",          \
      "set {axis} to 1 or more")                                              \
    X(SIZE_TOO_LARGE, sizes, "too_large", "axis.too_large",  FAULT_OF_SIZES,            \
      "{place}{axis}", "{axis} > {b}: {a} > {b}",                             \
      "no request spans more than {b} ranks",                                 \
      "set {axis} to {b} at most")                                            \
    X(AXIS_ABSENT, sizes, "absent", "axis.absent",  FAULT_OF_SIZES,                     \
      "{place}{axis}", "{axis} != 1: {a} != 1",                               \
      "this axis does not exist under the request's other settings",          \
      "leave {axis} out")                                                     \
    X(OPTION_NOT_ALLOWED, sizes, "bad_option", "option.not_allowed",  FAULT_OF_FORM,   \
      "{name}", "",                                                           \
      "the option {name} does not take this value",                           \
      "use one of {oneof}")                                                               \
    X(OPTION_APART, options, "bad_option", "option.not_allowed",  FAULT_OF_FORM,   \
      "{name}", "",                                                           \
      "the option {name} does not take this value",                           \
      "use one of {oneof}")                                                               \
    X(RANKS_EMPTY, ranks, "empty", "ranks.empty",  FAULT_OF_FORM,                      \
      "{group}.ranks", "",                                                    \
      "the list of ranks is empty, so the group's nodes would run nowhere",   \
      "list {b} ranks, or remove the group")                                  \
    X(RANKS_NEGATIVE, ranks, "negative", "ranks.negative",  FAULT_OF_FORM,             \
      "{group}.ranks", "rank < 0: {a} < 0",                                   \
      "global ranks are counted from 0",                                      \
      "list ranks from 0 on")                                                 \
    X(RANKS_TOO_LARGE, ranks, "too_large", "ranks.too_large",  FAULT_OF_FORM,          \
      "{group}.ranks", "rank > {b}: {a} > {b}",                               \
      "no request spans ranks above {b}",                                     \
      "number the ranks from 0 on")                                           \
    X(RANKS_NOT_MULTIPLE, ranks, "not_multiple", "ranks.not_multiple",  FAULT_OF_SIZES, \
      "{group}.ranks", "{a} % {b} != 0: {a} % {b} = {mod}",                   \
      "{a} ranks cannot be cut into instances of {b} ({shape})",              \
      "list {below} ranks, or {above}")                                       \
    X(RANKS_DUPLICATE, ranks, "duplicate", "ranks.duplicate",  FAULT_OF_FORM,          \
      "{group}.ranks", "",                                                    \
      "rank {rank} is listed twice, at positions {a} and {b}",                \
      "list every rank once")                                                 \
    X(RANKS_OUT_OF_ORDER, ranks, "out_of_order", "ranks.out_of_order",  FAULT_OF_SIZES, \
      "{group}.ranks", "{a} > {b}",                                           \
      "instance {instance} lists rank {a} before rank {b}; frameworks sort a "\
      "group by global rank, so it would gather in another order than the "   \
      "work was split by",                                                    \
      "list the ranks of instance {instance} in ascending order (instances "  \
      "may come in any order)")                                               \
    X(WORLD_MISSING, world, "missing", "world.missing",  FAULT_OF_FORM,                \
      "world", "",                                                            \
      "the request does not say how many ranks there are",                    \
      "set world to the number of ranks, 1 or more")                          \
    X(PRODUCT_DIFFERS, product, "differs", "view.product",  FAULT_OF_SIZES,             \
      "{name}", "{a} != {b}",                                                 \
      "the axes of this view multiply to {a}, but it spans {b} ranks",        \
      "choose sizes whose product is {b}")                                    \
    X(AXES_TOGETHER, axis_sets, "refused", "axis.not_together",  FAULT_OF_SIZES,        \
      "{name}", "",                                                           \
      "{because}",                                                            \
      "set all but one of these axes to 1")                                   \
    X(AXIS_NOT_ENABLED, declared, "not_enabled", "axis.not_enabled",  FAULT_OF_SIZES,   \
      "{group}.{axis}", "{axis} > 1: {a} > 1",                                \
      "the node {node} is not declared to be split on {axisname}",            \
      "set {axis} to 1, or place {node} in a group of its own")               \
    X(NODE_UNPLACED, resolution, "unplaced", "node.unplaced",  FAULT_OF_FORM,          \
      "{walk}.{node}", "",                                                    \
      "{ofwalk} runs the node {node}, and no group places {node} for " \
      "it",                                                                   \
      "add {node} to a group that is active for {walk}")                      \
    X(GROUP_SHADOWED, resolution, "overlap_parallel",                         \
      "group.overlap_parallel",  FAULT_OF_SIZES,                                        \
      "{group}", "",                                                          \
      "{other} also places {node} for {ofwalk} and, coming later, "    \
      "wins; {group} runs on several ranks that would wait for work",         \
      "place {node} for {walk} in one group only")                            \
    X(GROUP_SHADOWED_WARN, resolution, "overlap", "group.overlap",  FAULT_WARNS,      \
      "{group}", "",                                                          \
      "{other} also places {node} for {ofwalk} and, coming later, "    \
      "wins",                                                                 \
      "place {node} for {walk} in one group only")                            \
    X(NODE_UNUSED, resolution, "unused_node", "node.unused",  FAULT_WARNS,            \
      "{group}.{node}", "",                                                   \
      "no served walk runs the node {node}{near}",                            \
      "")                                                                     \
    X(WALK_UNKNOWN, resolution, "unknown_walk", "walk.unknown",  FAULT_WARNS,         \
      "{group}.graph_walks", "",                                              \
      "the model has no walk {name}{near}",                                   \
      "")                                                                     \
    X(GROUP_INACTIVE, resolution, "inactive", "group.inactive",  FAULT_WARNS,         \
      "{group}", "",                                                          \
      "no served walk uses this group",                                       \
      "")                                                                     \
    X(RANKS_NOT_DENSE, dense_ranks, "not_contiguous", "ranks.not_contiguous", \
       FAULT_OF_SIZES,                                                                  \
      "ranks", "",                                                            \
      "{a} ranks are used but rank {rank} is not among them; workers are "    \
      "found by rank number, so a request with an instance of several ranks " \
      "must use 0 to {b}",                                                    \
      "renumber the ranks to 0 to {b}")                                       \
    X(RANKS_SPARSE, dense_ranks, "sparse", "ranks.sparse",                    \
       FAULT_OF_SIZES,                                                                  \
      "ranks", "",                                                            \
      "{a} ranks are used but rank {rank} is not among them, and a world "    \
      "with gaps is refused",                                                 \
      "use 0 to {b}{to}")                                                   \
    X(GROUP_CONFLICT, conflicts, "group_conflict", "axis.group_conflict",     \
       FAULT_OF_SIZES,                                                                  \
      "{group}.{node}", "",                                                   \
      "on rank {rank} the node {node} belongs to two different groups of "    \
      "{axis}, by {group} and by {other}",                                    \
      "give the walks disjoint ranks, or the same ranks and sizes")           \
    X(MULTIPLE_LOCKSTEP, conflicts, "multiple_lockstep",                      \
      "worker.multiple_lockstep",  FAULT_OF_SIZES,                                      \
      "rank {rank}", "",                                                      \
      "rank {rank} belongs to two different instances of several ranks, of "  \
      "{node} ({group}) and of {name} ({other}), and can run in step with "   \
      "one only",                                                             \
      "use disjoint ranks, or the same instance for both")                    \
    X(STREAM_WALK_SCOPED, streams, "walk_scoped_group",                       \
      "stream.walk_scoped_group",  FAULT_OF_SIZES,                                      \
      "{group}", "",                                                          \
      "{node} consumes the stream {name}, whose items come without a walk, "  \
      "so a group of several ranks cannot be limited to some walks",          \
      "remove graph_walks from {group}")                                      \
    X(STREAM_SPLIT, streams, "split_workers", "stream.split_workers",  FAULT_OF_FORM,  \
      "{node}", "",                                                           \
      "{node} consumes the stream {name}, but its walks run on different "    \
      "ranks ({group}, {other}), and an item does not say which walk it is "  \
      "for",                                                                  \
      "place {node} in one group for all its walks")                          \
    X(SHAPE_MISMATCH, resources, "shape_mismatch", "resource.shape_mismatch", \
       FAULT_OF_SIZES,                                                                  \
      "{name}", "",                                                           \
      "the nodes that share {name} are split differently: {shape} in "        \
      "{group}, {othershape} in {other}",                                     \
      "use the same sizes for all, or declare separate resources")            \
    X(COMBINED_SPANS, combined, "combined_spans_groups",                      \
      "walk.combined_spans_groups",  FAULT_OF_SIZES,                                    \
      "{node}.{name}", "",                                                    \
      "the joint walk {name} runs several walks of {node} in one forward, "   \
      "but they are placed in different groups ({group}, {other})",           \
      "place these walks of {node} in one group")                             \
    X(GROUPS_DIFFER, same_groups, "differ", "view.groups_differ",  FAULT_OF_SIZES,      \
      "{name}", "",                                                           \
      "the groups of {axis} are not the same in the views {name} and {to}",            \
      "choose sizes or an order that give both views the same {axis} groups") \
    X(ORDER_MISSING, order, "missing", "order.missing_axis",                  \
       FAULT_OF_SIZES,                                                                  \
      "order", "",                                                            \
      "the order leaves out {name}, which is above 1",       \
      "name {name} in the order, or set it to 1")                               \
    X(ORDER_UNKNOWN, order, "unknown", "order.unknown_axis", FAULT_OF_FORM,             \
      "order", "",                                                            \
      "the order names {name}, which is no axis of {runtime}",            \
      "leave {name} out")                                                       \
    X(ORDER_REPEATED, order, "repeated", "order.repeated_axis", FAULT_OF_FORM,          \
      "order", "",                                                            \
      "the order names {name} more than once",                                  \
      "name every axis once")                                                 \
    X(ORDER_UNREADABLE, order, "unreadable", "order.unreadable", FAULT_OF_FORM,         \
      "order", "",                                                            \
      "the order is neither a list of axes nor names with - between them",    \
      "list the axes, outermost first")                                       \
    X(SIGNAL_LEAVES, resolution, "unknown_target", "signal.unknown_target",   \
       FAULT_WARNS,                                                                   \
      "{walk}.{name}", "",                                                    \
      "the signal goes to {to}, which is no node of the model; it is "      \
      "taken as leaving the model",                                           \
      "")                                                                     \
    X(LAYOUT_UNDEFINED, product, "undefined", "runtime.inexact",  FAULT_OF_SIZES,       \
      "{place}{name}", "",                                                    \
      "this cannot be computed from the request, so the layout is not "       \
      "defined",                                                              \
      "choose sizes that divide")                                             \
    X(FACT_WRONG, keys, "bad_fact", "model.bad_fact",  FAULT_OF_FORM,                  \
      "{subject}", "",                                                        \
      "the fact {name} is {to}",                                              \
      "declare it as such a value, or leave it out")                          \
    X(NODE_AXIS_UNKNOWN, keys, "unknown_axis", "node.unknown_axis",  FAULT_WARNS,     \
      "{node}.axes.{name}", "",                                               \
      "{runtime} has no axis called {name}{near}",                            \
      "")                                                                     \
    X(SPLIT_UNKNOWN, keys, "unknown_split", "resource.unknown_axis",  FAULT_WARNS,    \
      "{name}.splits", "",                                                    \
      "{runtime} has no axis called {to}, so it splits nothing of {name}",    \
      "")                                                                     \
    X(SIGNAL_UNKNOWN, keys, "unknown_signal", "signal.unknown",  FAULT_WARNS,         \
      "shard_dim.{name}", "",                                                 \
      "no walk of the model has a signal called {name}{near}",                \
      "")                                                                     \
    X(HOSTS_SECTION, hosts, "section", "hosts.bad_section",  FAULT_OF_FORM,            \
      "{name}", "",                                                           \
      "the list of hosts cannot be read: {to}",                               \
      "list under {name} every host, with its address and its devices")       \
    X(HOSTS_HOST, hosts, "host", "hosts.bad_host",  FAULT_OF_FORM,                     \
      "{name}", "",                                                           \
      "a host cannot be read: {to}",                                          \
      "give every host its address and the numbers of its devices, each once") \
    X(HOSTS_RANK, hosts, "rank", "hosts.rank_out_of_range",  FAULT_OF_FORM,            \
      "{group}.ranks", "rank > {b}: {rank} > {b}",                            \
      "rank {rank} is on no host: those of {name} have the ranks 0 to {b}, "  \
      "counted over their devices",                                           \
      "use ranks up to {b}, or list more devices under {name}")               \
    X(HOSTS_SPANNED, hosts, "spanned", "hosts.group_spanned",  FAULT_WARNS,            \
      "{group}.{axis}", "",                                                   \
      "ranks {a} and {b} of one {axis} group are on two hosts of {name}, and " \
      "such groups are fast within a host only",                              \
      "list the ranks of each {axis} group on one host")                      \
    X(INEXACT, sizes, "inexact", "runtime.inexact",  FAULT_OF_SIZES,                    \
      "{name}", "",                                                           \
      "an expression of the runtime cannot be computed from these values",        \
      "choose sizes that divide, and values of the right type")
/* clang-format on */

enum fault {
#define X(id, check, word, code, level, subject, equation, reason, fix)        \
    FAULT_##id,
    FAULT_LIST(X)
#undef X
                   FAULT_COUNT,
               FAULT_RULE = FAULT_COUNT, /* a rule of the runtime itself */
};

/* One row of FAULT_LIST. */
struct fault_row {
    enum structure check;
    const char *word, *code;
    bool warns, of_sizes;
    const char *subject, *equation, *reason, *fix;
};

extern const struct fault_row fault_rows[FAULT_COUNT];

/* "ranks", or -1 for a name that is no check. */
const char *structure_name(int structure);
int structure_named(const char *name);
bool structure_runs_first(int structure);

#endif
