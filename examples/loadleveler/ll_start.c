/* SPDX-License-Identifier: Apache-2.0
 * Starts a step of LoadLeveler on nodes: ll_start JOB NODE [NODE...], a node for each
 * task, JOB as host.number.step. To be built at the site, with its library:
 *
 *     cc -o ll_start ll_start.c -I/opt/ibmll/LoadL/full/include -lllapi
 *
 * Written from documentation: it was built against a made-up llapi.h alone. */
#include <llapi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    LL_start_job_info info;
    char *step, *number;
    int code;

    if (argc < 3) {
        fprintf(stderr, "usage: ll_start HOST.NUMBER.STEP NODE [NODE...]\n");
        return 2;
    }
    step = strrchr(argv[1], '.'); /* the host may have dots of its own */
    if (step != NULL)
        *step++ = '\0';
    number = step != NULL ? strrchr(argv[1], '.') : NULL;
    if (number == NULL) {
        fprintf(stderr, "expected HOST.NUMBER.STEP\n");
        return 2;
    }
    *number++ = '\0';
    memset(&info, 0, sizeof info);
    info.version_num = LL_PROC_VERSION;
    info.StepId.from_host = argv[1];
    info.StepId.cluster = atoi(number);
    info.StepId.proc = atoi(step);
    info.nodeList = argv + 2; /* NULL ends both */
    code = ll_start_job(&info);
    if (code == 0)
        return 0; /* accepted; that it runs llq tells */
    fprintf(stderr, "ll_start_job: %d\n", code);
    return code == -2 || code == -6 ? 75 : 1; /* no central manager, no transmission */
}
