/* SPDX-License-Identifier: Apache-2.0 */
/* What time it is, for those layers that may know. */
#ifndef SERRIED_BASE_CLOCK_H
#define SERRIED_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds since 1970 began, UTC. May jump when the clock is set. */
int64_t clock_wall_ms(void);

/* Microseconds since some moment in the past; never falls. */
int64_t clock_monotonic_us(void);

enum { CLOCK_TEXT_BYTES = sizeof("2026-01-31T23:59:59.999Z") };

/* Writes wall_ms as "2026-01-31T23:59:59.999Z"; times before 1970 or after 9999
 * are written as the nearest of the two. */
void clock_text(int64_t wall_ms, char ret_text[CLOCK_TEXT_BYTES]);

#endif
