/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the daemon as users write them. */
#include "client/libserry/address.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/libserry/result.h"

static const char tcp_scheme[] = "tcp://", ipc_scheme[] = "ipc://";

/* Quotes no more of an address than a sentence has room for. */
static int refuse_address(const char *text, const char *why,
                          struct serry_error *err)
{
    return refuse(err, SERRY_INVALID,
                  "address %.128s: %s; write ipc:///PATH, /PATH or "
                  "tcp://HOST:PORT",
                  text, why);
}

static int read_path(const char *text, const char *path, struct address *ret,
                     struct serry_error *err)
{
    size_t len = strlen(path);

    if (len == 0)
        return refuse_address(text, "it has no path", err);
    if (len > ADDRESS_PATH_MAX)
        return refuse(err, SERRY_INVALID,
                      "address %.128s...: the path of a socket has at most %d "
                      "bytes, this one has %zu",
                      text, ADDRESS_PATH_MAX, len);
    snprintf(ret->url, sizeof(ret->url), "%s%s", ipc_scheme, path);
    return 0;
}

static bool read_port(const char *text, char ret[6])
{
    size_t len = strspn(text, "0123456789");
    long port;

    if (len == 0 || len > 5 || text[len] != '\0')
        return false;
    port = strtol(text, NULL, 10);
    if (port < 1 || port > 65535)
        return false;
    memcpy(ret, text, len + 1);
    return true;
}

static int read_tcp(const char *text, const char *rest, struct address *ret,
                    struct serry_error *err)
{
    const char *colon = strrchr(rest, ':'), *host = rest;
    size_t len;

    if (colon == NULL || !read_port(colon + 1, ret->port))
        return refuse_address(text, "it has no port from 1 to 65535", err);
    len = (size_t)(colon - rest);
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    } else if (memchr(host, ':', len) != NULL) {
        return refuse_address(text, "an IPv6 address stands in brackets", err);
    }
    if (len == 0 || len > ADDRESS_HOST_MAX)
        return refuse_address(text, "its host has 1 to 253 bytes", err);
    memcpy(ret->host, host, len);
    ret->host[len] = '\0';
    ret->is_tcp = true;
    snprintf(ret->url, sizeof(ret->url), "%s%s", tcp_scheme, rest);
    return 0;
}

static int read_default(struct address *ret, struct serry_error *err)
{
    const char *text = getenv("SERRY_ADDRESS"), *folder;
    char path[ADDRESS_BYTES_MAX];

    if (text != NULL && text[0] != '\0')
        return address_read(text, ret, err);
    if (geteuid() == 0)
        return read_path("", "/run/serried/serried.sock", ret, err);
    folder = getenv("XDG_RUNTIME_DIR");
    if (folder == NULL || folder[0] == '\0')
        return refuse(err, SERRY_INVALID,
                      "no address of a daemon is known: set SERRY_ADDRESS, or "
                      "XDG_RUNTIME_DIR to the folder of serried.sock");
    snprintf(path, sizeof(path), "%s/serried.sock", folder);
    return read_path(path, path, ret, err);
}

int address_read(const char *text, struct address *ret, struct serry_error *err)
{
    struct address address = { .is_tcp = false };
    int rc;

    if (text == NULL)
        rc = read_default(&address, err);
    else if (strncmp(text, tcp_scheme, strlen(tcp_scheme)) == 0)
        rc = read_tcp(text, text + strlen(tcp_scheme), &address, err);
    else if (strncmp(text, ipc_scheme, strlen(ipc_scheme)) == 0)
        rc = read_path(text, text + strlen(ipc_scheme), &address, err);
    else if (strchr(text, '/') != NULL && strstr(text, "://") == NULL)
        rc = read_path(text, text, &address, err);
    else
        rc = refuse_address(text, "it is neither a path nor a known scheme",
                            err);
    if (rc == 0)
        *ret = address;
    return rc;
}

static const struct addrinfo *preferred(const struct addrinfo *found)
{
    for (const struct addrinfo *ai = found; ai != NULL; ai = ai->ai_next)
        if (ai->ai_family == AF_INET)
            return ai;
    return found;
}

int address_resolve(const struct address *address, struct address *ret,
                    struct serry_error *err)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    const struct addrinfo *ai;
    struct address literal = *address;
    int rc;

    if (!address->is_tcp) {
        *ret = literal;
        return 0;
    }
    rc = getaddrinfo(address->host, address->port, &hints, &found);
    if (rc != 0)
        return refuse(err, SERRY_UNAVAILABLE, "the host %.128s: %s",
                      address->host, gai_strerror(rc));
    ai = preferred(found);
    rc = getnameinfo(ai->ai_addr, ai->ai_addrlen, literal.host,
                     sizeof(literal.host), NULL, 0, NI_NUMERICHOST);
    literal.is_ipv6 = ai->ai_family == AF_INET6;
    freeaddrinfo(found);
    if (rc != 0)
        return refuse(err, SERRY_UNAVAILABLE, "the host %.128s: %s",
                      address->host, gai_strerror(rc));
    snprintf(literal.url, sizeof(literal.url),
             literal.is_ipv6 ? "%s[%s]:%s" : "%s%s:%s", tcp_scheme,
             literal.host, literal.port);
    *ret = literal;
    return 0;
}
