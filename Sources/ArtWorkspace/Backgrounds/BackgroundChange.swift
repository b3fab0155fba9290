// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker

/// The background of a document: its picture and what is pending.
public struct BackgroundState: Sendable, Equatable {
  /// The picture.
  public var background: Background?
  /// The background that is still to be fetched.
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

  /// The background of a document.
  public init(_ content: DocumentContent) {
    self.init(background: content.background, pending: content.pending, revision: content.revision)
  }

  fileprivate init(_ transaction: DocumentTransaction) {
    self.init(
      background: transaction.background, pending: transaction.pending, revision: transaction.revision)
  }
}

/// A change of a document's background, for open and closed documents. A picture is fetched before the document is edited; then
/// `decide` decides by the document's present state.
public enum BackgroundChange: Sendable, Equatable {
  /// Sets the received picture.
  case set(keepsCanvas: Bool = false, forgetsURL: Bool = false)
  /// Sets the picture that was fetched again from that background's URL.
  case refresh(Background, keepsCanvas: Bool = false, forgetsURL: Bool = false)
  /// Sets the picture that was pending by that URL.
  case fetchPending(url: String, keepsCanvas: Bool = false)
  /// Makes a background pending, to be fetched later.
  case later(PendingBackground)
  /// Removes the picture and what is pending.
  case clear
  /// Keeps the picture and removes its URL.
  case forgetURL

  /// The effect of a change on a document.
  enum Decision {
    /// The document needs no edit.
    case nothing
    /// Stores the picture's bytes, and makes an edit that refers to them; `pending` is the URL by which it was pending.
    case set(CheckedPicture, url: String?, pending: String?, keepsCanvas: Bool)
    case edit(BackgroundEdit)
    case change(Edit)
  }

  /// The effect of this change on a document, which messages call `name`. `received` is the picture; nil for a change that needs
  /// none. Throws `movedOn` if another background was set meanwhile, `noBackground` if there is none to change.
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
        // Another program may have fetched the same picture meanwhile.
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

/// The result of a change.
public struct ChangedBackground: Sendable {
  /// The document's background after it.
  public let state: BackgroundState
  /// The received picture; nil for a change that needs none.
  public let received: ReceivedPicture?
}

/// Changes the background of a closed document, each time in one transaction on its file.
///
/// The document is checked first, so that nothing is fetched in vain; orphaned journals are restored before the edit. A refused
/// picture leaves the document, its revision and its background unchanged.
public struct FileBackground<Transfer: PictureTransfer> {
  private let file: DocumentFile
  private let recovery: Recovery
  private let transfer: Transfer
  private let expected: Int?
  private let allowsPrivate: Bool
  private let proxies: ProxySettings

  /// Changes the document in a file. `expected` is the required revision; nil stands for any. `allowsPrivate` lifts the rules
  /// about addresses; `proxies` are the user's.
  public init(
    _ file: DocumentFile, by recovery: Recovery, transfer: Transfer, expecting expected: Int? = nil,
    allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings()
  ) {
    (self.file, self.recovery, self.transfer) = (file, recovery, transfer)
    (self.expected, self.allowsPrivate, self.proxies) = (expected, allowsPrivate, proxies)
  }

  /// The present background. Throws what reading throws.
  public func state() throws(ArtError) -> BackgroundState {
    BackgroundState(try recovery.content(of: file))
  }

  /// The present background and its bytes. Throws `noBackground`, and what reading throws.
  public func bytes() throws(ArtError) -> (background: Background, bytes: [UInt8]) {
    guard let found = try file.background() else {
      throw ArtError(.noBackground, "\(file.path) has no background to save")
    }
    return found
  }

  /// Sets a picture that the user named; it is read after the document was checked. Throws `BackgroundRefusal`, an `ArtError`,
  /// and what the transfer throws.
  public func set(
    _ source: @autoclosure () throws(Refusal) -> PictureSource, typed: String, keepsCanvas: Bool = false,
    forgetsURL: Bool = false
  ) throws -> ChangedBackground {
    _ = try currentState()
    let found: PictureSource
    do throws(Refusal) { found = try source() } catch { throw BackgroundRefusal(error, asked: typed) }
    let received = try transfer.receive(
      found, for: file.path, allowsPrivate: allowsPrivate, proxies: proxies)
    return try make(.set(keepsCanvas: keepsCanvas, forgetsURL: forgetsURL), received)
  }

  /// Fetches the present background's URL again. Throws as `set` does, and `noBackground`.
  public func refresh(keepsCanvas: Bool = false, forgetsURL: Bool = false) throws -> ChangedBackground {
    guard let old = try currentState().background, let url = old.url else {
      throw ArtError.nothingToRefresh(file.path)
    }
    let received = try transfer.receive(untrusted: url, for: file.path, allowsPrivate: allowsPrivate)
    return try make(.refresh(old, keepsCanvas: keepsCanvas, forgetsURL: forgetsURL), received)
  }

  /// Fetches the pending background. After a permanent refusal it is not pending any more. Throws as `set` does, and
  /// `noBackground`.
  public func fetchPending(keepsCanvas: Bool = false) throws -> ChangedBackground {
    guard let pending = try currentState().pending else { throw ArtError.nothingPending(file.path) }
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

  /// The document's background before a fetch. Throws what would prevent the later edit.
  private func currentState() throws(ArtError) -> BackgroundState {
    _ = try recovery.newAuthor()
    try recovery.prepareEdit(of: file)
    return try file.edit(expecting: expected) { (transaction) throws(ArtError) in BackgroundState(transaction)
    }
  }

  /// Makes one edit, or none if the document needs none.
  private func edit(
    _ plan: (DocumentTransaction) throws(ArtError) -> Edit?
  ) throws(ArtError) -> BackgroundState {
    var author = try recovery.newAuthor()
    let time = WallClock.milliseconds()
    try recovery.prepareEdit(of: file)
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
  /// The edit of a decision, after storing the picture's bytes; nil if the document needs none.
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
  /// Makes a change with the received picture. `completion` is called inside the document's actor, so that nothing comes between the
  /// change and the call; it must not wait. False if the task was cancelled before: then nothing is changed, and `completion` is not
  /// called. Throws what `decide` and editing throw; then nothing is changed either.
  @discardableResult
  func make(
    _ change: BackgroundChange, _ received: ReceivedPicture? = nil, by client: DocumentClient? = nil,
    completion: @Sendable (BackgroundState) -> Void
  ) async throws(ArtError) -> Bool {
    var isChanged = false
    switch try change.decide(received, on: content, called: path) {
    case .nothing: break
    case .set(let picture, let url, let pending, let keepsCanvas):
      isChanged =
        try await setBackground(
          picture, from: url, pending: pending, keepsCanvas: keepsCanvas, by: client) != nil
      // A change without an effect counts as made, unless it was cancelled meanwhile.
      guard isChanged || !Task.isCancelled else { return false }
    case .edit(let edit):
      isChanged = try !perform(ClientRequest(.background(edit), by: client)).entries.isEmpty
    case .change(let edit): isChanged = try !perform(ClientRequest(.edit(edit), by: client)).entries.isEmpty
    }
    var state = BackgroundState(content)
    state.isChanged = isChanged
    completion(state)
    return true
  }

  /// The background and what is pending, without the rest of the content.
  var backgroundState: BackgroundState { BackgroundState(content) }
}

// MARK: Errors

extension ArtError {
  /// Another background was set while this one was fetched.
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
