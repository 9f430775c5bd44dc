/* SPDX-License-Identifier: Apache-2.0
 * Records without what nobody reads. */
#include "rm/adapter/squeeze.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define NAME_MOST 128
#define TAG_MOST  4096 /* one that is longer has its end cut off */

/* What the records of one user have had. */
struct payer {
    char name[NAME_MOST];
    size_t bytes;
    UT_hash_handle hh;
};

struct squeeze {
    const struct squeeze_kind *kind;
    struct strbuf tag; /* XML: "<name ..." that is under way */
    int depth;
    bool inside;          /* XML: in a tag; JSON: in a string */
    bool escaped;         /* JSON: after a backslash */
    bool dropping;        /* a member that nobody reads */
    bool cut;             /* a record that has had its share */
    bool keyed;           /* XML: in the member that is its key */
    bool freed;           /* XML: in the member that does not count */
    bool paying;          /* in the member that says whose it is */
    struct payer *payers; /* owned */
    size_t whole;         /* bytes of records that were not cut */
    size_t began;         /* where the record is in the output */
    size_t member;        /* ... and the member that does not count */
    size_t free;          /* bytes of it that do not count */
    size_t nname, nkey, npayer;
    char name[NAME_MOST]; /* XML: of the record's element; JSON: the last string */
    char key[NAME_MOST];
    char payer[NAME_MOST];
};

struct squeeze *squeeze_new(const struct squeeze_kind *kind)
{
    struct squeeze *s = xcalloc(1, sizeof *s);

    s->kind = kind;
    return s;
}

void squeeze_free(struct squeeze *s)
{
    struct payer *p, *next;

    if (s == NULL)
        return;
    HASH_ITER(hh, s->payers, p, next)
    {
        HASH_DEL(s->payers, p);
        free(p);
    }
    free(s->tag.text);
    free(s);
}

static bool is_among(const char *const *list, const char *name, size_t n)
{
    for (; *list != NULL; list++)
        if (strlen(*list) == n && memcmp(*list, name, n) == 0)
            return true;
    return false;
}

static bool is_name(const char *wanted, const char *name, size_t n)
{
    return wanted != NULL && strlen(wanted) == n && memcmp(wanted, name, n) == 0;
}

static bool is_wanted(const struct squeeze_kind *k, const char *name, size_t n)
{
    return (k->keep == NULL || is_among(k->keep, name, n))
           && (k->drop == NULL || !is_among(k->drop, name, n));
}

static void truncate_to(struct strbuf *out, size_t n)
{
    out->len = n;
    if (out->text != NULL)
        out->text[n] = '\0';
}

static void begin_record(struct squeeze *s, const struct strbuf *out)
{
    s->began = out->len;
    s->free = 0;
    s->nkey = s->npayer = 0;
    s->cut = s->whole >= s->kind->most;
}

/* The record, as far as it has come: has it had its share? */
static void judge_record(struct squeeze *s, struct strbuf *out)
{
    size_t n = out->len - s->began;

    if (s->cut || s->depth < s->kind->depth)
        return;
    s->cut = s->whole + n > s->kind->most
             || (!s->freed && n > s->free && n - s->free > s->kind->share);
    if (s->cut)
        truncate_to(out, s->began);
}

/* The record is whole: may whoever it belongs to have that much? */
static void charge_record(struct squeeze *s, struct strbuf *out)
{
    size_t n = out->len - s->began, others;
    const char *at;
    struct payer *p;

    if (s->cut)
        return;
    s->whole += n;
    if (s->kind->payer == NULL)
        return;
    at = memchr(s->payer, '@', s->npayer); /* one user from all hosts is one payer */
    if (at != NULL)
        s->npayer = (size_t)(at - s->payer);
    HASH_FIND(hh, s->payers, s->payer, s->npayer, p);
    if (p == NULL) {
        p = xcalloc(1, sizeof *p);
        memcpy(p->name, s->payer, s->npayer);
        HASH_ADD_KEYPTR(hh, s->payers, p->name, s->npayer, p);
    }
    others = s->whole - n - p->bytes;
    p->bytes += n;
    s->cut = others >= s->kind->most || p->bytes > (s->kind->most - others) / 2;
    if (!s->cut)
        return;
    truncate_to(out, s->began);
    p->bytes -= n;
    s->whole -= n;
}

static void add_piece(struct squeeze *s, const char *text, size_t n, struct strbuf *out)
{
    if (s->dropping || s->cut || n == 0)
        return;
    strbuf_add_n(out, text, n);
    judge_record(s, out);
}

/* ---- XML ---- */

static void add_text(struct squeeze *s, const char *text, size_t n, struct strbuf *out)
{
    if (s->keyed && s->nkey + n < NAME_MOST) {
        memcpy(s->key + s->nkey, text, n);
        s->nkey += n;
    }
    if (s->paying && s->npayer + n < NAME_MOST) {
        memcpy(s->payer + s->npayer, text, n);
        s->npayer += n;
    }
    add_piece(s, text, n, out);
}

static void open_element(
    struct squeeze *s, const char *name, size_t n, struct strbuf *out)
{
    const struct squeeze_kind *k = s->kind;

    s->depth++;
    if (s->depth == k->depth) {
        s->nname = n < NAME_MOST ? n : 0;
        memcpy(s->name, name, s->nname);
        begin_record(s, out);
    } else if (s->depth == k->depth + 1) {
        s->dropping = !is_wanted(k, name, n);
        s->keyed = is_name(k->key, name, n);
        s->paying = is_name(k->payer, name, n);
        s->freed = is_name(k->free, name, n);
        s->member = out->len;
    }
}

static void add_stub(struct squeeze *s, struct strbuf *out)
{
    strbuf_printf(out, "<%.*s><%s>%.*s</%s><" SQUEEZE_CUT "/></%.*s>", (int)s->nname,
        s->name, s->kind->key, (int)s->nkey, s->key, s->kind->key, (int)s->nname,
        s->name);
}

static void close_element(struct squeeze *s, struct strbuf *out)
{
    if (s->depth == s->kind->depth + 1) {
        if (s->freed && !s->cut)
            s->free += out->len - s->member;
        s->dropping = s->keyed = s->freed = s->paying = false;
    } else if (s->depth == s->kind->depth) {
        charge_record(s, out);
        if (s->cut)
            add_stub(s, out);
        s->cut = false;
    }
    if (s->depth > 0)
        s->depth--;
}

/* "<name attr='x'>", "</name>", "<name/>", "<?xml ...?>". */
static void end_tag(struct squeeze *s, struct strbuf *out)
{
    const char *tag = s->tag.text, *name = tag + 1;
    size_t n = s->tag.len;
    bool closes = *name == '/', empty = tag[n - 2] == '/';

    if (*name == '?' || *name == '!') {
        add_piece(s, tag, n, out);
        return;
    }
    if (!closes)
        open_element(s, name, strcspn(name, " \t\r\n/>"), out);
    add_piece(s, tag, n, out);
    if (closes || empty)
        close_element(s, out);
}

static void feed_xml(struct squeeze *s, const char *at, size_t n, struct strbuf *out)
{
    const char *end = at + n;

    while (at < end) {
        const char *next = memchr(at, s->inside ? '>' : '<', (size_t)(end - at));
        size_t part = (size_t)((next != NULL ? next : end) - at);

        if (!s->inside) {
            add_text(s, at, part, out);
        } else if (s->tag.len < TAG_MOST) {
            strbuf_add_n(&s->tag, at, part);
        }
        at += part;
        if (next == NULL)
            return;
        if (s->inside) {
            strbuf_add_n(&s->tag, ">", 1);
            end_tag(s, out);
        } else {
            truncate_to(&s->tag, 0);
            strbuf_add_n(&s->tag, "<", 1);
        }
        s->inside = !s->inside;
        at++;
    }
}

/* ---- JSON ---- */

/* A piece of the text that is being passed on. */
struct span {
    const char *from; /* what of it has not gone out yet */
    const char *at;
    struct strbuf *out;
};

/* All before `to`. */
static void pass_on(struct squeeze *s, struct span *p, const char *to)
{
    add_piece(s, p->from, (size_t)(to - p->from), p->out);
    p->from = to;
}

static void read_string(struct squeeze *s, char c)
{
    if (s->escaped)
        s->escaped = false;
    else if (c == '\\')
        s->escaped = true;
    else if (c == '"')
        s->inside = false;
    else if (s->nname < NAME_MOST)
        s->name[s->nname++] = c;
}

/* A member begins; one that is not wanted is 0. */
static void name_member(struct squeeze *s, struct span *p)
{
    if (s->depth != s->kind->depth || s->dropping)
        return;
    s->paying = is_name(s->kind->payer, s->name, s->nname);
    if (is_wanted(s->kind, s->name, s->nname))
        return;
    pass_on(s, p, p->at + 1);
    add_piece(s, "0", 1, p->out);
    s->dropping = true;
}

static void end_member(struct squeeze *s, struct span *p)
{
    if (s->depth == s->kind->depth && s->paying) {
        s->npayer = s->nname; /* its value is the last string that was read */
        memcpy(s->payer, s->name, s->npayer);
        s->paying = false;
    }
    if (s->depth != s->kind->depth || !s->dropping)
        return;
    p->from = p->at;
    s->dropping = false;
}

static void open_object(struct squeeze *s, struct span *p)
{
    if (++s->depth != s->kind->depth)
        return;
    pass_on(s, p, p->at);
    begin_record(s, p->out);
}

static void close_object(struct squeeze *s, struct span *p)
{
    end_member(s, p);
    if (s->depth == s->kind->depth) {
        pass_on(s, p, p->at + 1);
        charge_record(s, p->out);
        if (s->cut)
            strbuf_add(p->out, "{\"" SQUEEZE_CUT "\":true}");
        s->cut = false;
    }
    if (s->depth > 0)
        s->depth--;
}

static void read_mark(struct squeeze *s, struct span *p)
{
    switch (*p->at) {
    case '"':
        s->inside = true;
        s->nname = 0;
        break;
    case ':':
        name_member(s, p);
        break;
    case ',':
        end_member(s, p);
        break;
    case '{':
    case '[':
        open_object(s, p);
        break;
    case '}':
    case ']':
        close_object(s, p);
        break;
    default:
        break;
    }
}

static void feed_json(struct squeeze *s, const char *text, size_t n, struct strbuf *out)
{
    struct span p = {text, text, out};

    for (; p.at < text + n; p.at++)
        if (s->inside)
            read_string(s, *p.at);
        else
            read_mark(s, &p);
    pass_on(s, &p, text + n);
}

void squeeze_feed(struct squeeze *s, const char *text, size_t n, struct strbuf *out)
{
    if (s->kind->grammar == SQUEEZE_XML)
        feed_xml(s, text, n, out);
    else
        feed_json(s, text, n, out);
}
