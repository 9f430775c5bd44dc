/* SPDX-License-Identifier: Apache-2.0
 * Which life of the machine this is. */
#ifndef MAUI_BASE_BOOT_H
#define MAUI_BASE_BOOT_H

/* Its name, another one after each start of the machine; "" where it cannot be read. */
void boot_name(char ret[40]);

#endif
