/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a peer of a listener that drains. */
#include "daemon/peer.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Whether nothing is under way in either direction. */
static bool is_quiet(uv_os_fd_t fd)
{
    int unread = 0, unsent = 0;

    return ioctl(fd, FIONREAD, &unread) == 0 && unread == 0 &&
           ioctl(fd, SIOCOUTQ, &unsent) == 0 && unsent == 0;
}

/* Says that nothing more comes and waits for the peer to close: closing with
 * unread input would make the kernel throw away replies under way. A peer that
 * has got all it asked for need not be waited for. */
static void leave(struct peer *peer)
{
    uv_os_fd_t fd;

    peer->leaving = true;
    if (uv_fileno(&peer->uv.handle, &fd) < 0 || is_quiet(fd) ||
        shutdown(fd, SHUT_WR) < 0) {
        peer_close(peer);
        return;
    }
    peer_watch(peer, WAIT_LEAVE);
    peer_set_reading(peer);
}

void peer_settle(struct peer *peer)
{
    if ((peer->holds & HOLD_DRAIN) != 0 && !peer->leaving && !peer->taking &&
        peer->ncalls == 0 && peer->batched == 0 && peer_backlog(peer) == 0)
        leave(peer);
}

void peer_drain(struct peer *peer)
{
    if (peer->closing || peer->leaving)
        return;
    peer->holds |= HOLD_DRAIN;
    if (peer->taking)
        return;
    peer_set_reading(peer);
    peer_watch(peer, WAIT_COUNT);
    peer_settle(peer);
}
