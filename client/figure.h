/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as one SVG document. */
#ifndef SERRIED_CLIENT_FIGURE_H
#define SERRIED_CLIENT_FIGURE_H

#include "client/picture.h"

/* Writes an SVG document: below its title the pictures one after the other, of
 * each the views side by side, and of each view a panel for every list, whose
 * groups colour the cells. The same input gives the same bytes. What is too
 * much is left out, and the document says so.
 *   STATUS_EXHAUSTED  no memory */
int figure_write(struct text *out, const char *title, const char *subtitle,
                 const struct picture *pictures, size_t n, struct error *err);

#endif
