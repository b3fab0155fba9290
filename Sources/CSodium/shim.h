// SPDX-License-Identifier: Apache-2.0
// The parts of libsodium that are used: SHA-256, HMAC with it, and a comparison that takes the same time whatever is compared.
#ifndef SODIUM_DIGESTS_H
#define SODIUM_DIGESTS_H

#include <sodium/crypto_auth_hmacsha256.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>

#endif
