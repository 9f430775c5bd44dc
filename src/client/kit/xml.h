/* SPDX-License-Identifier: Apache-2.0
 * XML on stdout, element by element, for the commands that can print it. Texts are
 * UTF-8; what XML cannot hold is left out. */
#ifndef MAUI_CLIENT_XML_H
#define MAUI_CLIENT_XML_H

void xml_begin(const char *element); /* <element> */
void xml_end(const char *element);   /* </element> */

/* An element with attributes: xml_open(), then attributes, then one of the others. */
void xml_open(const char *element);
void xml_attr(const char *name, const char *value); /* NULL, "": left out */
void xml_int(const char *name, long long value);
void xml_close_begin(void); /* what is inside follows, then xml_end() */
void xml_close_empty(void);

#endif
