// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is left in a folder and those in it: the paths of its files and of empty folders, from it and in order. Empty if it does not
/// exist.
package func leaves(of folder: String) throws -> [String] {
  guard FileManager.default.fileExists(atPath: folder) else { return [] }
  let all = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
  return all.filter { path in !all.contains { $0.hasPrefix(path + "/") } }
}
