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
  ///     connection ──▶ LoopbackPeer ──▶ OpeningLimit ──▶ HTTP ──▶ RequestHandler ──▶ StudioBodies
  ///                                                      └──upgrade──▶ SocketHandler ──▶ LivePage ──▶ Session
  final class StudioServer: Sendable {
    /// The most connections, and the most pages among them.
    static let (connections, pages) = (128, 64)
    /// How long a server that opened a browser lives without a page.
    static let idleLife = Duration.seconds(60)
    /// How long pages have to save at the end.
    static let endLife = Duration.milliseconds(1_900)
    /// How long the server waits until its pages have got the message that it ends.
    static let goodbyeLife = TimeAmount.milliseconds(500)

    private struct State {
      var sessions: PageSessions
      var connections = 0
      var sockets: [ObjectIdentifier: any Channel] = [:]
      var isEnding = false
      /// Counts the pages that came, so that a server without pages knows whether one came meanwhile.
      var arrivals = 0
    }

    let launch: StudioLaunch
    let hub: StudioHub
    let bodies: StudioBodies
    let gate: Gate
    let assets = SentAssets(.system)
    let port: Int
    private let keep: @Sendable (ServerRecord) throws(ArtError) -> Void
    private let elapsed: @Sendable () -> Duration
    private let state: Mutex<State>

    /// A server of a folder that knows the sessions of a former one. `keep` keeps them for a later one.
    init(
      _ launch: StudioLaunch, _ workspace: Workspace, port: Int, keys: [ServerRecord.SessionKey] = [],
      clock: some Clock<Duration> = ContinuousClock(),
      keep: @escaping @Sendable (ServerRecord) throws(ArtError) -> Void
    ) {
      (self.launch, self.port, self.keep) = (launch, port, keep)
      let start = clock.now
      elapsed = { start.duration(to: clock.now) }
      hub = StudioHub(workspace, first: launch.document)
      bodies = StudioBodies(workspace, by: Renderer())
      gate = Gate(port: port)
      state = Mutex(State(sessions: PageSessions(.system, keys: keys.map { ($0.id, $0.key) })))
    }

    /// The message that welcomes a page.
    func welcome(_ ticket: String) -> [UInt8] {
      Handshake.welcome(ticket: ticket, folder: launch.folder, document: hub.first)
    }

    /// The client, with the name of this server's user if its page gives none.
    func named(_ client: DocumentClient) -> DocumentClient {
      guard client.author == nil, let author = launch.author else { return client }
      // `emojiart serve` has checked the name; one that is refused here is left out.
      return (try? DocumentClient(author: author, session: client.session)) ?? client
    }

    /// The time since the server started.
    var now: Duration { elapsed() }

    /// The link of the page with a new launch code.
    func link() -> String {
      let code = withSessions { sessions, now in sessions.makeCode(at: now) }
      return "http://127.0.0.1:\(port)/#c=\(code)"
    }

    /// Uses the sessions. Their keys are kept for a later server when a session was added.
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

    /// Keeps the sessions' keys for a later server. Without them its pages need a new link.
    func keepSessions() {
      let kept = state.withLock { $0.sessions.kept }
      let record = ServerRecord(
        folder: launch.folder, port: port, process: Int(getpid()),
        sessions: kept.map { ServerRecord.SessionKey(id: $0.id, key: $0.key) })
      do throws(ArtError) { try keep(record) } catch {
        Main.write("emojiart-studio: pages will need a new link after a restart: \(error.cause)\n", to: 2)
      }
    }

    // MARK: Connections

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
        state.sockets[ObjectIdentifier(channel)] = channel
        state.arrivals += 1
        return true
      }
    }

    /// A page has gone. After the last one, a server that opened a browser ends.
    func remove(_ channel: any Channel) {
      let arrivals = state.withLock { state -> Int? in
        state.sockets[ObjectIdentifier(channel)] = nil
        return state.sockets.isEmpty ? state.arrivals : nil
      }
      guard launch.opens, let arrivals else { return }
      Task {
        try await Task.sleep(for: Self.idleLife)
        if state.withLock({ $0.sockets.isEmpty && $0.arrivals == arrivals }) { kill(getpid(), SIGTERM) }
      }
    }

    /// Tells every page that the server ends. Returns when that is written, or after a moment: a page may not read.
    private func sayGoodbye(_ loop: any EventLoop) async {
      let channels = state.withLock { state in
        state.isEnding = true
        return Array(state.sockets.values)
      }
      let written = channels.map { channel in
        let frame = WebSocketFrame(
          fin: true, opcode: .text, data: ByteBuffer(string: #"{"bye":"the server ends"}"#))
        return channel.writeAndFlush(frame)
      }
      let told = loop.makePromise(of: Void.self)
      EventLoopFuture.andAllComplete(written, on: loop).cascade(to: told)
      loop.scheduleTask(in: Self.goodbyeLife) { told.succeed() }
      // None of these futures fails.
      do { try await told.futureResult.get() } catch {}
    }
  }

  // MARK: - The server's life

  extension StudioServer {
    /// Serves until a signal ends it. Throws why it cannot serve.
    static func run(_ launch: StudioLaunch, _ signals: SignalSource) async throws(ArtError) {
      let place = try ServerPlace(of: launch.folder)
      guard place.isOwn else { return try await ask(place, launch) }
      guard !launch.isLink else {
        throw ArtError(.unavailable, "no server is running for \(launch.folder)", about: launch.folder)
      }
      let former = try place.record()
      var settings = WorkspaceSettings()
      // What a page does is soon in the file, and what others do is soon in the page.
      settings.autosave = AutosavePolicy(delay: .milliseconds(150))
      settings.quiet = .milliseconds(5)
      let workspace = try await Workspace.open(launch.folder, settings)
      let (descriptor, port) = try listen(on: [launch.port, former?.port, 0].compactMap(\.self), launch)
      let server = StudioServer(launch, workspace, port: port, keys: former?.sessions ?? []) {
        (record) throws(ArtError) in try place.write(record)
      }
      server.keepSessions()
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let listener = try await Connection.listen(descriptor, server, group)
      let control = try await ControlSocket.listen(at: place.socket, server, group)
      let ended = AsyncStream<Int32>.makeStream()
      do throws(SystemError) { try signals.follow { ended.continuation.yield($0) } } catch {
        throw ArtError(error, cannot: "start", "a thread for signals")
      }
      let link = server.link()
      Main.write(link + "\n", to: 1)
      if launch.opens { Browser.open(link) }
      for await _ in ended.stream { break }
      let telling = Task { await server.sayGoodbye(group.next()) }
      listener.close(promise: nil)
      control.close(promise: nil)
      unlink(place.socket)
      let saving = Task { await workspace.close() }
      let deadline = Task {
        try await Task.sleep(for: endLife)
        // What is not saved by now is in the journals.
        exit(ExitStatus.inputOutput.rawValue)
      }
      let failure = await saving.value
      await telling.value
      deadline.cancel()
      if let failure { throw failure }
    }

    /// Asks the running server for a link.
    private static func ask(_ place: ServerPlace, _ launch: StudioLaunch) async throws(ArtError) {
      let link = try ControlSocket.link(from: place.socket)
      Main.write(link + "\n", to: 1)
      if launch.opens { Browser.open(link) }
    }

    /// Binds the first of these ports of 127.0.0.1 that is free; 0 stands for any. A port that the user wants must be free.
    private static func listen(
      on ports: [Int], _ launch: StudioLaunch
    ) throws(ArtError) -> (descriptor: Int32, port: Int) {
      for port in ports {
        if let bound = bind(port) { return bound }
        guard port != launch.port else {
          throw ArtError(
            .unavailable, "port \(port) is in use; choose another one with --port", about: "\(port)")
        }
      }
      throw ArtError(.unavailable, "no port of 127.0.0.1 is free")
    }

    private static func bind(_ port: Int) -> (descriptor: Int32, port: Int)? {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { return nil }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      // Connections of a former server that are not forgotten yet do not hold the port; a listening server does.
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
      }
      guard isBound else {
        close(descriptor)
        return nil
      }
      return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
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
      guard fork(["xdg-open", link]) else {
        return Main.write("emojiart-studio: no browser could be started; open the link yourself\n", to: 2)
      }
    }

    private static func fork(_ words: [String]) -> Bool {
      let arguments = words.map { strdup($0) } + [nil]
      defer { for argument in arguments { free(argument) } }
      var process = pid_t()
      return posix_spawnp(&process, words[0], nil, nil, arguments, environ) == 0
    }
  }
#endif
