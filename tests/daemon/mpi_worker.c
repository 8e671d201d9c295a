/* SPDX-License-Identifier: Apache-2.0 */
/* A worker on MPI: boots by libserry, makes a communicator of every group in
 * the order of the creation sequence, and reduces over each.
 *
 * mpi_worker PLACEMENT. Started by serry exec, it leaves the boot to that.
 * Built by the test that runs it, with mpicc. */
#include <mpi.h>
#include <serry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARK_MS = 30000, GROUPS_MAX = 256, SAID_BYTES = 512 };

struct made {
    MPI_Comm comm;
    int length;
};

static struct made made[GROUPS_MAX];
static int n_made;

/* What goes wrong ends all ranks. */
static void stop(const char *what, const char *why)
{
    fprintf(stderr, "mpi_worker: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- the boot ------------------------------------------------------------ */

static void boot(struct serry_client *client, const struct serry_assignment *a,
                 uint64_t incarnation)
{
    struct serry_error err = SERRY_ERROR_INIT;
    enum serry_boot_state state = SERRY_BOOTING;
    struct serry_boot *told;

    if (serry_join(client, a, incarnation, "127.0.0.1", &err) < 0)
        stop("join", err.text);
    while (state != SERRY_READY) {
        if (serry_await(client, a, incarnation, "127.0.0.1", state, PARK_MS,
                        &told, &err) < 0)
            stop("await", err.text);
        state = told->state;
        if (state != SERRY_READY)
            usleep(told->retry_ms * 1000);
        serry_free(told);
    }
}

/* ---- communicators ------------------------------------------------------- */

/* All ranks take part, in one order; those outside get none. */
static MPI_Comm make_comm(const uint32_t *ranks, int length)
{
    MPI_Group world, group;
    MPI_Comm comm;
    int *list = malloc((size_t)length * sizeof(*list));

    if (list == NULL)
        stop("memory", "none left");
    for (int i = 0; i < length; i++)
        list[i] = (int)ranks[i];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, length, list, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(list);
    return comm;
}

static int position(const uint32_t *ranks, int length, uint32_t rank)
{
    for (int i = 0; i < length; i++)
        if (ranks[i] == rank)
            return i;
    return -1;
}

/* Returns what the ranks of the communicator add up to, 1 << rank each. */
static long check_comm(MPI_Comm comm, const uint32_t *ranks, int length,
                       uint32_t rank)
{
    long mine = 1L << rank, sum = 0, want = 0;
    int size, at;

    for (int i = 0; i < length; i++)
        want += 1L << ranks[i];
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &at);
    if (size != length || at != position(ranks, length, rank))
        stop("communicator", "another size or position than the group's");
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
    if (sum != want)
        stop("allreduce", "the sum is not that of the group");
    return sum;
}

/* Returns how many groups the sequence has. */
static int make_all(const struct serry_assignment *a)
{
    uint32_t rank = serry_assignment_rank(a);
    struct serry_error err = SERRY_ERROR_INIT;
    struct serry_creation *creation;
    struct serry_created created;
    int count = 0;

    if (serry_creation_begin(a, &creation, &err) < 0)
        stop("creation", err.text);
    for (; serry_creation_next(creation, &created); count++) {
        int length = (int)created.length;
        MPI_Comm comm = make_comm(created.ranks, length);
        bool inside = position(created.ranks, length, rank) >= 0;

        if (inside != (comm != MPI_COMM_NULL))
            stop(created.list, "the rank is in one of group and communicator");
        if (!inside)
            continue;
        check_comm(comm, created.ranks, length, rank);
        if (n_made == GROUPS_MAX)
            stop(created.list, "too many groups");
        made[n_made++] = (struct made){ .comm = comm, .length = length };
    }
    serry_free(creation);
    return count;
}

/* Reduces over the group that the rank has in each list: of those that were
 * made the one with its ranks, which MPI tells. Returns how many there were.
 *   said  " LIST SUM" for each list: the test knows what it has to be */
static int check_lists(const struct serry_assignment *a, char said[SAID_BYTES])
{
    uint32_t rank = serry_assignment_rank(a);
    int found = 0, len = 0;

    for (size_t i = 0; i < serry_list_count(a); i++) {
        const char *name = serry_list_name(a, i);
        struct serry_group *group;
        MPI_Comm wanted;
        int same;

        if (serry_group_of(a, name, rank, &group, NULL) < 0)
            continue;
        wanted = make_comm(group->ranks, (int)group->length);
        if (wanted == MPI_COMM_NULL)
            stop(name, "the rank is not in its own group");
        len += snprintf(
            said + len, (size_t)(SAID_BYTES - len), " %s %ld", name,
            check_comm(wanted, group->ranks, (int)group->length, rank));
        if (len >= SAID_BYTES)
            stop(name, "too many lists");
        for (int m = 0; m < n_made; m++) {
            MPI_Comm_compare(wanted, made[m].comm, &same);
            if (same == MPI_CONGRUENT) {
                check_comm(made[m].comm, group->ranks, (int)group->length,
                           rank);
                found++;
                break;
            }
        }
        MPI_Comm_free(&wanted);
        serry_free(group);
    }
    return found;
}

int main(int argc, char **argv)
{
    struct serry_error err = SERRY_ERROR_INIT;
    bool booted = getenv("SERRY_ASSIGNMENT") != NULL;
    uint64_t incarnation = serry_incarnation();
    struct serry_assignment *a;
    struct serry_client *client;
    char said[SAID_BYTES] = "";
    int rank, groups, lists;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 2)
        stop("usage", "mpi_worker PLACEMENT");
    if (serry_open(NULL, &client, &err) < 0 ||
        serry_assignment(client, argv[1], (uint32_t)rank, NULL, &a, &err) < 0 ||
        serry_verify(a, &err) < 0)
        stop("assignment", err.text);
    if (!booted)
        boot(client, a, incarnation);
    groups = make_all(a);
    lists = check_lists(a, said);
    printf("rank %d of %s: %d groups, in %d; %d lists;%s\n", rank, argv[1],
           groups, n_made, lists, said);
    for (int m = 0; m < n_made; m++)
        MPI_Comm_free(&made[m].comm);
    MPI_Finalize();
    if (!booted && serry_leave(client, a, incarnation, &err) < 0)
        fprintf(stderr, "mpi_worker: leave: %s\n", err.text);
    serry_free(a);
    serry_close(client);
    return 0;
}
