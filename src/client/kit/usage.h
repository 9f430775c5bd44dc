/* SPDX-License-Identifier: Apache-2.0
 * What the process has used. A file of its own because <sys/resource.h> has names that
 * clash with those of priority components. */
#ifndef MAUI_CLIENT_USAGE_H
#define MAUI_CLIENT_USAGE_H

double usage_wall_s(void);    /* from some fixed instant */
double usage_cpu_s(void);     /* of the process */
long usage_peak_rss_kb(void); /* most memory ever held */

#endif
