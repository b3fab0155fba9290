// SPDX-License-Identifier: Apache-2.0

/// Which emojiart this is.
public enum Version {
  /// As people and servers are told.
  public static let current = "0.1.0"
}
