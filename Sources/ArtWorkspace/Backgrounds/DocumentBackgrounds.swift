// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Synchronization

/// Fetches the backgrounds of an open document while editing goes on: those that the user requests, and those that become
/// pending.
///
///     request ──▶ fetching ──▶ set              a newer request, or `cancel`, drops the older one at any time until
///                    └───────▶ rejected, failed     its edit is made, and then reports no event of it
///
/// Close this object, too, when the document is closed. A picture that arrives after the document's end has no effect.
public actor DocumentBackgrounds {
  /// The outcome of a background.
  public enum Outcome: Sendable, Equatable {
    /// It was set; the revision with it.
    case set(Background, revision: Int)
    /// It was refused, and nothing is changed. A pending background stays pending only if the refusal is transient.
    case rejected(Refusal)
    /// It could not be fetched or set for another reason than the picture. Nothing is changed.
    case failed(ArtError)
  }

  /// The outcome of one background.
  public struct Event: Sendable, Equatable {
    /// What became of it.
    public let outcome: Outcome
    /// Its URL; nil for the user's own picture.
    public let url: String?
    /// Whether the user requested it; otherwise it was pending.
    public let isRequested: Bool
    /// The tag of the request.
    public let tag: String?
    /// The line of the request in the input of its client, from 1.
    public let line: Int?

    /// An event.
    public init(
      _ outcome: Outcome, url: String?, isRequested: Bool, tag: String? = nil, line: Int? = nil
    ) {
      self.outcome = outcome
      self.url = url
      self.isRequested = isRequested
      self.tag = tag
      self.line = line
    }
  }

  private let document: Document
  private let fetcher: BackgroundFetcher
  private let pending: PendingBackgrounds
  private var following: Task<Void, Never>?
  private var number = 0
  private var current: (number: Int, task: Task<Void, Never>)?
  private let report: @Sendable (Event) -> Void
  private let succeeded: @Sendable () -> Void
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor()

  /// An executor of its own, because a listener may wait for files.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Fetches backgrounds for an open document. `report` receives each event at once, before any event that follows from it, such as
  /// a save. It must not wait for `set`, which is reported inside the document. `succeeded` is called after a requested background is
  /// set, and may wait for files.
  public init(
    _ document: Document, _ fetcher: BackgroundFetcher = BackgroundFetcher(),
    pending mode: PendingMode = .changed, allowsPrivate: Bool = false, locks folder: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), succeeded: @escaping @Sendable () -> Void = {},
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.document = document
    self.fetcher = fetcher
    pending = PendingBackgrounds(
      mode, fetcher, allowsPrivate: allowsPrivate, locks: folder, clock: clock)
    self.succeeded = succeeded
    self.report = report
  }

  /// The events from now on, for one of any number of listeners, until `close`.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 256) }

  /// Begins to fetch pending backgrounds.
  public func begin() async {
    let events = pending.events()
    following = Task { [weak self] in
      for await event in events { await self?.receive(event) }
    }
    await pending.follow(document)
  }

  /// Begins to fetch a background, and returns at once. Cancels the previous request. `progress` is called until the outcome.
  public func request(
    _ request: BackgroundRequest, keepsCanvas: Bool = false, by client: DocumentClient? = nil,
    tag: String? = nil, progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
  ) {
    let fetcher = fetcher
    begin(.set(keepsCanvas: keepsCanvas), request.url, client, tag) { () async throws(BackgroundFailure) in
      try await PictureOrder.fetch(request).result(by: fetcher, progress: progress).get()
    }
  }

  /// Begins to check the user's own picture, and returns at once. Cancels the previous request.
  public func request(
    _ bytes: [UInt8], keepsCanvas: Bool = false, by client: DocumentClient? = nil, tag: String? = nil
  ) {
    let fetcher = fetcher
    begin(.set(keepsCanvas: keepsCanvas), nil, client, tag) { () async throws(BackgroundFailure) in
      try await fetcher.check(bytes)
    }
  }

  /// Begins to fetch the present background's URL again, and returns at once. Cancels the previous request. Throws `noBackground`
  /// if there is none with a URL, `badValue` for an invalid URL.
  public func refresh(
    keepsCanvas: Bool = false, allowsPrivate: Bool = false, by client: DocumentClient? = nil,
    tag: String? = nil
  ) async throws(ArtError) {
    guard let old = await document.backgroundState.background, let text = old.url else {
      throw .nothingToRefresh(document.path)
    }
    let url: BackgroundURL
    do throws(Refusal) { url = try BackgroundURL(text) } catch { throw ArtError(.badValue, error.detail) }
    // The URL is untrusted: the user did not type it just now.
    let fetch = fetcher.fetch(BackgroundRequest(url, isUserInitiated: false, allowsPrivate: allowsPrivate))
    begin(.refresh(old, keepsCanvas: keepsCanvas), url, client, tag) { () async throws(BackgroundFailure) in
      try await fetch.picture
    }
  }

  /// Cancels the request.
  public func cancel() {
    current?.task.cancel()
    current = nil
  }

  /// Whether a request is being fetched.
  public var isFetching: Bool { current != nil }

  /// Waits until the request is set, refused or cancelled.
  public func idle() async {
    while let current { await current.task.value }
  }

  /// Cancels all fetches, and returns when they have ended.
  public func close() async {
    let last = current
    cancel()
    await last?.task.value
    await pending.close()
    await following?.value
    broadcast.finish()
  }

  private func begin(
    _ change: BackgroundChange, _ url: BackgroundURL?, _ client: DocumentClient?, _ tag: String?,
    _ picture: @escaping @Sendable () async throws(BackgroundFailure) -> CheckedPicture
  ) {
    cancel()
    number += 1
    let (number, document) = (number, document)
    let emit: @Sendable (Outcome) -> Void = { [report, broadcast] outcome in
      let event = Event(outcome, url: url?.string, isRequested: true, tag: tag)
      report(event)
      broadcast.send(event)
    }
    let task = Task {
      do throws(BackgroundFailure) {
        let received = ReceivedPicture(try await picture(), isFromURL: url != nil, url: url?.storable)
        if Task.isCancelled { return }
        let isMade: Bool
        do throws(ArtError) {
          isMade = try await document.make(change, received, by: client) { state in
            if let background = state.background { emit(.set(background, revision: state.revision)) }
          }
        } catch {
          throw .failed(error)
        }
        if isMade { succeeded() }
      } catch {
        // A cancelled request has no event.
        if Task.isCancelled { return }
        switch error {
        case .refused(let refusal): emit(.rejected(refusal))
        case .failed(let error): emit(.failed(error))
        case .cancelled: break
        }
      }
      if self.number == number { current = nil }
    }
    current = (number, task)
  }

  private func receive(_ result: PendingBackgrounds.Event) {
    let event =
      switch result {
      case .set(_, let background, let revision):
        Event(.set(background, revision: revision), url: background.url, isRequested: false)
      case .rejected(_, let refusal, let url): Event(.rejected(refusal), url: url, isRequested: false)
      case .failed(_, let error, let url): Event(.failed(error), url: url, isRequested: false)
      }
    report(event)
    broadcast.send(event)
  }
}

/// The pending background of an open document, in its file or in memory.
final class DocumentPending: PendingSource {
  private let document: Document
  /// The background that was pending at the start, while it is still pending.
  private let first: Mutex<PendingBackground?>

  private let events: DocumentEvents

  init(_ document: Document) async {
    self.document = document
    events = document.events(capacity: 1) { $0.isAboutPending }
    first = Mutex(await document.pendingBackground)
  }

  func follow(_ refresh: @Sendable () async -> Void) async { for await _ in events { await refresh() } }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    guard mode != .none, let (key, pending, revision) = await document.pendingKey else {
      first.withLock { $0 = nil }
      return []
    }
    let isNew = first.withLock { first in
      if first != pending { first = nil }
      return first == nil
    }
    return pending.isWanted && (mode == .all || isNew) ? [(document.path, key, revision)] : []
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in path: String) async throws(ArtError)
    -> PendingState
  {
    // Another program may have fetched it just now.
    await document.refresh()
    return await document.pendingState(of: key)
  }

  nonisolated(nonsending) func apply(
    _ picture: CheckedPicture, _ key: PendingKey, in path: String
  ) async throws(ArtError) -> PendingState {
    let state = try await document.apply(picture, pending: key)
    await document.saveIfEdited(state)
    return state
  }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in path: String
  ) async throws(ArtError) -> PendingState {
    let state = try await document.refuse(reason, pending: key)
    await document.saveIfEdited(state)
    return state
  }
}

extension DocumentEvent {
  /// Whether the event may change what is pending.
  fileprivate var isAboutPending: Bool {
    switch self {
    case .changed(let change): change.setsPending
    case .dropped, .repeated, .resync: true
    case .state, .saved, .setAside, .renamed: false
    }
  }
}

// The content stays inside the actor; a copy would make the next edit copy it.
extension Document {
  fileprivate var pendingBackground: PendingBackground? { content.pending }

  fileprivate var pendingKey: (key: PendingKey, pending: PendingBackground, revision: Int)? {
    content.pending.map { (PendingKey(document: content.id, url: $0.url), $0, content.revision) }
  }

  fileprivate func pendingState(of key: PendingKey) -> PendingState {
    PendingState(
      revision: content.revision, isPending: content.id == key.document && content.pending?.url == key.url,
      background: content.background)
  }

  /// Saves, because other programs that wait to fetch this background read the file.
  fileprivate func saveIfEdited(_ state: PendingState) async {
    guard state.isPending else { return }
    do throws(ArtError) { try await save() } catch {
      // The document's state reports the error; another program may fetch the background again.
    }
  }

  fileprivate func apply(
    _ picture: CheckedPicture, pending key: PendingKey
  ) async throws(ArtError) -> PendingState {
    guard pendingState(of: key).isPending else { return pendingState(of: key) }
    let edit = try await setBackground(picture, from: key.storableURL, pending: key.url)
    var state = pendingState(of: key)
    state.isPending = edit != nil
    return state
  }

  fileprivate func refuse(
    _ reason: Refusal.Reason, pending key: PendingKey
  ) throws(ArtError) -> PendingState {
    let edit = try perform(.refuse(url: key.url, reason))
    var state = pendingState(of: key)
    state.isPending = edit != nil
    return state
  }
}

/// The pending backgrounds of an open folder's documents. Each edit is one durable transaction on the file.
struct FolderPending: PendingSource {
  let folder: DocumentFolder
  /// The only documents of interest; nil for all.
  let only: Set<FilePath>?
  /// The author of the edits.
  let author: String?
  let time: @Sendable () -> Int
  /// The timeout for a document that another program is saving.
  private static let timeout = Duration.seconds(5)

  private let events: EventSequence<Void>

  init(
    _ folder: DocumentFolder, only: Set<FilePath>?, author: String?, time: @escaping @Sendable () -> Int
  ) {
    self.folder = folder
    self.only = only
    self.author = author
    self.time = time
    events = folder.pendingBroadcast.subscribe(capacity: 1)
  }

  func follow(_ refresh: @Sendable () async -> Void) async { for await _ in events { await refresh() } }

  private func isWanted(_ path: FilePath) -> Bool { only?.contains(path) ?? true }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    await folder.pending(mode).filter { isWanted($0.path) }.map {
      ($0.path.string, $0.key, $0.revision)
    }
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingState
  {
    let (state, pending) = try await file(document).quickState()
    let base = state.base
    return PendingState(
      revision: base.revision, isPending: base.id == key.document && pending?.url == key.url,
      background: nil)
  }

  nonisolated(nonsending) func apply(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingState {
    let background = try Background(picture, from: key.storableURL)
    return try await edit(.set(background, keepsCanvas: false, pending: key.url), key, in: document) {
      (transaction) throws(ArtError) in try transaction.keep(picture)
    }
  }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingState {
    try await edit(.refuse(url: key.url, reason), key, in: document) { _ in }
  }

  nonisolated(nonsending) private func edit(
    _ edit: BackgroundEdit, _ key: PendingKey, in document: String,
    _ prepare: (DocumentTransaction) throws(ArtError) -> Void
  ) async throws(ArtError) -> PendingState {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random), name: author)
    let time = time()
    return try await file(document).edit { (transaction) throws(ArtError) in
      guard transaction.id == key.document, transaction.pending?.url == key.url else {
        return PendingState(
          revision: transaction.revision, isPending: false, background: transaction.background)
      }
      try prepare(transaction)
      if let edit = try edit.plan(on: transaction) {
        _ = try transaction.perform(edit, stamp: author.stamp(at: time))
      }
      return PendingState(
        revision: transaction.revision, isPending: true, background: transaction.background)
    }
  }

  private func file(_ document: String) async -> DocumentFile {
    var file = await folder.file(FilePath(document))
    file.timeout = Self.timeout
    return file
  }
}

extension PendingKey {
  /// The URL as a document stores it.
  var storableURL: String? {
    do throws(Refusal) { return try BackgroundURL(url).storable } catch {
      // This cannot fail for a URL that was fetched.
      return url
    }
  }
}
