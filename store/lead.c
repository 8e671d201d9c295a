/* SPDX-License-Identifier: Apache-2.0 */
/* Leading: a store of one machine elects whoever holds it. */
#include <assert.h>
#include <stdlib.h>

#include "store/engine.h"

static void elect(struct job *job)
{
    struct campaign *campaign = (struct campaign *)job;
    const struct store_candidate *candidate = campaign->candidate;

    if (campaign->resigned)
        return;
    campaign->elected = true;
    candidate->elected(campaign->arg, campaign->term);
    if (candidate->leader != NULL && !campaign->resigned)
        candidate->leader(campaign->arg, candidate->name);
}

static void depose(struct job *job)
{
    struct campaign *campaign =
        (struct campaign *)((char *)job - offsetof(struct campaign, depose));
    const struct store_candidate *candidate = campaign->candidate;

    candidate->deposed(campaign->arg);
    if (candidate->leader != NULL)
        candidate->leader(campaign->arg, NULL);
    free(campaign);
}

int store_campaign(struct store *store, const struct store_candidate *candidate,
                   void *arg, struct error *err)
{
    struct campaign *campaign = calloc(1, sizeof(*campaign));

    assert(!store->is_closing && store->campaign == NULL);
    if (campaign == NULL)
        return error_exhausted(err);
    campaign->elect.finish = elect;
    campaign->depose.finish = depose;
    campaign->store = store;
    campaign->candidate = candidate;
    campaign->arg = arg;
    /* Openings are counted on disk, campaigns of one opening here. */
    campaign->term.epoch = store->pos.epoch;
    campaign->term.token = (store->openings << 16) + ++store->campaigns;
    store->campaign = campaign;
    mailbox_post(&store->mailbox, &campaign->elect);
    return 0;
}

void store_resign(struct store *store)
{
    struct campaign *campaign = store->campaign;

    if (campaign == NULL)
        return;
    store->campaign = NULL;
    campaign->resigned = true;
    campaign->elected = false;
    mailbox_post(&store->mailbox, &campaign->depose);
}
