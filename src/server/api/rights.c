/* SPDX-License-Identifier: Apache-2.0
 * Rights as a table of words: "operator USER", "coordinator USER", "USER of ACCOUNT".
 */
#include "server/api/rights.h"

#include "base/hash.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <string.h>

struct right {
    char *word; /* key; owned */
    UT_hash_handle hh;
};

struct rights {
    char *of; /* owned; NULL = of all jobs */
    unsigned hidden;
    bool told; /* somebody tells what is hidden */
    struct right *words;
};

#define OPERATOR    "operator "
#define COORDINATOR "coordinator "
#define OF          " of "

struct rights *rights_new(void)
{
    return xcalloc(1, sizeof(struct rights));
}

static void forget_words(struct rights *r)
{
    struct right *one, *next;

    HASH_ITER(hh, r->words, one, next)
    {
        HASH_DEL(r->words, one);
        free(one->word);
        free(one);
    }
}

void rights_free(struct rights *r)
{
    if (!r)
        return;
    forget_words(r);
    free(r->of);
    free(r);
}

static bool has_word(const struct rights *r, const char *word)
{
    const struct right *one;

    HASH_FIND_STR(r->words, word, one);
    return one != NULL;
}

static void add_word(
    struct rights *io, const char *first, const char *gap, const char *last)
{
    struct strbuf b = {0};
    struct right *one;

    strbuf_printf(&b, "%s%s%s", first, gap, last);
    if (has_word(io, b.text)) {
        free(b.text);
        return;
    }
    one = xcalloc(1, sizeof *one);
    one->word = b.text;
    HASH_ADD_KEYPTR(hh, io->words, one->word, strlen(one->word), one);
}

void rights_forget(struct rights *io, bool hides)
{
    forget_words(io);
    free(io->of);
    io->of = NULL;
    io->hidden = hides ? RM_HIDES_ALL : 0;
    io->told = hides;
}

void rights_take(struct rights *io, const char *of, const struct rm_rights *told)
{
    forget_words(io);
    free(io->of);
    io->of = of ? xstrdup(of) : NULL;
    io->hidden = told->hides;
    io->told = true;
    for (size_t i = 0; told->operators && told->operators[i]; i++)
        add_word(io, OPERATOR, "", told->operators[i]);
    for (size_t i = 0; i < told->n; i++) {
        const struct rm_coordinator *c = &told->coordinators[i];
        add_word(io, COORDINATOR, "", c->user);
        add_word(io, c->user, OF, c->account);
    }
}

unsigned rights_hidden(const struct rights *r)
{
    return r ? r->hidden : 0;
}

unsigned rights_hidden_then(const struct rights *r)
{
    return r && r->told ? RM_HIDES_ALL : 0;
}

static bool knows_of(
    const struct rights *r, const char *first, const char *gap, const char *last)
{
    char word[400];
    int n = snprintf(word, sizeof word, "%s%s%s", first, gap, last);

    return r && n > 0 && (size_t)n < sizeof word && has_word(r, word);
}

bool rights_cover(const struct rights *r, const char *rm)
{
    return r && (!r->of || strcmp(r->of, rm) == 0);
}

bool rights_operate(const struct rights *r, const char *user)
{
    return knows_of(r, OPERATOR, "", user);
}

bool rights_is_operator(const struct rights *r, const char *user)
{
    return r && !r->of && rights_operate(r, user);
}

bool rights_coordinates(const struct rights *r, const char *user, const char *account)
{
    return account ? knows_of(r, user, OF, account)
                   : knows_of(r, COORDINATOR, "", user);
}
