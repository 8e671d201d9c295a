/* SPDX-License-Identifier: Apache-2.0 */
/* What an unchecked rule needs to be judged, and a layout to be known. */
#include "placement/explain.h"

#include <inttypes.h>
#include <string.h>

/* ---- what an unchecked rule needs ---------------------------------------- */

struct needs {
    const struct check *check;
    const struct unchecked *unchecked;
    void (*need)(void *arg, const char *text);
    void *arg;
    int depth;
};

static void note_need(void *arg, int slot, const char *path);

static void needs_of(struct needs *needs, const struct expression *expr)
{
    if (expr != NULL && needs->depth < 8) {
        needs->depth++;
        expression_needs(expr, &needs->unchecked->scope->env, note_need, needs);
        needs->depth--;
    }
}

/* A derived size or a default that is unknown: what it is computed from. */
static void needs_of_symbol(struct needs *needs, const struct symbol *symbol)
{
    const struct runtime *rt = needs->check->rt;

    if (symbol->kind == SYMBOL_AXIS) {
        needs_of(needs, rt->axes[symbol->index].fill);
        needs_of(needs, rt->axes[symbol->index].initial);
        return;
    }
    if (symbol->kind == SYMBOL_OPTION) {
        needs_of(needs, rt->options[symbol->index].initial);
        return;
    }
    for (size_t i = 0; i < rt->derived[symbol->index].n_alternatives; i++) {
        needs_of(needs, rt->derived[symbol->index].alternatives[i].when);
        needs_of(needs, rt->derived[symbol->index].alternatives[i].value);
    }
}

static void note_need(void *arg, int slot, const char *path)
{
    struct needs *needs = arg;
    const struct symbol *symbol = runtime_symbol_at(needs->check->rt, slot);
    struct value item = needs->unchecked->item;
    const char *member = strchr(path, '.');
    struct text text = { 0 };

    if (symbol != NULL &&
        (symbol->kind == SYMBOL_AXIS || symbol->kind == SYMBOL_DERIVED ||
         (symbol->kind == SYMBOL_OPTION &&
          needs->check->rt->options[symbol->index].initial != NULL))) {
        needs_of_symbol(needs, symbol);
        return;
    }
    if (symbol != NULL && symbol->kind == SYMBOL_OPTION) {
        text_put(&text, needs->check->rt->options[symbol->index].field);
    } else if (symbol != NULL && symbol->kind == SYMBOL_FACT) {
        text_printf(&text, "model.%s", path);
    } else if (slot == SLOT_ITEM && member != NULL &&
               item.type == VALUE_OBJECT && item.kind == KIND_PLACED) {
        const struct placed *placed = item.u.object;

        /* p.node.axes and p.axes are the same place in the model */
        if (strncmp(member, ".node.", 6) == 0)
            member += strlen(".node");
        text_printf(&text, "model.%s%s", placed->node->name, member);
    } else if (slot == SLOT_ITEM && member != NULL &&
               item.type == VALUE_OBJECT) {
        text_put(&text, "model.");
        item_print(needs->check, item, &text);
        text_put(&text, member);
    } else if (slot != SLOT_ITEM) {
        text_put(&text, path);
    }
    if (text.len > 0)
        needs->need(needs->arg, text_string(&text));
    text_close(&text);
}

void unchecked_needs(const struct check *check, const struct unchecked *u,
                     void (*need)(void *arg, const char *text), void *arg)
{
    struct needs needs = {
        .check = check, .unchecked = u, .need = need, .arg = arg
    };

    u->scope->slots[SLOT_ITEM] = u->item;
    if (u->item.state != VALUE_KNOWN && u->rule->items != NULL)
        needs_of(&needs, u->rule->items);
    needs_of(&needs, u->rule->when);
    needs_of(&needs, u->rule->refuse);
}

bool layout_needs(const struct check *check, const struct finding *f,
                  void (*need)(void *arg, const char *text), void *arg)
{
    const struct unchecked layout = { .scope = f->scope, .item = f->item };
    struct needs needs = {
        .check = check, .unchecked = &layout, .need = need, .arg = arg
    };

    if (f->fault != FAULT_LAYOUT_UNDEFINED || f->expr == NULL ||
        expression_eval(f->expr, &f->scope->env).state != VALUE_UNKNOWN)
        return false;
    needs_of(&needs, f->expr);
    return true;
}
