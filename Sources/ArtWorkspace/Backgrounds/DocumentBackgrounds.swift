// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker

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
    let fetch = fetcher.fetch(BackgroundRequest(url, isTyped: false, allowsPrivate: allowsPrivate))
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
        let received = ReceivedPicture(try await picture(), isFromURL: url != nil, url: url?.kept)
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
