/* SPDX-License-Identifier: Apache-2.0 */
/* serry token: makes a token, and the line by which the daemon knows it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "client/command.h"
#include "placement/digest.h"

enum { TOKEN_BYTES = 32, TOKEN_HEX = 2 * TOKEN_BYTES + 1 };

static int make_token(char ret[TOKEN_HEX], struct error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return error_set(err, STATUS_UNAVAILABLE,
                         "the system gives no random bytes: %s",
                         strerror(errno));
    for (int i = 0; i < TOKEN_BYTES; i++) {
        ret[2 * i] = digits[bytes[i] >> 4];
        ret[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret[TOKEN_HEX - 1] = '\0';
    return 0;
}

static int append(const char *path, const char *line, struct error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0 && dprintf(fd, "%s\n", line) > 0 && close(fd) == 0)
        return 0;
    return error_set(err, STATUS_INVALID, "%.200s cannot be written: %s", path,
                     strerror(errno));
}

/* Names stand between blanks in a line. */
static bool is_word(const char *text)
{
    return text[0] != '\0' && strpbrk(text, " \t\r\n#") == NULL;
}

static int run_token(struct invocation *v)
{
    const char *role = v->operands[0], *name = v->operands[1];
    const char *placement = option_value(v, "placement");
    const char *file = option_value(v, "append");
    bool worker = strcmp(role, "worker") == 0;
    char token[TOKEN_HEX], hash[DIGEST_HEX];
    struct text line = { 0 };
    struct error err;
    int rc = 0;

    if (!worker && strcmp(role, "operator") != 0 && strcmp(role, "admin") != 0)
        return command_misused(v,
                               "there is no role %.32s; there are worker, "
                               "operator and admin",
                               role);
    if (worker != (placement != NULL))
        return command_misused(
            v, worker ? "a worker's token is for one placement; give "
                        "--placement NAME"
                      : "only a worker's token is for one --placement");
    if (!is_word(name) || strlen(name) > 64 ||
        (placement != NULL && !is_word(placement)))
        return command_misused(v, "names have no blanks and no #, and a "
                                  "token's at most 64 bytes");
    if (make_token(token, &err) < 0)
        return command_failed(&err);
    digest_hex(token, strlen(token), hash);
    text_printf(&line, "%s %s %s%s%s", role, name, hash,
                placement != NULL ? " " : "",
                placement != NULL ? placement : "");
    if (file != NULL)
        rc = append(file, text_string(&line), &err);
    else {
        output_put(&v->out, STYLE_PLAIN, text_string(&line));
        output_line(&v->out);
    }
    text_close(&line);
    if (rc < 0)
        return command_failed(&err);
    output_put(&v->out, STYLE_PLAIN, token);
    output_line(&v->out);
    return EXIT_OK;
}

static const struct option_row options[] = {
    { "placement", 0, "NAME",
      "of a worker: the placement that it may boot in" },
    { "append", 0, "FILE",
      "write the line for the daemon behind FILE, and the "
      "token alone to standard output" },
};

const struct command command_token = {
    .name = "token",
    .arguments = "ROLE NAME",
    .help = "make a token for calls over tcp: print the line for the daemon's "
            "file of tokens, and then the token",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 2,
    .max_operands = 2,
    .run = run_token,
};
