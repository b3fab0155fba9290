// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// The documents of a folder, one after the other, as their own rows tell of them: the content is not looked at. Documents that other
/// programs hold are waited for all together.
public struct DocumentList: Sequence, IteratorProtocol {
  /// A document, or what cannot be told of one.
  public struct Entry: Sendable {
    /// Its name in the folder; with marks in the place of what is no UTF-8.
    public let name: String
    /// Its path; nil where no path leads to it.
    public let path: String?
    /// What is told of it, or why nothing is.
    public let summary: Result<DocumentSummary, ArtError>
  }

  private let folder: String
  private let recovery: Recovery
  /// What programs that are gone have left; edits of theirs count as part of their documents.
  public let journals: [OrphanedJournal]
  private let listing: FolderListing
  private var position = 0
  private var timeout = SharedTimeout(.seconds(5))

  /// Lists a folder. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  public init(_ folder: String, recovery: Recovery) throws(ArtError) {
    (self.folder, self.recovery) = (folder, recovery)
    journals = recovery.journals()
    listing = try FolderListing(of: folder)
  }

  /// How many documents a path leads to.
  public var count: Int { listing.names.count }

  /// The next one: first those that no path leads to.
  public mutating func next() -> Entry? {
    defer { position += 1 }
    if position < listing.unreadable.count {
      let name = listing.unreadable[position]
      let error = ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it")
      return Entry(name: name, path: nil, summary: .failure(error))
    }
    let index = position - listing.unreadable.count
    guard index < listing.names.count else { return nil }
    let name = listing.names[index]
    let path = FilePath.path(of: name, in: folder)
    do throws(ArtError) {
      let (recovery, journals) = (recovery, journals)
      let summary = try timeout.read(path) { (file) throws(ArtError) in
        if let shown = try recovery.read(file, with: journals) { return try file.summary(of: shown) }
        return try file.summary()
      }
      return Entry(name: name, path: path, summary: .success(summary))
    } catch {
      return Entry(name: name, path: path, summary: .failure(error))
    }
  }
}
