/* SPDX-License-Identifier: Apache-2.0 */
/* Files into documents. */
#include "proto/document.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *ending)
{
    size_t len = strlen(path), n = strlen(ending);

    return len > n && strcmp(path + len - n, ending) == 0;
}

static int size_error(const char *name, struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "%s: larger than %d MiB, the most that is read", name,
                     DOCUMENT_BYTES_MAX >> 20);
}

static int open_file(const char *path, int *ret_fd, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return error_set(err, STATUS_UNKNOWN_NAME, "%s: there is no such file",
                         path);
    if (fd < 0)
        return error_set(err, STATUS_INVALID, "%s: cannot be read: %s", path,
                         strerror(errno));
    *ret_fd = fd;
    return 0;
}

/* What can be known before the first byte is read. */
static int check_file(int fd, const char *name, struct error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return error_set(err, STATUS_INVALID, "%s: cannot be read: %s", name,
                         strerror(errno));
    if (S_ISDIR(st.st_mode))
        return error_set(err, STATUS_INVALID,
                         "%s: a directory; expected a file", name);
    if (S_ISREG(st.st_mode) && st.st_size > DOCUMENT_BYTES_MAX)
        return size_error(name, err);
    return 0;
}

/* Reads to the end, or until there is a byte too many. */
static int read_all(int fd, const char *name, struct text *out,
                    struct error *err)
{
    char block[65536];
    ssize_t n;

    while (out->len <= DOCUMENT_BYTES_MAX) {
        n = read(fd, block, sizeof(block));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_set(err, STATUS_INVALID, "%s: cannot be read: %s",
                             name, strerror(errno));
        if (n == 0)
            return 0;
        text_put_bytes(out, block, (size_t)n);
        if (out->failed)
            return error_exhausted(err);
    }
    return size_error(name, err);
}

typedef int read_fn(struct arena *arena, const char *name, const char *text,
                    size_t len, struct tree **ret, struct error *err);

/* Reads a text that holds one document. */
static int read_one(read_fn *read, struct arena *arena, const char *name,
                    const struct text *text, struct tree **ret_documents,
                    struct error *err)
{
    struct tree *documents = tree_new(arena, NULL, NULL, TREE_LIST);
    struct tree *document;

    if (documents == NULL)
        return error_exhausted(err);
    if (read(arena, name, text_string(text), text->len, &document, err) < 0)
        return -1;
    documents->source = document->source;
    documents->u.children.first = document;
    documents->u.children.last = document;
    documents->u.children.count = 1;
    *ret_documents = documents;
    return 0;
}

const char *document_source_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int document_read_bytes(const char *path, struct text *out, struct error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    const char *name = document_source_name(path);
    int fd = STDIN_FILENO, rc = -1;

    if (!is_input && open_file(path, &fd, err) < 0)
        return -1;
    if (check_file(fd, name, err) == 0)
        rc = read_all(fd, name, out, err);
    if (!is_input)
        close(fd);
    return rc;
}

int document_read_text(struct arena *arena, const char *path,
                       const char **ret_text, size_t *ret_len,
                       struct error *err)
{
    struct text text = { 0 };
    const char *copy = NULL;
    int rc = document_read_bytes(path, &text, err);

    if (rc == 0) {
        copy = arena_strndup(arena, text_string(&text), text.len);
        rc = copy != NULL ? 0 : error_exhausted(err);
    }
    if (rc == 0) {
        *ret_text = copy;
        *ret_len = text.len;
    }
    text_close(&text);
    return rc;
}

int document_read_file(struct arena *arena, const char *path,
                       struct tree **ret_documents, struct error *err)
{
    struct text text = { 0 };
    const char *name = document_source_name(path);
    int rc = -1;

    if (document_read_bytes(path, &text, err) < 0)
        goto out;
    if (ends_in(path, ".json"))
        rc = read_one(document_read_json, arena, name, &text, ret_documents,
                      err);
    else if (ends_in(path, ".toml"))
        rc = read_one(document_read_toml, arena, name, &text, ret_documents,
                      err);
    else
        rc = document_read_yaml(arena, name, text_string(&text), text.len,
                                ret_documents, err);
out:
    text_close(&text);
    return rc;
}

/* ---- a part of a file ---------------------------------------------------- */

int document_read_one(struct arena *arena, const char *source_name,
                      uint32_t line, const char *text, size_t len,
                      const struct tree **ret_document, struct error *err)
{
    struct text padded = { 0 };
    const char *source = NULL;
    struct tree *documents;
    int rc = -1;

    if (source_name != NULL)
        source = arena_strdup(arena, source_name);
    /* empty lines stand for those in front of the part */
    for (uint32_t i = 1; i < line && padded.len < DOCUMENT_BYTES_MAX; i++)
        text_put(&padded, "\n");
    text_put_bytes(&padded, text, len);
    if (padded.failed || (source_name != NULL && source == NULL))
        error_exhausted(err);
    else
        rc = document_read_yaml(arena, source, padded.data, padded.len,
                                &documents, err);
    text_close(&padded);
    if (rc < 0)
        return -1;
    if (tree_count(documents) != 1)
        return error_set(err, STATUS_INVALID, "%zu documents; one is expected",
                         tree_count(documents));
    *ret_document = tree_first(documents);
    return 0;
}
