/* SPDX-License-Identifier: Apache-2.0
 * Answers, kept for a while. */
#include "server/whatif/kept.h"

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "server/events/feed.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/whatif/basis.h"
#include "server/whatif/trial.h"
#include "server/whatif/whatif.h"

#include <stdlib.h>
#include <string.h>

char *kept_key(struct server *s, const struct request *r, const json_t *body)
{
    const struct identity *who = request_who(r);
    struct strbuf key = {0};

    if (!trial_lives(body))
        return NULL;
    char *text = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
    strbuf_printf(&key, "%u %d %u %d %d %d %llu %llu %s", who->uid, who->level,
        who->hidden, who->read_only, s->control.paused, manager_ready(s),
        (unsigned long long)feed_revision(s),
        (unsigned long long)whatif_basis(s)->count, text ? text : "");
    free(text);
    return strbuf_take(&key);
}

const char *kept_find(const struct kept *k, const char *key, int64_t now)
{
    for (unsigned i = 0; key && i < KEPT; i++) {
        const struct kept_answer *a = &k->v[i];
        if (a->key && strcmp(a->key, key) == 0 && now >= a->at && now <= a->at + KEPT_S)
            return a->text;
    }
    return NULL;
}

static void drop_answer(struct kept_answer *a)
{
    free(a->key);
    free(a->text);
    *a = (struct kept_answer){0};
}

void kept_add(struct kept *k, char *key, const char *text, int64_t at)
{
    struct kept_answer *a = &k->v[k->next++ % KEPT];

    drop_answer(a);
    *a = (struct kept_answer){.key = key, .text = xstrdup(text), .at = at};
}

void kept_fini(struct kept *k)
{
    for (unsigned i = 0; i < KEPT; i++)
        drop_answer(&k->v[i]);
}
