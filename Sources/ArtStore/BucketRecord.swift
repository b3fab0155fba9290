// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The states in which documents of a folder and their objects in a bucket were the same, so that what has changed on neither side is not asked
/// for again. It stands in the state folder, and may be lost.
package struct BucketRecord: Sendable {
  /// A state of a document and of its object.
  package struct Entry: Sendable, Equatable {
    /// The object's entity tag.
    package let etag: String
    /// The key of the document's state.
    package let key: String

    /// An entry.
    package init(etag: String, key: String) { (self.etag, self.key) = (etag, key) }
  }

  private static let limit = 64 << 20

  /// Nil without a state folder.
  private let file: ReplacedFile?

  /// The record of a folder and a place in a store, by their whole names.
  package init(of folder: String, at place: String) {
    let names = Array("\(folder)\n\(place)".utf8)
    let mark = names.withUnsafeBufferPointer { ContentDigest.mark(of: $0) }
    do throws(ArtError) {
      // Not worth a durable write, or a long wait for another program.
      file = ReplacedFile(
        path: "\(try StateFolder.path())/buckets/\(mark).json", limit: Self.limit,
        timeout: .milliseconds(100), isDurable: false, isPrivate: true)
    } catch {
      file = nil
    }
  }

  /// What is known, by the documents' names; nothing if the file is damaged or cannot be read.
  package func entries() -> [FilePath: Entry] {
    do throws(ArtError) {
      guard let bytes = try file?.read() else { return [:] }
      var entries: [FilePath: Entry] = [:]
      try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (reader) throws(ArtError) in
          try reader.object { (name, reader) throws(ArtError) in
            var texts: [String] = []
            try reader.array { (reader) throws(ArtError) in texts.append(try reader.string()) }
            guard texts.count == 2 else { throw reader.error("an entry that is none") }
            entries[FilePath(name)] = Entry(etag: texts[0], key: texts[1])
          }
        }
      }
      return entries
    } catch {
      return [:]
    }
  }

  /// Writes what is known. A failure only costs requests.
  package func save(_ entries: [FilePath: Entry]) {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
        writer.key(name.string)
        writer.array { writer in
          writer.string(entry.etag)
          writer.string(entry.key)
        }
      }
    }
    do throws(ArtError) { try file?.update { _ in (writer.bytes, ()) } } catch {
      // Without the record, the next run asks the store for each document's state.
    }
  }
}
