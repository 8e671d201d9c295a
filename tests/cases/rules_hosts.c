/* SPDX-License-Identifier: Apache-2.0 */
/* Whether cases know how a runtime's requests list hosts: each code refused and
 * not, each key, each transport. Those that read a list alone have the op
 * `cluster`; the check of hosts is a placed one. */
#include <stdio.h>
#include <string.h>

#include "placement/host_list.h"
#include "tests/cases/compare.h"
#include "tests/cases/rules_maker.h"

enum { HOSTS_BYTES_MAX = 16 << 20 };

struct hosts {
    struct arena *arena; /* of one list after the other */
    const struct runtime *rt;
    const struct samples *samples;
    report_fn *report;
    void *arg;
};

/* ---- cases --------------------------------------------------------------- */

static bool is_listing(const struct tree *line)
{
    return strcmp(tree_text(line, "op"), "cluster") == 0;
}

static const struct tree *hosts_in(const struct hosts *h,
                                   const struct tree *line)
{
    const struct tree *section = tree_get(tree_get(line, "input"), "cluster");

    return tree_first(tree_get(section, h->rt->host_list->hosts));
}

static bool is_accepted(const struct tree *line)
{
    return strcmp(tree_text(tree_get(line, "expect"), "verdict"), "accept") ==
           0;
}

/* Reads the list of a case, and finds its ranks there. Returns whether it is
 * accepted; in *ret what refused it. */
static bool read_listing(struct hosts *h, const struct host_list_rules *rules,
                         const struct tree *line, struct host_list_refusal *ret)
{
    const struct tree *input = tree_get(line, "input");
    const struct tree *protocol = tree_get(input, "protocol");
    struct host_list list;
    uint32_t host, device;

    arena_reset(h->arena);
    if (host_list_read(h->arena, rules, tree_get(input, "cluster"),
                       protocol != NULL ? protocol->text : NULL, &list, ret,
                       NULL) < 0)
        return false;
    for (const struct tree *t = tree_first(tree_get(input, "ranks")); t != NULL;
         t = t->next)
        if (host_list_find(&list, rules, t->u.integer, &host, &device, ret,
                           NULL) < 0)
            return false;
    return true;
}

static bool fails(struct hosts *h, const struct host_list_rules *rules,
                  const struct tree *line)
{
    struct host_list_refusal refusal = { NULL, -1 };
    bool accepted = read_listing(h, rules, line, &refusal);

    if (accepted || is_accepted(line))
        return accepted != is_accepted(line);
    return strcmp(refusal.code, tree_text(tree_get(line, "expect"), "code")) !=
           0;
}

/* ---- what they show ------------------------------------------------------ */

/* Says that a case fails under these rules, or that none does. */
static void report_missed(struct hosts *h, const char *what, const char *which,
                          const struct host_list_rules *rules)
{
    const char *why = "no case fails without it", *id = "";
    char name[256];

    for (size_t i = 0; i < h->samples->n_others; i++) {
        const struct tree *line = h->samples->others[i];

        if (!is_listing(line) || !fails(h, rules, line) ||
            fails(h, h->rt->host_list, line))
            continue;
        why = "";
        id = tree_text(line, "id");
        break;
    }
    snprintf(name, sizeof(name), "%s: %s %s; missed in %s", h->rt->name, what,
             which, id);
    h->report(h->arg, name, why);
}

/* Says that there is an accepted case in which something could be refused. */
static void report_held(struct hosts *h, const char *which,
                        bool (*applies)(const struct hosts *h,
                                        const struct tree *line))
{
    const char *why = "in no accepted case it could be found", *id = "";
    char name[256];

    for (size_t i = 0; i < h->samples->n_others; i++) {
        const struct tree *line = h->samples->others[i];

        if (!is_listing(line) || !is_accepted(line) || !applies(h, line))
            continue;
        why = "";
        id = tree_text(line, "id");
        break;
    }
    snprintf(name, sizeof(name), "%s: list of hosts %s; holds in %s",
             h->rt->name, which, id);
    h->report(h->arg, name, why);
}

static bool has_host(const struct hosts *h, const struct tree *line)
{
    return hosts_in(h, line) != NULL;
}

static bool has_rank(const struct hosts *h, const struct tree *line)
{
    return hosts_in(h, line) != NULL &&
           tree_count(tree_get(tree_get(line, "input"), "ranks")) > 0;
}

static bool has_transport(const struct hosts *h, const struct tree *line)
{
    const struct tree *host = hosts_in(h, line);

    return host != NULL && host->next != NULL &&
           tree_get(tree_get(line, "input"), "protocol") != NULL;
}

/* Two entries of one address. */
static bool has_twins(const struct hosts *h, const struct tree *line)
{
    const char *key = h->rt->host_list->address;

    for (const struct tree *a = hosts_in(h, line); a != NULL; a = a->next)
        for (const struct tree *b = a->next; b != NULL; b = b->next)
            if (strcmp(tree_text(a, key), tree_text(b, key)) == 0)
                return true;
    return false;
}

/* ---- codes --------------------------------------------------------------- */

static void judge_codes(struct hosts *h)
{
    struct host_list_rules rules = *h->rt->host_list;
    const struct {
        const char **code;
        bool (*applies)(const struct hosts *h, const struct tree *line);
    } codes[] = {
        { &rules.code_section, has_host },
        { &rules.code_host, has_host },
        { &rules.code_rank, has_rank },
        { &rules.code_transport, has_transport },
    };

    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        const char *code = *codes[i].code;

        *codes[i].code = OTHER_NAME;
        report_missed(h, "list of hosts", code, &rules);
        *codes[i].code = code;
        report_held(h, code, codes[i].applies);
    }
}

/* ---- keys and transports ------------------------------------------------- */

/* The words without number `left_out`, and with one more. */
static void change_words(const char *const *words, size_t n, size_t left_out,
                         const char *more, const char **ret, size_t *ret_n)
{
    *ret_n = 0;
    for (size_t i = 0; i < n; i++)
        if (i != left_out)
            ret[(*ret_n)++] = words[i];
    if (more != NULL)
        ret[(*ret_n)++] = more;
}

static void judge_keys(struct hosts *h)
{
    struct host_list_rules rules = *h->rt->host_list;
    const char **keys[] = { &rules.hosts, &rules.address, &rules.devices };
    const char *words[HOST_LIST_WORDS_MAX + 1];

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *key = *keys[i];

        *keys[i] = OTHER_NAME;
        report_missed(h, "key of hosts", key, &rules);
        *keys[i] = key;
    }
    rules.others = words;
    for (size_t i = 0; i < h->rt->host_list->n_others; i++) {
        change_words(h->rt->host_list->others, h->rt->host_list->n_others, i,
                     NULL, words, &rules.n_others);
        report_missed(h, "key of hosts", h->rt->host_list->others[i], &rules);
    }
    change_words(h->rt->host_list->others, h->rt->host_list->n_others, SIZE_MAX,
                 FURTHER_KEY, words, &rules.n_others);
    report_missed(h, "no other key", "of a host", &rules);
}

/* What tells two entries of one address apart, as a key of no meaning. */
static void judge_apart(struct hosts *h)
{
    struct host_list_rules rules = *h->rt->host_list;
    const char *words[HOST_LIST_WORDS_MAX + 1];

    if (rules.apart == NULL)
        return;
    change_words(rules.others, rules.n_others, SIZE_MAX, rules.apart, words,
                 &rules.n_others);
    rules.others = words;
    rules.apart = NULL;
    report_missed(h, "what tells hosts apart,", h->rt->host_list->apart,
                  &rules);
    report_held(h, h->rt->host_list->apart, has_twins);
}

static void judge_transports(struct hosts *h)
{
    struct host_list_rules rules = *h->rt->host_list;
    const char *words[HOST_LIST_WORDS_MAX + 1];

    rules.one_host = words;
    for (size_t i = 0; i < h->rt->host_list->n_one_host; i++) {
        change_words(h->rt->host_list->one_host, h->rt->host_list->n_one_host,
                     i, NULL, words, &rules.n_one_host);
        report_missed(h, "transport of one host", h->rt->host_list->one_host[i],
                      &rules);
    }
}

bool hosts_judge(const struct runtime *rt, const struct samples *samples,
                 report_fn *report, void *arg)
{
    struct hosts h = { .arena = arena_new(HOSTS_BYTES_MAX),
                       .rt = rt,
                       .samples = samples,
                       .report = report,
                       .arg = arg };

    if (h.arena == NULL)
        return false;
    if (rt->host_list != NULL) {
        judge_codes(&h);
        judge_keys(&h);
        judge_apart(&h);
        judge_transports(&h);
    }
    arena_free(h.arena);
    return true;
}
