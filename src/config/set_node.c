/* SPDX-License-Identifier: Apache-2.0
 * Readers of the rows that have a grammar of their own: nodes. */
#include "base/nearest.h"
#include "config/nodecfg.h"
#include "config/set.h"
#include "config/value.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* In the order of enum nodeprio_term. */
static const char *const terms[NP_TERMS] = {"CPROCS", "CMEM", "CSWAP", "CDISK",
    "APROCS", "AMEM", "ASWAP", "ADISK", "JOBCOUNT", "LOAD", "USAGE", "PREF", "PRIORITY",
    "RESAFFINITY", "SPEED"};

static void put_term(struct nodeprio *prio, unsigned term, double coefficient)
{
    prio->set = true;
    prio->coef[term] = coefficient;
    prio->present |= 1u << term;
}

int set_node_weight(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    double value;

    if (value_number(call->value, 0, 0, &value, err) < 0)
        return -1;
    if (node != NULL)
        put_term(&node->priorityf, call->row->arg, value);
    return 0;
}

int set_node_priority(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    int64_t value;

    if (value_int(call->value, 0, 0, &value, err) < 0)
        return -1;
    if (node != NULL) {
        node->priority = value;
        node->priority_set = true;
    }
    return 0;
}

static void unknown_term(struct cfg_call *call, const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (int t = 0; t < NP_TERMS; t++)
        nearest_offer(&near, terms[t]);
    cfg_remark(call, "unknown term '%.40s' is left out%s%s%s", name,
        nearest_best(&near) != NULL ? "; did you mean " : "",
        nearest_best(&near) != NULL ? nearest_best(&near) : "",
        nearest_best(&near) != NULL ? "?" : "");
}

#define BLANKS  " \t\n"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Signs at *p fold into one: `- -` is plus. */
static double read_sign(const char **p)
{
    double sign = 1;

    for (;; ++*p) {
        if (**p == '-')
            sign = -sign;
        else if (**p != '+' && (**p == '\0' || strchr(BLANKS, **p) == NULL))
            return sign;
    }
}

/* `[coef] [*] TERM` at *p, into `prio`. */
static int read_term(
    struct cfg_call *call, const char **p, struct nodeprio *prio, struct err *err)
{
    double coefficient = read_sign(p);
    size_t len = strspn(*p, "0123456789.");
    const char *from = *p;
    char *text;

    if (len > 0) {
        double value;
        int status;

        text = xstrndup(*p, len);
        status = value_number(text, 0, 0, &value, err);
        free(text);
        if (status < 0)
            return -1;
        coefficient *= value;
        *p += len;
        *p += strspn(*p, BLANKS "*");
    }
    len = strspn(*p, LETTERS);
    if (len == 0)
        return err_set(err, ERR_INVALID, "'%.60s' is not [coef*]TERM + ...",
            *from != '\0' ? from : call->value);
    text = xstrndup(*p, len);
    *p += len;
    for (unsigned t = 0; t <= NP_TERMS; t++) {
        if (t == NP_TERMS) {
            unknown_term(call, text);
        } else if (strcasecmp(terms[t], text) == 0) {
            put_term(prio, t, coefficient);
            break;
        }
    }
    free(text);
    return 0;
}

int set_priorityf(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    struct nodeprio prio = {.set = true};
    const char *p = call->value;

    do {
        if (read_term(call, &p, &prio, err) < 0)
            return -1;
        p += strspn(p, BLANKS);
        if (*p != '\0' && *p != '+' && *p != '-')
            return err_set(err, ERR_INVALID, "'%.60s': expected + or - here", p);
    } while (*p != '\0');
    if (node != NULL)
        node->priorityf = prio;
    return 0;
}

int set_speed(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    double value;

    if (value_number(call->value, 0.01, 100, &value, err) < 0)
        return -1;
    if (node != NULL)
        node->speed = value;
    return 0;
}

int set_frame(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    int64_t value = -1;

    if (strspn(call->value, "-0123456789") == strlen(call->value)
        && value_int(call->value, 1, 64, &value, err) < 0)
        return -1;
    if (node == NULL)
        return 0;
    node->frame = value;
    free(node->frame_name);
    node->frame_name = value < 0 ? xstrdup(call->value) : NULL;
    return 0;
}

/* PE, or the part of the node as `n%`. */
int set_maxpe(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    size_t len = strlen(call->value);
    bool percent = len > 0 && call->value[len - 1] == '%';
    char *text = xstrndup(call->value, percent ? len - 1 : len);
    double value;
    int status = value_number(text, 0, percent ? 100 : (double)INT_MANY, &value, err);

    free(text);
    if (status == 0 && node != NULL)
        node->maxpe_per_job = percent ? value / 100 : value;
    return status;
}
