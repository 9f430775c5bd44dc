/* SPDX-License-Identifier: Apache-2.0
 * What the daemon and the keepers agree on besides the files: keeper.h says the rest.
 */
#ifndef MAUI_RM_LOCAL_KEEPER_MESSAGE_H
#define MAUI_RM_LOCAL_KEEPER_MESSAGE_H

#define KEEPER_MESSAGE_MAX 512 /* bytes of a datagram either way, and of an answer */

#endif
