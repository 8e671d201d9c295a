/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine this is, and since which boot. */
#include "client/libserry/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file if it has the form of a pattern, in which x stands
 * for a hex digit; else "". */
static void read_id(const char *path, const char *pattern,
                    char ret[IDENTITY_BYTES])
{
    char line[IDENTITY_BYTES + 2] = "";
    FILE *file = fopen(path, "re");
    size_t i = 0;

    ret[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(line, sizeof(line), file) == NULL)
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    while (pattern[i] != '\0' && line[i] != '\0' &&
           (pattern[i] == 'x' ? strchr("0123456789abcdef", line[i]) != NULL
                              : line[i] == pattern[i]))
        i++;
    if (pattern[i] == '\0' && line[i] == '\0')
        memcpy(ret, line, i + 1);
}

void identity_read(struct identity *ret)
{
    const char *path = getenv("SERRY_MACHINE_ID_FILE");

    if (path == NULL || path[0] == '\0')
        path = "/etc/machine-id";
    read_id(path, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ret->machine);
    read_id("/proc/sys/kernel/random/boot_id",
            "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", ret->boot);
}
