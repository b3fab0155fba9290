// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWorker

/// A refused background, as a command tells it.
struct RefusedBackground: Error {
  var refusal: Refusal
  /// The URL that the person asked for, as it was typed; nil for a file of the person's own.
  var asked: String?
  /// What messages call such a file.
  var file: String?
  /// What people are shown of it; nil where it cannot be read.
  var shown: String?
  /// What became of the document, where it did not simply stay as it was.
  var aftermath: String?
}

/// `background`, on one document: looks at it first, fetches then, and edits it in one transaction.
struct BackgroundCommand {
  let options: EditOptions
  let keepsCanvas: Bool
  let forgetsURL: Bool
  let allowsPrivate: Bool
  let choice: WarningChoice?
  let file: DocumentFile
  let expected: Int?

  private var transfer: Transfer { Transfer(documentAt: file.path) }

  /// Reads what can be wrong without looking anywhere. Throws `usage` and `badValue`.
  init(_ words: SetBackground) throws(ArtError) {
    options = words.options
    keepsCanvas = words.keepCanvas
    forgetsURL = words.forgetURL
    allowsPrivate = words.allowPrivate
    choice = try words.warnings.choice()
    expected = try words.options.expectedRevision()
    file = try words.options.common.file(words.doc)
  }

  /// Throws `RefusedBackground`, or an `ArtError`.
  func perform(_ deed: BackgroundDeed) throws {
    switch deed {
    case .show: try show()
    case .saveAs(let path): try save(as: path)
    case .set(let source): try set(source)
    case .refresh: try refresh()
    case .fetchPending: try fetchPending()
    case .later(let url): try later(url)
    case .clear:
      try write(edit { (transaction) throws(ArtError) in try BackgroundEdit.clear.plan(on: transaction) })
    case .forgetURL: try forgetURL()
    }
  }

  /// The document as it is before anything is fetched for it. Throws what would keep it from being edited.
  func look() throws(ArtError) -> BackgroundState {
    _ = try thisAuthor()
    try Restoring.restoreFirst(file)
    return try file.edit(expecting: expected) { (transaction) throws(ArtError) in BackgroundState(transaction)
    }
  }

  /// Makes one edit, or none where there is nothing to do.
  func edit(
    _ plan: (DocumentTransaction) throws(ArtError) -> ArtModel.Edit?
  ) throws(ArtError) -> BackgroundState {
    var author = try thisAuthor()
    let time = millisecondsSince1970()
    try Restoring.restoreFirst(file)
    return try file.edit(expecting: expected) { (transaction) throws(ArtError) in
      var isChanged = false
      if let edit = try plan(transaction) {
        isChanged = try transaction.perform(edit, stamp: author.stamp(at: time)) != nil
      }
      var state = BackgroundState(transaction)
      state.isChanged = isChanged
      return state
    }
  }
}

extension BackgroundCommand {
  private func set(_ typed: String) throws {
    _ = try look()
    let source: PictureSource
    do { source = try PictureSource(typed) } catch { throw RefusedBackground(refusal: error, asked: typed) }
    let taken = try transfer.take(source, allowsPrivate: allowsPrivate)
    let state = try edit { (transaction) throws(ArtError) in
      try transaction.keep(taken.picture)
      let background = try Background(taken.picture, from: forgetsURL ? nil : taken.url)
      return try BackgroundEdit.set(background, keepsCanvas: keepsCanvas).plan(on: transaction)
    }
    try write(state, taken)
  }

  private func refresh() throws {
    guard let old = try look().background, let text = old.url else {
      throw ArtError(
        .noBackground, "\(file.path) has no background that came from a URL; there is nothing to refresh")
    }
    let taken = try transfer.take(fromElsewhere: text, allowsPrivate: allowsPrivate)
    let state = try edit { (transaction) throws(ArtError) in
      guard transaction.background == old else { throw .hasMoved(file.path) }
      let new = try Background(taken.picture, from: forgetsURL ? nil : text)
      guard new != old else { return nil }
      try transaction.keep(taken.picture)
      let keepsCanvas = keepsCanvas || new.digest == old.digest
      return try BackgroundEdit.set(new, keepsCanvas: keepsCanvas).plan(on: transaction)
    }
    try write(state, taken)
  }

  private func fetchPending() throws {
    guard let pending = try look().pending else {
      throw ArtError(.noBackground, "nothing is pending in \(file.path)")
    }
    do {
      let taken = try transfer.take(fromElsewhere: pending.url, allowsPrivate: allowsPrivate)
      let background = try Background(taken.picture, from: taken.url)
      let state = try edit { (transaction) throws(ArtError) in
        guard transaction.pending?.url == pending.url else {
          // A watcher may have been as quick.
          guard transaction.background?.digest == background.digest else { throw .hasMoved(file.path) }
          return nil
        }
        try transaction.keep(taken.picture)
        return try BackgroundEdit.set(background, keepsCanvas: keepsCanvas, pending: pending.url)
          .plan(on: transaction)
      }
      try write(state, taken)
    } catch var refused as RefusedBackground {
      refused.aftermath = "it stays pending"
      if !refused.refusal.isTransient {
        let reason = refused.refusal.reason
        _ = try edit { (transaction) throws(ArtError) in
          try BackgroundEdit.refuse(url: pending.url, reason).plan(on: transaction)
        }
        refused.aftermath = "it is not pending any more"
      }
      throw refused
    }
  }

  private func later(_ typed: String) throws {
    let url: BackgroundURL
    do {
      url = try BackgroundURL(typed)
    } catch {
      // Nothing was to be transferred; an error as any other. What may be a query is not told.
      throw RefusedBackground(refusal: error, file: String(typed.prefix { $0 != "?" }.prefix(80)))
    }
    guard let kept = url.kept else {
      throw ArtError(
        .tooLarge, "a URL that is to be fetched later has at most \(Limits.urlBytes) bytes; fetch it now")
    }
    let pending = try PendingBackground(
      url: kept, since: millisecondsSince1970(), reason: "later", anchor: .topLeft)
    try write(
      edit { (transaction) throws(ArtError) in try BackgroundEdit.later(pending).plan(on: transaction) })
  }

  private func forgetURL() throws {
    let state = try edit { (transaction) throws(ArtError) in
      guard let old = transaction.background, old.url != nil else { throw .noURL(file.path) }
      let new = try Background(digest: old.digest, mediaType: old.mediaType, size: old.size, url: nil)
      return ArtModel.Edit(name: "forget the background's URL", changes: [.setBackground(new)])
    }
    try write(state)
  }
}

extension ArtError {
  /// Somebody else has set another background while this one was fetched.
  fileprivate static func hasMoved(_ path: String) -> ArtError {
    ArtError(.movedOn, "\(path) has another background by now; what was fetched is dropped")
  }

  fileprivate static func noURL(_ path: String) -> ArtError {
    ArtError(.noBackground, "\(path) has no background that came from a URL; there is nothing to forget")
  }
}
