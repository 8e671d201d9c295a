# SPDX-License-Identifier: Apache-2.0
# proto: documents and messages to and from what placement works on; the only
# folder that knows YAML and JSON. What protoc-c makes is built, never kept.
noinst_LTLIBRARIES += libproto.la
libproto_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS) $(JANSSON_CFLAGS) \
	$(PROTOBUF_C_CFLAGS)
libproto_la_LIBADD = libplacement.la libshare.la $(YAML_LIBS) $(JANSSON_LIBS) \
	$(PROTOBUF_C_LIBS)
libproto_la_SOURCES = \
	proto/answer.c proto/answer.h \
	proto/answer_line.c \
	proto/answer_mesh.c \
	proto/answer_suggest.c \
	proto/bases.c proto/bases.h \
	proto/catalog.c proto/catalog.h \
	proto/codec.c proto/codec.h \
	proto/codec_lists.c \
	proto/codec_node.c \
	proto/codec_pack.c \
	proto/codec_parts.h \
	proto/document.c proto/document.h \
	proto/document_check.c proto/document_check.h \
	proto/document_json.c \
	proto/document_place.c proto/document_place.h \
	proto/document_problem.c proto/document_problem.h \
	proto/document_scalar.c proto/document_scalar.h \
	proto/document_source.c proto/document_source.h \
	proto/document_toml.c proto/document_toml.h \
	proto/document_toml_place.c \
	proto/document_toml_value.c \
	proto/document_write_json.c \
	proto/document_write_yaml.c \
	proto/document_yaml.c \
	proto/expand.c proto/expand.h \
	proto/expand_map.c proto/expand_map.h \
	proto/span.c proto/span.h \
	proto/import.c proto/import.h \
	proto/import_flags.c proto/import_read.h \
	proto/import_model.c \
	proto/import_take.c \
	proto/inventory.c proto/inventory.h \
	proto/inventory_flux.c \
	proto/inventory_gres.c proto/inventory_gres.h \
	proto/inventory_hostfile.c \
	proto/inventory_hwloc.c \
	proto/inventory_islands.c \
	proto/inventory_query.c \
	proto/inventory_read.c proto/inventory_read.h \
	proto/seating.c proto/seating.h \
	proto/inventory_rocm.c \
	proto/inventory_slurm.c \
	proto/inventory_switches.c \
	proto/inventory_topo.c \
	proto/inventory_xml.c proto/inventory_xml.h \
	proto/put.h \
	proto/trouble.c proto/trouble.h

nodist_libproto_la_SOURCES = proto/serried.pb-c.c proto/serried.pb-c.h
EXTRA_DIST += proto/serried.proto
BUILT_SOURCES += $(nodist_libproto_la_SOURCES)
CLEANFILES += $(nodist_libproto_la_SOURCES)

proto/serried.pb-c.h: proto/serried.pb-c.c
proto/serried.pb-c.c: $(srcdir)/proto/serried.proto
	$(AM_V_GEN)$(MKDIR_P) proto && \
	$(PROTOC_C) --proto_path=$(srcdir)/proto --c_out=proto \
	  $(srcdir)/proto/serried.proto
