/* SPDX-License-Identifier: Apache-2.0 */
/* How long to pause before calling again, for programs that run by the
 * thousand. */
#include "base/pause.h"

#include <sys/random.h>
#include <unistd.h>

uint32_t pause_varied(uint32_t ms, uint16_t chance)
{
    return (uint32_t)(ms / 2 + (uint64_t)ms * chance / UINT16_MAX);
}

uint16_t pause_chance(void)
{
    uint16_t chance;

    if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
        chance = (uint16_t)getpid();
    return chance;
}
