/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine this is, and since which boot. */
#ifndef SERRIED_CLIENT_IDENTITY_H
#define SERRIED_CLIENT_IDENTITY_H

enum { IDENTITY_BYTES = 40 }; /* of either id, with the NUL */

struct identity {
    char machine[IDENTITY_BYTES]; /* 32 hex digits; "": not known */
    char boot[IDENTITY_BYTES];    /* a UUID; "": not known */
};

/* Reads them where the system keeps them: the machine's from the file that
 * SERRY_MACHINE_ID_FILE names, else from /etc/machine-id. What is not there, or
 * is no id, is not known: in a container it may be so. */
void identity_read(struct identity *ret);

#endif
