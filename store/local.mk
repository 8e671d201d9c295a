# SPDX-License-Identifier: Apache-2.0
# store: the durable state; the only folder that knows sqlite. The migrations
# are embedded: a file put into store/migrations is found without being named.
noinst_LTLIBRARIES += libstore.la
libstore_la_CPPFLAGS = $(AM_CPPFLAGS) $(UV_CFLAGS) $(SQLITE_CFLAGS)
libstore_la_LIBADD = libbase.la $(UV_LIBS) $(SQLITE_LIBS) -lpthread
libstore_la_SOURCES = \
	store/ask.c \
	store/backend.h \
	store/change.c store/change.h \
	store/copy.c store/copy.h \
	store/copy_write.c \
	store/engine.h \
	store/follow.c \
	store/lead.c \
	store/lock.c store/lock.h \
	store/memory.c store/memory.h \
	store/memory_read.c \
	store/migrate.c store/migrate.h \
	store/sqlite.c store/sqlite.h \
	store/sqlite_commit.c \
	store/sqlite_import.c \
	store/sqlite_read.c \
	store/statement.c store/statement.h \
	store/store.c store/store.h \
	store/worker.c store/worker.h
nodist_libstore_la_SOURCES = store/embedded.c
EXTRA_DIST += store/embed store/migrations
BUILT_SOURCES += store/embedded.c
CLEANFILES += store/embedded.c store/embedded.c.tmp

store/embedded.c: FORCE
	$(AM_V_GEN)$(MKDIR_P) store && \
	$(SHELL) $(srcdir)/store/embed $(srcdir)/store/migrations >$@.tmp && \
	if cmp -s $@.tmp $@; then rm -f $@.tmp; else mv -f $@.tmp $@; fi
