# SPDX-License-Identifier: Apache-2.0
# proto: documents to and from trees; the only folder that knows YAML and JSON.
noinst_LTLIBRARIES += libproto.la
libproto_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS) $(JANSSON_CFLAGS)
libproto_la_LIBADD = libplacement.la libshare.la $(YAML_LIBS) $(JANSSON_LIBS)
libproto_la_SOURCES = \
	proto/answer.c proto/answer.h \
	proto/catalog.c proto/catalog.h \
	proto/document.c proto/document.h \
	proto/document_check.c proto/document_check.h \
	proto/document_json.c \
	proto/document_place.c proto/document_place.h \
	proto/document_problem.c proto/document_problem.h \
	proto/document_scalar.c proto/document_scalar.h \
	proto/document_source.c proto/document_source.h \
	proto/document_write_json.c \
	proto/document_write_yaml.c \
	proto/document_yaml.c
