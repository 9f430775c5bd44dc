/* SPDX-License-Identifier: Apache-2.0
 * Option tables as manual pages in mdoc. */
#include "client/kit/manual.h"

#include <ctype.h>
#include <stdio.h>

#define DATE "November 21, 2026"

/* ---- text that is safe in roff ---- */

static void put_char(char c)
{
    if (c == '\\')
        fputs("\\e", stdout);
    else if (c == '`')
        fputs("\\(ga", stdout);
    else if (c == '\'')
        fputs("\\(aq", stdout);
    else if (c == '~')
        fputs("\\(ti", stdout);
    else if (c == '^')
        fputs("\\(ha", stdout);
    else
        putchar(c);
}

static void put_n(const char *text, size_t n)
{
    if (n && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < n; i++)
        if (i > 0 && text[i] == ' ' && text[i - 1] == '.' && i + 1 < n)
            putchar('\n'); /* a sentence begins on a line of its own */
        else
            put_char(text[i]);
}

static void put(const char *text)
{
    put_n(text, strlen(text));
}

/* An argument of a macro: blanks and quotes kept together, no macro's name. */
static void put_word(const char *text, size_t n)
{
    fputs("\\&", stdout);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '"')
            fputs("\\(dq", stdout);
        else if (text[i] == ' ')
            fputs("\\ ", stdout);
        else
            put_char(text[i]);
}

/* ---- synopsis ---- */

static size_t opened(const char *word, size_t n)
{
    size_t i = 0;

    while (i < n && word[i] == '[')
        i++;
    return i;
}

/* Brackets at the end that close what began before this word. */
static size_t closed(const char *word, size_t n)
{
    size_t depth = 0, extra = 0;

    for (size_t i = 0; i < n; i++) {
        if (word[i] == '[')
            depth++;
        else if (word[i] == ']' && depth)
            depth--;
        else if (word[i] == ']')
            extra++;
    }
    return extra;
}

static void put_usage_word(const char *word, size_t n)
{
    if (n == 1 && *word == '|')
        putchar('|');
    else if (*word == '-') {
        fputs(".Fl ", stdout);
        put_word(word + 1, n - 1);
    } else {
        fputs(".Ar ", stdout);
        put_word(word, n);
    }
    putchar('\n');
}

static void put_usage(const char *usage)
{
    while (*usage) {
        size_t n = strcspn(usage, " \n");
        size_t open = opened(usage, n), close = closed(usage + open, n - open);

        for (size_t i = 0; i < open; i++)
            puts(".Oo");
        if (n - open - close > 0)
            put_usage_word(usage + open, n - open - close);
        for (size_t i = 0; i < close; i++)
            puts(".Oc");
        usage += n;
        usage += strspn(usage, " \n");
    }
}

/* ---- paragraphs: lines that begin with a blank stay as they are ---- */

static void put_paragraphs(const char *text)
{
    bool literal = false, gap = false;

    for (const char *end; *text; text = *end ? end + 1 : end) {
        size_t n = strcspn(text, "\n");
        bool want = *text == ' ';
        end = text + n;
        if (n == 0) {
            gap = true;
            continue;
        }
        if (literal && !want)
            puts(".Ed");
        if (!literal && want)
            puts(".Bd -literal -offset indent");
        else if (gap)
            puts(want ? "" : ".Pp");
        literal = want;
        gap = false;
        size_t skip = want ? strspn(text, " ") : 0;
        put_n(text + skip, n - skip);
        putchar('\n');
    }
    if (literal)
        puts(".Ed");
}

/* ---- options ---- */

static void put_option(const struct option_row *row, char letter)
{
    fputs(".It", stdout);
    if (letter) {
        fputs(" Fl ", stdout);
        put_word(&letter, 1);
    }
    if (row->name) {
        fputs(letter ? " , Fl -" : " Fl -", stdout);
        put(row->name);
    }
    if (row->value) {
        fputs(" Ar ", stdout);
        put_word(row->value, strlen(row->value));
    }
    putchar('\n');
    put(row->help);
    putchar('\n');
}

static void put_rows(const struct command_rows *rows, int from, int to)
{
    puts(".Bl -tag -width Ds");
    for (int i = from; i < to; i++)
        put_option(rows->v[i], rows->letters[i]);
    puts(".El");
}

/* Its own; those of every command are in maui(1), once. */
static void put_options(const struct command_spec *spec)
{
    struct command_rows rows = command_rows(spec);

    puts(".Sh OPTIONS");
    if (rows.own) {
        put_rows(&rows, 0, rows.own);
        puts(".Pp");
    }
    puts("Those of every command are in\n.Xr maui 1 .");
}

/* ---- the page ---- */

/* "Show the queue. And more." as the one line of NAME. */
static void put_summary(const char *summary)
{
    const char *end = strstr(summary, ". ");
    size_t n = end ? (size_t)(end - summary) : strlen(summary);

    while (n && summary[n - 1] == '.')
        n--;
    bool word =
        isupper((unsigned char)summary[0]) && islower((unsigned char)summary[1]);
    putchar(word ? tolower((unsigned char)summary[0]) : summary[0]);
    put_n(summary + 1, n > 1 ? n - 1 : 0);
}

/* "maui import" has the page maui-import. */
static void put_title(const char *name, bool upper)
{
    for (const char *p = name; *p; p++)
        putchar(*p == ' ' ? '-' : upper ? toupper((unsigned char)*p) : *p);
}

static void put_head(const char *name, const char *section)
{
    printf(".\\\" SPDX-License-Identifier: Apache-2.0\n.Dd " DATE "\n.Dt ");
    put_title(name, true);
    printf(" %s\n.Os Maui " MAUI_VERSION "\n.Sh NAME\n.Nm ", section);
    put_title(name, false);
    printf("\n.Nd ");
}

void manual_print(const struct command_spec *spec)
{
    put_head(spec->name, "1");
    put_summary(spec->summary);
    printf("\n.Sh SYNOPSIS\n.Nm%s%s\n", strchr(spec->name, ' ') ? " " : "",
        strchr(spec->name, ' ') ? spec->name : "");
    put_usage(spec->usage);
    puts(".Sh DESCRIPTION");
    put(spec->summary);
    putchar('\n');
    if (spec->more) {
        puts(".Pp");
        put_paragraphs(spec->more);
    }
    put_options(spec);
    puts(".Sh EXIT STATUS\nAs of every command:\n.Xr maui 1 .");
    if (spec->examples) {
        puts(".Sh EXAMPLES");
        put_paragraphs(spec->examples);
    }
    puts(".Sh SEE ALSO\n.Xr maui 1 ,\n.Xr maui.cfg 5 ,\n.Xr maui-serve 8");
}

/* ---- maui(1) ---- */

void manual_front_begin(void)
{
    put_head("maui", "1");
    puts(
        "batch scheduler for clusters\n.Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar options\n"
        ".Nm\n.Fl -help | -version\n.Sh DESCRIPTION\n"
        "Maui decides which job of a cluster runs when and where, by priority,\n"
        "fairshare, limits, reservations and backfill, as written in a\n.Pa maui.cfg "
        ".");
}

void manual_front_section(const char *title, bool first)
{
    if (!first)
        puts(".El");
    printf(".Ss %s\n", title);
    puts(".Bl -tag -width releasedeadline");
}

/* Those that ask the scheduler have pages under their own names. */
void manual_front_command(const char *name, const char *summary)
{
    printf(".It Cm %s\n", name);
    put(summary);
    putchar('\n');
}

static void put_environment(void)
{
    puts(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n.It Ev COLUMNS\nhow wide lines on a "
         "terminal may be; else as wide as it is.\nLonger ones go on in the next\n"
         ".It Ev NO_COLOR\nno colours, which only terminals get\n"
         ".It Ev CLIENTTIMEOUT\nhow long to wait "
         "for an answer; as maui.cfg says, else 30 seconds\n.It Ev MAUIHOMEDIR\nwhere "
         "the scheduler to talk to has its socket and its configuration; else\n"
         ".Pa ~/.maui ,\n.Pa /var/lib/maui\n"
         ".It Ev MAUICLIENTCFG\nwhat the site says of it instead of\n"
         ".Pa /etc/maui/client.cfg :\nSERVERHOST, SERVERPORT, CLIENTTIMEOUT;\nwithout "
         "it "
         "the SRV record _maui._tcp in DNS\n"
         ".It Ev SERVERHOST , Ev SERVERPORT\na scheduler elsewhere\n"
         ".It Ev SERVERCONFIGFILE\nits configuration; maui.cfg in its home\n.El");
}

/* One place for what is the same of all commands. */
static void put_exit_status(void)
{
    puts(".Sh EXIT STATUS\nOf every command:\n.Bl -tag -width Ds\n"
         ".It 0\nall was done\n"
         ".It 1\nsomething was refused, could not be done, was found to be wrong,\n"
         "or the command was called wrongly; why stands on standard error\n.El\n.Pp\n"
         ".Ql msub -K\nends as its job does.");
}

void manual_front_end(void)
{
    struct command_spec any = {.name = "maui", .usage = "", .asks = ASKS_SERVER};
    struct command_rows rows = command_rows(&any);

    puts(".El\n.Pp\nA link to\n.Pa maui-client\nthat is named after a command is that "
         "command, and has a page of that name.\n"
         ".Sh OPTIONS\nOf every command.\nA letter that a command uses itself is only\n"
         "that one's; of those that ask nobody the last two:");
    put_rows(&rows, 0, rows.n);
    put_environment();
    put_exit_status();
    puts(".Sh SEE ALSO\n.Xr maui-check 1 ,\n.Xr maui-sim 1 ,\n.Xr maui.cfg 5 ,\n"
         ".Xr maui-serve 8");
}
