/* SPDX-License-Identifier: Apache-2.0
 * The description of the API, openapi.json as it was when the program was built. */
#ifndef MAUI_SERVER_OPENAPI_H
#define MAUI_SERVER_OPENAPI_H

const char *openapi_text(void);

#endif
