// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// How a hop goes: to which addresses, and through which proxy.
struct Hop {
  /// The person's, for the host that the person typed.
  var proxy: Proxy?
  /// Those of the proxy, or of the host: nothing else is connected to.
  var addresses: [Address]
  /// Whether they may be special ones.
  var isExempt: Bool
  /// The name that they belong to, and the port; nil for an address that is written as one.
  var name: (host: String, port: Int)?

  /// The addresses as libcurl takes them for that name, which it then does not look up.
  var pin: String? {
    name.map { name in
      let texts = addresses.map { $0.bytes.count == 4 ? $0.text : "[\($0.text)]" }
      return "\(name.host):\(name.port):\(texts.joined(separator: ","))"
    }
  }
}
