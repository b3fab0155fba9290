// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker

/// What can be behind a document's emoji, as one value.
public struct BackgroundState: Sendable, Equatable {
  /// The picture.
  public var background: Background?
  /// What is still to be fetched.
  public var pending: PendingBackground?
  /// The document's revision.
  public var revision: Int
  /// Whether an edit was made.
  public var isChanged = false

  /// A state.
  public init(background: Background?, pending: PendingBackground?, revision: Int, isChanged: Bool = false) {
    (self.background, self.pending, self.revision) = (background, pending, revision)
    self.isChanged = isChanged
  }

  /// That of a document.
  public init(_ content: DocumentContent) {
    self.init(background: content.background, pending: content.pending, revision: content.revision)
  }

  fileprivate init(_ transaction: DocumentTransaction) {
    self.init(
      background: transaction.background, pending: transaction.pending, revision: transaction.revision)
  }
}

/// A change of a document's background, whether the document is open or not. What has to be fetched is fetched before the
/// document is touched; when it is there, `decide` says what becomes of the document as it is then.
public enum BackgroundChange: Sendable, Equatable {
  /// Set the picture that was received.
  case set(keepsCanvas: Bool = false, forgetsURL: Bool = false)
  /// Set what the URL of that background has by now.
  case refresh(Background, keepsCanvas: Bool = false, forgetsURL: Bool = false)
  /// Set what was pending by that URL.
  case fetchPending(url: String, keepsCanvas: Bool = false)
  /// Note it, to be fetched later.
  case later(PendingBackground)
  /// No picture, and nothing pending.
  case clear
  /// The picture stays, and where it came from is forgotten.
  case forgetURL

  /// What becomes of a document.
  enum Decision {
    /// It is as it should be already.
    case nothing
    /// The picture's bytes come into the document, and an edit that names them; `pending` is the URL that it was pending by.
    case set(CheckedPicture, url: String?, pending: String?, keepsCanvas: Bool)
    case edit(BackgroundEdit)
    case change(Edit)
  }

  /// What becomes of a document, which messages call `name`, now that a picture has been received; nil for a change that needs
  /// none. Throws `movedOn` where it has another background by now, `noBackground` where there is none to change.
  func decide(
    _ received: ReceivedPicture? = nil, on art: some ArtReading, called name: String
  ) throws(ArtError) -> Decision {
    switch (self, received) {
    case (.set(let keepsCanvas, let forgetsURL), let received?):
      return .set(
        received.picture, url: forgetsURL ? nil : received.url, pending: nil, keepsCanvas: keepsCanvas)
    case (.refresh(let old, let keepsCanvas, let forgetsURL), let received?):
      guard art.background == old else { throw .hasMoved(name) }
      let url = forgetsURL ? nil : old.url
      let new = try Background(received.picture, from: url)
      guard new != old else { return .nothing }
      return .set(
        received.picture, url: url, pending: nil, keepsCanvas: keepsCanvas || new.digest == old.digest)
    case (.fetchPending(let url, let keepsCanvas), let received?):
      guard art.pending?.url == url else {
        // A watcher may have been as quick.
        guard art.background?.digest == received.picture.digest else { throw .hasMoved(name) }
        return .nothing
      }
      return .set(received.picture, url: received.url, pending: url, keepsCanvas: keepsCanvas)
    case (.later(let pending), _): return .edit(.later(pending))
    case (.clear, _): return .edit(.clear)
    case (.forgetURL, _):
      guard let old = art.background, old.url != nil else { throw .noURL(name) }
      let new = try Background(digest: old.digest, mediaType: old.mediaType, size: old.size, url: nil)
      return .change(Edit(name: "forget the background's URL", changes: [.setBackground(new)]))
    case (.set, nil), (.refresh, nil), (.fetchPending, nil): return .nothing
    }
  }
}

// MARK: A document's file

/// A document whose background was changed.
public struct ChangedBackground: Sendable {
  /// The document with it.
  public let state: BackgroundState
  /// The picture that was received for it; nil for a change that needs none.
  public let received: ReceivedPicture?
}

/// The background of a document that is not open: each change is one transaction on its file. It looks at the document first,
/// so that nothing is fetched in vain, fetches then, and edits it at last. What programs that are gone have left for the
/// document is restored first. A refused picture leaves the document, its revision and its background as they were.
public struct FileBackground<Transfer: PictureTransfer> {
  private let file: DocumentFile
  private let recovery: Recovery
  private let transfer: Transfer
  private let expected: Int?
  private let allowsPrivate: Bool
  private let proxies: ProxySettings

  /// For the document in a file; `expected` is the revision that it must be at, and nil stands for any. `allowsPrivate` lifts the rules
  /// about addresses; `proxies` are the user's.
  public init(
    _ file: DocumentFile, by recovery: Recovery, transfer: Transfer, expecting expected: Int? = nil,
    allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings()
  ) {
    (self.file, self.recovery, self.transfer) = (file, recovery, transfer)
    (self.expected, self.allowsPrivate, self.proxies) = (expected, allowsPrivate, proxies)
  }

  /// The present one. Throws what reading throws.
  public func state() throws(ArtError) -> BackgroundState {
    BackgroundState(try recovery.content(of: file))
  }

  /// The bytes of the present one. Throws `noBackground`, and what reading throws.
  public func bytes() throws(ArtError) -> (background: Background, bytes: [UInt8]) {
    guard let found = try file.background() else {
      throw ArtError(.noBackground, "\(file.path) has no background to save")
    }
    return found
  }

  /// Sets what a person typed or named, which is read when the document has been looked at. Throws `BackgroundRefusal`, an
  /// `ArtError`, and what the transfer throws.
  public func set(
    _ source: @autoclosure () throws(Refusal) -> PictureSource, typed: String, keepsCanvas: Bool = false,
    forgetsURL: Bool = false
  ) throws -> ChangedBackground {
    _ = try look()
    let found: PictureSource
    do throws(Refusal) { found = try source() } catch { throw BackgroundRefusal(error, asked: typed) }
    let received = try transfer.receive(
      found, for: file.path, allowsPrivate: allowsPrivate, proxies: proxies)
    return try make(.set(keepsCanvas: keepsCanvas, forgetsURL: forgetsURL), received)
  }

  /// Fetches the present one's URL again. Throws as `set` does, and `noBackground`.
  public func refresh(keepsCanvas: Bool = false, forgetsURL: Bool = false) throws -> ChangedBackground {
    guard let old = try look().background, let url = old.url else {
      throw ArtError.nothingToRefresh(file.path)
    }
    let received = try transfer.receive(untrusted: url, for: file.path, allowsPrivate: allowsPrivate)
    return try make(.refresh(old, keepsCanvas: keepsCanvas, forgetsURL: forgetsURL), received)
  }

  /// Fetches what is pending. Where it is refused for good, it is not pending any more. Throws as `set` does, and `noBackground`.
  public func fetchPending(keepsCanvas: Bool = false) throws -> ChangedBackground {
    guard let pending = try look().pending else { throw ArtError.nothingPending(file.path) }
    do {
      let received = try transfer.receive(
        untrusted: pending.url, for: file.path, allowsPrivate: allowsPrivate)
      return try make(.fetchPending(url: pending.url, keepsCanvas: keepsCanvas), received)
    } catch var refused as BackgroundRefusal {
      refused.aftermath = .staysPending
      if !refused.refusal.isTransient {
        let reason = refused.refusal.reason
        _ = try edit { (transaction) throws(ArtError) in
          try BackgroundEdit.refuse(url: pending.url, reason).plan(on: transaction)
        }
        refused.aftermath = .isNoLongerPending
      }
      throw refused
    }
  }

  /// Makes a change that needs no picture. Throws what `DocumentFile.edit` and restoring throw; then nothing is changed.
  public func change(_ change: BackgroundChange) throws(ArtError) -> ChangedBackground {
    let state = try edit { (transaction) throws(ArtError) in
      try transaction.plan(change.decide(on: transaction, called: file.path))
    }
    return ChangedBackground(state: state, received: nil)
  }

  private func make(_ change: BackgroundChange, _ received: ReceivedPicture) throws(ArtError)
    -> ChangedBackground
  {
    let state = try edit { (transaction) throws(ArtError) in
      try transaction.plan(change.decide(received, on: transaction, called: file.path))
    }
    return ChangedBackground(state: state, received: received)
  }

  /// The document as it is before anything is fetched for it. Throws what would keep it from being edited.
  private func look() throws(ArtError) -> BackgroundState {
    _ = try recovery.newAuthor()
    try recovery.restoreFirst(file)
    return try file.edit(expecting: expected) { (transaction) throws(ArtError) in BackgroundState(transaction)
    }
  }

  /// Makes one edit, or none where there is nothing to do.
  private func edit(
    _ plan: (DocumentTransaction) throws(ArtError) -> Edit?
  ) throws(ArtError) -> BackgroundState {
    var author = try recovery.newAuthor()
    let time = WallClock.milliseconds()
    try recovery.restoreFirst(file)
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

extension DocumentTransaction {
  /// The edit that a decision comes to, with the picture's bytes in the document; nil where there is nothing to do.
  fileprivate func plan(_ decision: BackgroundChange.Decision) throws(ArtError) -> Edit? {
    switch decision {
    case .nothing: return nil
    case .set(let picture, let url, let pending, let keepsCanvas):
      try keep(picture)
      let background = try Background(picture, from: url)
      return try BackgroundEdit.set(background, keepsCanvas: keepsCanvas, pending: pending).plan(on: self)
    case .edit(let edit): return try edit.plan(on: self)
    case .change(let edit): return edit
    }
  }
}

// MARK: A document that is open

extension Document {
  /// Makes a change, with the picture that was received for it. `isMade` is called inside the document, so that nothing comes
  /// between the change and it; not where the task was cancelled before. Throws what `decide` and editing throw; then nothing
  /// is changed.
  func make(
    _ change: BackgroundChange, _ received: ReceivedPicture? = nil, by client: DocumentClient? = nil,
    isMade: @Sendable (BackgroundState) -> Void
  ) async throws(ArtError) {
    var isChanged = false
    switch try change.decide(received, on: content, called: path) {
    case .nothing: break
    case .set(let picture, let url, let pending, let keepsCanvas):
      isChanged =
        try await setBackground(
          picture, from: url, pending: pending, keepsCanvas: keepsCanvas, by: client) != nil
      // Without effect, unless it was dropped meanwhile, it is as it was asked for.
      guard isChanged || !Task.isCancelled else { return }
    case .edit(let edit):
      isChanged = try !perform(ClientRequest(.background(edit), by: client)).entries.isEmpty
    case .change(let edit): isChanged = try !perform(ClientRequest(.edit(edit), by: client)).entries.isEmpty
    }
    var state = BackgroundState(content)
    state.isChanged = isChanged
    isMade(state)
  }

  /// The background and what is pending, without the rest of the content.
  var backgroundState: BackgroundState { BackgroundState(content) }
}

// MARK: Errors

extension ArtError {
  /// Somebody else has set another background while this one was fetched.
  fileprivate static func hasMoved(_ path: String) -> ArtError {
    ArtError(.movedOn, "\(path) has another background by now; what was fetched is dropped", about: path)
  }

  fileprivate static func noURL(_ path: String) -> ArtError {
    ArtError(
      .noBackground, "\(path) has no background that came from a URL; there is nothing to forget", about: path
    )
  }

  static func nothingToRefresh(_ path: String) -> ArtError {
    ArtError(
      .noBackground, "\(path) has no background that came from a URL; there is nothing to refresh",
      about: path)
  }

  static func nothingPending(_ path: String) -> ArtError {
    ArtError(.noBackground, "nothing is pending in \(path)", about: path)
  }
}
