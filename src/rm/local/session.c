/* SPDX-License-Identifier: Apache-2.0
 * One process stays with the session, another becomes the job. */
#include "rm/local/session.h"

#include "rm/local/usual.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not below the job, nor the job below it: its signals, its group and its waiting for
 * children are nothing to this process. */
static _Noreturn void stay_with(const struct session_entry *e, struct session *s)
{
    char byte;

    prctl(PR_SET_PDEATHSIG, 0); /* a keeper that died closes `stay` */
    prctl(PR_SET_NAME, "maui-session");
    dup2(e->stay, 0);
    close_range(3, (unsigned)e->low - 1, 0); /* those of modules remain */
    usual_take(); /* the user's limits are not for closing it */
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        continue;
    e->driver->close(s);
    _exit(0);
}

int session_enter(
    const struct session_entry *e, char ***ret_environment, struct err *err)
{
    struct session *s = e->driver->open(e->service, e->user, err);
    long pid;

    if (s == NULL)
        return -1;
    /* a child of the keeper, which waits for it as for any job */
    pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0L, 0L, 0L, 0L);
    if (pid < 0) {
        err_set(err, ERR_IO, "cannot make a process: %s", strerror(errno));
        e->driver->close(s);
        return -1;
    }
    if (pid > 0)
        stay_with(e, s);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != e->keeper)
        _exit(127);
    setsid();
    close_range((unsigned)e->low, ~0U, 0); /* what modules opened */
    *ret_environment = e->driver->environment(s);
    return 0;
}
