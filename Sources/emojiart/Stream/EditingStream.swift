// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace
import Glibc

/// A document that is edited line by line. One thread reads, asks the document, and writes:
///
///     stdin ──StreamForm──▶ lines of one read ──▶ Session, one call for a run of edits ──▶ StreamForm ──▶ stdout
///                                                 Session ──events──▶ Outbox ──behind the answers──┘
///
/// Memory is bounded: while stdout blocks, nothing is read. Events are written only when every requested edit is
/// answered, so that an edit is answered before it is reported as saved.
struct EditingStream<Form: StreamForm> {
  let session: Session
  let outbox: Outbox
  let settings: StreamSettings
  let errors: FirstError
  var form: Form
  /// The number of edits answered with ok.
  var acknowledged = 0
  var hasQuit = false
  var recent = RecentAdditions()
  /// The error that has ended writing to stdout.
  private(set) var broken: ArtError?

  init(
    _ session: Session, _ outbox: Outbox, _ settings: StreamSettings, _ errors: FirstError, _ form: Form
  ) {
    self.session = session
    self.outbox = outbox
    self.settings = settings
    self.errors = errors
    self.form = form
  }

  /// Reads and answers lines until the end of the input, or until stdout cannot be written: `broken` has that error.
  /// Throws when stdin cannot be read.
  mutating func run() throws(ArtError) {
    flush()
    while !hasQuit, broken == nil {
      let isOpen = outbox.isOpen
      if isOpen, form.hasLines {
        answer(try form.readLines() ?? [])
        continue
      }
      var ready = [
        pollfd(fd: outbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen && form.mayRead ? 0 : -1, events: Int16(POLLIN), revents: 0),
        // `poll` reports POLLERR when the reader of the pipe has gone.
        pollfd(fd: 1, events: 0, revents: 0),
      ]
      let count = poll(&ready, nfds_t(ready.count), form.timeout)
      guard count >= 0 || errno == EINTR else { throw .streamInput() }
      if ready[2].revents & Int16(POLLERR) != 0 { broken = .brokenPipe }
      if count == 0 { form.wake() }
      if ready[0].revents != 0 { outbox.wakeup.clear() }
      if count == 0 || ready[0].revents != 0 { flush() }
      if ready[1].revents != 0, outbox.isOpen {
        guard let lines = try form.readLines() else { return }
        answer(lines)
      }
    }
  }

  /// Saves and closes the document, or only closes it, and writes the last events. `listening` completes with the
  /// session's events. Throws when edits could not be saved.
  mutating func end(after listening: Outcome<Void>, saving: Bool) throws(ArtError) {
    let session = session
    let failure = wait { await session.end(discardingChanges: !saving) }
    if failure == nil && saving || !settings.isAtomic { recent.keep() }
    wait(for: listening)
    flush()
    guard let failure else { return }
    throw settings.isAtomic
      ? failure.error : .notSaved(failure.unsaved, in: session.filePath, failure.error)
  }

  /// Writes the answers, and then the events.
  mutating func flush() {
    let batch = outbox.drain()
    defer { for waiter in batch.waiters { waiter.signal() } }
    respond { (form) throws(ArtError) in try form.write(batch.late, with: batch.lines) }
    guard form.showsState, broken == nil else { return }
    let session = session
    let (state, unsaved) = Outcome { (await session.state, await session.unsavedChanges) }.wait()
    form.update(session, state, unsaved: unsaved, isTerminalNew: batch.isTerminalNew)
  }

  /// Writes an answer, unless stdout is broken.
  mutating func respond(_ body: (inout Form) throws(ArtError) -> Void) {
    guard broken == nil else { return }
    do throws(ArtError) { try body(&form) } catch { broken = error }
  }

  /// Answers a line with an error.
  mutating func respond(_ error: ArtError, to line: StreamLine) {
    errors.note(error)
    respond { (form) throws(ArtError) in try form.failed(error, line) }
  }

  /// Waits for long work, and writes events meanwhile.
  mutating func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let wakeup = outbox.wakeup
    return wait(for: Outcome(work) { wakeup.wake() })
  }

  /// The same for work that wakes this thread at its end.
  @discardableResult
  private mutating func wait<Value>(for outcome: Outcome<Value>) -> Value {
    while true {
      if let value = outcome.now { return value }
      waitForEvents()
    }
  }

  /// Waits for a wakeup and writes events; returns also when the reader of stdout has gone.
  mutating func waitForEvents() {
    var ready = [
      pollfd(fd: outbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: broken == nil ? 1 : -1, events: 0, revents: 0),
    ]
    poll(&ready, nfds_t(ready.count), -1)
    if ready[1].revents & Int16(POLLERR) != 0 { broken = .brokenPipe }
    outbox.wakeup.clear()
    flush()
  }
}

// MARK: - Answers

extension EditingStream {
  /// Answers lines in order.
  mutating func answer(_ lines: [StreamLine]) {
    var (rest, areMeasured) = (lines[...], false)
    while let first = rest.first, !hasQuit, broken == nil {
      if case .caption = first.request, !areMeasured {
        rest = measured(rest)
        areMeasured = true
        continue
      }
      let run = run(of: rest)
      if run.isEmpty { answer(first) } else { edit(run) }
      rest = rest.dropFirst(max(1, run.count))
      flush()
    }
    if form.showsState, !settings.isAtomic { recent.keep() }
  }

  /// The first lines that one call of the session can perform. A line about many emoji ends the run, to bound the
  /// memory for answers.
  private func run(of lines: ArraySlice<StreamLine>) -> ArraySlice<StreamLine> {
    var room = min(settings.killAfter.map { $0 - acknowledged } ?? .max, Self.mostInOneCall)
    var end = lines.startIndex
    while end < lines.endIndex, room > 0 {
      switch lines[end].request {
      case .edit: room -= lines[end].isAboutSeveral ? room : 1
      case .bad: break
      case .caption, .save, .show, .history, .earlier, .look, .background, .help, .quit: return lines[..<end]
      }
      end += 1
    }
    return lines[..<end]
  }

  /// A whole read in one call would answer a sixth more edits per second, but take a seventh more memory.
  private static var mostInOneCall: Int { 512 }

  private mutating func edit(_ run: ArraySlice<StreamLine>) {
    var answers = perform(run).makeIterator()
    for line in run {
      switch line.request {
      case .bad(let error): respond(error, to: line)
      case .edit(let request):
        switch answers.next() {
        case .success(let answer):
          recent.note(request)
          respond { (form) throws(ArtError) in try form.done(answer, of: line) }
          acknowledge()
        case .failure(let error): respond(error, to: line)
        case nil: break
        }
      case .caption, .save, .show, .history, .earlier, .look, .background, .help, .quit: break
      }
      // Without events: a part of the run is not answered yet.
      if form.size >= 1 << 18 { respond { (form) throws(ArtError) in try form.write(with: []) } }
    }
  }

  private mutating func perform(_ run: ArraySlice<StreamLine>) -> [Result<DocumentAnswer, ArtError>] {
    let (session, isAtomic, client) = (session, settings.isAtomic, session.client)
    let requests = run.compactMap { line -> ClientRequest? in
      guard case .edit(let request) = line.request else { return nil }
      // Without a session a tag is only a mark of the caller, and no key.
      return client.session == nil
        ? ClientRequest(request, by: client)
        : ClientRequest(request, by: client, tag: line.tag?.requestTag, since: line.since)
    }
    guard !requests.isEmpty else { return [] }
    while true {
      if let results = Outcome({ await session.perform(requests) }).wait() { return results }
      if isAtomic { return requests.map { _ in .failure(.tooManyAtOnce()) } }
      guard waitForCapacity() else { return [] }
    }
  }

  /// Waits for the capacity to make an edit. Returns false when the reader has gone; then the stream is over, and
  /// answered edits are in the journal. With `--atomic` it does not wait.
  mutating func waitForCapacity() -> Bool {
    guard !settings.isAtomic else { return true }
    let session = session
    let hasCapacity = Outcome {
      await session.waitForCapacity()
    } done: { [wakeup = outbox.wakeup] in
      wakeup.wake()
    }
    while hasCapacity.now == nil, broken == nil { waitForEvents() }
    return broken == nil
  }

  mutating func acknowledge() {
    acknowledged += 1
    guard acknowledged == settings.killAfter else { return }
    respond { (form) throws(ArtError) in try form.write(with: []) }
    kill(getpid(), SIGKILL)
  }

  private mutating func answer(_ line: StreamLine) {
    let session = session
    switch line.request {
    case .caption(let caption): answer(caption, line)
    case .save: save(line)
    case .show, .history:
      // Later events are written behind the answer, because they are newer than the snapshot.
      let snapshot = Outcome { await session.snapshot }.wait()
      respond { (form) throws(ArtError) in try form.show(snapshot, of: line) }
    case .earlier(let request): answer(request, line)
    case .look(let look):
      do { try look() } catch let error as ArtError { respond(error, to: line) } catch {
        respond(ArtError(.usage, "\(error)"), to: line)
      }
    case .background(let asked): answer(asked, to: line)
    case .help(let text): respond { (form) throws(ArtError) in try form.help(text) }
    case .quit: hasQuit = true
    case .edit, .bad: break
    }
  }

  /// The lines with the words of all captions measured, in one helper process. A caption that was performed before stays as it is.
  private mutating func measured(_ lines: ArraySlice<StreamLine>) -> ArraySlice<StreamLine> {
    let session = session
    let captions = lines.indices.compactMap {
      index -> (index: Int, action: CaptionAction, tag: RequestTag?)? in
      guard case .caption(let action) = lines[index].request else { return nil }
      return (index, action, tag(of: lines[index]))
    }
    let results = wait { await session.measured(captions.map { ($0.action, $0.tag) }) }
    var lines = lines
    for (caption, result) in zip(captions, results) {
      switch result {
      case .success(let action): lines[caption.index].request = .edit(.action(action))
      case .failure(let error): lines[caption.index].request = .bad(error)
      case nil: break
      }
    }
    return lines
  }

  /// The key of a line's edit; nil without a session, because a tag is only a mark of the caller then.
  private func tag(of line: StreamLine) -> RequestTag? {
    session.client.session == nil ? nil : line.tag?.requestTag
  }

  /// Answers a caption that was performed before.
  private mutating func answer(_ caption: CaptionAction, _ line: StreamLine) {
    let (session, tag, since) = (session, tag(of: line), line.since)
    let repeated = wait {
      await result { () async throws(ArtError) in try await session.perform(caption, tag: tag, since: since) }
    }
    switch repeated {
    case .success(let answer):
      respond { (form) throws(ArtError) in try form.done(answer, of: line) }
      acknowledge()
    case .failure(let error): respond(error, to: line)
    }
  }

  /// Goes back to an earlier state, and answers as to an undo.
  private mutating func revert(to state: RevisionReference, _ line: StreamLine) {
    let (session, tag, since) = (session, tag(of: line), line.since)
    let reverted = wait {
      await result { () async throws(ArtError) in
        try await session.revert(to: state, tag: tag, since: since)
      }
    }
    switch reverted {
    case .success(let answer):
      respond { (form) throws(ArtError) in try form.done(answer, of: line) }
      acknowledge()
    case .failure(let error): respond(error, to: line)
    }
  }

  /// Answers a request about earlier states.
  private mutating func answer(_ request: ProtocolRequest, _ line: StreamLine) {
    let isVersion =
      switch request.body {
      case .keepVersion, .removeVersion: true
      default: false
      }
    guard !settings.isAtomic || !isVersion else { return respond(.versionAtTheEnd(), to: line) }
    if let state = line.revertedState { return revert(to: state, line) }
    let session = session
    // Without a session a tag is only a mark of the caller, and no key.
    let keyed = session.client.session == nil ? request.withoutTag : request
    let outcome = wait {
      await result { () async throws(ArtError) in try await keyed.answer(by: session, hasZ: false) }
    }
    switch outcome {
    case .success(let outcome):
      respond { (form) throws(ArtError) in try form.answered(outcome, of: line) }
    case .failure(let error): respond(error, to: line)
    }
  }

  private mutating func save(_ line: StreamLine) {
    guard !settings.isAtomic else { return respond(.savedAtTheEnd(), to: line) }
    let session = session
    let saved = wait {
      await result { () async throws(ArtError) in
        try await session.save()
        return (revision: await session.revision, unsaved: await session.unsavedChanges)
      }
    }
    switch saved {
    case .success(let (revision, unsaved)):
      respond { (form) throws(ArtError) in try form.saved(revision: revision, unsaved: unsaved, of: line) }
    case .failure(let error): respond(error, to: line)
    }
  }
}

// MARK: - Backgrounds

extension EditingStream {
  /// Performs a request about the background. One that has to be fetched is answered at once, and reported again when
  /// it is applied or refused.
  mutating func answer(_ asked: BackgroundLine, to line: StreamLine) {
    switch asked {
    case .request(.fetch(let typed, let keepsCanvas, let allowsPrivate)):
      guard !settings.isAtomic else { return respond(.nothingFetchedAtomically(), to: line) }
      guard let url = url(typed, line) else { return }
      let request = BackgroundRequest(
        url, isUserInitiated: true, allowsPrivate: allowsPrivate || settings.allowsPrivate,
        proxies: settings.proxies)
      fetch(url.redacted, line) { (session, tag, number) throws(ArtError) in
        try await session.setBackground(request, keepsCanvas: keepsCanvas, tag: tag, line: number)
      }
    case .picture(let path, let keepsCanvas):
      guard !settings.isAtomic else { return respond(.nothingFetchedAtomically(), to: line) }
      guard let bytes = bytes(of: path, line) else { return }
      fetch(path, line) { (session, tag, number) throws(ArtError) in
        try await session.setBackground(bytes, keepsCanvas: keepsCanvas, tag: tag, line: number)
      }
    case .request(.later(let typed)):
      guard let url = url(typed, line) else { return }
      do throws(ArtError) {
        guard let pending = try PendingBackground(later: url, at: WallClock.milliseconds()) else {
          throw .tooLongToKeep()
        }
        change(.later(pending), line)
      } catch {
        respond(error, to: line)
      }
    case .request(.clear): change(.clear, line)
    }
  }

  /// Starts fetching a background, and writes the answer before the result.
  private mutating func fetch(
    _ what: String, _ line: StreamLine,
    _ begin: @escaping @Sendable (Session, _ tag: String?, _ number: Int?) async throws(ArtError) -> Void
  ) {
    let (session, tag, number) = (session, line.tag?.text, line.number)
    let begun = Outcome {
      await result { () async throws(ArtError) in try await begin(session, tag, number) }
    }
    switch begun.wait() {
    case .success: respond { (form) throws(ArtError) in try form.fetching(what, of: line) }
    case .failure(let error): respond(error, to: line)
    }
  }

  /// Parses the typed URL; reports a refused one and returns nil.
  private mutating func url(_ typed: String, _ line: StreamLine) -> BackgroundURL? {
    do throws(Refusal) { return try BackgroundURL(typed) } catch {
      refuse(error, url: typed, line)
      return nil
    }
  }

  /// Answers a request for a background that is refused before anything is fetched. On this thread, so that the answer is in order
  /// and `--atomic` knows of it.
  private func refuse(_ refusal: Refusal, url: String?, _ line: StreamLine) {
    let event = DocumentBackgrounds.Event(
      .rejected(refusal), url: url, isRequested: true, tag: line.tag?.text, line: line.number)
    errors.note(.background(event))
    Form.report(.background(event), to: outbox)
    if let warning = session.warning(of: event) { Form.warn(warning, of: session.filePath, by: outbox) }
  }

  /// Reads the user's own picture; nil if it cannot be read or is refused, which is reported.
  private mutating func bytes(of path: String, _ line: StreamLine) -> [UInt8]? {
    // Opening and closing the document's own file would release the locks of a save in progress.
    guard !FileStatus.isSameFile(path, session.filePath) else {
      respond(ArtError(.badValue, "\(path) is the document itself, and no picture"), to: line)
      return nil
    }
    do {
      guard case .bytes(let bytes) = try PictureSource.path(path).read() else { return nil }
      return bytes
    } catch let refusal as Refusal {
      refuse(refusal, url: nil, line)
    } catch let error as ArtError {
      respond(error, to: line)
    } catch {
      respond(ArtError(.inputOutput, "cannot read \(path): \(error)"), to: line)
    }
    return nil
  }

  /// Performs an edit that cancels earlier fetches.
  private mutating func change(_ change: BackgroundChange, _ line: StreamLine) {
    guard waitForCapacity() else { return }
    let session = session
    let edited = wait {
      await result { () async throws(ArtError) in
        guard await session.hasCapacity else { throw .tooManyAtOnce() }
        try await session.changeBackground(change)
        return await session.unsavedChanges
      }
    }
    switch edited {
    case .success(let unsaved):
      respond { (form) throws(ArtError) in try form.edited(unsaved: unsaved, of: line) }
      acknowledge()
    case .failure(let error): respond(error, to: line)
    }
  }

  /// Waits for fetches in progress, and writes events; returns when the reader of stdout has gone.
  mutating func waitForBackgrounds() {
    guard broken == nil else { return }
    let session = session
    let over = Outcome {
      await session.waitForBackground()
    } done: { [wakeup = outbox.wakeup] in
      wakeup.wake()
    }
    while over.now == nil, broken == nil { waitForEvents() }
  }
}

extension FileStatus {
  /// Whether two paths lead to one file; false where one leads to none.
  static func isSameFile(_ path: String, _ other: String) -> Bool {
    do throws(SystemError) {
      return try FileStatus(at: path).identity == FileStatus(at: other).identity
    } catch {
      return false
    }
  }
}
