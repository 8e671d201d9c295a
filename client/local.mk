# SPDX-License-Identifier: Apache-2.0
# client: serry, the operator's tool; one file for each command.
bin_PROGRAMS += client/serry
client_serry_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSERRIED_DATADIR='"$(pkgdatadir)"'
client_serry_LDFLAGS = $(AM_LDFLAGS) -static
client_serry_LDADD = client/libserry/libserry.la libproto.la
client_serry_SOURCES = \
	client/answers.c client/answers.h \
	client/apply.c \
	client/assignment.c \
	client/assignment_print.c \
	client/assignment_show.c client/assignment_show.h \
	client/assignment_table.c \
	client/batch.c client/batch.h \
	client/batch_ask.c client/batch_ask.h \
	client/bound.c client/bound.h \
	client/check.c \
	client/command.c client/command.h \
	client/command_shared.c \
	client/describe.c \
	client/diff.c client/diff.h \
	client/differences.c client/differences.h \
	client/differences_views.c \
	client/doctor.c client/doctor.h \
	client/doctor_away.c \
	client/drawn.c client/drawn.h \
	client/events.c client/events.h \
	client/exec.c client/exec.h \
	client/exec_address.c \
	client/exec_beat.c client/exec_beat.h \
	client/exec_boot.c \
	client/exec_mask.c \
	client/exec_ports.c \
	client/exec_prepare.c \
	client/exec_run.c \
	client/exemplar.c client/exemplar.h \
	client/explain.c client/explain.h \
	client/explain_faults.c \
	client/explain_names.c \
	client/explain_parts.c client/explain_parts.h \
	client/explain_print.c \
	client/explain_rules.c \
	client/export.c client/export.h \
	client/export_flags.c \
	client/export_bound.c \
	client/export_hosts.c \
	client/export_reread.c \
	client/export_schedulers.c \
	client/figure.c client/figure.h \
	client/from.c client/from.h \
	client/get.c client/get.h \
	client/help.c \
	client/import.c \
	client/import_cluster.c client/import_cluster.h \
	client/host.c client/host.h \
	client/host_apply.c \
	client/host_remove.c \
	client/layout.c client/layout.h \
	client/layout_draw.c \
	client/legend.c client/legend.h \
	client/live.c client/live.h \
	client/mesh.c client/mesh.h \
	client/mesh_axes.c \
	client/output.c client/output.h \
	client/output_columns.c \
	client/picture.c client/picture.h \
	client/picture_grid.c \
	client/picture_table.c \
	client/pictures.c client/pictures.h \
	client/pieces.c client/pieces.h \
	client/place.c client/place.h \
	client/plan.c \
	client/release.c \
	client/renumbered.c client/renumbered.h \
	client/report.c client/report.h \
	client/report_rank.c \
	client/report_wanted.c \
	client/routing.c \
	client/runtime.c \
	client/serry.c \
	client/setting.c client/setting.h \
	client/share.c \
	client/shares.c client/shares.h \
	client/status.c \
	client/suggest.c \
	client/svg.c client/svg.h \
	client/token.c \
	client/verdict.c client/verdict.h \
	client/version.c \
	client/watch.c

bashcompletiondir = $(datadir)/bash-completion/completions
EXTRA_DIST += client/serry.bash

# The module of workers in Python, over libserry.
serrypythondir = $(pkgdatadir)/python
dist_serrypython_DATA = client/python/serry.py

install-data-hook:
	$(MKDIR_P) "$(DESTDIR)$(bashcompletiondir)"
	$(INSTALL_DATA) $(srcdir)/client/serry.bash \
	  "$(DESTDIR)$(bashcompletiondir)/serry"

uninstall-hook:
	rm -f "$(DESTDIR)$(bashcompletiondir)/serry"
