/* SPDX-License-Identifier: Apache-2.0 */
/* Admin.Diagnose: what is wrong, and what to do next. */
#include "daemon/daemon.h"
#include "daemon/doctor.h"
#include "daemon/handlers.h"
#include "proto/document.h"

static int report(struct call *call,
                  const Serried__V1__DiagnoseRequest *request,
                  struct text *ret_json, bool *ret_healthy, struct error *err)
{
    struct daemon *daemon = call_daemon(call);
    struct tree_maker maker = { .arena = call_arena(call) };
    struct tree *map = make_map(&maker, NULL, NULL);
    const struct live *only = NULL;

    if (request->placement != NULL) {
        only = state_live(daemon_state(daemon), request->placement, err);
        if (only == NULL)
            return -1;
    }
    if (doctor_report(daemon, only, &maker, map, ret_healthy, err) < 0)
        return -1;
    return document_write_json(map, false, ret_json) < 0 ? error_exhausted(err)
                                                         : 0;
}

void rpc_diagnose(Serried__V1__Admin_Service *service,
                  const Serried__V1__DiagnoseRequest *request,
                  Serried__V1__DiagnoseReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__DiagnoseReply out = SERRIED__V1__DIAGNOSE_REPLY__INIT;
    struct text json = { 0 };
    struct error err;
    bool healthy;

    (void)service;
    (void)reply;
    if (report(call, request, &json, &healthy, &err) < 0) {
        call_refuse(call, &err, NULL);
    } else {
        out.report_json = json.data;
        out.has_healthy = true;
        out.healthy = healthy;
        call_reply(call, &out.base);
    }
    text_close(&json);
}
