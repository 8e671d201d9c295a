/* SPDX-License-Identifier: Apache-2.0 */
/* Holding a state alone. */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int held(const char *path, int fd, struct error *err)
{
    char text[16] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;

    if (pid <= 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: held by another process; stop it or use another "
                         "state",
                         path);
    return error_set(err, STATUS_UNAVAILABLE,
                     "%s: held by process %ld; stop it or use another state",
                     path, pid);
}

int lock_take(const char *path, int *ret_fd, struct error *err)
{
    char text[16];
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    if (fd < 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: %s; the folder must be one that this user may "
                         "write",
                         path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK)
            held(path, fd, err);
        else
            error_set(err, STATUS_UNAVAILABLE, "%s: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    /* Only told to others; a full disk must not keep the daemon from starting
     * to free it. */
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
        errno = 0;
    *ret_fd = fd;
    return 0;
}
