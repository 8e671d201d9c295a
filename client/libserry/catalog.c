/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the service Catalog: models and runtimes. */
#include "client/libserry/convert.h"
#include "client/libserry/pages.h"

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__catalog__descriptor;

static struct serry_declaration
declaration(const Serried__V1__Declaration *from)
{
    return (struct serry_declaration){
        .kind = convert_text(from->kind),
        .name = convert_text(from->name),
        .revision = from->revision,
        .hash = convert_text(from->hash),
        .text = from->text,
        .changed = from->changed,
    };
}

static int hand_out(const struct call_reply *reply,
                    struct serry_declaration **ret_declaration,
                    struct serry_error *err)
{
    struct serry_declaration *result =
        result_new(reply->arena, sizeof(*result));

    if (result != NULL)
        *result = declaration(reply->message);
    if (convert_done(reply->arena, result, err) < 0)
        return -1;
    *ret_declaration = result;
    return 0;
}

int serry_apply(struct serry_client *client,
                const struct serry_document *document,
                const struct serry_write *write,
                struct serry_declaration **ret_declaration,
                struct serry_error *err)
{
    Serried__V1__ApplyRequest request = SERRIED__V1__APPLY_REQUEST__INIT;
    bool compares = write != NULL && write->expected != NULL;
    Serried__V1__Document text;
    char room[CALL_KEY_BYTES];
    struct call_reply reply;

    if (call_key(write, room, &request.idempotency_key, err) < 0)
        return -1;
    request.document = convert_to_document(document, &text);
    request.has_expected_revision = compares;
    request.expected_revision = compares ? write->expected->revision : 0;
    if (call_method(client, service, "Apply", &request.base, 0, compares,
                    &reply, err) < 0)
        return -1;
    return hand_out(&reply, ret_declaration, err);
}

int serry_get_declaration(struct serry_client *client, const char *kind,
                          const char *name,
                          struct serry_declaration **ret_declaration,
                          struct serry_error *err)
{
    Serried__V1__GetDeclarationRequest request =
        SERRIED__V1__GET_DECLARATION_REQUEST__INIT;
    struct call_reply reply;

    request.kind = (char *)kind;
    request.name = (char *)name;
    if (call_method(client, service, "GetDeclaration", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    return hand_out(&reply, ret_declaration, err);
}

static struct serry_declarations *declarations(const struct pages *pages)
{
    struct serry_declarations *result =
        result_new(pages->arena, sizeof(*result));
    struct serry_declaration **items =
        convert_array(pages->arena, pages->n, sizeof(**items));

    if (result == NULL || items == NULL)
        return NULL;
    for (size_t i = 0; i < pages->n; i++)
        *items[i] = declaration(pages->items[i]);
    result->count = pages->n;
    result->items = (const struct serry_declaration *const *)items;
    return result;
}

static struct page read_page(const void *reply)
{
    const Serried__V1__ListDeclarationsReply *from = reply;

    return (struct page){ (void *const *)from->declarations,
                          from->n_declarations, from->next_page_token };
}

int serry_list_declarations(struct serry_client *client, const char *kind,
                            struct serry_declarations **ret_declarations,
                            struct serry_error *err)
{
    const struct paged paged = { service, "ListDeclarations", read_page };
    Serried__V1__ListDeclarationsRequest request =
        SERRIED__V1__LIST_DECLARATIONS_REQUEST__INIT;
    struct serry_declarations *result;
    struct pages pages;

    request.kind = (char *)kind;
    if (pages_ask(client, &paged, &request.base, &request.page_token, &pages,
                  err) < 0)
        return -1;
    result = declarations(&pages);
    if (convert_done(pages.arena, result, err) < 0)
        return -1;
    *ret_declarations = result;
    return 0;
}
