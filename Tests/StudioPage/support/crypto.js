// SPDX-License-Identifier: Apache-2.0

// Browsers have it everywhere; the node of Debian 12 has it in a module only.

import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto;
