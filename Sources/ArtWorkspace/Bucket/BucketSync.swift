// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Synchronization

/// Keeps the documents of a folder and of a bucket the same: each has all edits of both.
///
///     no object ──▶ write it, if there still is none          no document ──▶ make it of the object
///     both ──▶ merge the object into the document ──▶ write the object, if it still is the one that was read
///                          ▲                                             │ it is another one
///                          └─────────────────────────────────────────────┘
///
/// Any number of clients may do this at once: no client has to lock anything, and none of them leads. An answer that is lost does no harm,
/// because a merge adds nothing that is there. A document that is deleted on one side comes back from the other one.
///
/// Only documents directly in the folder are kept; conflict copies are not.
public actor BucketSync {
  /// What was done with a document, by its name in the folder.
  public enum Event: Sendable {
    /// The object was made of the document.
    case uploaded(String)
    /// The document was made of the object.
    case downloaded(String)
    /// Both had edits that the other one lacked, or one of them had.
    case merged(String, received: Int, sent: Bool)
    /// It was not done.
    case failed(String, ArtError)
  }

  /// How often a document is tried again, while other clients are faster or the store is busy.
  private static let mostTries = 100
  /// How often in a row, without an answer.
  private static let mostUnanswered = 8
  /// How long edits of a document are gathered.
  private static let pauseOfEdits = Duration.milliseconds(500)
  /// How many documents are exchanged at once.
  private static let atOnce = 4

  private let folder: String
  private let bucket: Bucket
  private let recovery: Recovery
  private let timeline: Timeline
  /// The states in which the document and the object were the same.
  private var known: [String: BucketRecord.Entry]
  private let record: BucketRecord
  /// The documents that have changed, and whether all are to be looked at.
  private var changed: Set<String> = []
  private var isAllDue = false
  private nonisolated let failures = ReportedFailures()
  private nonisolated let executor = ThreadExecutor("emojiart.bucket")

  /// A thread of its own, because file operations block it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Keeps a folder and a bucket the same. Edits of killed programs are restored with the author of `recovery`.
  init(
    _ folder: String, _ bucket: Bucket, by recovery: Recovery,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.folder = folder
    self.bucket = bucket
    self.recovery = recovery
    record = BucketRecord(of: FilePath.resolvedIfThere(folder) ?? folder, at: bucket.place)
    known = record.entries()
    timeline = Timeline(clock)
  }

  /// The same for a place in a store, which is reached as the settings of AWS's programs say. `endpoint` is the store's URL, if the user gave
  /// one. Throws
  /// `notPermitted` without a key, and `badValue` for settings that are wrong.
  public init(
    _ folder: String, _ location: BucketLocation, endpoint: String?, proxies: ProxySettings,
    by recovery: Recovery
  ) throws(ArtError) {
    let bucket = try Bucket(
      location, try BucketSettings(endpoint: endpoint), client: StoreClient(proxies: proxies)
    ) { WallClock.milliseconds() }
    self.init(folder, bucket, by: recovery)
  }

  /// Tries whether the store can be used. Throws if it cannot.
  public func probe() async throws(ArtError) {
    var names: [String] = []
    let result: Result<Void, ArtError>
    do throws(ArtError) {
      // What a try has left is not taken for what the next one finds.
      try await again { () async throws(BucketFailure) in
        var random = SystemRandomNumberGenerator()
        let name = bucket.probeName(DocumentID(using: &random).description)
        names.append(name)
        try await bucket.probe(name)
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await remove(names)
    try result.get()
  }

  /// Removes objects that are no documents. One that stays does no harm.
  private func remove(_ names: [String]) async {
    for name in names {
      do throws(ArtError) {
        try await again { () async throws(BucketFailure) in try await bucket.remove(name) }
      } catch {}
    }
  }

  /// Brings all documents of the folder and of the bucket together. Throws what listing either of them throws.
  public func run(_ report: @escaping @Sendable (Event) -> Void) async throws(ArtError) {
    let (objects, oldProbes) = try await again { () async throws(BucketFailure) in
      try await bucket.list()
    }
    let names = Set(try documents()).union(objects.keys).sorted { FilePath($0) < FilePath($1) }
    await withTaskGroup(of: Void.self) { group in
      for (index, name) in names.enumerated() {
        if index >= Self.atOnce { await group.next() }
        group.addTask { await self.bringTogether(name, objects[name], report) }
      }
    }
    known = known.filter { objects[$0.key] != nil || names.contains($0.key) }
    record.save(known)
    await remove(oldProbes)
  }

  /// Brings all together, and then each document when it has changed, and all after each pause, until the task is cancelled. The same failure
  /// of a document is reported once. Throws what opening the folder and the first listing throw.
  public func follow(
    every pause: Duration, _ report: @escaping @Sendable (Event) -> Void
  ) async throws(ArtError) {
    let watched = try await DocumentFolder.open(folder)
    let events = watched.events()
    let reportOnce: @Sendable (Event) -> Void = { [failures] event in
      if failures.isNews(event) { report(event) }
    }
    let (ticks, clock) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let following = Task { [weak self] in
      for await event in events {
        await self?.note(event)
        clock.yield()
      }
    }
    let polling = Task { [weak self, timeline] in
      while !Task.isCancelled {
        do { try await timeline.sleep(timeline.now() + pause) } catch { return }
        await self?.noteAll()
        clock.yield()
      }
    }
    defer {
      following.cancel()
      polling.cancel()
    }
    do throws(ArtError) {
      try await run(reportOnce)
      for await _ in ticks {
        // Several edits in a moment are one exchange.
        do { try await timeline.sleep(timeline.now() + Self.pauseOfEdits) } catch { break }
        await takeNext(reportOnce)
      }
    } catch {
      await watched.close()
      throw error
    }
    await watched.close()
  }

  private func note(_ event: FolderEvent) {
    switch event {
    case .added(let name, _), .changed(let name, _), .movedOn(let name, _), .renamed(let name, _):
      changed.insert(name)
    case .rescanned, .resync: isAllDue = true
    case .conflict, .removed, .damaged, .degraded: break
    }
  }

  private func noteAll() { isAllDue = true }

  private func takeNext(_ report: @escaping @Sendable (Event) -> Void) async {
    let (names, isAll) = (changed, isAllDue)
    (changed, isAllDue) = ([], false)
    guard isAll else {
      for name in names.sorted() { await run(name, report) }
      return
    }
    do throws(ArtError) { try await run(report) } catch { report(.failed("", error)) }
  }

  /// Brings one document together with its object.
  private func run(_ name: String, _ report: @Sendable (Event) -> Void) async {
    guard !isCopy(name), FileIdentity(at: file(name).path) != nil else { return }
    await bringTogether(name, nil, report)
  }

  private func documents() throws(ArtError) -> [String] {
    try FolderListing(of: folder).names.filter { !isCopy($0) }
  }

  private func isCopy(_ name: String) -> Bool { ConflictCopy(file(name).path) != nil }

  private func file(_ name: String) -> DocumentFile {
    var file = DocumentFile(FilePath.path(of: name, in: folder))
    file.name = name
    return file
  }

  private func bringTogether(
    _ name: String, _ etag: String?, _ report: @Sendable (Event) -> Void
  ) async {
    do throws(ArtError) {
      if try isKnown(name, etag) { return }
      if let event = try await again({ () async throws(BucketFailure) in try await step(name, etag) }) {
        report(event)
      }
    } catch {
      report(.failed(name, error))
    }
  }

  /// Whether neither the document nor the object has changed since they were the same. `etag` is that of a listing; without one, only the
  /// document is compared.
  private func isKnown(_ name: String, _ etag: String?) throws(ArtError) -> Bool {
    guard let known = known[name], FileIdentity(at: file(name).path) != nil else { return false }
    // A listing may write a tag without its quotes.
    let isSame = etag.map { $0.filter { $0 != "\"" } == known.etag.filter { $0 != "\"" } } ?? true
    guard isSame else { return false }
    return try file(name).base().key == known.key
  }

  /// One try. Returns what was done; nil if both were the same.
  private func step(_ name: String, _ etag: String?) async throws(BucketFailure) -> Event? {
    let file = file(name)
    let isThere = FileIdentity(at: file.path) != nil
    if isThere, let etag, known[name] == nil {
      // The name of a state says all about it.
      let base = try local { () throws(ArtError) in try file.base() }
      if try await bucket.state(of: name) == base.key {
        known[name] = BucketRecord.Entry(etag: etag, key: base.key)
        return nil
      }
    }
    let object = try await bucket.get(name)
    guard let object else {
      guard isThere else { return nil }
      try local { () throws(ArtError) in try recovery.restoreFirst(file) }
      try await put(file, .absent)
      return .uploaded(name)
    }
    guard isThere else {
      try local { () throws(ArtError) in try file.create(bytes: object.bytes) }
      let base = try local { () throws(ArtError) in try file.base() }
      known[name] = BucketRecord.Entry(etag: object.etag, key: base.key)
      return .downloaded(name)
    }
    let outcome = try local { () throws(ArtError) in
      try recovery.restoreFirst(file)
      return try file.merge(bytes: object.bytes)
    }
    let received = outcome.parts.reduce(0) { $0 + $1.report.fromSecond }
    let (bytes, base) = try local { () throws(ArtError) in try file.bytes() }
    guard bytes != object.bytes else {
      known[name] = BucketRecord.Entry(etag: object.etag, key: base.key)
      return outcome.hasChanged ? .merged(name, received: received, sent: false) : nil
    }
    try await put(file, .unchanged(object.etag))
    return .merged(name, received: received, sent: true)
  }

  private func put(_ file: DocumentFile, _ condition: Bucket.Condition) async throws(BucketFailure) {
    let (bytes, base) = try local { () throws(ArtError) in try file.bytes() }
    let etag = try await bucket.put(file.name, bytes, if: condition, state: base.key)
    known[file.name] = etag.map { BucketRecord.Entry(etag: $0, key: base.key) }
  }

  private func local<Value>(_ work: () throws(ArtError) -> Value) throws(BucketFailure) -> Value {
    do throws(ArtError) { return try work() } catch { throw .failed(error) }
  }

  /// Tries until it is done or fails for good. Waits longer from try to try, and never as long as another client that waits beside it.
  private func again<Value: Sendable>(
    _ work: () async throws(BucketFailure) -> Value
  ) async throws(ArtError) -> Value {
    var last = ArtError(.unavailable, "\(bucket.location.text) is busy", about: bucket.location.text)
    var unanswered = 0
    for tries in 0..<Self.mostTries {
      do throws(BucketFailure) { return try await work() } catch {
        switch error {
        case .failed(let error): throw error
        case .again(let error, let wait):
          last = error
          // After a few failures without an answer, one after the other, the store is gone, not busy.
          unanswered = error.code == .unavailable ? unanswered + 1 : 0
          if unanswered >= Self.mostUnanswered { throw error }
          let longest = min(50 << min(tries, 6), 3_000)
          let wait = (wait ?? .zero) + .milliseconds(Int.random(in: longest / 4...longest))
          do { try await timeline.sleep(timeline.now() + wait) } catch { throw last }
        }
      }
    }
    throw last
  }
}

/// The last failure of each document, so that each is reported once.
private final class ReportedFailures: Sendable {
  private let last = Mutex<[String: ArtError]>([:])

  /// Whether an event is to be reported.
  func isNews(_ event: BucketSync.Event) -> Bool {
    last.withLock { last in
      switch event {
      case .failed(let name, let error):
        defer { last[name] = error }
        return last[name] != error
      case .uploaded(let name), .downloaded(let name), .merged(let name, _, _):
        last[name] = nil
        return true
      }
    }
  }
}
