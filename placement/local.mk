# SPDX-License-Identifier: Apache-2.0
# placement: the pure core. SHA-256 is the one thing it takes from outside.
noinst_LTLIBRARIES += libplacement.la
libplacement_la_CPPFLAGS = $(AM_CPPFLAGS) $(NETTLE_CFLAGS)
libplacement_la_LIBADD = libbase.la $(NETTLE_LIBS)
libplacement_la_SOURCES = \
	placement/binding.c placement/binding.h \
	placement/check.c placement/check.h \
	placement/creation.c placement/creation.h \
	placement/deployment.c placement/deployment.h \
	placement/digest.c placement/digest.h \
	placement/expression.c placement/expression.h \
	placement/expression_cause.c \
	placement/expression_check.c \
	placement/expression_compiler.h \
	placement/expression_eval.c \
	placement/expression_explain.c placement/expression_explain.h \
	placement/expression_function.c \
	placement/expression_lexer.c \
	placement/expression_node.h \
	placement/expression_operator.c \
	placement/expression_parser.c \
	placement/expression_print.c \
	placement/graph.c placement/graph.h \
	placement/items.c placement/items.h \
	placement/listing.c \
	placement/model.c placement/model.h \
	placement/reader.c placement/reader.h \
	placement/resolve.c \
	placement/runs.c placement/runs.h \
	placement/runtime.c placement/runtime.h \
	placement/runtime_layout.c \
	placement/runtime_load.h \
	placement/runtime_names.c \
	placement/runtime_rules.c \
	placement/scope.c \
	placement/signal.c placement/signal.h \
	placement/split.c placement/split.h \
	placement/structure.c placement/structure.h \
	placement/structure_checks.h \
	placement/structure_nodes.c \
	placement/structure_request.c \
	placement/structure_share.c \
	placement/value.c placement/value.h \
	placement/view.c placement/view.h
