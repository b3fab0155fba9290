// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
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
    guard let text = Environment.raw(name.lowercased()) ?? Environment.raw(name), !text.isEmpty else {
      return nil
    }
    return text
  }
}
