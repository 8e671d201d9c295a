# SPDX-License-Identifier: Apache-2.0
# daemon: serried. All but main() is an archive, so that tests can link it.
noinst_LTLIBRARIES += libdaemon.la
libdaemon_la_CPPFLAGS = $(AM_CPPFLAGS) $(UV_CFLAGS) $(PROTOBUF_C_CFLAGS) \
	-DSERRIED_DATADIR='"$(pkgdatadir)"'
libdaemon_la_LIBADD = libstore.la libproto.la $(UV_LIBS) $(PROTOBUF_C_LIBS)
libdaemon_la_SOURCES = \
	daemon/access.c daemon/access.h \
	daemon/aside.c daemon/aside.h \
	daemon/audit.c daemon/audit.h \
	daemon/audit_ports.c daemon/audit_ports.h \
	daemon/bind.c daemon/bind.h \
	daemon/bind_assignment.c \
	daemon/bind_evict.c daemon/bind_evict.h \
	daemon/bind_moves.c \
	daemon/bind_occupancy.c \
	daemon/bind_parts.h \
	daemon/bind_show.c \
	daemon/bind_refusal.c \
	daemon/boot.c daemon/boot.h \
	daemon/boot_doctor.c \
	daemon/boot_refused.c daemon/boot_refused.h \
	daemon/boot_table.c daemon/boot_table.h \
	daemon/boot_wait.c \
	daemon/bound.c daemon/bound.h \
	daemon/call.c daemon/call.h \
	daemon/call_handle.c \
	daemon/call_state.h \
	daemon/calls.c daemon/calls.h \
	daemon/daemon.c daemon/daemon.h \
	daemon/daemon_life.h \
	daemon/daemon_stop.c \
	daemon/declared.c daemon/declared.h \
	daemon/denied.c daemon/denied.h \
	daemon/doctor.c daemon/doctor.h \
	daemon/doctor_hosts.c \
	daemon/envelope.c daemon/envelope.h \
	daemon/event_load.c daemon/event_load.h \
	daemon/event_ring.c daemon/event_ring.h \
	daemon/front.c daemon/front.h \
	daemon/handlers.h \
	daemon/host_loss.c daemon/host_loss.h \
	daemon/index.c daemon/index.h \
	daemon/inventory.c daemon/inventory.h \
	daemon/inventory_parts.h \
	daemon/inventory_topology.c \
	daemon/inventory_claims.c \
	daemon/inventory_hold.c \
	daemon/journal.c daemon/journal.h \
	daemon/judge.c daemon/judge.h \
	daemon/listen_socket.c daemon/listen_socket.h \
	daemon/listener.c daemon/listener.h \
	daemon/listener_accept.c \
	daemon/listener_state.h \
	daemon/live.c daemon/live.h \
	daemon/notify.c daemon/notify.h \
	daemon/page.c daemon/page.h \
	daemon/peer.c daemon/peer.h \
	daemon/peer_leave.c \
	daemon/peer_list.c daemon/peer_list.h \
	daemon/peer_write.c \
	daemon/place_decide.c daemon/place_decide.h \
	daemon/port.c daemon/port.h \
	daemon/port_lease.c \
	daemon/port_rest.c \
	daemon/port_show.c \
	daemon/proof.c daemon/proof.h \
	daemon/proof_name.c daemon/proof_name.h \
	daemon/reply.c daemon/reply.h \
	daemon/reply_batch.c daemon/reply_batch.h \
	daemon/rpc.c daemon/rpc.h \
	daemon/rpc_admin.c \
	daemon/rpc_catalog.c \
	daemon/routing.c daemon/routing.h \
	daemon/rpc_check.c \
	daemon/rpc_cluster.c \
	daemon/rpc_cluster_remove.c \
	daemon/rpc_cluster_show.c daemon/rpc_cluster_show.h \
	daemon/rpc_cluster_state.c \
	daemon/rpc_diagnose.c \
	daemon/rpc_place.c \
	daemon/rpc_placement.c \
	daemon/rpc_routing.c \
	daemon/rpc_worker.c \
	daemon/settings.c daemon/settings.h \
	daemon/settings_flags.c \
	daemon/settings_load.c \
	daemon/settings_show.c \
	daemon/sighting.c daemon/sighting.h \
	daemon/sp.c daemon/sp.h \
	daemon/state.c daemon/state.h \
	daemon/state_declaration.c \
	daemon/state_parts.h \
	daemon/state_placement.c \
	daemon/watch.c daemon/watch.h \
	daemon/wire.c daemon/wire.h \
	daemon/write.c daemon/write.h

sbin_PROGRAMS += daemon/serried
daemon_serried_SOURCES = daemon/serried.c
daemon_serried_CPPFLAGS = $(libdaemon_la_CPPFLAGS)
daemon_serried_LDADD = libdaemon.la
