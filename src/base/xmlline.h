/* SPDX-License-Identifier: Apache-2.0
 * Where expat is in a document, by the name that its release has for it: from 2.9 on
 * the other one is deprecated. */
#ifndef MAUI_BASE_XMLLINE_H
#define MAUI_BASE_XMLLINE_H

#include <expat.h>

/* The line, from 1 on, at which it stopped. */
static inline unsigned long long xmlline_of(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
    return XML_GetCurrentLineNumber64(parser);
#else
    return XML_GetCurrentLineNumber(parser);
#endif
}

#endif
