/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a request: scopes, resolution, findings. */
#ifndef SERRIED_PLACEMENT_CHECK_H
#define SERRIED_PLACEMENT_CHECK_H

#include "placement/deployment.h"
#include "placement/expression.h"
#include "placement/structure.h"
#include "placement/view.h"

enum {
    CHECK_FINDINGS_MAX = 256, /* kept; further ones are only counted */
    /* Steps of list work in all rules together: 1 to 2 s. */
    CHECK_STEPS_MAX = 1 << 28,
};

struct check;

/* What is asked: may this request run? All of it is borrowed. */
struct question {
    const struct runtime *runtime;
    const struct model *model; /* NULL: unknown, or none named */
    const struct deployment *deployment;
    const char *const *model_names; /* known ones, for the nearest name */
    size_t n_model_names;
    const struct layer *up_to; /* of the runtime; no later rule is judged; NULL:
                                  all are */
};

/* The names and sizes of one node group, or (the global scope) of none. */
struct scope {
    struct environment env;
    /* By slot. All but axes may be pending: read with scope_value(). */
    struct value *slots;
    const struct node_group *group; /* NULL: the global scope */
    uint32_t bad_axes;              /* mask: sizes that were refused */
    bool good_ranks;                /* the ranks check found nothing */
    uint32_t instance;              /* ranks of an instance; 0: not known */
    size_t n_instances;             /* 0: not known */
    const uint32_t *ranks; /* by position over all instances; NULL: identity */
    uint32_t offset;       /* added to every rank */
    bool bad_offset;       /* it is not known, or out of range */
    int64_t expert_blocks; /* 0: none */
    uint64_t at_rest; /* bits as in struct spare; none in a full check, which so
                         evaluates everything */
    struct scope_view *views;      /* by view, resolved when first asked for */
    size_t first_placed, n_placed; /* its nodes, in check.placed */
};

/* Why an order of axes cannot be followed. */
enum order_fault {
    ORDER_GOOD,
    ORDER_MISSING,    /* an axis above 1 is left out */
    ORDER_UNKNOWN,    /* a name that is no axis */
    ORDER_REPEATED,   /* an axis twice */
    ORDER_UNREADABLE, /* no list of names, or too long */
};

struct scope_view {
    /* absent: no form's condition holds, so the request has no such view */
    enum { VIEW_NOT_ASKED, VIEW_GOOD, VIEW_BAD, VIEW_ABSENT } state;
    struct view view;
    const struct view_form *form; /* that holds; NULL: none is known to */
    int64_t product; /* of its sizes when VIEW_BAD; 0: not computed */
    int64_t wanted;  /* what the product must be */
    const struct expression *bad; /* the size that is not known; may be NULL */
    enum order_fault order_fault;
    const char *order_name; /* the axis that it is about */
};

/* A node in a group. */
struct placed {
    const struct node *node;
    struct scope *scope;
    bool serves; /* some served walk runs it here */
};

/* A walk that the deployment serves, with the group each node runs in. */
struct served {
    const char *name;        /* "" where the model declares no walks */
    const struct walk *walk; /* NULL: the model declares none */
    const int *nodes;        /* indexes in check.nodes */
    int *groups;             /* group index for each node; -1: unplaced */
    size_t n_nodes;
};

/* What expressions see as signals, resources, instances and lists. */
struct signal_item {
    const struct walk_signal *signal;
    int64_t dim; /* -1: replicated */
    struct value source, target;
};

struct resource_item {
    const struct resource *resource;
    struct value placed, nodes, splits;
};

struct instance_item {
    const struct scope *scope;
    uint32_t index;
};

struct list_item {
    const struct scope *scope;
    const struct lists *lists;
    uint32_t index;
};

/* One refused rule or warning. Only what is needed to write it out later. */
struct finding {
    const struct rule *rule;
    int fault; /* enum fault; FAULT_RULE: a rule proper */
    const char *code;
    const struct scope *scope; /* of a rule proper: where it was evaluated */
    struct value item;         /* of a rule with `for` */
    const struct axis_set *set;
    int group, other; /* node groups; -1 */
    int instance;     /* -1 */
    int axis;         /* -1 */
    int64_t rank;     /* -1 */
    const struct node *node;
    const struct expression *expr; /* what is undefined; NULL: as the rule */
    const char *walk, *name, *near;
    const struct tree *at; /* the map that the subject stands in; NULL: the
                              group, or the top */
    int64_t a, b;
};

struct findings {
    struct finding *items; /* room for cap; NULL until the first */
    size_t n, cap;         /* kept: at most CHECK_FINDINGS_MAX */
    size_t total;          /* found */
};

/* A rule that could not be judged. */
struct unchecked {
    const struct rule *rule;
    const struct scope *scope;
    struct value item;
};

enum check_flags {
    CHECK_VERDICT_ONLY = 1, /* stop at the first refusal */
};

/* A check and its outcome. Lives in the arena it ran in. */
struct check {
    const struct runtime *rt;
    const struct model *model; /* NULL: none */
    const struct deployment *dep;
    struct question question; /* as it was asked; what it points to is
                                 borrowed */
    struct arena *arena;
    unsigned flags;
    bool exhausted;
    uint32_t *seen_at; /* scratch of the ranks check; NULL until needed */
    bool bad_creation; /* a condition of `create` is not known */
    int64_t budget;    /* steps left */

    struct scope *scopes; /* by group */
    struct scope global;
    struct node *nodes; /* the model's, then those only groups name */
    size_t n_nodes;
    struct placed *placed;
    size_t n_placed;
    size_t n_computed;      /* slots that were pending and are not any more */
    struct placed *outside; /* NULL until needed: check_outside() */
    uint64_t at_rest;       /* in every scope: options and facts, and the axes
                               where there is one scope */
    struct served *served;
    size_t n_served;
    struct value lists[SLOT_COMBINED + 1]; /* the built-in lists, by slot */

    const struct rule *running;
    struct findings refused, warnings;
    struct finding spare; /* handed out where nothing more is kept */
    struct unchecked *unchecked;
    size_t n_unchecked;
};

/* Runs every rule of the runtime on the request, or those up to a layer and the
 * checks that no request goes without. Returns the outcome, in
 * arena; NULL: STATUS_EXHAUSTED, the arena is full. */
struct check *check_run(const struct question *question, struct arena *arena,
                        unsigned flags, struct error *err);

static inline bool check_accepts(const struct check *check)
{
    return check->refused.total == 0;
}

/* ---- for the checks themselves ------------------------------------------- */

/* Adds a fault of the running rule's check, with its default or overridden
 * code, to the refusals or warnings. Returns it to be filled; never NULL. */
struct finding *check_fault(struct check *check, enum fault fault);

/* The code a fault goes by under a rule that places its check: the rule's for
 * the fault's word, the rule's only one (of the check's first fault), else the
 * fault's own. */
const char *fault_code(const struct rule *rule, enum fault fault);

/* Whether the check may stop: asked only for the verdict, and it is refused. */
bool check_done(const struct check *check);

/* arena memory; NULL sets check->exhausted. */
void *check_alloc(struct check *check, size_t count, size_t size);

/* scope.c: fills the scopes of all groups and the global one. */
int scopes_init(struct check *check);

/* What stands for what leaves the model: all its sizes are 1. NULL: the arena
 * is full. */
struct placed *check_outside(struct check *check);

/* The resolved view, or NULL when its sizes are not known or do not fit. */
const struct view *scope_view(struct check *check, struct scope *scope,
                              int view);

/* The first view that the request has: of the same span as all others. */
const struct view *scope_first_view(struct check *check, struct scope *scope);

/* The group list over positions of one instance; -1: not defined. */
int scope_lists(struct check *check, struct scope *scope,
                const struct list_name *name, struct lists *ret);

/* The form of a declared group that holds in a scope, or of which that is not
 * known; NULL: none. */
const struct group_form *scope_group_form(const struct check *check,
                                          const struct scope *scope, int group);

/* The numbers of a family's lists in a scope, FAMILY_MAX at most; 0: it has
 * none there; -1: not known. */
int scope_family(const struct check *check, const struct scope *scope,
                 int group, uint32_t *ret);

/* A coordinate of the runtime as a scope resolves it. */
struct coordinate {
    const struct view *view; /* NULL: there is none under this request */
    int axes[VIEW_AXES_MAX]; /* of the view, most significant digit first */
    size_t n_axes;
    uint32_t size; /* numbers are below it */
};

/* -1: it is not known. */
int scope_coordinate(struct check *check, struct scope *scope, int coordinate,
                     struct coordinate *ret);

/* The number of a position in its instance. */
uint32_t coordinate_at(const struct coordinate *coordinate, uint32_t position);

/* Size of an axis in a scope; 0: not known. */
uint32_t scope_size(const struct check *check, const struct scope *scope,
                    int axis);

/* runtime_active.c: whether a size has a communicator of its own; false: that
 * is not known. */
bool scope_active(const struct scope *scope, const struct active_name *name,
                  bool *ret);

/* The value of a slot in a scope. */
static inline struct value scope_value(const struct scope *scope, int slot)
{
    return environment_slot(&scope->env, slot);
}

/* Global rank at a position over all instances of the scope. */
static inline uint32_t scope_rank(const struct scope *scope, size_t position)
{
    uint32_t rank = (uint32_t)position;

    if (scope->ranks != NULL)
        rank = scope->ranks[position];
    return rank + scope->offset;
}

/* resolve.c: which group runs each node of each served walk. */
int resolve_nodes(struct check *check);
int resolve_walks(struct check *check);

/* Whether the group is active for a walk of this name. */
bool group_in_walk(const struct node_group *group, const char *walk);

/* listing.c: the built-in lists that rules read. */
int build_lists(struct check *check);

/* The signals of served walks, whether or not rules read them. */
struct value check_signals(struct check *check);

/* Value of lists("v.a") number list in the scope env belongs to. */
struct value check_lists(const struct environment *env, int list);

/* The checks by enum structure. */
void structure_run(struct check *check, const struct rule *rule);

#endif
