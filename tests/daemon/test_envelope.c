/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/envelope: what is read by hand is what the unpacker that is
 * made from the .proto file reads. */
#include "daemon/envelope.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/wire.h"
#include "proto/serried.pb-c.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 1 << 20, ENVELOPES = 10000 };

/* Bytes being put together; more than any envelope here has. */
struct bytes {
    uint8_t at[4096];
    size_t len;
};

static void put_byte(struct bytes *bytes, unsigned byte)
{
    ck_assert_uint_lt(bytes->len, sizeof(bytes->at));
    bytes->at[bytes->len++] = (uint8_t)byte;
}

/* longer: bytes that only make it longer. */
static void put_varint(struct bytes *bytes, uint64_t value, unsigned longer)
{
    for (; value > 127; value >>= 7)
        put_byte(bytes, (unsigned)(value & 127) | 128);
    put_byte(bytes, (unsigned)value | (longer > 0 ? 128 : 0));
    for (; longer > 0; longer--)
        put_byte(bytes, longer > 1 ? 128 : 0);
}

/* ---- both readers -------------------------------------------------------- */

static bool same_text(const char *mine, const char *theirs)
{
    return strcmp(mine != NULL ? mine : "", theirs != NULL ? theirs : "") == 0;
}

static bool same_metadata(const struct metadata *mine,
                          const Serried__V1__Call *theirs)
{
    size_t n = 0;

    for (; mine != NULL && n < theirs->n_metadata; mine = mine->next, n++)
        if (!same_text(mine->key, theirs->metadata[n]->key) ||
            !same_text(mine->value, theirs->metadata[n]->value))
            return false;
    return mine == NULL && n == theirs->n_metadata;
}

static bool same_call(const struct envelope *mine,
                      const Serried__V1__Call *theirs)
{
    return same_text(mine->method, theirs->method) &&
           mine->has_request_id == !!theirs->has_request_id &&
           mine->request_id == theirs->request_id &&
           mine->deadline_ms == theirs->deadline_ms &&
           mine->request_len == theirs->request.len &&
           (mine->request_len == 0 ||
            memcmp(mine->request, theirs->request.data, mine->request_len) ==
                0) &&
           same_metadata(mine->metadata, theirs);
}

/* Whether it was an envelope, which both must say. The bytes get memory of
 * their own, so that reading beyond them is seen where that is watched. */
static bool read_by_both(const struct bytes *bytes)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    uint8_t *copy = malloc(bytes->len + 1);
    const Serried__V1__Call *theirs;
    struct envelope mine;
    struct error err;
    bool is_one;

    ck_assert_ptr_nonnull(arena);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy + 1, bytes->at, bytes->len);
    is_one = envelope_read(copy + 1, bytes->len, arena, &mine, &err) == 0;
    theirs = (const Serried__V1__Call *)wire_unpack(
        &serried__v1__call__descriptor, copy + 1, bytes->len, arena, &err);
    ck_assert_int_eq(is_one, theirs != NULL);
    ck_assert(!is_one || same_call(&mine, theirs));
    free(copy);
    arena_free(arena);
    return is_one;
}

/* ---- envelopes by chance ------------------------------------------------- */

static uint64_t chance_state;

/* 0..below-1, the same in each run. */
static unsigned chance(unsigned below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((chance_state >> 33) % below);
}

static bool rarely(void)
{
    return chance(40) == 0;
}

static void put_letters(struct bytes *bytes, size_t n)
{
    while (n-- > 0)
        put_byte(bytes, rarely() ? chance(256) : 'a' + chance(26));
}

static void put_text(struct bytes *bytes, unsigned number)
{
    const size_t n = chance(12);

    put_varint(bytes, WIRE_TAG(number, rarely() ? chance(8) : WIRE_BYTES), 0);
    put_varint(bytes, rarely() ? n + chance(4) : n, rarely() ? chance(8) : 0);
    put_letters(bytes, n);
}

static void put_metadata(struct bytes *bytes)
{
    struct bytes inner = { .len = 0 };

    for (unsigned n = chance(4); n > 0; n--)
        put_text(&inner, rarely() ? chance(5) : 1 + chance(2));
    put_varint(bytes, inner.len, 0);
    for (size_t i = 0; i < inner.len; i++)
        put_byte(bytes, inner.at[i]);
}

/* Of the Call, of a later version of it, or of no message. */
static void put_field(struct bytes *bytes)
{
    static const unsigned types[] = { WIRE_BYTES, WIRE_VARINT, WIRE_VARINT,
                                      WIRE_BYTES, WIRE_BYTES,  WIRE_32BIT,
                                      WIRE_64BIT, WIRE_BYTES };
    const unsigned number = 1 + chance(8);
    const unsigned type = rarely() ? chance(8) : types[number - 1];
    const uint64_t beyond = rarely() ? (uint64_t)chance(99) << chance(40) : 0;

    put_varint(bytes, WIRE_TAG(number, type) | beyond << 3,
               rarely() ? chance(6) : 0);
    if (type == WIRE_VARINT) {
        put_varint(bytes, UINT64_MAX >> chance(64), rarely() ? chance(6) : 0);
    } else if (type == WIRE_BYTES && number == 4) {
        put_metadata(bytes);
    } else if (type == WIRE_BYTES) {
        const unsigned n = chance(20);

        put_varint(bytes, rarely() ? n + chance(4) : n, 0);
        put_letters(bytes, n);
    } else {
        put_letters(bytes, type == WIRE_32BIT ? 4 : 8);
    }
}

static void damage(struct bytes *bytes)
{
    for (unsigned n = chance(3); n > 0 && bytes->len > 0; n--) {
        uint8_t *at = &bytes->at[chance((unsigned)bytes->len)];

        if (chance(2) == 0)
            *at = (uint8_t)chance(256);
        else
            bytes->len = (size_t)(at - bytes->at);
    }
}

START_TEST(both_readers_say_the_same_of_any_bytes)
{
    unsigned n_good = 0;

    chance_state = (uint64_t)_i;
    for (int i = 0; i < ENVELOPES; i++) {
        struct bytes bytes = { .len = 0 };

        for (unsigned n = chance(7); n > 0; n--)
            put_field(&bytes);
        if (chance(3) == 0)
            damage(&bytes);
        n_good += read_by_both(&bytes);
    }
    /* neither nearly all nor nearly none: both verdicts were compared */
    ck_assert_uint_gt(n_good, ENVELOPES / 5);
    ck_assert_uint_lt(n_good, ENVELOPES / 5 * 4);
}
END_TEST

/* ---- what chance may miss ------------------------------------------------ */

/* A varint may be longer than it need be up to where every reader stops. */
START_TEST(a_varint_is_as_long_as_readers_agree_on)
{
    static const struct {
        unsigned most; /* bytes more than one */
        bool in_length;
    } varints[] = { { 4, false }, { 4, true } };

    for (unsigned longer = 0; longer <= 9; longer++)
        for (size_t i = 0; i < 2; i++) {
            struct bytes bytes = { .len = 0 };
            const bool in_length = varints[i].in_length;

            put_varint(&bytes, WIRE_TAG(5, WIRE_BYTES), in_length ? 0 : longer);
            put_varint(&bytes, 3, in_length ? longer : 0);
            put_letters(&bytes, 3);
            ck_assert_int_eq(read_by_both(&bytes), longer <= varints[i].most);
        }
    for (unsigned longer = 0; longer <= 12; longer++) {
        struct bytes bytes = { .len = 0 };

        put_varint(&bytes, WIRE_TAG(2, WIRE_VARINT), 0);
        put_varint(&bytes, 1, longer);
        ck_assert_int_eq(read_by_both(&bytes), longer <= 9);
    }
}
END_TEST

START_TEST(an_arena_that_is_full_is_told)
{
    static const uint8_t request[] = { WIRE_TAG(5, WIRE_BYTES), 1, 'x' };
    struct arena *arena = arena_new(1);
    struct envelope envelope;
    struct error err;

    ck_assert_int_eq(
        envelope_read(request, sizeof(request), arena, &envelope, &err), -1);
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("envelope");
    TCase *tc = tcase_create("envelope");

    tcase_add_loop_test(tc, both_readers_say_the_same_of_any_bytes, 1, 4);
    tcase_add_test(tc, a_varint_is_as_long_as_readers_agree_on);
    tcase_add_test(tc, an_arena_that_is_full_is_told);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
