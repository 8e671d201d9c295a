/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the daemon as users write them. */
#ifndef SERRIED_CLIENT_ADDRESS_H
#define SERRIED_CLIENT_ADDRESS_H

#include <stdbool.h>

#include "client/libserry/serry.h"

enum {
    ADDRESS_PATH_MAX = 107,  /* of a socket's name, by sockaddr_un */
    ADDRESS_HOST_MAX = 253,  /* of a host's name */
    ADDRESS_BYTES_MAX = 288, /* "tcp://[HOST]:65535" */
};

/* Where a daemon listens. */
struct address {
    char url[ADDRESS_BYTES_MAX]; /* as given, with its scheme */
    bool is_tcp;
    bool is_ipv6; /* of address_resolve(): a literal in brackets */
    char host[ADDRESS_HOST_MAX + 1], port[6]; /* tcp only */
};

/* Reads an address; NULL: the default, as serry_open() says.
 *   SERRY_INVALID  it cannot be read, or there is no default */
int address_read(const char *text, struct address *ret,
                 struct serry_error *err);

/* Looks the host of a tcp address up, IPv4 before IPv6, and gives one with a
 * literal; gives others as they are. May take as long as the system's resolver
 * does.
 *   SERRY_UNAVAILABLE  no such host */
int address_resolve(const struct address *address, struct address *ret,
                    struct serry_error *err);

#endif
