/* SPDX-License-Identifier: Apache-2.0
 * See boot.h. */
#include "base/boot.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void boot_name(char ret[40])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, ret, 39) : 0;

    if (fd >= 0)
        close(fd);
    ret[n > 0 ? n : 0] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
}
