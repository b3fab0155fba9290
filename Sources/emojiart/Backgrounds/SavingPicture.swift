// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension BackgroundCommand {
  /// Writes the picture's bytes out, as they came.
  func save(as path: String) throws(ArtError) {
    guard path != "-" || !options.common.json else {
      throw ArtError(.usage, "--save-as - or --json: stdout takes one of them")
    }
    // What needs no document is wrong before one is looked for.
    if path == "-" || path.isEmpty { _ = try FilePlace(new: path) }
    guard let (background, bytes) = try file.background() else {
      throw ArtError(.noBackground, "\(file.path) has no background to save")
    }
    let result = try NewFile(FilePlace(new: path))
    _ = result.take(bytes)
    try result.finish()
    guard path != "-" else { return }
    Output.tell(of: "the picture is in \(path)")
    if options.common.json {
      let fields: [String: JSON] = [
        "mediaType": .string(background.mediaType), "path": .string(path), "size": .integer(bytes.count),
      ]
      return try Output.json(.object(["saved": .object(fields)]))
    }
    try Output.line(safe("\(background.kind), \(path)"))
  }
}
