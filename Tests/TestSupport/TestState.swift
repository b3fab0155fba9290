// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The state folder of all tests of this process, so that none uses the user's own.
public enum TestState {
  /// Its path. The folder is removed when the process ends.
  public static let path = "\(FileManager.default.temporaryDirectory.path)/emojiart-test-state.\(getpid())"

  private static let isSet: Bool = {
    mkdir(path, 0o700)
    atexit { try? FileManager.default.removeItem(atPath: TestState.path) }
    return setenv("EMOJIART_STATE", path, 1) == 0
  }()

  /// Has this process use it from now on.
  public static func use() { _ = isSet }

  /// The paths of the files that documents' programs have kept apart.
  public static func asideFiles() throws -> [String] {
    try ["aside", "kept"].flatMap { name -> [String] in
      let folder = "\(path)/\(name)"
      guard FileManager.default.fileExists(atPath: folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
    }
  }
}
