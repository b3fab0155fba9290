// SPDX-License-Identifier: Apache-2.0
// libcurl, and what Swift cannot call of it: functions with variable arguments.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

#endif
