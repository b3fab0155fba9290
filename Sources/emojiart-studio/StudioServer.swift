// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWeb
  import ArtWorkspace
  import CSodium
  import Glibc
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOWebSocket
  import Synchronization

  /// The server of one folder: what all of its connections share.
  ///
  ///     connection ──▶ LoopbackPeer ──▶ ConnectionLimit ──▶ HTTP ──▶ RequestHandler ──▶ StudioBodies
  ///                                                      └──upgrade──▶ SocketHandler ──▶ LivePage ──▶ Session
  final class StudioServer: Sendable {
    /// The most connections, and the most pages among them.
    static let (connections, pages) = (128, 64)
    /// How many thumbnails are drawn at once.
    static let drawings = 2
    /// How long a server that opened a browser lives without a page.
    static let idleLife = Duration.seconds(60)
    /// The longest time in which the use of a session is not kept.
    static let keepPause = Duration.seconds(86_400)
    /// How long pages have to save at the end.
    static let endLife = Duration.milliseconds(1_900)
    /// How long the server waits until its pages have got the message that it ends.
    static let goodbyeLife = TimeAmount.milliseconds(500)
    /// How long a program waits for a server of its folder that starts or ends.
    static let changeLife = Duration.seconds(5)

    private struct Page {
      let channel: any Channel
      /// Nil until it has proved its session.
      var ticket: String?
    }

    private struct State {
      var sessions: PageSessions
      var connections = 0
      var sockets: [ObjectIdentifier: Page] = [:]
      var isEnding = false
      /// When the sessions were kept last.
      var kept: Duration
      /// Counts the pages that came and the links, so that a server without pages knows whether there was one meanwhile.
      var arrivals = 0
    }

    let launch: StudioLaunch
    let hub: StudioHub
    let bodies: StudioBodies
    let assets = SentAssets(.system)
    /// Its name and its port.
    let host: ServerRecord.Host
    let waiting: WaitingBytes
    /// Those of former servers.
    private let formerHosts: [ServerRecord.Host]
    /// Names the folder also after a restart.
    private let folderID: String
    /// The sockets of this server, if a later one can get them.
    private let sockets: [ServerRecord.Socket]
    /// What its pages seal their kept edits with; nil if it cannot be kept.
    private let secret: [UInt8]?
    private let keep: @Sendable (ServerRecord?) throws(ArtError) -> Void
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let end: @Sendable () -> Void
    /// The sessions in the record that is kept. Held from the copy of the sessions until it is written, so that an older copy never replaces a newer one.
    private let keeping: Mutex<Set<String>>
    private let state: Mutex<State>

    /// A server of a folder at a port. With the sockets of the former server it has that one's name and knows its sessions: nobody else had the port
    /// meanwhile. Any other one draws a name, so that nothing which another program has left in a browser is of its origin.
    /// `hosts` are those of former servers, the newest first, besides those of the record. `start` is the time since the machine's boot, `waiting` how
    /// many bytes may wait. `keep` keeps the record for a later server, or removes it. `end` ends the server.
    init(
      _ launch: StudioLaunch, _ workspace: Workspace, port: Int, sockets: [ServerRecord.Socket] = [],
      after former: ServerRecord? = nil, hosts: [ServerRecord.Host] = [], at start: Duration = .zero,
      waiting: Int = WaitingBytes.limit,
      secret: [UInt8]? = nil, preferences: PagePreferences? = nil,
      clock: some Clock<Duration> = ContinuousClock(),
      end: @escaping @Sendable () -> Void = { kill(getpid(), SIGTERM) },
      keep: @escaping @Sendable (ServerRecord?) throws(ArtError) -> Void
    ) {
      (self.launch, self.sockets, self.secret, self.keep, self.end) = (launch, sockets, secret, keep, end)
      let successor = former.flatMap { $0.hasSockets(sockets) ? $0 : nil }
      let host = successor?.hosts.first ?? ServerRecord.Host(at: port, random: WebSecrets.system.random)
      var others = Set([host])
      formerHosts = ((former?.hosts ?? []) + hosts).filter { others.insert($0).inserted }
      self.host = host
      keeping = Mutex(Set((former?.sessions ?? []).map(\.id)))
      self.waiting = WaitingBytes(limit: waiting)
      let begin = clock.now
      elapsed = { start + begin.duration(to: clock.now) }
      sleep = { try await clock.sleep(for: $0) }
      hub = StudioHub(workspace, first: launch.document, preferences: preferences)
      let font = FontChoice()
      bodies = StudioBodies(
        workspace, by: Renderer(),
        thumbnails: Thumbnails(
          font: { font.current }, renderer: Renderer(pool: HelperPool(limit: Self.drawings)),
          recovery: workspace.recovery(by: nil)),
        font: font)
      folderID = Self.identity(of: launch.folder)
      let sessions = (successor?.sessions ?? []).map { PageSessions.Session($0) }
      state = Mutex(State(sessions: PageSessions(.system, sessions: sessions), kept: start))
    }

    /// The identity of the folder at a path.
    static func identity(of folder: String) -> String {
      identity(FileIdentity(at: folder), born: FileIdentity.birthTime(at: folder), at: folder)
    }

    /// A digest that names a folder. A folder that is renamed or moved within its file system keeps it (decision 81). Another folder can have
    /// had the same device and inode. Where the file system does not give the time of birth, the path is part of the digest instead.
    static func identity(_ file: FileIdentity?, born: timespec?, at path: String) -> String {
      let numbers = file.map { "\($0.device):\($0.inode)" } ?? ""
      let rest = born.map { "\($0.tv_sec).\($0.tv_nsec)" } ?? path
      return hexadecimal(Array(WebSecrets.system.digest(Array("\(numbers):\(rest)".utf8)).prefix(16)))
    }

    /// What the user has chosen in pages; nothing if that cannot be read.
    func preferences() -> [String: String] {
      do throws(ArtError) { return try hub.preferences?.read() ?? [:] } catch {
        Main.report("pages have only the settings that their browser keeps: \(error.cause)")
        return [:]
      }
    }

    /// The message that welcomes a page.
    func welcome(_ ticket: String) -> [UInt8] {
      Handshake.welcome(
        ticket: ticket, folder: launch.folder, folderID: folderID, document: hub.first, secret: secret)
    }

    /// The client, with the name of this server's user if its page gives none.
    func named(_ client: DocumentClient) -> DocumentClient {
      guard client.author == nil, let author = launch.author else { return client }
      do throws(ArtError) { return try DocumentClient(author: author, session: client.session) } catch {
        // The launch has checked the name, so this cannot fail.
        return client
      }
    }

    /// The time of codes and sessions: since the machine's boot.
    var now: Duration { elapsed() }

    /// The link of the page with a new launch code. A server that opened a browser waits a minute for a page that comes by it.
    func link() -> String {
      let code = withSessions { sessions, now in sessions.makeCode(at: now) }
      state.withLock { $0.arrivals += 1 }
      endUnlessPageComes()
      return "http://\(host.name):\(host.port)/#c=\(code)"
    }

    /// Uses the sessions.
    func withSessions<Value: Sendable, Failure>(
      _ body: (inout PageSessions, Duration) throws(Failure) -> Value
    ) throws(Failure) -> Value {
      let now = now
      let result = state.withLock { state -> Result<Value, Failure> in
        do throws(Failure) { return .success(try body(&state.sessions, now)) } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }

    /// Keeps the hosts, and with sockets that a later server can get the sessions' keys, for that one. If that fails, the kept record stays, unless it
    /// has a session that was revoked. Returns why such a session is still in it.
    @discardableResult
    func keepSessions(without revoked: Set<String> = []) -> ArtError? {
      keeping.withLock { kept in
        var record = ServerRecord(
          folder: launch.folder, hosts: Array(([host] + formerHosts).prefix(ServerRecord.mostHosts)),
          sockets: sockets)
        if !sockets.isEmpty {
          let now = now
          record.sessions = state.withLock { state in
            state.kept = now
            return state.sessions.kept(at: now)
          }.map { $0.key() }
        }
        do throws(ArtError) {
          try keep(record)
          kept = Set(record.sessions.map(\.id))
          return nil
        } catch {
          Main.report("pages may need a new link after a restart: \(error.cause)")
        }
        guard !kept.isDisjoint(with: revoked) else { return nil }
        do throws(ArtError) {
          try keep(nil)
          kept = []
          return nil
        } catch {
          return error
        }
      }
    }

    /// The sessions for display.
    func sessions() -> [StudioSession] {
      let time = WallClock.milliseconds()
      return withSessions { sessions, now in
        sessions.kept(at: now).map { session in
          StudioSession(
            id: session.id, made: time - (now - session.made).milliseconds,
            used: time - (now - session.used).milliseconds, isConnected: sessions.isConnected(session.id))
        }
      }
    }

    /// Ends a session, or all of them, and tells their pages. Returns how many there were, and why the next server may still know them.
    func revoke(_ session: String?) -> (count: Int, fault: ArtError?) {
      let ended = state.withLock { state in
        let pages = state.sockets.values.filter { page in
          guard let own = page.ticket.flatMap({ state.sessions.session(of: $0) }) else { return false }
          return session == nil || own == session
        }
        return (pages.map(\.channel), state.sessions.revoke(session))
      }
      for channel in ended.0 { channel.pipeline.fireUserInboundEventTriggered(SocketHandler.SessionEnded()) }
      return (ended.1.count, keepSessions(without: ended.1))
    }

    // MARK: Connections

    /// Whether the server ends: it takes no connections and gives no links any more.
    var isEnding: Bool { state.withLock(\.isEnding) }

    /// Counts a connection; false if there are too many.
    func connect() -> Bool {
      state.withLock { state in
        guard state.connections < Self.connections, !state.isEnding else { return false }
        state.connections += 1
        return true
      }
    }

    /// The connection has ended.
    func disconnect() { state.withLock { $0.connections -= 1 } }

    /// Counts a page; false if there are too many.
    func add(_ channel: any Channel) -> Bool {
      state.withLock { state in
        guard state.sockets.count < Self.pages, !state.isEnding else { return false }
        state.sockets[ObjectIdentifier(channel)] = Page(channel: channel)
        state.arrivals += 1
        return true
      }
    }

    /// A page has proved its session.
    func admit(_ channel: any Channel, _ ticket: String) {
      state.withLock { $0.sockets[ObjectIdentifier(channel)]?.ticket = ticket }
      // Writing a file may take long, and this is the thread of all connections.
      if !sockets.isEmpty { Task { keepSessions() } }
    }

    /// Whether the page with a ticket may stay connected. It so uses its session, which is kept once a day: a later server must know that a session
    /// is in use, however long its page stays.
    func stays(_ ticket: String) -> Bool {
      let now = now
      let (stays, isDue) = state.withLock { state in
        guard state.sessions.stays(ticket, at: now) else { return (false, false) }
        guard !sockets.isEmpty, now >= state.kept + Self.keepPause else { return (true, false) }
        state.kept = now
        return (true, true)
      }
      if isDue { Task { keepSessions() } }
      return stays
    }

    /// A page has gone. After the last one, a server that opened a browser ends.
    func remove(_ channel: any Channel) {
      let isLast = state.withLock { state in
        state.sockets[ObjectIdentifier(channel)] = nil
        return state.sockets.isEmpty
      }
      if isLast { endUnlessPageComes() }
    }

    /// Ends a server that opened a browser, if it has no page a minute from now, and got none and gave no link meanwhile.
    private func endUnlessPageComes() {
      guard launch.opens else { return }
      let arrivals = state.withLock(\.arrivals)
      Task {
        try await sleep(Self.idleLife)
        if state.withLock({ $0.sockets.isEmpty && $0.arrivals == arrivals }) { end() }
      }
    }

    /// Tells every page that the server ends. Returns when that is written, or after a moment: a page may not read.
    private func sayGoodbye(_ loop: any EventLoop) async {
      let channels = state.withLock { state in
        state.isEnding = true
        return state.sockets.values.map(\.channel)
      }
      let written = channels.map { channel in
        let frame = WebSocketFrame(
          fin: true, opcode: .text, data: ByteBuffer(string: #"{"bye":"the server ends"}"#))
        return channel.writeAndFlush(frame)
      }
      let told = loop.makePromise(of: Void.self)
      EventLoopFuture.andAllComplete(written, on: loop).cascade(to: told)
      loop.scheduleTask(in: Self.goodbyeLife) { told.succeed() }
      do { try await told.futureResult.get() } catch {
        // A page that cannot be told has gone already.
      }
    }
  }

  // MARK: - The server's life

  /// The signals that end the server. A thread receives them, which ends the program at once until they are awaited: before there is a page,
  /// nothing needs to be saved.
  final class EndingSignals: Sendable {
    /// The signals since they are awaited.
    let stream: AsyncStream<Int32>
    private let isServing = Atomic(false)

    /// Blocks the signals in this thread and in all that begin after it. Throws where no thread can be started.
    init() throws(ArtError) {
      let (stream, continuation) = AsyncStream<Int32>.makeStream()
      self.stream = stream
      do throws(SystemError) {
        try SignalSource().follow { number in
          guard self.isAwaited else { SignalSource.die(of: number) }
          continuation.yield(number)
        }
      } catch {
        throw .noThread(error)
      }
    }

    /// Whether the server saves before it ends.
    var isAwaited: Bool {
      get { isServing.load(ordering: .acquiring) }
      set { isServing.store(newValue, ordering: .releasing) }
    }
  }

  extension StudioServer {
    /// Serves until a signal ends it, or prints a link of the server that is running. Throws why it cannot.
    static func run(_ launch: StudioLaunch, _ ending: EndingSignals) async throws(ArtError) {
      let handed = try ListeningSocket(handedTo: getpid())
      guard let place = try await place(launch, handed) else { return }
      guard launch.request == nil else {
        throw ArtError(
          .unavailable, "no server is running for \(launch.folder); start one with `emojiart serve`",
          about: launch.folder)
      }
      let former = try place.record()
      var settings = WorkspaceSettings()
      // What a page does is soon in the file, and what others do is soon in the page.
      settings.autosave = AutosavePolicy(delay: .milliseconds(150))
      settings.quiet = .milliseconds(5)
      // The document browser shows subfolders. Someone may serve a home folder, where most of them are of no interest.
      settings.isRecursive = true
      settings.skipsHiddenFolders = true
      settings.mostFolders = 4_000
      settings.merges = .carried
      let workspace = try await Workspace.open(launch.folder, settings)
      let socket: ListeningSocket
      if let handed {
        socket = handed
      } else {
        socket = try ListeningSocket(at: launch.port)
      }
      let server = StudioServer(
        launch, workspace, port: socket.port, sockets: handed?.identities ?? [], after: former,
        hosts: formerHosts(of: launch.folder), at: .seconds(ListeningSocket.secondsSinceBoot),
        secret: Self.secret(), preferences: PagePreferences()
      ) { (record) throws(ArtError) in
        if let record { try place.write(record) } else { try place.removeRecord() }
      }
      server.keepSessions()
      server.keepHost()
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      ending.isAwaited = true
      let listeners =
        try await listen(socket, server, group) + listenAtFormerPorts(server, group)
      let control = try await ControlSocket.listen(at: place.socket, server, group)
      let link = server.link()
      Main.write(link + "\n", to: 1)
      if launch.opens { Browser.open(link) }
      for await _ in ending.stream { break }
      let telling = Task { await server.sayGoodbye(group.next()) }
      for listener in listeners { listener.close(promise: nil) }
      control.close(promise: nil)
      unlink(place.socket)
      let saving = Task { await workspace.close() }
      let deadline = Task {
        try await Task.sleep(for: endLife)
        Main.report(
          "not everything was saved in time; the edits are in the journals, and the next opening restores them"
        )
        exit(ExitStatus.inputOutput.rawValue)
      }
      let failure = await saving.value
      await telling.value
      deadline.cancel()
      // Pages have used their sessions meanwhile.
      server.keepSessions()
      if let failure { throw failure }
    }

    /// The addresses of former servers of a folder.
    private static func formerHosts(of folder: String) -> [ServerRecord.Host] {
      do throws(ArtError) { return try FormerHosts().read(of: identity(of: folder)) } catch {
        // `keepHost` says why.
        return []
      }
    }

    /// Keeps the address of this server for all later ones. Where that fails, the record has it for the next few ones.
    private func keepHost() {
      do throws(ArtError) { try FormerHosts().add(host, of: folderID) } catch {
        Main.report("the addresses of servers are remembered only until you log out: \(error.cause)")
      }
    }

    /// The user's secret for pages. Without it pages keep edits in their memory only.
    private static func secret() -> [UInt8]? {
      do throws(ArtError) { return try PageSecret.read(random: WebSecrets.system.random) } catch {
        Main.report("pages cannot keep edits over a reload: \(error.cause)")
        return nil
      }
    }

    private static func listen(
      _ socket: ListeningSocket, _ server: StudioServer, _ group: MultiThreadedEventLoopGroup
    ) async throws(ArtError) -> [any Channel] {
      let door = Door(port: socket.port, of: server.host, former: server.formerHosts)
      var listeners: [any Channel] = []
      for descriptor in socket.descriptors {
        listeners.append(try await Connection.listen(descriptor, server, at: door, group))
      }
      return listeners
    }

    /// The most ports of former servers at which a server listens.
    private static let formerPorts = 4

    /// Listens where the last former servers did, at those ports that are free: see `Door`.
    private static func listenAtFormerPorts(
      _ server: StudioServer, _ group: MultiThreadedEventLoopGroup
    ) async throws(ArtError) -> [any Channel] {
      var listeners: [any Channel] = []
      var seen = Set([server.host.port])
      let ports = server.formerHosts.map(\.port).filter { seen.insert($0).inserted }
      for port in ports.prefix(formerPorts) {
        let socket: ListeningSocket
        do throws(SystemError) { socket = try ListeningSocket(at: port) } catch {
          // Another program has the port by now, as it may.
          continue
        }
        listeners += try await listen(socket, server, group)
      }
      return listeners
    }

    /// Takes the place of the folder's server. If a server is running, has it answer what the launch asks for, prints that and returns nil. A
    /// server that starts or ends does not answer: this tries again for 5 seconds, and then throws `busy`.
    private static func place(
      _ launch: StudioLaunch, _ handed: ListeningSocket?
    ) async throws(ArtError) -> ServerPlace? {
      if let handed, let port = launch.port, handed.port != port {
        throw ArtError(.usage, "the socket that was handed over is at port \(handed.port); leave --port out")
      }
      let end = ContinuousClock.now + changeLife
      while true {
        let place = try ServerPlace(of: launch.folder)
        if place.isOwn { return place }
        if let answer = try ControlSocket.ask(launch.request ?? .link, at: place.socket) {
          guard handed == nil else {
            throw ArtError(
              .unavailable,
              "a server of \(launch.folder) is running at another socket; end that server first",
              about: launch.folder)
          }
          try show(answer, launch)
          return nil
        }
        guard ContinuousClock.now < end else {
          throw ArtError(
            .busy, "the server of \(launch.folder) does not answer; try again", about: launch.folder)
        }
        do { try await Task.sleep(for: .milliseconds(20)) } catch {
          // A cancelled sleep only makes the next try come sooner.
        }
      }
    }

    /// Prints what the running server has answered.
    private static func show(_ answer: String, _ launch: StudioLaunch) throws(ArtError) {
      switch launch.request ?? .link {
      case .link:
        guard let running = RunningServer(answer: answer) else { throw .badAnswer(launch.folder) }
        try show(running, launch)
      case .sessions:
        let sessions = try StudioSession.parse(answer)
        Main.write(launch.isJSON ? StudioSession.json(sessions) : StudioSession.words(sessions), to: 1)
      case .revoke(let session):
        let parts = answer.dropLast().split(separator: " ", maxSplits: 1)
        guard let count = parts.first.flatMap({ Int($0) }) else { throw .badAnswer(launch.folder) }
        guard count > 0 || session == nil else {
          throw ArtError(
            .badValue, "there is no session \(session ?? ""); see `emojiart serve --sessions`", about: session
          )
        }
        Main.write(
          launch.isJSON
            ? "{\"revoked\":\(count)}\n" : "\(count) \(count == 1 ? "session" : "sessions") ended\n", to: 1)
        guard parts.count == 1 else {
          throw ArtError(
            .inputOutput,
            "the server has ended what was asked for, but a later one may still know it: \(parts[1]); remove that file yourself",
            about: launch.folder)
        }
      }
    }

    /// Prints a link of the running server to the document that is asked for.
    private static func show(_ running: RunningServer, _ launch: StudioLaunch) throws(ArtError) {
      for (option, isOther) in [
        ("--port", launch.port != nil && launch.port != running.port), ("--assets", launch.assets != nil),
      ] where isOther {
        throw ArtError(
          .usage,
          "a server of \(launch.folder) is running at port \(running.port); leave \(option) out, or end that server first",
          about: launch.folder)
      }
      let link = running.link(to: launch.document)
      Main.write(link + "\n", to: 1)
      if launch.opens { Browser.open(link) }
    }
  }

  extension ArtError {
    fileprivate static func badAnswer(_ folder: String) -> ArtError {
      ArtError(.unavailable, "the server of \(folder) is of another version; end it first", about: folder)
    }
  }

  extension PageSessions.Session {
    /// The session of a former server.
    fileprivate init(_ key: ServerRecord.SessionKey) {
      self.init(id: key.id, key: key.key, made: .seconds(key.made), used: .seconds(key.used))
    }

    /// What is kept of it for a later server.
    fileprivate func key() -> ServerRecord.SessionKey {
      ServerRecord.SessionKey(
        id: id, key: key, made: Int(made.components.seconds), used: Int(used.components.seconds))
    }
  }

  extension Duration {
    fileprivate var milliseconds: Int {
      Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
  }

  extension WebSecrets {
    /// Those of libsodium and of the system.
    static let system = WebSecrets(
      digest: { bytes in
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        // It cannot fail.
        _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
      },
      authenticate: { key, text in
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        var state = crypto_auth_hmacsha256_state()
        let bytes = Array(text.utf8)
        _ = crypto_auth_hmacsha256_init(&state, key, key.count)
        _ = crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        _ = crypto_auth_hmacsha256_final(&state, &code)
        return code
      },
      random: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      })
  }

  /// The user's browser.
  enum Browser {
    /// Opens a link. Without a browser the printed link is there all the same.
    static func open(_ link: String) {
      guard start(["xdg-open", link]) else {
        return Main.report("no browser could be started; open the link yourself")
      }
    }

    /// Starts a program as a shell would: without this process's signal mask, session, input and output.
    private static func start(_ program: [String]) -> Bool {
      let words = OpenFileLimit.wordsBeneath(program)
      let arguments = words.map { strdup($0) } + [nil]
      defer { for argument in arguments { free(argument) } }
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var (none, all) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      sigfillset(&all)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setsigdefault(&attributes, &all)
      // POSIX_SPAWN_SETSID of <spawn.h>, which Swift does not import.
      let newSession: Int32 = 0x80
      let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession
      posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for descriptor in [0, 1] as [Int32] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
      var process = pid_t()
      return posix_spawnp(&process, words[0], &actions, &attributes, arguments, environ) == 0
    }
  }
#endif
