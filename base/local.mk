# SPDX-License-Identifier: Apache-2.0
# base: errors, memory, text, trees; needs nothing but the C library.
noinst_LTLIBRARIES += libbase.la
libbase_la_SOURCES = \
	base/arena.c base/arena.h \
	base/clock.c base/clock.h \
	base/error.c base/error.h \
	base/log.c base/log.h \
	base/pause.c base/pause.h \
	base/text.c base/text.h \
	base/tree.c base/tree.h
