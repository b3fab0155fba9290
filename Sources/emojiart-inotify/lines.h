// SPDX-License-Identifier: GPL-2.0-or-later
// Output of the protocol, and escaping of bytes in lines.
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>

// Adds to the current line. Ends the program when its reader is gone.
void line_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Adds bytes; those that a line cannot contain are written as \xHH.
void line_escape(const char *bytes, size_t count);

// Ends the current line.
void line_end(void);

// Writes the lines. Blocks while the reader is slow; ends the program when its standard input is closed.
void lines_flush(void);

// Decodes the output of line_escape in place and terminates it with a zero byte. False for malformed text, and
// for an encoded zero byte.
bool line_unescape(char *text, size_t count);

// Ends the program with a message on stderr.
void give_up(int status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

#endif
