// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of the protocol: what goes out, and how bytes are written in a line.
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>

// Adds to the line that is being written. Ends the program when nobody can read it any more.
void line_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Adds bytes, those that a line cannot hold as \xHH.
void line_escape(const char *bytes, size_t count);

// Ends the line.
void line_end(void);

// Writes the lines out. Waits for the reader, but not for one that has closed our standard input.
void lines_flush(void);

// Reads what line_escape writes, in place, and ends it with a zero byte. False when it is not written so, or
// holds a zero byte.
bool line_unescape(char *text, size_t count);

// Ends the program with a line for people on stderr.
void give_up(int status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

#endif
