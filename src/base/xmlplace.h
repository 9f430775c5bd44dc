/* SPDX-License-Identifier: Apache-2.0
 * Where expat is in a document, by the names that its release has for it: from 2.9 on
 * the old ones are deprecated. */
#ifndef MAUI_BASE_XMLPLACE_H
#define MAUI_BASE_XMLPLACE_H

#include <expat.h>

#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
#define XMLPLACE(what) XML_GetCurrent##what##64
#else
#define XMLPLACE(what) XML_GetCurrent##what
#endif

/* The line, from 1 on. */
static inline unsigned long long xmlplace_line(XML_Parser parser)
{
    return XMLPLACE(LineNumber)(parser);
}

/* The first byte of what was just told, from 0 on. */
static inline long xmlplace_begin(XML_Parser parser)
{
    return (long)XMLPLACE(ByteIndex)(parser);
}

/* The one behind it. */
static inline long xmlplace_end(XML_Parser parser)
{
    return xmlplace_begin(parser) + (long)XMLPLACE(ByteCount)(parser);
}

#endif
