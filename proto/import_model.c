/* SPDX-License-Identifier: Apache-2.0 */
/* A model's declaration out of the config.json that model hubs keep. */
#include "proto/import.h"

#include <inttypes.h>
#include <string.h>

#include "proto/import_read.h"

enum { SPELLINGS_MAX = 14 };

/* A fact and the keys that may say it, the first that is there counting. A dot
 * leads into a map. */
struct spelled {
    const char *fact;
    const char *keys[SPELLINGS_MAX]; /* NULL behind the last */
};

/* clang-format off */
static const struct spelled plain[] = {
    { "layers",   { "num_hidden_layers", "n_layers", "n_layer", "num_layers" } },
    { "hidden",   { "hidden_size", "d_model", "n_embd", "model_dim" } },
    { "heads",    { "num_attention_heads", "num_heads", "n_heads", "n_head",
                    "num_query_heads" } },
    { "kv_heads", { "num_key_value_heads", "num_key_value_heads_per_layer",
                    "num_kv_heads", "n_kv_heads", "n_head_kv",
                    "multi_query_group_num", "num_query_groups",
                    "attn_config.kv_n_heads" } },
    { "head_dim", { "head_dim", "d_kv", "attention_head_dim", "kv_channels",
                    "d_head" } },
    { "vocab",    { "vocab_size", "padded_vocab_size" } },
    { "context",  { "max_position_embeddings", "max_seq_length", "n_positions",
                    "max_sequence_length", "max_seq_len", "seq_length",
                    "n_ctx" } },
};
static const struct spelled experts = {
    "experts", { "num_experts", "num_local_experts", "num_routed_experts",
                 "n_routed_experts", "num_moe_experts", "moe_num_experts",
                 "ffn_config.moe_num_experts" }
};
static const struct spelled per_token = {
    "experts_per_token", { "num_experts_per_tok", "top_k_experts",
                           "moe_router_topk", "num_active_experts",
                           "moe_topk", "top_k", "moe_top_k",
                           "ffn_config.moe_top_k" }
};
/* Of an expert; without one of these, an expert is as wide as dense layers. */
static const struct spelled expert_ffn = {
    "expert_ffn", { "moe_intermediate_size", "expert_intermediate_size",
                    "moe_ffn_hidden_size", "expert_ffn_hidden_size",
                    "ffn_config.ffn_hidden_size" }
};
/* A number of layers; none is one too. */
static const char *const dense_first[] = { "first_k_dense_replace",
                                           "num_dense_layers",
                                           "moe_layer_start_index" };
static const struct spelled ffn = {
    "ffn", { "intermediate_size", "ffn_hidden_size", "ffn_dim", "d_ff",
             "n_inner", "dense_intermediate_size" }
};
/* Keys that only latent attention has. */
static const char *const latent[] = { "kv_lora_rank", "qk_rope_head_dim" };
/* Where the text model's configuration stands in that of a model of several. */
static const char *const text_models[] = {
    "thinker_config", "text_config", "language_config", "llm_config",
    "language_model_config", "text_model_config", "decoder",
};
/* Kinds of layers in layer_types that attend over the sequence. */
static const char *const attending[] = {
    "full_attention", "sliding_attention", "chunked_attention",
};
/* Keys that say nothing about sizes; * stands for any characters. */
static const char *const silent[] = {
    "architectures", "model_type", "*dtype", "transformers_version", "*_id",
    "*dropout*", "initializer*", "*_eps", "*epsilon", "*_coef*", "use_*",
    "tie_*", "*hidden_act*", "*activation*", "_*", "rope*", "*bias", "output_*",
    "*_limit", "*_factor", "auto_map", "*_alpha", "*_prob", "*_method",
    "scoring_func", "is_encoder_decoder", "pretraining_tp", "*_layernorm",
    "*norm*",
};
/* clang-format on */

/* A config being read. */
struct reading {
    const struct tree *text; /* the text model's part of it */
    const char *prefix;      /* of its keys: "", "text_config." */
    struct tree_maker *maker;
    struct tree *facts, *read, *not_read;
    bool linear; /* some layers do not attend over the sequence */
};

/* ---- keys ---------------------------------------------------------------- */

/* What stands at a key with dots; NULL: nothing. */
static const struct tree *said_at(const struct reading *r, const char *key)
{
    const struct tree *map = r->text;
    const char *dot = strchr(key, '.');
    char part[64];

    if (dot != NULL && (size_t)(dot - key) < sizeof(part)) {
        memcpy(part, key, (size_t)(dot - key));
        part[dot - key] = '\0';
        map = tree_get(map, part);
        key = dot + 1;
    }
    return tree_get(map, key);
}

/* NULL: nothing, or neither a number above 0 nor a list of numbers. */
static const struct tree *value_of(const struct reading *r, const char *key)
{
    const struct tree *value = said_at(r, key);

    if (value == NULL || (value->type == TREE_INT && value->u.integer > 0))
        return value;
    if (value->type != TREE_LIST || tree_count(value) == 0)
        return NULL;
    for (const struct tree *t = tree_first(value); t != NULL; t = t->next)
        if (t->type != TREE_INT || t->u.integer < 0)
            return NULL;
    return value;
}

static const struct tree *find(const struct reading *r,
                               const struct spelled *fact, const char **ret_key)
{
    const struct tree *value = NULL;

    for (size_t i = 0; i < SPELLINGS_MAX && fact->keys[i] != NULL; i++) {
        *ret_key = fact->keys[i];
        value = value_of(r, *ret_key);
        if (value != NULL)
            return value;
    }
    return NULL;
}

/* Whether a key of a fact that was not found says something all the same, so
 * that the fact may not be guessed. */
static bool says_otherwise(const struct reading *r, const struct spelled *fact)
{
    for (size_t i = 0; i < SPELLINGS_MAX && fact->keys[i] != NULL; i++) {
        const struct tree *value = said_at(r, fact->keys[i]);

        if (value != NULL && value->type != TREE_NULL &&
            value->type != TREE_INT && value->type != TREE_BOOL)
            return true;
    }
    return false;
}

/* ---- facts --------------------------------------------------------------- */

static void note(struct reading *r, const char *fact, const char *key)
{
    struct tree *one = make_map(r->maker, r->read, NULL);
    const char *whole = arena_printf(r->maker->arena, "%s%s", r->prefix, key);

    if (whole == NULL)
        r->maker->failed = true;
    else
        make_string(r->maker, one, "key", whole);
    make_string(r->maker, one, "as", fact);
}

static void miss(struct reading *r, const char *fact, const char *reason)
{
    import_not_read(r->maker, r->not_read, fact, IMPORT_UNREAD_MODEL, reason,
                    NULL);
}

/* Why a fact was not found. */
static void miss_said(struct reading *r, const struct spelled *fact)
{
    miss(r, fact->fact,
         says_otherwise(r, fact) ? "it is said otherwise than by a number"
                                 : "no key says it");
}

/* Whether the fact was said. */
static bool take(struct reading *r, const struct spelled *fact,
                 const char *called)
{
    const char *key;
    const struct tree *value = find(r, fact, &key);

    if (value == NULL)
        return false;
    make_copy(r->maker, r->facts, called, value);
    note(r, called, key);
    return true;
}

static bool is_latent(struct reading *r)
{
    for (size_t i = 0; i < ARRAY_LEN(latent); i++)
        if (tree_get(r->text, latent[i]) != NULL) {
            note(r, "mla", latent[i]);
            return true;
        }
    return false;
}

/* Whether nothing says a fact, not even what cannot be read. */
static bool is_unsaid(const struct reading *r, const char *fact)
{
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if (strcmp(plain[i].fact, fact) == 0 && says_otherwise(r, &plain[i]))
            return false;
    return tree_get(r->facts, fact) == NULL;
}

/* Heads that are not told apart are the same; a head is as wide as its part. */
static void fill_heads(struct reading *r, bool mla)
{
    const struct tree *n = tree_get(r->facts, "heads");
    const struct tree *hidden = tree_get(r->facts, "hidden");

    if (n != NULL && is_unsaid(r, "kv_heads")) {
        make_copy(r->maker, r->facts, "kv_heads", n);
        note(r, "kv_heads", "(nothing: as many as heads)");
    }
    if (mla || n == NULL || hidden == NULL || n->type != TREE_INT ||
        hidden->type != TREE_INT || !is_unsaid(r, "head_dim") ||
        hidden->u.integer % n->u.integer != 0)
        return;
    make_int(r->maker, r->facts, "head_dim", hidden->u.integer / n->u.integer);
    note(r, "head_dim", "(nothing: hidden / heads)");
}

/* Layers in front of those with experts. */
static void take_dense_first(struct reading *r)
{
    for (size_t i = 0; i < ARRAY_LEN(dense_first); i++) {
        const struct tree *value = tree_get(r->text, dense_first[i]);

        if (value == NULL || value->type != TREE_INT || value->u.integer < 0)
            continue;
        make_copy(r->maker, r->facts, "first_dense_layers", value);
        note(r, "first_dense_layers", dense_first[i]);
        return;
    }
}

static void take_experts(struct reading *r)
{
    if (!take(r, &experts, experts.fact)) {
        if (says_otherwise(r, &experts))
            miss_said(r, &experts);
        take(r, &ffn, ffn.fact);
        return;
    }
    if (!take(r, &per_token, per_token.fact))
        miss_said(r, &per_token);
    if (take(r, &expert_ffn, expert_ffn.fact))
        take(r, &ffn, ffn.fact);
    else if (says_otherwise(r, &expert_ffn) || !take(r, &ffn, expert_ffn.fact))
        miss_said(r, &expert_ffn);
    take_dense_first(r);
}

static bool is_among(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* layer_types: a word for each layer. */
static void take_layer_types(struct reading *r)
{
    const struct tree *list = tree_get(r->text, "layer_types");
    size_t n = 0;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        n += t->type != TREE_STRING ||
             !is_among(t->text, attending, ARRAY_LEN(attending));
    if (list == NULL)
        return;
    r->linear = n > 0;
    make_bool(r->maker, r->facts, "linear_attention", r->linear);
    note(r, "linear_attention", "layer_types");
}

static void take_facts(struct reading *r)
{
    bool mla = is_latent(r);

    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        bool guessed = strcmp(plain[i].fact, "kv_heads") == 0 ||
                       strcmp(plain[i].fact, "head_dim") == 0;

        if (!take(r, &plain[i], plain[i].fact) &&
            (!guessed || says_otherwise(r, &plain[i])))
            miss_said(r, &plain[i]);
    }
    fill_heads(r, mla);
    if (is_unsaid(r, "head_dim"))
        miss(r, "head_dim",
             mla ? "heads of latent attention have several widths"
                 : "no key says it");
    take_experts(r);
    make_bool(r->maker, r->facts, "mla", mla);
    take_layer_types(r);
}

/* ---- the rest ------------------------------------------------------------ */

/* Whether text is as a pattern has it, in which * is any characters. */
static bool matches(const char *text, const char *pattern)
{
    for (; *pattern != '*'; text++, pattern++) {
        if (*text != *pattern)
            return false;
        if (*text == '\0')
            return true;
    }
    for (pattern++;; text++) {
        if (matches(text, pattern))
            return true;
        if (*text == '\0')
            return false;
    }
}

static bool is_silent(const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(silent); i++)
        if (matches(key, silent[i]))
            return true;
    return false;
}

static bool was_read(const struct reading *r, const char *key)
{
    size_t skip = strlen(r->prefix), len = strlen(key);

    for (const struct tree *t = tree_first(r->read); t != NULL; t = t->next) {
        const struct tree *read = tree_get(t, "key");

        if (read != NULL && strncmp(read->text + skip, key, len) == 0 &&
            (read->text[skip + len] == '\0' || read->text[skip + len] == '.'))
            return true;
    }
    return is_among(key, latent, ARRAY_LEN(latent));
}

/* Names every key of the text model that may matter and was not read. */
static int take_rest(struct reading *r, struct error *err)
{
    if (tree_count(r->text) > IMPORT_VALUES_MAX)
        return tree_error(r->text, err, STATUS_INVALID,
                          "more than %d keys, the most that are read",
                          IMPORT_VALUES_MAX);
    for (const struct tree *t = tree_first(r->text); t != NULL; t = t->next) {
        const char *key;

        if (t->type == TREE_NULL || t->type == TREE_BOOL || is_silent(t->key) ||
            was_read(r, t->key))
            continue;
        key = arena_printf(r->maker->arena, "%s%s", r->prefix, t->key);
        if (key == NULL)
            return error_exhausted(err);
        import_not_read(r->maker, r->not_read, key, IMPORT_UNREAD_UNKNOWN,
                        "no fact stands for it", NULL);
    }
    return 0;
}

/* The part of a configuration that is the text model's: in maps inside one
 * another at most. NULL: out of memory. */
static const struct tree *find_text(const struct tree *config,
                                    struct arena *arena, const char **prefix)
{
    size_t depth = 0, i = 0;

    *prefix = "";
    while (i < ARRAY_LEN(text_models) && depth < IMPORT_INSIDE_MAX) {
        const struct tree *inner = tree_get(config, text_models[i]);

        if (inner == NULL || inner->type != TREE_MAP) {
            i++;
            continue;
        }
        *prefix = arena_printf(arena, "%s%s.", *prefix, text_models[i]);
        if (*prefix == NULL)
            return NULL;
        config = inner;
        depth++;
        i = 0;
    }
    return config;
}

static const char *own_name(const struct tree *config)
{
    const struct tree *name = tree_get(config, "_name_or_path");
    const char *slash;

    if (name == NULL || name->type != TREE_STRING || name->len == 0)
        name = tree_get(config, "model_type");
    if (name == NULL || name->type != TREE_STRING || name->len == 0)
        return NULL;
    slash = strrchr(name->text, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : name->text;
}

int import_model(const struct tree *config, const char *name,
                 struct tree_maker *maker, struct import_result *ret,
                 struct error *err)
{
    struct reading r = { .maker = maker,
                         .read = make_list(maker, NULL, NULL),
                         .not_read = make_list(maker, NULL, NULL) };
    struct tree *model = make_map(maker, NULL, NULL);

    if (config->type != TREE_MAP)
        return tree_error(config, err, STATUS_INVALID,
                          "expected a map, the configuration of a model");
    r.text = find_text(config, maker->arena, &r.prefix);
    if (r.text == NULL)
        return error_exhausted(err);
    if (name == NULL)
        name = own_name(config);
    if (name == NULL)
        return tree_error(config, err, STATUS_INVALID,
                          "it does not say the model's name; give --name NAME");
    make_string(maker, model, "model", name);
    r.facts = make_map(maker, model, "facts");
    take_facts(&r);
    if (tree_get(r.facts, "heads") == NULL &&
        tree_get(r.facts, "hidden") == NULL)
        return tree_error(config, err, STATUS_INVALID,
                          "no configuration of a text model: neither heads nor "
                          "a hidden size");
    if (take_rest(&r, err) < 0)
        return -1;
    if (maker->failed)
        return error_exhausted(err);
    *ret = (struct import_result){ .model = model,
                                   .read = r.read,
                                   .not_read = r.not_read };
    return 0;
}
