// SPDX-License-Identifier: Apache-2.0

#ifndef CSYSTEM_PEER_H
#define CSYSTEM_PEER_H

#include <stdbool.h>
#include <stdint.h>

/// Whose process is at the other end of a connection.
enum csystem_peer {
  /// This user's.
  csystem_peer_own,
  /// Another user's.
  csystem_peer_other,
  /// There is no such connection, or one of its ends has closed it.
  csystem_peer_none,
  /// The kernel does not say; see sock_diag(7).
  csystem_peer_unknown,
};

/// Whose the end at the port `peer` of a connection is, from 127.0.0.1 to the port `port` of 127.0.0.1, or from ::1 to ::1.
enum csystem_peer csystem_loopback_peer(uint16_t peer, uint16_t port, bool is_v6);

#endif
