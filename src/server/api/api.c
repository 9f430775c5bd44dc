/* SPDX-License-Identifier: Apache-2.0
 * The table of the API, and the way in: who calls, may they, which handler. Keep it in
 * step with openapi.json; a test compares the two. */
#define LOG_FACILITY FACILITY_UI
#include "server/api/api.h"

#include "server/events/stalls.h"
#include "server/http/schema.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"
#include "server/travel/travel.h"
#include "server/whatif/basis.h"
#include "server/whole.h"

#define UNSAVED_MAX 1000

static const struct route routes[] = {
    {"GET", "/v1/identity", "identity", WHO_ANY, api_identity},
    {"POST", "/v1/logins", "dashboard", WHO_ANY, api_login},
    {"POST", "/v1/session", "dashboard", WHO_ANY, api_exchange},
    {"GET", "/v1/session", "dashboard", WHO_ANY, api_session},
    {"DELETE", "/v1/session", "dashboard", WHO_ANY, api_logout},
    {"GET", "/v1/sessions", "dashboard", WHO_ANY, api_sessions},
    {"DELETE", "/v1/sessions/{id}", "dashboard", WHO_ANY, api_end_session},
    {"GET", "/v1/scheduler", "diagnose", WHO_ADMIN3, api_scheduler},
    {"POST", "/v1/scheduler", "schedctl", WHO_ADMIN1, api_control},
    {"GET", "/v1/jobs", "showq", WHO_ANY, api_jobs, PAST_ASKED},
    {"POST", "/v1/jobs", "msub", WHO_ANY, api_submit},
    {"GET", "/v1/jobs/{id}", "checkjob", WHO_ANY, api_job, PAST_ASKED},
    {"GET", "/v1/jobs/{id}/start", "showstart", WHO_ANY, api_job_start, PAST_ASKED},
    {"GET", "/v1/jobs/{id}/why", "checkjob", WHO_ANY, api_why, PAST_ASKED},
    {"GET", "/v1/start", "showstart", WHO_ANY, api_start, PAST_ASKED},
    {"GET", "/v1/windows", "showbf", WHO_ANY, api_windows, PAST_ASKED},
    {"GET", "/v1/rows", "rows", WHO_ANY, api_rows, PAST_ASKED},
    {"GET", "/v1/timeline", "timeline", WHO_ANY, api_timeline, PAST_ASKED},
    {"GET", "/v1/forecast", "forecast", WHO_ANY, api_forecast, PAST_ASKED},
    {"POST", "/v1/whatif", "whatif", WHO_ANY, api_whatif},
    {"GET", "/v1/past", "past", WHO_ANY, api_past},
    {"POST", "/v1/past", "past", WHO_ANY, api_past_begin},
    {"PATCH", "/v1/past/{id}", "past", WHO_ANY, api_past_move},
    {"DELETE", "/v1/past/{id}", "past", WHO_ANY, api_past_end},
    {"POST", "/v1/orders/hold", "sethold", WHO_ANY, api_hold},
    {"POST", "/v1/orders/release", "releasehold", WHO_ANY, api_release},
    {"POST", "/v1/orders/priority", "setspri", WHO_ADMIN2, api_priority},
    {"POST", "/v1/orders/qos", "setqos", WHO_ANY, api_qos},
    {"POST", "/v1/orders/cancel", "canceljob", WHO_ANY, api_cancel},
    {"POST", "/v1/orders/suspend", "mjobctl", WHO_ANY, api_suspend},
    {"POST", "/v1/orders/resume", "mjobctl -r", WHO_ADMIN2, api_resume},
    {"POST", "/v1/orders/requeue", "mjobctl -R", WHO_ADMIN2, api_requeue},
    {"POST", "/v1/orders/checkpoint", "mjobctl -C", WHO_ADMIN2, api_checkpoint},
    {"POST", "/v1/orders/signal", "mjobctl", WHO_ANY, api_signal},
    {"POST", "/v1/orders/run", "runjob", WHO_ADMIN2, api_run},
    {"POST", "/v1/orders/modify", "mjobctl", WHO_ANY, api_modify},
    {"POST", "/v1/orders/user-priority", "setupri", WHO_ANY, api_user_priority},
    {"POST", "/v1/orders/deadline", "setdeadline", WHO_ADMIN1, api_deadline},
    {"POST", "/v1/orders/unreserve", "releaseres", WHO_ANY, api_unreserve_all},
    {"GET", "/v1/nodes", "diagnose", WHO_ADMIN3, api_nodes, PAST_ASKED},
    {"GET", "/v1/nodes/{name}", "checknode", WHO_ADMIN3, api_node, PAST_ASKED},
    {"GET", "/v1/reservations", "showres", WHO_ANY, api_reservations, PAST_ASKED},
    {"GET", "/v1/standing", "showres", WHO_ANY, api_standing, PAST_ASKED},
    {"POST", "/v1/reservations", "setres", WHO_ANY, api_reserve},
    {"GET", "/v1/reservations/{name}", "showres", WHO_ANY, api_reservation, PAST_ASKED},
    {"PATCH", "/v1/reservations/{name}", "mrsvctl", WHO_ANY, api_change_reservation},
    {"DELETE", "/v1/reservations/{name}", "releaseres", WHO_ANY, api_unreserve},
    {"GET", "/v1/statistics", "showstats", WHO_ADMIN3, api_statistics, PAST_ASKED},
    {"GET", "/v1/statistics/{kind}", "showstats", WHO_ADMIN3, api_statistics_of,
        PAST_ASKED},
    {"GET", "/v1/statistics/grid/{type}", "showgrid", WHO_ADMIN3, api_grid, PAST_ASKED},
    {"GET", "/v1/series", "series", WHO_ANY, api_series, PAST_KEPT},
    {"GET", "/v1/series/{kind}", "series", WHO_ANY, api_series_of, PAST_KEPT},
    {"GET", "/v1/distributions", "showstats", WHO_ANY, api_distributions, PAST_KEPT},
    {"GET", "/v1/promises", "promises", WHO_ANY, api_promises, PAST_KEPT},
    {"POST", "/v1/orders/reset-statistics", "resetstats", WHO_ADMIN1,
        api_reset_statistics},
    {"GET", "/v1/parameters", "showconfig", WHO_ADMIN3, api_parameters, PAST_ASKED},
    {"POST", "/v1/parameters", "changeparam", WHO_ADMIN1, api_change},
    {"GET", "/v1/priorities", "diagnose", WHO_ANY, api_priorities, PAST_ASKED},
    {"GET", "/v1/partitions", "diagnose", WHO_ADMIN3, api_partitions, PAST_ASKED},
    {"GET", "/v1/credentials/{kind}", "diagnose", WHO_ANY, api_credentials, PAST_ASKED},
    {"GET", "/v1/fairshare", "diagnose", WHO_ADMIN3, api_fairshare, PAST_ASKED},
    {"GET", "/v1/managers", "diagnose", WHO_ADMIN3, api_managers},
    {"GET", "/v1/accounting", "showq", WHO_ANY, api_accounting, PAST_KEPT},
    {"GET", "/v1/bank/accounts", "mam-balance", WHO_ANY, api_bank_accounts},
    {"POST", "/v1/bank/accounts", "mam-create-account", WHO_ANY, api_bank_account},
    {"GET", "/v1/bank/statement", "mam-statement", WHO_ANY, api_bank_statement},
    {"GET", "/v1/bank/quote", "mam-quote", WHO_ANY, api_bank_quote},
    {"GET", "/v1/bank/liens", "mam-list-liens", WHO_ANY, api_bank_liens},
    {"GET", "/v1/bank/quotes", "mam-list-quotes", WHO_ANY, api_bank_quotes},
    {"POST", "/v1/bank/quotes", "mam-quote", WHO_ANY, api_bank_keep_quote},
    {"GET", "/v1/bank/deposits", "mam-list-deposits", WHO_ANY, api_bank_deposits},
    {"GET", "/v1/bank/usage", "mam-usage", WHO_ANY, api_bank_usage},
    {"GET", "/v1/bank/transactions", "mam-list-transactions", WHO_ANY,
        api_bank_transactions},
    {"GET", "/v1/bank/rates", "mam-list-rates", WHO_ANY, api_bank_rates},
    {"POST", "/v1/bank/limits", "mam-set-limit", WHO_ADMIN1, api_bank_limit},
    {"GET", "/v1/bank/queue", "mam-queue", WHO_ADMIN3, api_bank_queue},
    {"POST", "/v1/bank/queue", "mam-queue", WHO_ADMIN1, api_bank_queue_order},
    {"POST", "/v1/bank/deposits", "mam-deposit", WHO_ADMIN1, api_bank_deposit},
    {"POST", "/v1/bank/withdrawals", "mam-withdraw", WHO_ADMIN1, api_bank_withdraw},
    {"POST", "/v1/bank/transfers", "mam-transfer", WHO_ANY, api_bank_transfer},
    {"POST", "/v1/bank/refunds", "mam-refund", WHO_ADMIN1, api_bank_refund},
    {"GET", "/v1/bank/losses", "mam-refund", WHO_ADMIN3, api_bank_losses},
    {"POST", "/v1/bank/losses", "mam-refund", WHO_ADMIN1, api_bank_refund_losses},
    {"GET", "/v1/events", "events", WHO_ADMIN3, api_events, PAST_KEPT},
    {"GET", "/v1/changes", "changes", WHO_ANY, api_changes},
    {"GET", "/metrics", "metrics", WHO_ANY, api_metrics},
    {"GET", "/openapi.json", "openapi", WHO_ANY, api_description},
};

const struct route *api_routes(size_t *ret_n)
{
    *ret_n = sizeof routes / sizeof routes[0];
    return routes;
}

/* What tells of the scheduler itself, or stops it, and nothing of jobs. */
static bool goes_anyway(const struct route *route)
{
    static void (*const handlers[])(struct server *, struct request *) = {api_identity,
        api_scheduler, api_control, api_managers, api_parameters, api_metrics,
        api_description, api_events, api_login, api_exchange, api_session, api_logout,
        api_sessions, api_end_session};

    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
        if (route->handle == handlers[i])
            return true;
    return false;
}

/* Is there a body that the operation cannot take? Then it has been refused. */
static bool refuses_body(struct server *s, const struct route *route, struct request *r)
{
    char field[200];
    struct err err = {0};
    size_t len;
    const json_t *body;

    request_body(r, &len);
    if (strcmp(route->method, "GET") == 0 || strcmp(route->method, "DELETE") == 0)
        return false;
    json_t *none = len == 0 ? json_object() : NULL; /* what has to be there is not */
    body = none ? none : request_json(r, &err);
    if (!body) {
        request_refuse(r, &err);
        return true;
    }
    int result = schema_check(
        s->api.schema, route->method, route->path, body, field, sizeof field, &err);
    json_decref(none);
    if (result == 0)
        return false;
    request_refuse_as(r, 400, "invalid", field, err.text);
    return true;
}

/* While the disk takes nothing, changes are kept, and all of them are tried again with
 * each new one: beyond so many, only those who can mend it add to them. */
static bool refuses_change(
    struct server *s, const struct route *route, struct request *r)
{
    struct err err;

    if (strcmp(route->method, "GET") == 0 || identity_is(request_who(r), WHO_ADMIN1)
        || unsaved_count(s->unsaved) < UNSAVED_MAX || commit_possible(s, &err) == 0)
        return false;
    request_refuse(r, &err);
    return true;
}

/* A session that was opened to look only may end itself, and change nothing else. It
 * may ask what would be, and what was; a change that it asks about is refused as it
 * would be. */
static bool refuses_reader(const struct route *route, struct request *r)
{
    struct err err;

    if (!request_who(r)->read_only || strcmp(route->method, "GET") == 0
        || route->handle == api_logout || route->handle == api_whatif
        || strncmp(route->path, "/v1/past", 8) == 0)
        return false;
    err_set(&err, ERR_DENIED,
        "this session is to look only: `maui dashboard` opens one that may change "
        "things");
    request_refuse(r, &err);
    return true;
}

/* Was what is ordered tried in a state that is no more? An empty one is none. */
static bool refuses_basis(struct server *s, struct request *r)
{
    const char *basis =
        strcmp(request_method(r), "GET") == 0 ? NULL : request_query(r, "basis");
    struct err err = {0};

    if (!basis || !*basis || basis_check(s, basis, &err) == 0)
        return false;
    bool stale = err.code == ERR_CONFLICT;
    request_refuse_as(
        r, stale ? 409 : 400, stale ? "conflict" : "invalid", "basis", err.text);
    return true;
}

/* True: it was about the past, and has been handed on to who knows it, or refused. */
static bool goes_to_past(struct server *s, const struct route *route, struct request *r)
{
    const char *past = s->mode == MODE_PAST ? NULL : request_query(r, "past");

    if (!past || !*past || route->past == PAST_KEPT)
        return false;
    if (strcmp(route->method, "GET") != 0)
        request_refuse_as(
            r, 409, "conflict", "past", "what is past cannot be changed any more");
    else if (route->past == PAST_NONE)
        request_refuse_as(
            r, 400, "invalid", "past", "that is told of the present only");
    else
        travel_ask(s, r, past);
    return true;
}

/* Who asks is known to what comes of it. The request may be gone when that is done. */
static void carry_out(struct server *s, const struct route *route, struct request *r)
{
    const struct identity asker = *request_who(r), *before = s->api.asker;

    s->api.asker = strcmp(request_method(r), "GET") == 0 ? before : &asker;
    route->handle(s, r);
    s->api.asker = before;
}

void api_handle(void *ctx, struct request *r)
{
    struct server *s = ctx;
    const struct route *route = route_find(routes, sizeof routes / sizeof routes[0], r);
    const struct identity *who = request_who(r);
    struct err err;

    if (!route)
        return;
    stalls_doing(s, route->path);
    if (s->mode != MODE_PAST) /* where who has which level today is told with it */
        request_set_level(r, s->config, s->api.rights);
    if (!identity_is(who, route->who)) {
        identity_deny(who, route->command, &err);
        request_refuse(r, &err);
        return;
    }
    if (refuses_reader(route, r))
        return;
    if (s->control.alone && route->handle != api_control
        && route->handle != api_scheduler) {
        if (simulation_keep(s, r))
            return;
        err_set(&err, ERR_CONFLICT,
            "nobody is answered until scheduling stops, as an administrator ordered "
            "(schedctl -r ends that)");
        request_refuse(r, &err);
        return;
    }
    if (!goes_anyway(route) && whole_keep(s, r))
        return;
    log_line(s->log, LOG_DETAIL, "%s %s %s by %s", route->command, request_method(r),
        request_path(r), who->user);
    if (!goes_to_past(s, route, r) && !refuses_body(s, route, r)
        && !refuses_change(s, route, r) && !refuses_basis(s, r))
        carry_out(s, route, r);
}
