/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an export. */
#ifndef SERRIED_STORE_COPY_H
#define SERRIED_STORE_COPY_H

#include "base/text.h"
#include "store/backend.h"

/* An export is the 16 bytes "serried export\n1", then frames: u32 length of the
 * payload, u32 checksum, payload. Numbers are big-endian. The checksum is
 * CRC-32 (IEEE 802.3) over all payloads so far, so that a frame that is
 * changed, missing or moved is found. A string is u32 length and bytes without
 * NUL. Payloads by their first byte:
 *   'H' u64 epoch, u64 revision, u64 last event's seq      first, once
 *   'R' u8 kind, u64 rev, u64 generation epoch, u64 generation revision,
 *       u64 time in ms, strings id, state, body            by kind, then id
 *   'E' u64 seq, u64 rev, u64 time in ms, strings who, what, subject,
 *       detail                                     after records, by seq
 *   'Z' u64 records, u64 events                            last, once */
struct copy_writer {
    struct text out;      /* out.failed: no memory */
    struct counters from; /* of the state; set first */
    uint32_t checksum;
    uint64_t n_records, n_events;
};

/* Fills scan so that a backend's scan writes to writer, which starts as { 0 }
 * and is freed with text_close(&writer->out). */
void copy_scan(struct copy_writer *writer, struct scan *ret_scan);
void copy_end(struct copy_writer *writer);

/* Reads an export and shows it to scan, whose functions may all be NULL.
 *   STATUS_INVALID    not an export, of another version, cut, or changed; what
 *                     was shown before is then not to be used
 *   STATUS_EXHAUSTED  a visitor stopped it */
int copy_read(const void *bytes, size_t len, const struct scan *scan,
              struct error *err);

/* The magic, without its NUL, and the checksum with more bytes added. */
enum { COPY_MAGIC_BYTES = 16 };
extern const char copy_magic[COPY_MAGIC_BYTES + 1];
uint32_t copy_checksum(uint32_t sum, const char *bytes, size_t len);

/* Where a state is after it took in one that was at `from`. */
struct counters copy_counters(const struct counters *own,
                              const struct counters *from);

#endif
