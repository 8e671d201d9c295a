/* SPDX-License-Identifier: Apache-2.0 */
/* Every handler of an RPC method; a file rpc_*.c has those of one service. */
#ifndef SERRIED_DAEMON_HANDLERS_H
#define SERRIED_DAEMON_HANDLERS_H

#include "daemon/call.h"
#include "proto/serried.pb-c.h"

/* The type protoc-c gives a method's handler: closure_data is the struct call
 * and reply(message, call) is call_reply(). */
#define RPC_HANDLER(service_name, method, request_name, reply_name)            \
    void rpc_##method(Serried__V1__##service_name##_Service *service,          \
                      const Serried__V1__##request_name *request,              \
                      Serried__V1__##reply_name##_Closure reply,               \
                      void *closure_data)

/* clang-format off */
RPC_HANDLER(Catalog, apply, ApplyRequest, Declaration);
RPC_HANDLER(Catalog, get_declaration, GetDeclarationRequest, Declaration);
RPC_HANDLER(Catalog, list_declarations, ListDeclarationsRequest,
            ListDeclarationsReply);

RPC_HANDLER(Cluster, apply_hosts, ApplyHostsRequest, ApplyHostsReply);
RPC_HANDLER(Cluster, list_hosts, ListHostsRequest, ListHostsReply);
RPC_HANDLER(Cluster, set_host_state, SetHostStateRequest, SetHostStateReply);
RPC_HANDLER(Cluster, remove_hosts, RemoveHostsRequest, RemoveHostsReply);

RPC_HANDLER(Placement, check, CheckRequest, CheckReply);
RPC_HANDLER(Placement, place, PlaceRequest, PlaceReply);
RPC_HANDLER(Placement, suggest, SuggestRequest, SuggestReply);
RPC_HANDLER(Placement, get_placement, GetPlacementRequest, PlacementInfo);
RPC_HANDLER(Placement, list_placements, ListPlacementsRequest,
            ListPlacementsReply);
RPC_HANDLER(Placement, release, ReleaseRequest, ReleaseReply);
RPC_HANDLER(Placement, watch, WatchRequest, WatchReply);
RPC_HANDLER(Placement, get_routing, GetRoutingRequest, GetRoutingReply);

RPC_HANDLER(Worker, get_assignment, GetAssignmentRequest, Assignment);
RPC_HANDLER(Worker, join, JoinRequest, JoinReply);
RPC_HANDLER(Worker, await, AwaitRequest, AwaitReply);
RPC_HANDLER(Worker, leave, LeaveRequest, LeaveReply);
RPC_HANDLER(Worker, report_port, ReportPortRequest, ReportPortReply);

RPC_HANDLER(Admin, status, StatusRequest, StatusReply);
RPC_HANDLER(Admin, events, EventsRequest, EventsReply);
RPC_HANDLER(Admin, diagnose, DiagnoseRequest, DiagnoseReply);
/* clang-format on */

#endif
