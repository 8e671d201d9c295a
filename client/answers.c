/* SPDX-License-Identifier: Apache-2.0 */
#include "client/answers.h"

#include "base/text.h"

/* clang-format off */
const struct answer_code answer_codes[] = {
    { "place.never", "placing on devices",
      "what is declared cannot hold the request, also when all of it is free",
      "ask for fewer ranks, for a looser link of the axis that is named (links), "
      "or declare more hosts" },
    { "place.not_now", "placing on devices",
      "it could be placed if those who hold devices let go, or hosts that are "
      "not ready came back",
      "see which placements to release with serry plan --evict -f FILE, uncordon "
      "hosts, or try again later" },
    { "place.not_declared", "placing on devices",
      "it depends on what nobody declared: hosts, how many devices they have, "
      "or which domain or block these are in",
      "declare it with serry host apply" },
    { "device.order", "placing on devices",
      "by the numbers of their ranks the devices of a host are not in their own "
      "order, as happens when a placement grows into what was free",
      "release the placement and place it, where collectives go by the order of "
      "devices" },
    { "device.mask_permuted", "preparing a worker (serry exec)",
      "CUDA_VISIBLE_DEVICES had the devices in another order than the placement "
      "has them by rank, or, where it is bound to none, not in their own",
      "let the launcher set no mask, or an ascending one" },
    { "device.mask_hides", "preparing a worker (serry exec)",
      "CUDA_VISIBLE_DEVICES did not have a device that the placement has on this "
      "host",
      "let the launcher give the worker all devices of the placement on its "
      "host" },
    { "STALE_GENERATION", "booting a worker",
      "the placement was placed anew since the worker fetched its assignment",
      "fetch the assignment anew, or end" },
    { "STALE_INCARNATION", "booting a worker",
      "another start of this rank has joined, and the newest counts",
      "end; one worker of a rank is enough" },
    { "DIGEST_DIFFERS", "booting a worker",
      "the groups that the worker computed are not those of the placement; the "
      "first list that differs is named",
      "create no groups; run the same libserry as the others" },
    { "WRONG_MACHINE", "booting a worker",
      "the host that the rank is bound to is declared with a machine_id, and "
      "the worker runs on another machine",
      "start the worker where its rank is bound to, or declare the machine_id "
      "anew" },
    { "STALE_BOOT", "booting a worker",
      "a worker joined from a later boot of the same host, so what ran there "
      "before is gone",
      "end, if it runs at all" },
    { "NOT_JOINED", "booting a worker",
      "the daemon does not know this incarnation, because it was restarted or "
      "the worker never joined",
      "join with the same incarnation, and go on" },
};
/* clang-format on */

const size_t n_answer_codes = ARRAY_LEN(answer_codes);
