// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// What is known of a document, and has been told.
struct KnownDocument: Sendable, Equatable {
  /// The last whole state that it was in; nil when it never was, or, without trouble, when it was not read yet.
  var base: DocumentBase?
  /// Why it cannot be read; nil when it can.
  var trouble: ArtError?
  /// Which file it is.
  var identity: FileIdentity
  /// The file's stamp before it was read; nil when it is to be read again whatever its stamp says.
  var stamp: FileStamp?
  /// Until when it is waited for, since nothing stood at its path at the last look; nil when it was there.
  var missingUntil: Duration?
  /// The background that is still to be fetched.
  var pending: PendingBackground?
  /// Whether it has become pending while the document was known.
  var isPendingNews = false

  /// What is pending in the state that was found, after this one was known.
  mutating func adoptPending(_ content: DocumentContent, after before: KnownDocument?) {
    pending = content.pending
    guard pending != nil, let before, before.base?.id == content.id else { return }
    isPendingNews = before.pending == pending ? before.isPendingNews : true
  }
}

/// The documents of a folder, by their paths.
struct KnownDocuments: Sendable {
  private var documents: [FilePath: KnownDocument] = [:]
  private var paths: [FileIdentity: Set<FilePath>] = [:]
  /// Those with something pending.
  private var pending: Set<FilePath> = []
  /// Grows whenever one of those, or something about it, is another.
  private(set) var pendingChanges = 0

  subscript(path: FilePath) -> KnownDocument? {
    get { documents[path] }
    set {
      let old = documents[path]
      if let old, old.identity != newValue?.identity {
        paths[old.identity]?.remove(path)
        if paths[old.identity]?.isEmpty ?? false { paths[old.identity] = nil }
      }
      if let newValue, old?.identity != newValue.identity {
        paths[newValue.identity, default: []].insert(path)
      }
      if old?.pending != nil || newValue?.pending != nil {
        pendingChanges &+= 1
        if newValue?.pending == nil { pending.remove(path) } else { pending.insert(path) }
      }
      documents[path] = newValue
    }
  }

  /// All that are known to be that file, sorted.
  func paths(of identity: FileIdentity) -> [FilePath] { paths[identity].map { $0.sorted() } ?? [] }

  /// Those in a folder and below it, sorted.
  func paths(below folder: String) -> [FilePath] {
    documents.keys.filter { $0.isWithin(FilePath(folder)) }.sorted()
  }

  /// Those that can be read and have something pending.
  var withPending: [(path: FilePath, document: KnownDocument)] {
    pending.compactMap { path in
      guard let document = documents[path], document.trouble == nil else { return nil }
      return (path, document)
    }
  }

  /// All, sorted.
  var list: [FolderDocument] {
    documents.sorted { $0.key < $1.key }.map {
      FolderDocument(
        path: $0.key.string, base: $0.value.trouble == nil ? $0.value.base : nil,
        trouble: $0.value.trouble?.message)
    }
  }
}
