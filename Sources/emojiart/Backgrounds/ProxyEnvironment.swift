// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

extension ProxySettings {
  /// What the person has set in the environment. Of each variable the name in lower case counts before that in capitals, as
  /// it does for curl, which does not know `HTTP_PROXY`: there a server may set it for a program that it runs. This one runs
  /// at no server's bidding.
  static var ofEnvironment: ProxySettings {
    ProxySettings(http: variable("HTTP_PROXY"), https: variable("HTTPS_PROXY"), none: variable("NO_PROXY"))
  }

  /// Set to nothing is set: it takes back the other one.
  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name.lowercased()) ?? getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
