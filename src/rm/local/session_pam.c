/* SPDX-License-Identifier: Apache-2.0
 * Sessions by PAM. The user has proved who it is when it submitted: only the session
 * lines of the service count, and nobody answers a question. */
#include "base/xalloc.h"
#include "rm/local/session.h"

#include <security/pam_appl.h>
#include <stdlib.h>
#include <string.h>

struct session {
    pam_handle_t *pam;
};

static int refuse_to_talk(
    int n, const struct pam_message **messages, struct pam_response **ret, void *ctx)
{
    (void)ctx;
    for (int i = 0; i < n; i++)
        if (messages[i]->msg_style == PAM_PROMPT_ECHO_ON
            || messages[i]->msg_style == PAM_PROMPT_ECHO_OFF)
            return PAM_CONV_ERR;
    /* what it only tells nobody reads; PAM frees the answers */
    *ret = calloc((size_t)n, sizeof **ret);
    return *ret != NULL ? PAM_SUCCESS : PAM_BUF_ERR;
}

static int start_transaction(const char *service, const char *user,
    const struct pam_conv *conv, pam_handle_t **ret)
{
    const char *name = strrchr(service, '/');
    char *folder;
    int code;

    if (name == NULL)
        return pam_start(service, user, conv, ret);
    folder = xstrdup(service);
    folder[name - service] = '\0';
    code = pam_start_confdir(name + 1, user, conv, folder, ret);
    free(folder);
    return code;
}

static struct session *open_session(
    const char *service, const char *user, struct err *err)
{
    const struct pam_conv conv = {.conv = refuse_to_talk};
    struct session *s = xcalloc(1, sizeof *s);
    int code = start_transaction(service, user, &conv, &s->pam);

    if (code == PAM_SUCCESS)
        code = pam_set_item(s->pam, PAM_TTY, "maui");
    if (code == PAM_SUCCESS)
        code = pam_open_session(s->pam, PAM_SILENT);
    if (code == PAM_SUCCESS)
        return s;
    err_set(err, ERR_IO, "PAM service '%s' refuses user %s: %s", service, user,
        pam_strerror(s->pam, code));
    if (s->pam != NULL)
        pam_end(s->pam, code);
    free(s);
    return NULL;
}

static char **environment(const struct session *s)
{
    return pam_getenvlist(s->pam);
}

static void close_session(struct session *s)
{
    pam_end(s->pam, pam_close_session(s->pam, PAM_SILENT));
    free(s);
}

const struct session_driver session_pam = {open_session, environment, close_session};
