/* SPDX-License-Identifier: Apache-2.0 */
/* How long to pause before calling again, for programs that run by the
 * thousand. */
#ifndef SERRIED_BASE_PAUSE_H
#define SERRIED_BASE_PAUSE_H

#include <stdint.h>

/* A pause of about ms: from half of it (chance 0) to half more (UINT16_MAX),
 * evenly between. Those who were turned away together do not return so. */
uint32_t pause_varied(uint32_t ms, uint16_t chance);

/* Such a chance, drawn anew each time. Where the system has none to give, that
 * of this process. */
uint16_t pause_chance(void);

#endif
