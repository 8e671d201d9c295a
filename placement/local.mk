# SPDX-License-Identifier: Apache-2.0
# placement: the pure core. SHA-256 is the one thing it takes from outside.
noinst_LTLIBRARIES += libplacement.la
libplacement_la_CPPFLAGS = $(AM_CPPFLAGS) $(NETTLE_CFLAGS)
libplacement_la_LIBADD = libbase.la $(NETTLE_LIBS)
libplacement_la_SOURCES = \
	placement/alternatives.c placement/alternatives.h \
	placement/assignment.c placement/assignment.h \
	placement/assignment_write.c \
	placement/binding.c placement/binding.h \
	placement/check.c placement/check.h \
	placement/creation.c placement/creation.h \
	placement/deployment.c placement/deployment.h \
	placement/deployment_edit.c \
	placement/deployment_groups.c \
	placement/deployment_keys.c \
	placement/deployment_load.h \
	placement/deployment_sparse.c \
	placement/digest.c placement/digest.h \
	placement/estimate.c placement/estimate.h \
	placement/estimate_load.c \
	placement/example.c placement/example.h \
	placement/example_answer.c \
	placement/example_hunt.c placement/example_hunt.h \
	placement/example_knobs.c placement/example_knobs.h \
	placement/example_ranks.c \
	placement/example_records.c \
	placement/example_sets.c \
	placement/example_values.c \
	placement/explain.c placement/explain.h \
	placement/explain_undefined.c \
	placement/expression.c placement/expression.h \
	placement/expression_cause.c \
	placement/expression_check.c \
	placement/expression_compiler.h \
	placement/expression_eval.c \
	placement/expression_explain.c placement/expression_explain.h \
	placement/expression_function.c \
	placement/expression_items.c \
	placement/expression_lexer.c \
	placement/expression_list.c \
	placement/expression_node.c placement/expression_node.h \
	placement/expression_number.c \
	placement/expression_operator.c \
	placement/expression_parser.c \
	placement/expression_print.c \
	placement/expression_string.c \
	placement/fault_text.c \
	placement/graph.c placement/graph.h \
	placement/host_list.c placement/host_list.h \
	placement/import.c placement/import.h \
	placement/layout.c \
	placement/layout_groups.c \
	placement/items.c placement/items.h \
	placement/items_get.c placement/items_get.h \
	placement/links.c placement/links.h \
	placement/lint.c placement/lint.h \
	placement/lint_grid.c placement/lint_grid.h \
	placement/lint_points.h placement/lint_search.c \
	placement/listing.c \
	placement/lists.c placement/lists.h \
	placement/lists_expand.c \
	placement/lists_shape.c \
	placement/model.c placement/model.h \
	placement/model_check.c placement/model_check.h \
	placement/names.c placement/names.h \
	placement/mend.c \
	placement/nearest.c \
	placement/nodelist.c \
	placement/needs.c \
	placement/place.c placement/place.h \
	placement/place_axes.c placement/place_axes.h \
	placement/place_demand.c \
	placement/place_evict.c placement/place_evict.h \
	placement/place_evict_hosts.c \
	placement/place_pack.c \
	placement/place_parts.h \
	placement/place_refuse.c \
	placement/place_refuse_shape.c \
	placement/place_report.c \
	placement/place_set.h \
	placement/place_site.c \
	placement/port.c placement/port.h \
	placement/reader.c placement/reader.h \
	placement/remedy.c placement/remedy.h \
	placement/replace.c placement/replace.h \
	placement/replace_mend.c \
	placement/replace_parts.h \
	placement/replace_state.c \
	placement/replica.c placement/replica.h \
	placement/resolve.c \
	placement/runs.c placement/runs.h \
	placement/runtime.c placement/runtime.h \
	placement/runtime_active.c \
	placement/runtime_compute.c \
	placement/runtime_groups.c \
	placement/runtime_hosts.c \
	placement/runtime_layers.c \
	placement/runtime_layout.c placement/runtime_layout.h \
	placement/runtime_lists.c \
	placement/runtime_load.h \
	placement/runtime_names.c placement/runtime_names.h \
	placement/runtime_rule.h \
	placement/runtime_rest.c \
	placement/runtime_rules.c \
	placement/runtime_values.c \
	placement/scope.c \
	placement/search.h \
	placement/signal.c placement/signal.h \
	placement/split.c placement/split.h \
	placement/split_work.c placement/split_work.h \
	placement/structure.c placement/structure.h \
	placement/structure_checks.h \
	placement/structure_conflicts.c \
	placement/structure_hosts.c \
	placement/structure_keys.c \
	placement/structure_nodes.c \
	placement/structure_request.c \
	placement/structure_share.c \
	placement/suggest.c placement/suggest.h \
	placement/suggest_search.c placement/suggest_search.h \
	placement/suggest_take.c \
	placement/suggest_write.c \
	placement/synthetic.c placement/synthetic.h \
	placement/table.c placement/table.h \
	placement/topology.c placement/topology.h \
	placement/topology_build.c \
	placement/topology_copy.c \
	placement/topology_device.c \
	placement/topology_entry.c placement/topology_entry.h \
	placement/topology_load.c placement/topology_load.h \
	placement/topology_split.c \
	placement/transfer.c \
	placement/value.c placement/value.h \
	placement/verdict.c placement/verdict.h \
	placement/verdict_lists.c \
	placement/verdict_wanted.c \
	placement/verdict_writer.h \
	placement/view.c placement/view.h
