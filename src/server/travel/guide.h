/* SPDX-License-Identifier: Apache-2.0
 * The helper of a journey (travel.h): a process of its own, which is the daemon as it
 * was. It has the engine of then, done again from the journal; reads the store and
 * writes nothing; asks no resource manager; hears its parent alone.
 *
 *     daemon   {"get":"/v1/jobs","target":"/v1/jobs?limit=9","query":{"limit":"9"},
 *              "headers":{},"who":{}}   --> helper
 *              {"go":{"at":1764}}
 *              <-- {"status":200,"headers":{},"length":17} and so many bytes
 *
 * One line at a time, each answered before the next. Private to src/server. */
#ifndef MAUI_SERVER_GUIDE_H
#define MAUI_SERVER_GUIDE_H

#define GUIDE_WORD "time-travel" /* argv[0] */
#define GUIDE_LINE 65536         /* bytes of a line at most, without its end */

/* Where it goes first is its first answer. Arguments: home, configuration file,
 * descriptor, "at" or "line", a number, the caller as in "who". */
int guide_main(int argc, char **argv);

#endif
