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
/// because a merge adds nothing that is there. A document that is deleted on one side comes back from the other one. An object whose name is
/// the same text as that of a file, in another spelling of Unicode, makes no document.
///
/// Only documents directly in the folder are kept; conflict copies are not.
public actor BucketSync {
  /// What was done with a document, by its name in the folder.
  public enum Event: Sendable {
    /// The object was made of the document.
    case uploaded(String)
    /// The document was made of the object.
    case downloaded(String)
    /// Both had edits or named versions that the other one lacked, or one of them had. `received` is the number of edits, and nil if the
    /// document stays as it is. In `conflicts` places both had set the same.
    case merged(String, received: Int?, sent: Bool, conflicts: Int)
    /// It was not done.
    case failed(String, ArtError)
    /// So many objects are left out, because documents of their names are not carried; and the first of these names.
    case leftOut(Int, String)
  }

  /// How often a document is tried again, while other clients are faster or the store is busy.
  private static let mostTries = 100
  /// How often in a row, while the store is busy or does not answer.
  private static let mostUnanswered = 8
  /// How long edits of a document are gathered.
  private static let pauseOfEdits = Duration.milliseconds(500)
  /// How many documents are exchanged at once, and how large they and their objects are together, unless it is one alone. A document of
  /// 100,000 emoji has 8 MB, and takes some ten times as much while it is merged.
  private static let atOnce = 4
  private let bytesAtOnce: Int
  /// How many objects in a row may have gone since they were listed.
  private static let mostGone = 100

  private let folder: String
  private let bucket: Bucket
  private let recovery: Recovery
  private let timeline: Timeline
  /// The states in which the document and the object were the same.
  private var known: [FilePath: BucketRecord.Entry]
  private let record: BucketRecord
  /// The documents that have changed since the last exchange.
  private var changed: Set<FilePath> = []
  /// Whether the next exchange is of all documents.
  private var isAllDue = false
  private nonisolated let failures = ReportedFailures()
  private let onOutage: @Sendable (ArtError) -> Void
  /// Whether the present outage of the store has been reported.
  private var isOut = false
  /// How many objects in a row were not there that the last listing has.
  private var gone = 0
  private nonisolated let executor = ThreadExecutor()

  /// An executor of its own, because file operations block it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Keeps a folder and a bucket the same. Edits of killed programs are restored with the author of `recovery`.
  init(
    _ folder: String, _ bucket: Bucket, by recovery: Recovery,
    clock: some Clock<Duration> = ContinuousClock(), bytesAtOnce: Int = 16 << 20,
    onOutage: @escaping @Sendable (ArtError) -> Void = { _ in }
  ) {
    let real = FilePath.resolvedIfThere(folder) ?? folder
    self.folder = real
    self.bucket = bucket
    self.recovery = recovery
    self.bytesAtOnce = bytesAtOnce
    self.onOutage = onOutage
    record = BucketRecord(of: real, at: bucket.place)
    known = record.entries()
    timeline = Timeline(clock)
  }

  /// Keeps a folder and a place in a store the same. `onOutage` is called once for each outage, when a
  /// request has failed twice; the request is then tried again. The key and the region come from the settings of AWS's programs; so does the store's URL,
  /// unless the user gave it as `endpoint`. Throws `notPermitted` without a key, and `badValue` for wrong settings.
  public init(
    _ folder: String, _ location: BucketLocation, endpoint: String?, proxies: ProxySettings,
    by recovery: Recovery, onOutage: @escaping @Sendable (ArtError) -> Void
  ) throws(ArtError) {
    let client = StoreClient(proxies: proxies)
    let bucket = try Bucket(
      location, try BucketSettings(endpoint: endpoint), now: { WallClock.milliseconds() },
      exchange: { (request, limit) async throws(BackgroundFailure) in
        try await client.send(request, limit: limit)
      })
    self.init(folder, bucket, by: recovery, onOutage: onOutage)
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
      } catch {
        // A probe that stays is removed as an old one, by any client's next run.
      }
    }
  }

  /// Brings all documents of the folder and of the bucket together. Throws what listing either of them throws.
  public func run(_ report: @escaping @Sendable (Event) -> Void) async throws(ArtError) {
    let bucketListing = try await again { () async throws(BucketFailure) in try await bucket.list() }
    let objects = bucketListing.documents
    failures.forget("")
    if let (count, first) = bucketListing.leftOut { report(.leftOut(count, first)) }
    // What the bucket has no more is written again.
    known = known.filter { objects[$0.key] != nil }
    let listing = try FolderListing(of: folder)
    for name in listing.unreadable {
      report(
        .failed(name, ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it", about: name)))
    }
    var names = Set(objects.keys)
    for name in listing.names.map({ FilePath($0) }) {
      switch kind(of: name) {
      case .document: names.insert(name)
      case .copy: break
      case .uncarried(let error): report(.failed(name.string, error))
      }
    }
    gone = 0
    await withTaskGroup(of: Int.self) { group in
      var (count, bytes) = (0, 0)
      for name in names.sorted() {
        let size = size(of: name, objects[name])
        while count >= Self.atOnce || count > 0 && bytes + size > bytesAtOnce {
          bytes -= await group.next() ?? 0
          count -= 1
        }
        guard gone < Self.mostGone, !Task.isCancelled else { break }
        (count, bytes) = (count + 1, bytes + size)
        let listed = objects[name].map { Listed.tag($0.etag) } ?? .absent
        group.addTask {
          await self.bringTogether(name, listed, report)
          return size
        }
      }
    }
    record.save(known)
    guard gone < Self.mostGone else { throw .unkeptListing(bucket.location.text, gone) }
    await remove(bucketListing.oldProbes)
  }

  /// The bytes of a document and of its object. A wrong size of an object costs memory, up to that of the largest documents.
  private func size(of name: FilePath, _ object: Bucket.Listing.Entry?) -> Int {
    let local: Int
    // Who reads it meets the error.
    do throws(ArtError) { local = try file(name).stampIfThere()?.size ?? 0 } catch { local = 0 }
    return min(local, bytesAtOnce) + min(max(object?.size ?? 0, local), bytesAtOnce)
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
    let (ticks, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let following = Task { [weak self] in
      for await event in events {
        await self?.note(event)
        wakeup.yield()
      }
    }
    let polling = Task { [weak self, timeline] in
      while !Task.isCancelled {
        do { try await timeline.sleep(timeline.now() + pause) } catch { return }
        await self?.noteAll()
        wakeup.yield()
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
    case .added(let name, _), .changed(let name, _), .movedOn(let name, _), .renamed(let name, _),
      .versions(let name, _, _):
      changed.insert(FilePath(name))
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

  /// What a listing says of an object.
  private enum Listed {
    case tag(String)
    case absent
    /// There was none.
    case notAsked
  }

  /// Brings one document together with its object.
  private func run(_ name: FilePath, _ report: @Sendable (Event) -> Void) async {
    guard case .document = kind(of: name), FileIdentity(at: file(name).path) != nil else { return }
    await bringTogether(name, .notAsked, report)
  }

  /// What a file is by its name and its id.
  private enum Kind {
    case document
    /// A conflict copy: it is merged where it is, and not carried on.
    case copy
    /// Documents of that name are not carried.
    case uncarried(ArtError)
  }

  private func kind(of name: FilePath) -> Kind {
    guard let document = ConflictCopy.document(of: name.string) else {
      return Bucket.carries(name.string) ? .document : .uncarried(.uncarried(name.string))
    }
    guard FileIdentity(at: file(FilePath(document)).path) != nil else {
      return .uncarried(.copyAlone(name.string, of: document))
    }
    do throws(ArtError) {
      let ids = (try file(name).base().id, try file(FilePath(document)).base().id)
      return ids.0 == ids.1 ? .copy : .uncarried(.uncarried(name.string))
    } catch {
      // One of the two files cannot be read. The next pass decides.
      return .copy
    }
  }

  /// A document of the folder. A link is none, whosever it is: it could lead to a document that is not meant to be sent.
  private func file(_ name: FilePath) -> DocumentFile {
    var file = DocumentFile(FilePath.path(of: name.string, in: folder))
    (file.name, file.followsLinks) = (name.string, false)
    return file
  }

  private func bringTogether(
    _ name: FilePath, _ listed: Listed, _ report: @Sendable (Event) -> Void
  ) async {
    do throws(ArtError) {
      if try isKnown(name, listed) { return }
      if let event = try await again({ () async throws(BucketFailure) in try await step(name, listed) }) {
        report(event)
      } else {
        failures.forget(name.string)
      }
    } catch {
      report(.failed(name.string, error))
    }
  }

  /// Whether neither the document nor the object has changed since they were the same, as far as the listing says it.
  private func isKnown(_ name: FilePath, _ listed: Listed) throws(ArtError) -> Bool {
    guard let known = known[name], FileIdentity(at: file(name).path) != nil else { return false }
    switch listed {
    case .absent: return false
    // A listing may write a tag without its quotes.
    case .tag(let etag) where etag.filter({ $0 != "\"" }) != known.etag.filter({ $0 != "\"" }): return false
    case .tag, .notAsked: return try file(name).state().key == known.key
    }
  }

  /// One try. Returns what was done; nil if both were the same.
  private func step(_ name: FilePath, _ listed: Listed) async throws(BucketFailure) -> Event? {
    let file = file(name)
    let isThere = FileIdentity(at: file.path) != nil
    if isThere, case .tag(let etag) = listed, known[name] == nil {
      // The key of a file says all about it.
      let state = try local { () throws(ArtError) in try file.state() }
      if try await bucket.state(of: file.name) == state.key {
        known[name] = BucketRecord.Entry(etag: etag, key: state.key)
        return nil
      }
    }
    guard let object = try await bucket.get(file.name) else {
      guard isThere else {
        gone += 1
        return nil
      }
      try local { () throws(ArtError) in try recovery.restoreFirst(file) }
      try await put(file, name, .absent)
      return .uploaded(file.name)
    }
    gone = 0
    guard isThere else {
      let state = try create(file, object.bytes)
      known[name] = BucketRecord.Entry(etag: object.etag, key: state.key)
      return .downloaded(file.name)
    }
    let outcome = try local { () throws(ArtError) in
      try recovery.restoreFirst(file)
      return try file.merge(bytes: object.bytes)
    }
    let (bytes, state) = try local { () throws(ArtError) in try file.bytes() }
    guard bytes != object.bytes else {
      known[name] = BucketRecord.Entry(etag: object.etag, key: state.key)
      return outcome.hasChanged
        ? .merged(file.name, received: outcome.edits, sent: false, conflicts: outcome.conflicts) : nil
    }
    // Otherwise each of two machines would send its own for ever.
    let canBeEqual = try local { () throws(ArtError) in
      outcome.hasChanged ? true : try file.absorbs(bytes: object.bytes)
    }
    guard canBeEqual else { throw .failed(.unequal(file.name)) }
    try await put(file, name, .unchanged(object.etag))
    return .merged(
      file.name, received: outcome.hasChanged ? outcome.edits : nil, sent: true, conflicts: outcome.conflicts)
  }

  private func create(_ file: DocumentFile, _ bytes: [UInt8]) throws(BucketFailure) -> FileState {
    if let twin = TypedPath.twins(of: file.path).first { throw .failed(.twinExists(twin, of: file.name)) }
    do throws(ArtError) { return try file.create(bytes: bytes) } catch {
      // It has come in between, and is merged in the next try.
      throw error.code == .exists ? .again(error, after: nil) : .failed(error)
    }
  }

  private func put(
    _ file: DocumentFile, _ name: FilePath, _ condition: Bucket.Condition
  ) async throws(BucketFailure) {
    let (bytes, state) = try local { () throws(ArtError) in try file.bytes() }
    let etag = try await bucket.put(file.name, bytes, if: condition, state: state.key)
    known[name] = etag.map { BucketRecord.Entry(etag: $0, key: state.key) }
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
      do throws(BucketFailure) {
        let value = try await work()
        isOut = false
        return value
      } catch {
        switch error {
        case .failed(let error): throw error
        case .again(let error, let wait):
          last = error
          // A store that is busy or does not answer for so long is given up.
          unanswered = error.code == .unavailable ? unanswered + 1 : 0
          if unanswered >= Self.mostUnanswered { throw error }
          if unanswered == 2, !isOut {
            isOut = true
            onOutage(error)
          }
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
  private struct State {
    var last: [FilePath: ArtError] = [:]
    var leftOut = 0
  }

  private let state = Mutex(State())

  /// What has failed works again.
  func forget(_ name: String) { state.withLock { $0.last[FilePath(name)] = nil } }

  /// Whether an event is to be reported.
  func isNews(_ event: BucketSync.Event) -> Bool {
    state.withLock { state in
      switch event {
      case .failed(let name, let error):
        let name = FilePath(name)
        defer { state.last[name] = error }
        return state.last[name] != error
      case .uploaded(let name), .downloaded(let name), .merged(let name, _, _, _):
        state.last[FilePath(name)] = nil
        return true
      case .leftOut(let count, _):
        defer { state.leftOut = count }
        return state.leftOut != count
      }
    }
  }
}

extension ArtError {
  fileprivate static func uncarried(_ name: String) -> ArtError {
    ArtError(
      .badValue,
      "\(name) is not carried: its name is hidden, has characters that are not shown, or is that of a conflict copy; rename it",
      about: name)
  }

  fileprivate static func unequal(_ name: String) -> ArtError {
    ArtError(
      .parted,
      "\(name) has the same edits here and in the bucket, and other contents, which no merge makes equal; rename one of the two",
      about: name)
  }

  fileprivate static func unkeptListing(_ place: String, _ count: Int) -> ArtError {
    ArtError(
      .unavailable, "the store lists objects of \(place) that are not there, \(count) in a row", about: place)
  }

  fileprivate static func copyAlone(_ name: String, of document: String) -> ArtError {
    ArtError(
      .badValue,
      "\(name) has the name of a conflict copy of \(document), which is not there; rename it to that, or give it a name of its own",
      about: name)
  }
}
