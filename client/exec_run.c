/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a worker: its start, signals for it, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/exec_beat.h"

enum {
    GRACE_MS = 5000, /* between SIGTERM and SIGKILL */
    EXIT_NOT_RUN = 126,
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL = 128, /* plus its number */
};

/* Those that are handed on. SIGINT and SIGQUIT of a terminal reach the program
 * by themselves. */
static const int handed_on[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                 SIGUSR1, SIGUSR2, SIGWINCH };

struct program {
    pid_t pid;
    int signals; /* signalfd */
    int status;  /* of waitpid() */
    bool told;   /* a signal to end was handed on */
    bool killed; /* the daemon's word ended it */
};

/* ---- its start ----------------------------------------------------------- */

static void signals_of(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGCHLD);
    for (size_t i = 0; i < ARRAY_LEN(handed_on); i++)
        sigaddset(ret, handed_on[i]);
}

/* In the child. A worker whose heartbeat is gone counts as lost, and another
 * one may be started in its place: so it does not outlive its parent. */
static void become(char *const *command, const sigset_t *before, pid_t parent,
                   int failed)
{
    int number;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_SIGNAL + SIGKILL);
    sigprocmask(SIG_SETMASK, before, NULL);
    execvp(command[0], command);
    number = errno;
    if (write(failed, &number, sizeof(number)) < 0)
        _exit(EXIT_NOT_RUN);
    _exit(EXIT_NOT_FOUND);
}

/* 0: it runs; else errno. */
static int start(struct program *program, char *const *command,
                 const sigset_t *before)
{
    pid_t parent = getpid();
    int ends[2], number = 0;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    program->pid = fork();
    if (program->pid == 0)
        become(command, before, parent, ends[1]);
    if (program->pid < 0)
        number = errno;
    close(ends[1]);
    while (program->pid > 0 && read(ends[0], &number, sizeof(number)) < 0 &&
           errno == EINTR)
        continue;
    close(ends[0]);
    if (number != 0 && program->pid > 0)
        waitpid(program->pid, NULL, 0);
    return number;
}

/* ---- its time ------------------------------------------------------------ */

static void hand_on(struct program *program)
{
    struct signalfd_siginfo info;

    while (read(program->signals, &info, sizeof(info)) == sizeof(info)) {
        int signo = (int)info.ssi_signo;

        if (signo == SIGCHLD)
            continue;
        if (signo != SIGUSR1 && signo != SIGUSR2 && signo != SIGWINCH)
            program->told = true;
        if (info.ssi_code != SI_KERNEL)
            kill(program->pid, signo);
    }
}

static bool has_ended(struct program *program)
{
    return waitpid(program->pid, &program->status, WNOHANG) == program->pid;
}

/* Until the program has ended. over: the heartbeat has; then the program is
 * told to end, and made to after a while. */
static void attend(struct program *program, int over)
{
    struct pollfd fds[] = { { .fd = program->signals, .events = POLLIN },
                            { .fd = over, .events = POLLIN } };
    int wait_ms = -1;

    while (!has_ended(program)) {
        int n = poll(fds, 2, wait_ms);

        if (n == 0) {
            kill(program->pid, SIGKILL);
            wait_ms = -1;
        }
        if (n > 0 && fds[0].revents != 0)
            hand_on(program);
        if (n > 0 && fds[1].revents != 0) {
            fds[1].fd = -1;
            program->killed = true;
            kill(program->pid, SIGTERM);
            wait_ms = GRACE_MS;
        }
    }
}

static int exit_code(int status)
{
    return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status)
                               : WEXITSTATUS(status);
}

/* ---- all of it ----------------------------------------------------------- */

/* The exit code; what there is to say has been said. */
static int run(struct worker *w, char *const *command, const sigset_t *before,
               struct program *program, const struct beat *beat)
{
    int number = start(program, command, before);
    struct error err;

    if (number != 0) {
        error_set(&err, STATUS_INVALID, "%s cannot be run: %s", command[0],
                  strerror(number));
        output_complain(err.text);
        return number == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
    }
    attend(program, beat->over);
    if (!program->killed)
        return exit_code(program->status);
    error_set(&err, STATUS_LOST, "rank %" PRIu32 " of %s was ended: %s",
              w->rank, w->placement, beat->err.text);
    return command_failed(&err);
}

static int run_beside_heartbeat(struct worker *w, char *const *command,
                                const sigset_t *before, struct program *program,
                                struct error *err)
{
    struct beat beat;
    bool leaves;
    int rc;

    if (beat_start(&beat, w, err) < 0)
        return command_failed(err);
    rc = run(w, command, before, program, &beat);
    /* One that failed is missed: the others wait for it in vain. */
    leaves = !program->killed && (rc == 0 || program->told);
    if (beat_stop(&beat, leaves))
        return rc;
    unlink(w->file);
    _exit(rc);
}

int worker_run(struct worker *w, char *const *command)
{
    struct program program = { .pid = -1 };
    sigset_t signals, before;
    struct error err;
    int rc;

    /* From here on the file exists, so nothing may end this program. */
    signals_of(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    if (worker_prepare(w, &err) < 0)
        return command_failed(&err);
    program.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (program.signals < 0) {
        error_set(&err, STATUS_EXHAUSTED, "a descriptor for signals: %s",
                  strerror(errno));
        return command_failed(&err);
    }
    rc = run_beside_heartbeat(w, command, &before, &program, &err);
    close(program.signals);
    return rc;
}
