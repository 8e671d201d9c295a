/* SPDX-License-Identifier: Apache-2.0 */
/* Where a listener listens: what it takes, replaces, refuses and removes. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/text.h"
#include "tests/daemon/listener_fixture.h"

static const struct {
    const char *address, *why;
} refused[] = {
    { "", "is not understood; give tcp://127.0.0.1:PORT" },
    { "localhost:4500", "is not understood" },
    { "tcp://", "is not understood" },
    { "tcp://127.0.0.1", "is not understood" },
    { "tcp://127.0.0.1:", "is not understood" },
    { "tcp://127.0.0.1:65536", "is not understood" },
    { "tcp://127.0.0.1:-1", "is not understood" },
    { "tcp://127.0.0.1:80x", "is not understood" },
    { "tcp://localhost:80", "is not understood" },
    { "tcp://[::1:80", "is not understood" },
    { "tcp://[]:80", "is not understood" },
    { "tcp://[:80", "is not understood" },
    { "tcp://127.0.0.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1:80",
      "is not understood" },
    { "udp://127.0.0.1:80", "is not understood" },
    { "ipc://relative", "is not understood" },
    { "tcp://0.0.0.0:4500", "can be reached from other machines" },
    { "tcp://*:4500", "can be reached from other machines" },
    { "tcp://[::]:4500", "can be reached from other machines" },
    { "tcp://10.1.2.3:4500", "can be reached from other machines" },
    { "tcp://[fe80::1]:4500", "can be reached from other machines" },
    { "/nowhere/at/all", "socket folder /nowhere/at: No such file" },
};

START_TEST(an_address_that_cannot_be_served_is_refused_with_a_sentence)
{
    struct served served = { 0 };
    struct listener_options options = { .address = refused[_i].address };

    ck_assert(!serve(&served, &options, 0));
    ck_assert_msg(strstr(served.board->err.text, refused[_i].why) != NULL,
                  "%s: %s", refused[_i].address, served.board->err.text);
}
END_TEST

static const char *const accepted[] = {
    "tcp://127.0.0.1:0",
    "tcp://127.9.9.9:0",
    "tcp://[::1]:0",
};

START_TEST(any_loopback_address_is_served_and_tells_its_port)
{
    struct served served = { .folder = "" };
    struct listener_options options = { .address = accepted[_i] };
    char tail[16];

    ck_assert_msg(serve(&served, &options, 0), "%s", served.board->err.text);
    ck_assert_uint_ne(served.board->port, 0);
    snprintf(tail, sizeof(tail), ":%u", served.board->port);
    ck_assert_ptr_nonnull(strstr(served.board->address, tail));
    ck_assert_int_eq(
        strncmp(served.board->address, accepted[_i], strlen(accepted[_i]) - 1),
        0);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_live_address_is_refused_and_who_is_there_stays)
{
    struct served first = { 0 }, second = { 0 };
    struct listener_options options = { 0 };
    int fd;

    serve_at(&first, _i == 1, (struct listener_options){ 0 });
    options.address = first.board->address;
    ck_assert(!serve(&second, &options, 0));
    ck_assert_msg(strstr(second.board->err.text, "another program listens on"),
                  "%s", second.board->err.text);
    ck_assert_int_eq(second.board->err.status, STATUS_UNAVAILABLE);
    fd = dial_and_greet(&first);
    echo(&first, fd, "still here");
    close(fd);
    stop(&first, SIGTERM);
}
END_TEST

START_TEST(after_a_kill_the_address_is_served_again)
{
    struct served first = { 0 }, second = { 0 };
    struct listener_options options = { 0 };
    char address[128];
    int fd, open_one;

    serve_at(&first, _i == 1, (struct listener_options){ 0 });
    open_one = dial_and_greet(&first);
    strcpy(address, first.board->address);
    kill(first.pid, SIGKILL);
    waitpid(first.pid, NULL, 0);
    second = first;
    options.address = address;
    ck_assert_msg(serve(&second, &options, 0), "%s", second.board->err.text);
    fd = dial_and_greet(&second);
    echo(&second, fd, "again");
    close(fd);
    close(open_one);
    stop(&second, SIGTERM);
}
END_TEST

static void make_folder(struct served *served)
{
    served->local = true;
    strcpy(served->folder, "/tmp/serried-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(served->folder));
    snprintf(served->path, sizeof(served->path), "%s/socket", served->folder);
}

START_TEST(a_foreign_file_is_never_replaced)
{
    struct served served = { 0 };
    struct listener_options options = { .address = served.path };
    struct stat st;
    int fd;

    make_folder(&served);
    if (_i == 0) {
        fd = open(served.path, O_CREAT | O_WRONLY, 0600);
        ck_assert_int_eq(write(fd, "precious", 8), 8);
        close(fd);
    } else if (_i == 1)
        ck_assert_int_eq(symlink("/dev/null", served.path), 0);
    else
        ck_assert_int_eq(mkdir(served.path, 0700), 0);
    ck_assert(!serve(&served, &options, 0));
    ck_assert_ptr_nonnull(strstr(served.board->err.text, "is not a socket"));
    ck_assert_int_eq(lstat(served.path, &st), 0);
    ck_assert(!S_ISSOCK(st.st_mode));
    remove(served.path);
    rmdir(served.folder);
}
END_TEST

START_TEST(a_socket_path_of_107_bytes_is_served_and_of_108_refused)
{
    struct served served = { 0 };
    char path[128], folder[32];
    struct listener_options options = { .address = path };
    size_t len;

    make_folder(&served);
    strcpy(folder, served.folder);
    served.folder[0] = '\0';
    len = (size_t)snprintf(path, sizeof(path), "%s/", folder);
    memset(path + len, 'a', sizeof(path) - len);
    path[107] = '\0';
    ck_assert_msg(serve(&served, &options, 0), "%s", served.board->err.text);
    stop(&served, SIGTERM);
    ck_assert_int_lt(access(path, F_OK), 0);
    path[107] = 'a';
    path[108] = '\0';
    ck_assert(!serve(&served, &options, 0));
    ck_assert_ptr_nonnull(strstr(served.board->err.text, "has 108 bytes; the "
                                                         "system takes up to "
                                                         "107"));
    rmdir(folder);
}
END_TEST

START_TEST(the_socket_has_the_mode_and_group_that_were_asked_for)
{
    struct served served = { 0 };
    struct stat st;

    serve_at(&served, true,
             (struct listener_options){ .socket_mode = 0660,
                                        .has_group = true,
                                        .socket_group = getgid() });
    ck_assert_int_eq(stat(served.path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0660);
    ck_assert_uint_eq(st.st_gid, getgid());
    stop(&served, SIGTERM);

    serve_at(&served, true, (struct listener_options){ 0 });
    ck_assert_int_eq(stat(served.path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(only_its_own_socket_is_removed_at_the_end)
{
    struct served served = { 0 }, other = { 0 };
    struct listener_options options = { .address = served.path };
    struct stat st;

    serve_at(&served, true, (struct listener_options){ 0 });
    unlink(served.path);
    other = served;
    other.folder[0] = '\0';
    ck_assert(serve(&other, &options, 0));
    kill(served.pid, SIGTERM);
    waitpid(served.pid, NULL, 0);
    ck_assert_int_eq(stat(served.path, &st), 0);
    stop(&other, SIGTERM);
    ck_assert_int_lt(stat(served.path, &st), 0);
    rmdir(served.folder);
}
END_TEST

/* Many start at once over a dead program's socket: exactly one may win. */
START_TEST(of_many_that_start_together_one_listens)
{
    enum { RIVALS = 12 };
    struct served served = { 0 }, rivals[RIVALS];
    struct listener_options options = { .address = served.path };
    int won = 0, fd;

    serve_at(&served, true, (struct listener_options){ 0 });
    kill(served.pid, SIGKILL);
    waitpid(served.pid, NULL, 0);
    for (int i = 0; i < RIVALS; i++) {
        rivals[i] = served;
        rivals[i].folder[0] = '\0';
        rivals[i].board =
            mmap(NULL, sizeof(*served.board), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        rivals[i].pid = fork();
        if (rivals[i].pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            exit(run_server(rivals[i].board, options));
        }
    }
    for (int i = 0; i < RIVALS; i++) {
        EVENTUALLY(rivals[i].board->ready || rivals[i].board->failed);
        won += rivals[i].board->ready;
    }
    ck_assert_int_eq(won, 1);
    fd = dial_and_greet(&served);
    echo(&served, fd, "the winner");
    close(fd);
    for (int i = 0; i < RIVALS; i++)
        if (rivals[i].board->ready)
            stop(&rivals[i], SIGTERM);
        else
            waitpid(rivals[i].pid, NULL, 0);
    rmdir(served.folder);
}
END_TEST

START_TEST(a_folder_locked_for_ever_is_refused_not_waited_for)
{
    struct served served = { 0 };
    struct listener_options options = { .address = served.path };
    int lock;

    make_folder(&served);
    lock = open(served.folder, O_RDONLY | O_DIRECTORY);
    ck_assert_int_eq(flock(lock, LOCK_EX), 0);
    ck_assert(!serve(&served, &options, 0));
    ck_assert_ptr_nonnull(
        strstr(served.board->err.text, "is locked by another program"));
    close(lock);
    rmdir(served.folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("listener, address");
    TCase *tcase = tcase_create("address");

    tcase_add_loop_test(
        tcase, an_address_that_cannot_be_served_is_refused_with_a_sentence, 0,
        (int)ARRAY_LEN(refused));
    tcase_add_loop_test(tcase,
                        any_loopback_address_is_served_and_tells_its_port, 0,
                        (int)ARRAY_LEN(accepted));
    tcase_add_loop_test(tcase, a_live_address_is_refused_and_who_is_there_stays,
                        0, 2);
    tcase_add_loop_test(tcase, after_a_kill_the_address_is_served_again, 0, 2);
    tcase_add_loop_test(tcase, a_foreign_file_is_never_replaced, 0, 3);
    tcase_add_test(tcase,
                   a_socket_path_of_107_bytes_is_served_and_of_108_refused);
    tcase_add_test(tcase,
                   the_socket_has_the_mode_and_group_that_were_asked_for);
    tcase_add_test(tcase, only_its_own_socket_is_removed_at_the_end);
    tcase_add_test(tcase, of_many_that_start_together_one_listens);
    tcase_add_test(tcase, a_folder_locked_for_ever_is_refused_not_waited_for);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
