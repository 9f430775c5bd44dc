/* SPDX-License-Identifier: Apache-2.0
 * Sections: USERCFG[ann] ATTR=VALUE ATTR=VALUE. */
#include "base/nearest.h"
#include "base/strbuf.h"
#include "config/loader.h"
#include "config/moab.h"
#include "config/set.h"
#include "config/settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static struct place place_of(const struct entry *e)
{
    return (struct place){
        .file = e->file, .file_number = e->file_number, .line = e->line.line};
}

/* Sections that other rooms read whole, later. */
static bool is_raw(enum cfg_object object)
{
    return object >= OBJECT_SR;
}

/* May the name in brackets be left out? */
static bool index_optional(enum cfg_object object)
{
    return object == OBJECT_SYS
           || (is_raw(object) && object != OBJECT_CLIENT && object != OBJECT_PAR);
}

static bool is_list(const struct cfg_row *row)
{
    return row->type == CFG_WORDS || row->type == CFG_CREDS || row->type == CFG_HOSTS
           || row->type == CFG_GRES || row->type == CFG_JOBFLAGS
           || row->type == CFG_QOSFLAGS;
}

static struct sr_cfg *find_standing(
    struct settings *s, const struct place *at, const char *index)
{
    struct sr_cfg *sr = srcfg_get(s, index);

    if (sr->line == 0) {
        sr->file_number = at->file_number;
        sr->line = at->line;
    }
    return sr;
}

/* The first bank of the files is the site's; others are checked. */
static struct settings *find_bank_base(struct settings *s, const char *index)
{
    if (s->bank.name == NULL)
        s->bank.name = xstrdup(index);
    return strcmp(s->bank.name, index) == 0 ? s : NULL;
}

static void *find_base(struct settings *s, const struct place *at,
    enum cfg_object object, const char *index)
{
    static const enum cred_kind kinds[] = {[OBJECT_USER] = CRED_USER,
        [OBJECT_GROUP] = CRED_GROUP,
        [OBJECT_ACCOUNT] = CRED_ACCOUNT,
        [OBJECT_CLASS] = CRED_CLASS,
        [OBJECT_QOS] = CRED_QOS};

    if (object <= OBJECT_QOS)
        return settings_cred(s, kinds[object], index);
    if (object == OBJECT_SYS)
        return &s->sys;
    if (object == OBJECT_SR)
        return find_standing(s, at, index);
    if (object == OBJECT_AM)
        return find_bank_base(s, index);
    return object == OBJECT_NODE ? settings_node(s, index) : NULL;
}

/* ---- one attribute ---- */

/* Another section that has such an attribute, for the message. */
static const char *other_owner(const struct loader *l, const char *attr)
{
    for (int o = 0; o < OBJECTS; o++)
        if (attrs_find(l->config->table, (enum cfg_object)o, attr) != NULL)
            return cfg_object_name((enum cfg_object)o);
    return NULL;
}

void loader_close(struct loader *l, const struct place *at, const char *index,
    const char *attr, const char *near)
{
    loader_report(l, at, FINDING_WARNING,
        "SRCFG[%.60s]: '%.60s' is not known; %s%s%st may be an access rule, so nobody "
        "may use the reservation until this is mended",
        index, attr, near != NULL ? "did you mean " : "", near != NULL ? near : "",
        near != NULL ? "? I" : "i");
    text_list_add(&l->closed, index);
}

/* What Moab has and Maui has not. A list of those who may is missed; the rest is not
 * worth stopping for. */
static void report_of_moab(struct loader *l, const struct place *at,
    enum cfg_object object, const char *attr, enum moab_attr is)
{
    const char *section = cfg_object_name(object);

    if (is == MOAB_ACCESS)
        loader_report(l, at, FINDING_ERROR,
            "%s %.60s is an access rule of Moab, which Maui does not have: without it "
            "everybody might; leave such a list to the resource manager's queue, or "
            "write QLIST, PLIST or an SRCFG",
            section, attr);
    else
        loader_report(l, at, FINDING_WARNING,
            "%s %.60s is an attribute of Moab, which Maui does not have; it is left "
            "out%s",
            section, attr, is == MOAB_LIMIT ? ", and nothing is limited by it" : "");
}

/* What is left out may have been meant as a limit: nobody goes beyond one because of a
 * misspelling. */
static void report_misspelt(struct loader *l, const struct place *at,
    enum cfg_object object, const char *index, const char *attr)
{
    const char *near = attrs_nearest(l->config->table, object, attr);
    bool misspelt = near != NULL && nearest_is_misspelt(attr, near);
    const struct cfg_row *meant =
        misspelt ? attrs_find(l->config->table, object, near) : NULL;
    bool guards = meant != NULL && meant->guards;

    if (object == OBJECT_SR && (guards || meant == NULL))
        loader_close(l, at, index, attr, near);
    else if (near != NULL)
        loader_report(l, at, guards ? FINDING_ERROR : FINDING_WARNING,
            "%s has no attribute '%.60s'; did you mean %s? It is left out",
            cfg_object_name(object), attr, near);
    else
        loader_report(l, at, FINDING_WARNING,
            "%s has no attribute '%.60s'; it is left out", cfg_object_name(object),
            attr);
}

static void report_unknown(struct loader *l, const struct place *at,
    enum cfg_object object, const char *index, const char *attr)
{
    const char *other = other_owner(l, attr);
    enum moab_attr is = moab_attribute(object, attr);

    if (is != MOAB_NONE)
        report_of_moab(l, at, object, attr, is);
    else if (other != NULL && object != OBJECT_SR)
        loader_report(l, at, FINDING_WARNING,
            "%s has no attribute %.60s, which belongs to %s; it is left out",
            cfg_object_name(object), attr, other);
    else
        report_misspelt(l, at, object, index, attr);
}

/* Kept in the raw section as well, under its proper name. */
static void keep_raw(struct loader *l, const struct place *at, enum cfg_object object,
    const char *index, const char *attr, const char *value)
{
    struct raw_object *raw =
        settings_raw(l->config->settings, cfg_object_name(object), index);
    struct raw_attr kept = {.name = xstrdup(attr),
        .value = xstrdup(value),
        .file = xstrdup(at->file),
        .line = at->line};

    vec_push(&raw->attrs, kept);
}

/* "USERCFG[ann].MAXJOB[GROUP]"; owned by the caller. */
static char *value_name(enum cfg_object object, const char *index,
    const struct cfg_row *row, const char *bracket)
{
    const char *section = cfg_object_name(object);
    bool indexed = *index != '\0';
    size_t size = strlen(section) + strlen(index) + strlen(row->name) + 8
                  + (bracket != NULL ? strlen(bracket) : 0);
    char *name = xmalloc(size);

    snprintf(name, size, "%s%s%s%s.%s%s%s%s", section, indexed ? "[" : "", index,
        indexed ? "]" : "", row->name, bracket != NULL ? "[" : "",
        bracket != NULL ? bracket : "", bracket != NULL ? "]" : "");
    return name;
}

/* An empty list is a value, but not of a standing reservation: a rule of access that
 * got lost must not let in whom it kept out. */
static bool value_given(struct loader *l, const struct place *at,
    const struct cfg_row *row, const struct grammar_pair *pair, const char *name)
{
    if (*pair->value != '\0' || (is_list(row) && row->home != HOME_SR))
        return true;
    if (is_list(row) && row->guards)
        loader_report(l, at, FINDING_WARNING,
            "%.120s has no value; nobody may use the reservation until this is mended",
            name);
    else
        loader_report(l, at, row->guards ? FINDING_ERROR : FINDING_WARNING,
            "%.120s has no value; it is left out", name);
    return false;
}

/* Is there something to read? Reports what is in the way. */
static bool attribute_usable(struct loader *l, const struct place *at,
    const struct cfg_row *row, const struct grammar_pair *pair, const char *name)
{
    if (pair->unclosed) {
        loader_report(l, at, FINDING_ERROR,
            "%.120s: the quote is not closed (# begins a comment in quotes too)", name);
        return false;
    }
    if (pair->bracket != NULL && !row->brackets) {
        loader_report(
            l, at, FINDING_ERROR, "%.120s: %s takes no brackets", name, row->name);
        return false;
    }
    if (row->secret && !l->private) {
        loader_report(l, at, FINDING_ERROR,
            "%.120s is a secret; it is taken from the private file (maui-private.cfg) "
            "only, in CLIENTCFG",
            name);
        return false;
    }
    return value_given(l, at, row, pair, name);
}

void load_attribute(struct loader *l, const struct place *at, enum cfg_object object,
    const char *index, const struct grammar_pair *pair)
{
    const struct cfg_row *row = attrs_find(l->config->table, object, pair->name);
    struct cfg_call call = {.row = row, .value = pair->value, .bracket = pair->bracket};
    const struct cfg_value *was = NULL;
    bool usable = false;
    char *name;

    if (row == NULL) {
        report_unknown(l, at, object, index, pair->name);
        return;
    }
    name = value_name(object, index, row, pair->bracket);
    was = config_value(l->config, name);
    if (was != NULL && was->change > l->change) { /* by the older form of it */
        free(name);
        return;
    }
    call.replaces = row->accumulates && was != NULL && was->change < l->change;
    if (attribute_usable(l, at, row, pair, name)) {
        /* A section that comes later as a whole says so once; of some only a part does.
         */
        if (row->status != STATUS_LATER || object == OBJECT_RM || object == OBJECT_AM
            || object == OBJECT_SCHED)
            loader_report_status(l, at, row, name);
        call.base = row->home != HOME_NOWHERE
                        ? find_base(l->config->settings, at, object, index)
                        : NULL;
        usable = loader_apply(l, at, &call, name) == 0;
        if (usable && is_raw(object))
            keep_raw(l, at, object, index, row->name, pair->value);
        if (usable && object == OBJECT_SCHED)
            load_scheduler(l, at, row, pair->value);
    }
    if (!usable && object == OBJECT_SR && row->guards)
        text_list_add(&l->closed, index);
    free(name);
}

/* ---- the section ---- */

/* Words without `=`, together: what was meant can be told from what stood before
 * them, most often a list written with blanks. */
struct strays {
    struct strbuf blank, comma; /* the words, joined either way */
    uint32_t line, count;
    size_t first;                 /* length of the first word */
    const struct cfg_row *before; /* attribute in front of them, or NULL */
    char *value;                  /* its value, owned */
};

/* With its brackets, if any: the word is never empty. */
static void add_stray(struct strays *s, const struct grammar_pair *pair, uint32_t line)
{
    bool brackets = pair->bracket != NULL;
    struct strbuf word = {0};

    strbuf_printf(&word, "%s%s%s%s", pair->name, brackets ? "[" : "",
        brackets ? pair->bracket : "", brackets ? "]" : "");
    if (s->count++ == 0) {
        s->line = line;
        s->first = word.len;
    }
    strbuf_printf(&s->blank, "%s%s", s->blank.len > 0 ? " " : "", word.text);
    strbuf_printf(&s->comma, ",%s", word.text);
    free(strbuf_take(&word));
}

static void report_strays(struct loader *l, struct strays *s, const struct entry *e)
{
    struct place at = place_of(e);
    char *words = strbuf_take(&s->blank), *list = strbuf_take(&s->comma);
    char *first = xstrndup(words != NULL ? words : "", s->first);
    bool attribute = attrs_find(l->config->table, e->row->object, first) != NULL;

    at.line = s->line;
    if (s->count == 0 || words == NULL) {
        /* nothing to tell */
    } else if (s->before != NULL && is_list(s->before) && !attribute) {
        loader_report(l, &at, FINDING_ERROR,
            "'%.120s' is not ATTR=VALUE; a list is written without blanks: "
            "%s=%.120s%.120s",
            words, s->before->name, s->value, list);
    } else if (s->before != NULL && s->before->type == CFG_CUSTOM && !attribute) {
        loader_report(l, &at, FINDING_ERROR,
            "'%.120s' is not ATTR=VALUE; a value with blanks is quoted: %s='%.120s "
            "%.120s'",
            words, s->before->name, s->value, words);
    } else if (s->count == 2 && *words != '[') {
        loader_report(l, &at, FINDING_ERROR,
            "'%.120s' is not ATTR=VALUE; write %.60s=%.60s", words, first,
            words + s->first + 1);
    } else {
        loader_report(l, &at, FINDING_ERROR, "'%.120s' is not ATTR=VALUE", words);
    }
    s->count = 0;
    free(first);
    free(words);
    free(list);
}

/* An attribute follows the strays. */
static void after_pair(
    struct strays *s, const struct cfg_row *row, const struct grammar_pair *pair)
{
    s->before = row;
    free(s->value);
    s->value = xstrdup(pair->value);
}

/* The next pair is a word that continues the list in front of it: append it. */
static void append_word(struct grammar_pair *list, const struct grammar_pair *word)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s,%s", list->value, word->name);
    if (word->bracket != NULL)
        strbuf_printf(&text, "[%s]", word->bracket);
    strbuf_add(&text, word->value != NULL ? "=" : "");
    free(list->value);
    list->value = strbuf_take(&text);
}

/* Does it continue a list? `low=` does, with the mark of neutral affinity; an attribute
 * whose = is missing does not. */
static bool is_word(const struct loader *l, const struct grammar_pair *pair)
{
    return (pair->value == NULL || (*pair->value == '\0' && !pair->unclosed))
           && attrs_find(l->config->table, OBJECT_SR, pair->name) == NULL;
}

/* Standing reservations have always been written with blanks in their lists as well.
 * Takes such words into *pair; *next is then what follows them. Returns whether there
 * is such a thing. */
static bool join_words(struct loader *l, const struct entry *e,
    struct grammar_pairs *pairs, struct grammar_pair *pair, struct grammar_pair *next)
{
    const struct cfg_row *row = attrs_find(l->config->table, OBJECT_SR, pair->name);
    struct place at = place_of(e);
    bool more = grammar_pairs_next(pairs, next), joined = false;

    if (e->row->object != OBJECT_SR || row == NULL || !is_list(row)
        || pair->value == NULL || pair->unclosed)
        return more;
    at.line = e->line.value_line + pair->line;
    for (; more && is_word(l, next); more = grammar_pairs_next(pairs, next)) {
        append_word(pair, next);
        grammar_pair_fini(next);
        joined = true;
    }
    if (joined)
        loader_report(l, &at, FINDING_WARNING,
            "a list is written without blanks: %s=%.200s, as it is taken to mean",
            row->name, pair->value);
    return more;
}

static void load_pair(struct loader *l, const struct entry *e, const char *index,
    struct strays *strays, const struct grammar_pair *pair)
{
    struct place at = place_of(e);

    at.line = e->line.value_line + pair->line;
    if (pair->value == NULL) {
        add_stray(strays, pair, at.line);
        return;
    }
    report_strays(l, strays, e);
    load_attribute(l, &at, e->row->object, index, pair);
    after_pair(strays, attrs_find(l->config->table, e->row->object, pair->name), pair);
}

static void load_pairs(struct loader *l, const struct entry *e, const char *index)
{
    struct strays strays = {0};
    struct grammar_pairs pairs;
    struct grammar_pair pair, next;
    bool more;

    grammar_pairs_init(&pairs, e->line.value);
    for (more = grammar_pairs_next(&pairs, &pair); more; pair = next) {
        more = join_words(l, e, &pairs, &pair, &next);
        load_pair(l, e, index, &strays, &pair);
        grammar_pair_fini(&pair);
    }
    report_strays(l, &strays, e);
    free(strays.value);
}

/* Does the file that the line is in allow such a section? */
static bool right_file(struct loader *l, const struct entry *e)
{
    struct place at = place_of(e);

    if (l->private || e->row->object != OBJECT_CLIENT)
        return true;
    loader_report(l, &at, FINDING_ERROR,
        "secrets are not taken from this file; move CLIENTCFG[%.40s] to the private "
        "file "
        "(maui-private.cfg)",
        e->line.index != NULL ? e->line.index : "");
    return false;
}

static bool has_index(struct loader *l, const struct entry *e)
{
    struct place at = place_of(e);
    const char *index = e->line.index;

    if (index != NULL && *index != '\0') {
        if (strcasecmp(index, "DEFAULT") == 0 && strcmp(index, "DEFAULT") != 0)
            loader_report(l, &at, FINDING_WARNING,
                "%s[%s] is an object of that name; did you mean DEFAULT?", e->row->name,
                index);
        return true;
    }
    if (index_optional(e->row->object))
        return true;
    loader_report(l, &at, FINDING_ERROR,
        "%s needs a name in brackets right behind it: %s[NAME] ATTR=VALUE; the line is "
        "not used",
        e->row->name, e->row->name);
    return false;
}

/* Sections that come later say so at the first line of each object. */
static void report_later(struct loader *l, const struct entry *e, const char *index)
{
    const struct settings *s = l->config->settings;
    const char *kind = cfg_object_name(e->row->object);
    struct place at = place_of(e);

    for (size_t i = 0; i < s->raw.n; i++)
        if (strcmp(s->raw.v[i].kind, kind) == 0 && strcmp(s->raw.v[i].name, index) == 0)
            return;
    if (e->row->status == STATUS_LATER)
        loader_report(l, &at, FINDING_NOTE,
            "%s[%.60s] is accepted, but not yet in force", kind, index);
    settings_raw(l->config->settings, kind, index);
}

void load_section(struct loader *l, const struct entry *e)
{
    enum cfg_object object = e->row->object;
    const char *index = e->line.index;
    struct place at = place_of(e);

    if (!right_file(l, e) || !has_index(l, e))
        return;
    if (index == NULL || *index == '\0')
        index = object == OBJECT_SYS ? "" : "0";
    if (object == OBJECT_SYS)
        index = "";
    if (*e->line.value == '\0') {
        loader_report(l, &at, FINDING_WARNING, "%s[%.60s] has no attributes",
            e->row->name, index);
        return;
    }
    if (is_raw(object))
        report_later(l, e, index);
    if (object == OBJECT_PAR)
        return;
    load_pairs(l, e, index);
}
