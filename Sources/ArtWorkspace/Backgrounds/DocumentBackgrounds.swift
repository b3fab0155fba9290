// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Synchronization

/// The backgrounds of a document that is open: what a person asks for is fetched while editing goes on, and so is what
/// becomes pending in it.
///
///     request ──▶ fetching ──▶ set              a newer request, or `cancel`, drops the older one at any time until
///                    └───────▶ rejected, failed     its edit is made: nothing more is heard of that one
///
/// The document is the one to be closed after this.
public actor DocumentBackgrounds {
  /// What became of a background.
  public enum Outcome: Sendable, Equatable {
    /// It is the document's background now; the revision with it.
    case set(Background, revision: Int)
    /// It was refused, and nothing is changed. Of one that was pending: it still is only if the refusal is transient.
    case rejected(Refusal)
    /// It could not be fetched or put into the document, which is not the picture's fault. Nothing is changed.
    case failed(ArtError)
  }

  /// What is told of a background.
  public struct Event: Sendable, Equatable {
    /// What became of it.
    public let outcome: Outcome
    /// Where from; nil for a person's own picture.
    public let url: String?
    /// Whether a person asked for it; otherwise it was pending.
    public let isRequested: Bool
    /// The request's own mark.
    public let tag: String?

    /// An event.
    public init(_ outcome: Outcome, url: String?, isRequested: Bool, tag: String? = nil) {
      self.outcome = outcome
      self.url = url
      self.isRequested = isRequested
      self.tag = tag
    }
  }

  private let document: Document
  private let fetcher: BackgroundFetcher
  private let pending: PendingBackgrounds
  private var following: Task<Void, Never>?
  private var number = 0
  private var current: (number: Int, task: Task<Void, Never>)?
  private let hear: @Sendable (Event) -> Void
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor("emojiart.document-backgrounds")

  /// A thread of its own: who hears may wait for files.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Of a document that is open. `hear` is told each event at once: that one is set before anything that comes of it, such as
  /// a save; it is called on any thread.
  public init(
    _ document: Document, _ fetcher: BackgroundFetcher = BackgroundFetcher(),
    pending mode: PendingMode = .changed, allowsPrivate: Bool = false, locks folder: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), hear: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.document = document
    self.fetcher = fetcher
    pending = PendingBackgrounds(
      mode, fetcher, allowsPrivate: allowsPrivate, locks: folder, clock: clock)
    self.hear = hear
  }

  /// What happens from now on, for one listener of any number. Ends with `close`.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 256) }

  /// Begins to fetch what becomes pending, or is.
  public func begin() async {
    let events = pending.events()
    following = Task { [weak self] in
      for await event in events { await self?.hear(event) }
    }
    await pending.follow(document)
  }

  /// Begins to fetch a background, and returns at once. What was asked for before is dropped.
  public func request(
    _ request: BackgroundRequest, keepsCanvas: Bool = false, by client: DocumentClient? = nil,
    tag: String? = nil
  ) {
    let fetch = fetcher.fetch(request)
    begin(.set(keepsCanvas: keepsCanvas), request.url, client, tag) { () async throws(BackgroundFailure) in
      try await fetch.picture
    }
  }

  /// Begins to have a look at a person's own picture, and returns at once. What was asked for before is dropped.
  public func request(
    _ bytes: [UInt8], keepsCanvas: Bool = false, by client: DocumentClient? = nil, tag: String? = nil
  ) {
    let fetcher = fetcher
    begin(.set(keepsCanvas: keepsCanvas), nil, client, tag) { () async throws(BackgroundFailure) in
      try await fetcher.check(bytes)
    }
  }

  /// Begins to fetch the present background's URL again, and returns at once. What was asked for before is dropped. Throws
  /// `noBackground` where there is none that came from a URL, `badValue` for a URL that cannot be read.
  public func refresh(
    keepsCanvas: Bool = false, allowsPrivate: Bool = false, by client: DocumentClient? = nil,
    tag: String? = nil
  ) async throws(ArtError) {
    guard let old = await document.backgroundState.background, let text = old.url else {
      throw .nothingToRefresh(document.path)
    }
    let url: BackgroundURL
    do throws(Refusal) { url = try BackgroundURL(text) } catch { throw ArtError(.badValue, error.detail) }
    // The user did not type it just now.
    let fetch = fetcher.fetch(BackgroundRequest(url, isUserInitiated: false, allowsPrivate: allowsPrivate))
    begin(.refresh(old, keepsCanvas: keepsCanvas), url, client, tag) { () async throws(BackgroundFailure) in
      try await fetch.picture
    }
  }

  /// Drops what was asked for.
  public func cancel() {
    current?.task.cancel()
    current = nil
  }

  /// Whether what was asked for is not there yet.
  public var isFetching: Bool { current != nil }

  /// Waits until what was asked for is there, refused or dropped.
  public func idle() async {
    while let current { await current.task.value }
  }

  /// Ends: whatever is being fetched is dropped, and nothing of it is left.
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
    let tell: @Sendable (Outcome) -> Void = { [hear, broadcast] outcome in
      let event = Event(outcome, url: url?.string, isRequested: true, tag: tag)
      hear(event)
      broadcast.send(event)
    }
    let task = Task {
      do throws(BackgroundFailure) {
        let received = ReceivedPicture(try await picture(), isFromURL: url != nil, url: url?.storable)
        if Task.isCancelled { return }
        do throws(ArtError) {
          try await document.make(change, received, by: client) { state in
            if let background = state.background { tell(.set(background, revision: state.revision)) }
          }
        } catch {
          throw .failed(error)
        }
      } catch {
        // Nobody waits for what is dropped.
        if Task.isCancelled { return }
        switch error {
        case .refused(let refusal): tell(.rejected(refusal))
        case .failed(let error): tell(.failed(error))
        case .cancelled: break
        }
      }
      if self.number == number { current = nil }
    }
    current = (number, task)
  }

  private func hear(_ event: PendingBackgrounds.Event) {
    let told =
      switch event {
      case .taken(_, let background, let revision):
        Event(.set(background, revision: revision), url: background.url, isRequested: false)
      case .rejected(_, let refusal, let url): Event(.rejected(refusal), url: url, isRequested: false)
      case .failed(_, let error, let url): Event(.failed(error), url: url, isRequested: false)
      }
    hear(told)
    broadcast.send(told)
  }
}

/// What is pending in a document that is open, in the file or in memory.
final class DocumentPending: PendingSource {
  private let document: Document
  /// What was pending when it began, as long as that is.
  private let first: Mutex<PendingBackground?>

  private let news: DocumentEvents

  init(_ document: Document) async {
    self.document = document
    news = document.events(capacity: 1) { $0.isAboutPending }
    first = Mutex(await document.pendingBackground)
  }

  func follow(_ hear: @Sendable () async -> Void) async { for await _ in news { await hear() } }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    guard mode != .none, let (key, pending, revision) = await document.pendingKey else {
      first.withLock { $0 = nil }
      return []
    }
    let isNews = first.withLock { first in
      if first != pending { first = nil }
      return first == nil
    }
    return pending.isWanted && (mode == .all || isNews) ? [(document.path, key, revision)] : []
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in path: String) async throws(ArtError)
    -> PendingSight
  {
    // Somebody else may have fetched it just now.
    await document.refresh()
    return await document.sight(of: key)
  }

  nonisolated(nonsending) func take(
    _ picture: CheckedPicture, _ key: PendingKey, in path: String
  ) async throws(ArtError) -> PendingSight {
    let sight = try await document.take(picture, pending: key)
    await document.showOthers(sight)
    return sight
  }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in path: String
  ) async throws(ArtError) -> PendingSight {
    let sight = try await document.refuse(reason, pending: key)
    await document.showOthers(sight)
    return sight
  }
}

extension DocumentEvent {
  /// Whether something else may be pending after it.
  fileprivate var isAboutPending: Bool {
    switch self {
    case .changed(let change): change.setsPending
    case .dropped, .resync: true
    case .state, .saved, .renamed: false
    }
  }
}

// Inside the document: its content is not handed out, which would have the next edit copy it.
extension Document {
  fileprivate var pendingBackground: PendingBackground? { content.pending }

  fileprivate var pendingKey: (key: PendingKey, pending: PendingBackground, revision: Int)? {
    content.pending.map { (PendingKey(document: content.id, url: $0.url), $0, content.revision) }
  }

  fileprivate func sight(of key: PendingKey) -> PendingSight {
    PendingSight(
      revision: content.revision, isPending: content.id == key.document && content.pending?.url == key.url,
      background: content.background)
  }

  /// Those who wait to fetch it, too, look at the file.
  fileprivate func showOthers(_ sight: PendingSight) async {
    guard sight.isPending else { return }
    do throws(ArtError) { try await save() } catch {
      // The state tells why; somebody else may fetch it, too.
    }
  }

  fileprivate func take(
    _ picture: CheckedPicture, pending key: PendingKey
  ) async throws(ArtError) -> PendingSight {
    guard sight(of: key).isPending else { return sight(of: key) }
    let edit = try await setBackground(picture, from: key.kept, pending: key.url)
    var sight = sight(of: key)
    sight.isPending = edit != nil
    return sight
  }

  fileprivate func refuse(
    _ reason: Refusal.Reason, pending key: PendingKey
  ) throws(ArtError) -> PendingSight {
    let edit = try perform(.refuse(url: key.url, reason))
    var sight = sight(of: key)
    sight.isPending = edit != nil
    return sight
  }
}

/// What is pending in the documents of an open folder. Each edit is one durable transaction on the file.
struct FolderPending: PendingSource {
  let folder: DocumentFolder
  /// The only ones that are wanted; nil for all.
  let only: Set<FilePath>?
  /// Whoever the edits are by.
  let author: String?
  let time: @Sendable () -> Int
  /// A document that somebody saves just then is waited for so long.
  private static let timeout = Duration.seconds(5)

  private let news: EventSequence<Void>

  init(
    _ folder: DocumentFolder, only: Set<FilePath>?, author: String?, time: @escaping @Sendable () -> Int
  ) {
    self.folder = folder
    self.only = only
    self.author = author
    self.time = time
    news = folder.pendingBroadcast.subscribe(capacity: 1)
  }

  func follow(_ hear: @Sendable () async -> Void) async { for await _ in news { await hear() } }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    await folder.pending(mode).compactMap { path, key, revision in
      only?.contains(path) ?? true ? (path.string, key, revision) : nil
    }
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingSight
  {
    let (base, pending) = try await file(document).quickState()
    return PendingSight(
      revision: base.revision, isPending: base.id == key.document && pending?.url == key.url,
      background: nil)
  }

  nonisolated(nonsending) func take(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight {
    let background = try Background(picture, from: key.kept)
    return try await edit(.set(background, keepsCanvas: false, pending: key.url), key, in: document) {
      (transaction) throws(ArtError) in try transaction.keep(picture)
    }
  }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight {
    try await edit(.refuse(url: key.url, reason), key, in: document) { _ in }
  }

  nonisolated(nonsending) private func edit(
    _ edit: BackgroundEdit, _ key: PendingKey, in document: String,
    _ prepare: (DocumentTransaction) throws(ArtError) -> Void
  ) async throws(ArtError) -> PendingSight {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random), name: author)
    let time = time()
    return try await file(document).edit { (transaction) throws(ArtError) in
      guard transaction.id == key.document, transaction.pending?.url == key.url else {
        return PendingSight(
          revision: transaction.revision, isPending: false, background: transaction.background)
      }
      try prepare(transaction)
      if let edit = try edit.plan(on: transaction) {
        _ = try transaction.perform(edit, stamp: author.stamp(at: time))
      }
      return PendingSight(
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
  /// What a document keeps of the URL that it was fetched from.
  var kept: String? {
    do throws(Refusal) { return try BackgroundURL(url).storable } catch {
      // It was fetched: this cannot be.
      return url
    }
  }
}
