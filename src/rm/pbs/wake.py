# Maui: tells the scheduler that something has happened, by a datagram that says nothing
# and waits for nobody. Whatever goes wrong here, the request goes on.
import socket

import pbs

WAKE = "@WAKE@"


def is_news(event):
    if event.type == pbs.MODIFYVNODE:  # of each vnode of a start or an end too
        return event.vnode.state != event.vnode_o.state
    if event.type == pbs.MODIFYJOB:  # a note of the scheduler itself
        return event.job.comment is None
    return True


try:
    if is_news(pbs.event()):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.setblocking(False)
            s.sendto(b"1", WAKE)
except Exception:
    pass
