/* SPDX-License-Identifier: Apache-2.0
 * request.json, written. */
#include "records/describe.h"
#include "rm/filename.h"
#include "rm/local/request.h"

#include <assert.h>

static void put_indexes(json_t *o, const struct rm_submission *s)
{
    char *text = s->nindexes > 0 ? array_text(s->indexes, s->nindexes) : NULL;

    put_text(o, "indexes", text);
    free(text);
}

char *request_write(const struct rm_submission *s, const char *id, int64_t submit_at)
{
    json_t *o = json_object();
    struct job_desc desc = s->job.desc;
    char *text;

    desc.id = id;
    desc.submit_at = submit_at;
    describe_job(o, &desc);
    put_text(o, "name", s->job.name);
    put_text(o, "directory", s->job.directory);
    put_text(o, "output", s->job.output);
    put_text(o, "error", s->job.error);
    put_texts(o, "argv", s->argv);
    put_indexes(o, s);
    json_object_set_new(o, "uid", json_integer(s->uid));
    json_object_set_new(o, "gid", json_integer(s->gid));
    put_int(o, "umask", s->umask);
    json_object_set_new(o, "script", json_boolean(s->script != NULL));
    json_object_set_new(o, "rerunnable", json_boolean(s->rerunnable));
    json_object_set_new(o, "join", json_boolean(s->join));
    text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    assert(text != NULL);
    return text;
}

static void put_file(
    json_t *o, const char *key, const char *pattern, const char *id, const char *name)
{
    char *text = pattern != NULL ? filename_expand(pattern, id, name) : NULL;

    put_text(o, key, text);
    free(text);
}

char *request_write_member(const struct request *array, const char *id)
{
    const struct rm_job *job = &array->job;
    json_t *o = json_copy(array->reader->document);
    char *text;

    json_object_del(o, "indexes");
    json_object_set_new(o, "id", json_string(id));
    put_file(o, "output", job->output, id, job->name);
    put_file(o, "error", job->error, id, job->name);
    text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    assert(text != NULL);
    return text;
}
