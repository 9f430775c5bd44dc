/* SPDX-License-Identifier: Apache-2.0
 * What the API can do: a function an operation of openapi.json, which says what goes in
 * and what comes out. The caller's level has been checked when they are called;
 * ownership has not. */
#ifndef MAUI_SERVER_API_H
#define MAUI_SERVER_API_H

#include "server/http/request.h"

struct server;

/* For http_options.handle; ctx is the server. */
void api_handle(void *ctx, struct request *r);

/* api/jobs.c: looking */
void api_jobs(struct server *s, struct request *r);
void api_job(struct server *s, struct request *r);
void api_priorities(struct server *s, struct request *r);

/* api/submit.c */
void api_submit(struct server *s, struct request *r);

/* api/orders.c: doing something to jobs */
void api_hold(struct server *s, struct request *r);
void api_release(struct server *s, struct request *r);
void api_priority(struct server *s, struct request *r);
void api_qos(struct server *s, struct request *r);
void api_cancel(struct server *s, struct request *r);

/* api/verbs.c: and to their runs */
void api_suspend(struct server *s, struct request *r);
void api_resume(struct server *s, struct request *r);
void api_requeue(struct server *s, struct request *r);
void api_checkpoint(struct server *s, struct request *r);
void api_signal(struct server *s, struct request *r);
void api_run(struct server *s, struct request *r);
void api_user_priority(struct server *s, struct request *r);
void api_deadline(struct server *s, struct request *r);

/* api/modify.c */
void api_modify(struct server *s, struct request *r);

/* api/nodes.c */
void api_nodes(struct server *s, struct request *r);
void api_node(struct server *s, struct request *r);
void api_partitions(struct server *s, struct request *r);

/* api/credentials.c */
void api_credentials(struct server *s, struct request *r);
json_t *api_system_credential(struct server *s); /* SYSCFG; a new reference */
void api_fairshare(struct server *s, struct request *r);

/* api/accounting.c */
void api_accounting(struct server *s, struct request *r);

/* api/bank.c: credits */
void api_bank_quote(struct server *s, struct request *r);      /* query.c */
void api_bank_keep_quote(struct server *s, struct request *r); /* query.c */
void api_bank_quotes(struct server *s, struct request *r);     /* bankquotes.c */
void api_bank_deposits(struct server *s, struct request *r);   /* banklists.c */
void api_bank_usage(struct server *s, struct request *r);
void api_bank_transactions(struct server *s, struct request *r);
void api_bank_rates(struct server *s, struct request *r);
void api_bank_limit(struct server *s, struct request *r);
void api_bank_accounts(struct server *s, struct request *r);
void api_bank_account(struct server *s, struct request *r);
void api_bank_statement(struct server *s, struct request *r);
void api_bank_liens(struct server *s, struct request *r);
void api_bank_queue(struct server *s, struct request *r); /* bankqueue.c */
void api_bank_queue_order(struct server *s, struct request *r);
void api_bank_deposit(struct server *s, struct request *r);
void api_bank_withdraw(struct server *s, struct request *r);
void api_bank_transfer(struct server *s, struct request *r);
void api_bank_refund(struct server *s, struct request *r);
void api_bank_losses(struct server *s, struct request *r);
void api_bank_refund_losses(struct server *s, struct request *r);

/* api/reservations.c */
void api_reservations(struct server *s, struct request *r);
void api_standing(struct server *s, struct request *r);
void api_reservation(struct server *s, struct request *r);
void api_reserve(struct server *s, struct request *r);
void api_unreserve(struct server *s, struct request *r);
void api_unreserve_all(struct server *s, struct request *r); /* those that it names */
void api_change_reservation(struct server *s, struct request *r); /* api/rsvchange.c */

/* api/query.c: when and where */
void api_job_start(struct server *s, struct request *r);
void api_why(struct server *s, struct request *r);
/* What keeps room from a job, waiting or asked about, put into `o`: `frees`, and
 * `obstacles` of that time; nothing where the caller is not told of nodes. */
struct obstacle_time;
void why_put_room(struct server *s, const struct job *j,
    const struct obstacle_time *when, const struct identity *who, json_t *o);
void api_start(struct server *s, struct request *r);
void api_windows(struct server *s, struct request *r);

/* api/timeline.c: pictures of nodes over time */
void api_rows(struct server *s, struct request *r);
void api_timeline(struct server *s, struct request *r);

/* api/series.c: numbers over time */
void api_series(struct server *s, struct request *r);
/* api/endedfigures.c */
void api_series_of(struct server *s, struct request *r);
void api_distributions(struct server *s, struct request *r);
void api_promises(struct server *s, struct request *r);

/* api/whatif.c: what would be */
void api_whatif(struct server *s, struct request *r);

/* api/forecast.c */
void api_forecast(struct server *s, struct request *r);

/* api/past.c */
void api_past(struct server *s, struct request *r);
void api_past_begin(struct server *s, struct request *r);
void api_past_move(struct server *s, struct request *r);
void api_past_end(struct server *s, struct request *r);
/* Of what is kept by its instant: up to when it is told, by past=; without it now. -1:
 * the request was refused. */
int api_until(struct server *s, struct request *r, int64_t *ret);

/* api/events.c: what happens, and figures */
void api_events(struct server *s, struct request *r);
void api_changes(struct server *s, struct request *r);
void api_metrics(struct server *s, struct request *r);
void submit_open(struct server *s);
/* Whoever `who` is may cancel them: arrays that are being made, and that job
 * expressions of this list mean as a whole (ALL, "12[]"), are made no further, and what
 * was made is cancelled. */
void submit_break_off(struct server *s, const struct identity *who, json_t *jobs);
void submit_close(struct server *s); /* after manager_close() */

/* api/statistics.c */
void api_statistics(struct server *s, struct request *r);
void api_statistics_of(struct server *s, struct request *r);
void api_grid(struct server *s, struct request *r);
void api_reset_statistics(struct server *s, struct request *r);

/* api/sessions.c: the page's */
void api_login(struct server *s, struct request *r);
void api_exchange(struct server *s, struct request *r);
void api_session(struct server *s, struct request *r);
void api_logout(struct server *s, struct request *r);
void api_sessions(struct server *s, struct request *r);
void api_end_session(struct server *s, struct request *r);

/* api/scheduler.c: the scheduler itself, its parameters */
void api_identity(struct server *s, struct request *r);
void api_scheduler(struct server *s, struct request *r);
void api_control(struct server *s, struct request *r);
void api_managers(struct server *s, struct request *r);
void api_parameters(struct server *s, struct request *r);
void api_change(struct server *s, struct request *r); /* changes.c */
void api_description(struct server *s, struct request *r);

#endif
