/* SPDX-License-Identifier: Apache-2.0 */
/* What time it is, for those layers that may know. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

/* The last millisecond of the year 9999. */
#define WALL_MS_MAX INT64_C(253402300799999)

static int64_t clock_us(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_wall_ms(void)
{
    return clock_us(CLOCK_REALTIME) / 1000;
}

int64_t clock_monotonic_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

void clock_text(int64_t wall_ms, char ret_text[CLOCK_TEXT_BYTES])
{
    struct tm tm;
    time_t seconds;
    size_t n;

    if (wall_ms < 0)
        wall_ms = 0;
    if (wall_ms > WALL_MS_MAX)
        wall_ms = WALL_MS_MAX;
    seconds = (time_t)(wall_ms / 1000);
    gmtime_r(&seconds, &tm);
    n = strftime(ret_text, CLOCK_TEXT_BYTES, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(ret_text + n, CLOCK_TEXT_BYTES - n, ".%03uZ",
             (unsigned)(wall_ms % 1000));
}
