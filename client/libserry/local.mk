# SPDX-License-Identifier: Apache-2.0
# libserry: the client library. It is made of just the files that it needs of
# the layers below, so that it asks for none of the libraries that documents
# need. The one library that is shared: noinst ones are built without PIC.
lib_LTLIBRARIES += client/libserry/libserry.la
include_HEADERS += client/libserry/serry.h
pkgconfig_DATA += client/libserry/libserry.pc
EXTRA_DIST += client/libserry/libserry.map

client_libserry_libserry_la_LIBTOOLFLAGS =
client_libserry_libserry_la_CPPFLAGS = $(AM_CPPFLAGS) $(NANOMSG_CFLAGS) \
	$(PROTOBUF_C_CFLAGS) $(NETTLE_CFLAGS)
client_libserry_libserry_la_LIBADD = $(NANOMSG_LIBS) $(PROTOBUF_C_LIBS) \
	$(NETTLE_LIBS)
client_libserry_libserry_la_LDFLAGS = $(HARDENING_SHARED_LDFLAGS) \
	-version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(srcdir)/client/libserry/libserry.map
client_libserry_libserry_la_DEPENDENCIES = client/libserry/libserry.map
client_libserry_libserry_la_SOURCES = \
	client/libserry/address.c client/libserry/address.h \
	client/libserry/admin.c \
	client/libserry/assignment.c client/libserry/assignment.h \
	client/libserry/assignment_binding.c \
	client/libserry/assignment_nodes.c \
	client/libserry/boot.c \
	client/libserry/call.c client/libserry/call.h \
	client/libserry/catalog.c \
	client/libserry/client.c \
	client/libserry/cluster.c \
	client/libserry/convert.c client/libserry/convert.h \
	client/libserry/identity.c client/libserry/identity.h \
	client/libserry/join.c \
	client/libserry/groups.c \
	client/libserry/pages.c client/libserry/pages.h \
	client/libserry/placement.c \
	client/libserry/ports.c \
	client/libserry/result.c client/libserry/result.h \
	client/libserry/routing.c \
	client/libserry/transport.c client/libserry/transport.h \
	client/libserry/unpack.c \
	$(libserry_below)
nodist_client_libserry_libserry_la_SOURCES = \
	proto/serried.pb-c.c proto/serried.pb-c.h
libserry_below = \
	base/arena.c base/arena.h \
	base/error.c base/error.h \
	base/pause.c base/pause.h \
	base/text.c base/text.h \
	placement/creation.c placement/creation.h \
	placement/digest.c placement/digest.h \
	placement/lists.c \
	placement/lists_expand.c \
	placement/runs.c placement/runs.h \
	placement/view.c placement/view.h \
	proto/expand.c proto/expand.h \
	proto/expand_map.c proto/expand_map.h \
	proto/span.c proto/span.h
