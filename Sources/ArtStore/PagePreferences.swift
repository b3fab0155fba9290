// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// What the user has chosen in pages of the studio, for all folders and all servers. Another server has another address, and what a
/// browser keeps belongs to the address.
///
///     STATE/studio-preferences    {"language":"de",…}, mode 0600
///
/// What the values mean is the page's affair; an empty one is none.
package struct PagePreferences: Sendable {
  /// The values by their names.
  package typealias Values = [String: String]

  /// The most values, and the most bytes of a name and of a value.
  private static let (count, nameBytes, valueBytes) = (16, 32, 256)
  /// The most bytes of the file. JSON may write a byte as six.
  private static let limit = count * (6 * (nameBytes + valueBytes) + 8)

  private let folder: String?

  /// Those in the state folder, unless another one is given.
  package init(in folder: String? = nil) { self.folder = folder }

  /// The values. A file that cannot be understood has none. Throws what finding the folder and reading throw.
  package func read() throws(ArtError) -> Values { Self.values(try file().read()) }

  /// Sets values. Throws `tooLarge` for more or longer ones than there may be, and what writing throws.
  package func set(_ changes: Values) throws(ArtError) {
    try file().update { (former) throws(ArtError) in
      var values = Self.values(former)
      for (name, value) in changes { values[name] = value }
      guard Self.areBounded(values) else {
        throw ArtError(
          .tooLarge,
          "at most \(Self.count) preferences are kept, with names of \(Self.nameBytes) bytes and values of \(Self.valueBytes)"
        )
      }
      var json = JSONWriter()
      Self.write(values, to: &json)
      return (json.bytes, ())
    }
  }

  /// Writes values as an object.
  package static func write(_ values: Values, to json: inout JSONWriter) {
    json.object { json in
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        json.key(name)
        json.string(value)
      }
    }
  }

  /// Reads the changes of a page. Throws `badJSON`, and `tooLarge` for more than there may be.
  package static func changes(_ reader: inout JSONReader) throws(ArtError) -> Values {
    var values: Values = [:]
    try reader.object { (name, reader) throws(ArtError) in
      guard values.count < count else { throw ArtError(.tooLarge, "more than \(count) preferences") }
      values[name] = try reader.string()
    }
    return values
  }

  private func file() throws(ArtError) -> ReplacedFile {
    let place = if let folder { folder } else { try StateFolder.create() }
    return ReplacedFile(path: place + "/studio-preferences", limit: Self.limit, isPrivate: true)
  }

  private static func values(_ bytes: [UInt8]?) -> Values {
    guard let bytes else { return [:] }
    do throws(ArtError) {
      let values = try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
        try JSONReader.read(buffer) { (reader) throws(ArtError) in try changes(&reader) }
      }
      return areBounded(values) ? values : [:]
    } catch {
      return [:]
    }
  }

  private static func areBounded(_ values: Values) -> Bool {
    values.count <= count
      && values.allSatisfy {
        (1...nameBytes).contains($0.key.utf8.count) && $0.value.utf8.count <= valueBytes
      }
  }
}
