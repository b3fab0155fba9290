// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Glibc

/// The program at the other end of a connection within this machine.
package enum LoopbackPeer {
  /// The only address that a peer may have. All of 127.0.0.0/8 can connect to it, and the same port of another address belongs to
  /// somebody else.
  private static let address = "127.0.0.1"

  /// Whether the end of a connection to the port `port` of 127.0.0.1 is at 127.0.0.1 and belongs to this user. `address` and `peer` are
  /// those of that end. False where it cannot be found out, and where an end has closed the connection.
  package static func isOwn(address: String, port peer: Int, at port: Int) -> Bool {
    guard address == Self.address, let end = UInt16(exactly: peer), let other = UInt16(exactly: port)
    else { return false }
    let answer = csystem_loopback_peer(end, other)
    return answer == csystem_peer_unknown ? isListed(peer, at: port) : answer == csystem_peer_own
  }

  /// The same by the kernel's list of all connections, which it needs milliseconds for: proc(5), `/proc/net/tcp`. It is for kernels without
  /// sock_diag(7).
  static func isListed(_ peer: Int, at port: Int) -> Bool {
    var list: String?
    do throws(SystemError) { list = try SmallFile.text("/proc/net/tcp", limit: 64 << 20) } catch {
      // What cannot be read says nothing.
    }
    guard let list else { return false }
    let (from, to) = (text(peer), text(port))
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 7, fields[1] == from, fields[2] == to else { continue }
      // The list names no user, that is root, for the end of a connection that its program has closed already.
      return fields[3] == established && fields[7] == "\(getuid())"
    }
    return false
  }

  /// The state of a connection that both ends have open.
  private static let established = "01"

  /// A port of 127.0.0.1 as the list has it.
  private static func text(_ port: Int) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return "0100007F:" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
