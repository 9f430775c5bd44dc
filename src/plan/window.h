/* SPDX-License-Identifier: Apache-2.0
 * Windows for backfill; plan_window() and plan_windows() in plan/plan.h are their face.
 * This is what is remembered for them: the windows of each access class for one version
 * of the plan. Counted pools are asked of counted/from_now.h; nodes of other pools are
 * added one by one. */
#ifndef MAUI_PLAN_WINDOW_H
#define MAUI_PLAN_WINDOW_H

struct windows_known;

struct windows_known *windows_create(void);
void windows_destroy(struct windows_known *w);

#endif
