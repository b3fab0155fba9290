// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

/// The real server with pages that are programs, the command, and kills.
@Suite("The studio's server", .serialized, .timeLimit(.minutes(10))) struct StudioServerTests {
  @Test("H6 H8 two pages and a command edit one document, and all end with what is in the file")
  func together() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let ada = try studio.page(server.link, client: "aaaaaaaaaaaa")
    let bob = try studio.page(try studio.link(), client: "bbbbbbbbbbbb")
    for page in [ada, bob] { try page.open() }
    let id = try #require(ada.ids.first)
    try ada.ask(#"{"edit":{"changes":[["move","\#(id)",1,2]],"name":"move"},"tag":"T"}"#)
    try bob.ask(#"{"edit":{"changes":[["resize","\#(id)",77]],"name":"resize"},"tag":"T"}"#)
    try studio.command(["rotate", studio.document, id, "--to", "30"])
    // Each page has heard of all three.
    for page in [ada, bob] {
      try page.wait(for: "all changes") { lines in
        ["\"x\":1", "\"size\":77", "\"rotation\":30"].allSatisfy { part in
          lines.contains { $0.contains(#"{"changed""#) && $0.contains(part) }
        }
      }
    }
    try ada.ask(#"{"save":true,"tag":"T"}"#)
    let shown = try studio.command(["show", studio.document, "--json"])
    for part in ["\"x\":1", "\"y\":2", "\"size\":77", "\"rotation\":30"] {
      #expect(shown.contains(part), "\(shown)")
    }
    // Undo is of one's own edits.
    try bob.ask(#"{"undo":1,"tag":"T"}"#)
    try bob.ask(#"{"save":true,"tag":"T"}"#)
    let undone = try studio.command(["show", studio.document, "--json"])
    #expect(undone.contains("\"x\":1") && undone.contains("\"size\":40"), "\(undone)")
    try server.end()
    #expect(try studio.journals().isEmpty)
  }

  @Test(
    "H20 a page that has proved itself gets its user's secret, and each document's identity before its answer"
  )
  func identities() throws {
    let studio = try Studio()
    func part(_ pattern: String, of page: PageProgram) throws -> String {
      var found: String?
      try page.wait(for: pattern) { lines in
        found =
          lines.lazy.compactMap { line in
            line.range(of: pattern, options: .regularExpression).map { String(line[$0]) }
          }.last
        return found != nil
      }
      return found ?? ""
    }
    let secret = #""secret": ?"[0-9a-f]{64}""#
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "aaaaaaaaaaaa")
    let given = try part(secret, of: page)
    try page.open()
    let identity = try part(#""opening":\{"id":"[0-9a-z]{12}","name":"bees.emojiart"\}"#, of: page)
    try page.wait(for: "the document after its identity") { lines in
      guard let opening = lines.firstIndex(where: { $0.contains(#""opening""#) }) else { return false }
      return lines[opening...].contains { $0.contains(#""document":{"#) }
        && !lines[..<opening].contains { $0.contains(#""document":{"#) }
    }
    // A copy has the same identity under its own name; another document has another one.
    try FileManager.default.copyItem(atPath: studio.document, toPath: studio.art + "/copy.emojiart")
    try studio.command(["new", studio.art + "/ants.emojiart"])
    try page.ask(#"{"open":"copy.emojiart","tag":"T"}"#)
    let copied = try part(#""opening":\{"id":"[0-9a-z]{12}","name":"copy.emojiart"\}"#, of: page)
    #expect(copied == identity.replacingOccurrences(of: "bees", with: "copy"))
    try page.ask(#"{"open":"ants.emojiart","tag":"T"}"#)
    let other = try part(#""opening":\{"id":"[0-9a-z]{12}","name":"ants.emojiart"\}"#, of: page)
    #expect(other != identity.replacingOccurrences(of: "bees", with: "ants"))
    try server.end()
    // The secret is the user's, not the run's.
    let next = try studio.serve()
    #expect(try part(secret, of: studio.page(next.link, client: "bbbbbbbbbbbb")) == given)
    try next.end()
  }

  @Test("H6 an edit that was answered outlives a kill of the server, and is made once when it is sent again")
  func killed() throws {
    let studio = try Studio()
    try studio.keepSockets()
    var server = try studio.serve()
    let session = studio.folder + "/session.json"
    var page = try studio.page(server.link, client: "cccccccccccc", session: session)
    try page.open()
    let rounds = 5
    var journals = 0
    for round in 1...rounds {
      let edit =
        #"{"edit":{"changes":[["add","0000000\#(round)","🐝",\#(round),1,40,\#(round * 10_000_000)]],"name":"add"},"since":\#(page.head),"tag":"edit-\#(round)"}"#
      try page.ask(edit, tag: "edit-\(round)")
      server.kill()
      journals += try studio.journals().count
      server = try studio.serve()
      // The page continues its session with the server that was started again.
      page = try studio.page(server.link, client: "cccccccccccc", session: session)
      try page.open()
      #expect(page.ids.contains("0000000\(round)"), "the answered edit is there")
      let answer = try page.ask(edit, tag: "edit-\(round)")
      #expect(answer.contains("repeated"), "\(answer)")
    }
    #expect(journals > 0, "edits of a killed server are in a journal")
    try server.end()
    #expect(try studio.journals().isEmpty)
    let shown = try studio.command(["show", studio.document, "--json"])
    for round in 1...rounds {
      #expect(shown.components(separatedBy: "0000000\(round)").count == 2, "\(shown)")
    }
    print("kills of the server: \(rounds), each answered edit was there once")
  }

  @Test("H9 a folder has one server, which a second one finds by every path of the folder")
  func one() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let origin = try #require(server.link.split(separator: "#").first)
    symlink(studio.art, studio.folder + "/link")
    for words in [["serve", studio.art], ["serve", studio.folder + "/link", "--link"]] {
      let link = try studio.command(words)
      #expect(link.hasPrefix(origin) && link != server.link)
    }
    try server.end()
    for words in [["--link"], ["--sessions"], ["--revoke", "all"]] {
      #expect(throws: ProgramError.self) { try studio.command(["serve", studio.art] + words) }
    }
  }

  @Test(
    "H3 a server that is started again has another name and knows no session, also at the same port; at the former address are the page's files only"
  )
  func restarted() throws {
    let studio = try Studio()
    let session = studio.folder + "/session.json"
    var former: [(host: String, port: Int)] = []
    for round in 0..<5 {
      let isSamePort = round % 2 == 1
      let server = try studio.serve(isSamePort ? ["--port", "\(former.last?.port ?? 0)"] : [])
      #expect(!former.contains { $0.host == server.host })
      if isSamePort { #expect(former.last?.port == server.port) }
      for (host, port) in former.suffix(4) {
        #expect(try page(at: host, port) == 200)
        // A session that whoever had the port meanwhile may have taken from the browser, at the old address and at the new one.
        for link in ["http://\(host)/#c=0", server.link] {
          let error = #expect(throws: ProgramError.self) {
            try studio.page(link, client: "aaaaaaaaaaaa", session: session)
          }
          #expect(error?.what.contains("does not know the session") == true, "\(error?.what ?? "")")
        }
      }
      try? FileManager.default.removeItem(atPath: session)
      _ = try studio.page(server.link, client: "aaaaaaaaaaaa", session: session)
      former.append((server.host, server.port))
      let record = try String(contentsOfFile: studio.record(), encoding: .utf8)
      #expect(record.contains(#""sessions":[]"#), "nothing that is kept proves a session: \(record)")
      if former.count % 2 == 0 { server.kill() } else { try server.end() }
    }
  }

  /// The status of the page at an address, as a tab opens it.
  private func page(at host: String, _ port: Int) throws -> Int? {
    let connection = try RawConnection(port: port)
    connection.send(
      "GET / HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n"
    )
    return try connection.answer()?.status
  }

  @Test(
    "H23 a server of the folder has the page at all former addresses of its port, also after logouts and many starts"
  )
  func formerAddresses() throws {
    let studio = try Studio()
    let first = try studio.serve()
    var former = [first.host]
    first.kill()
    for round in 0..<6 {
      // A logout removes the runtime folder.
      if round % 2 == 0 { try FileManager.default.removeItem(atPath: studio.folder + "/run/emojiart") }
      let server = try studio.serve(["--port", "\(first.port)"])
      for host in former { #expect(try page(at: host, first.port) == 200, "\(host) in round \(round)") }
      #expect(try page(at: "0123456789abcdef0123.emojiart.localhost:\(first.port)", first.port) == 421)
      former.append(server.host)
      try server.end()
    }
    // At another port the former one is open, too, if it is free.
    let other = try studio.serve()
    for host in former { #expect(try page(at: host, first.port) == 200) }
    try other.end()
    // Another folder is none of theirs.
    try FileManager.default.createDirectory(
      atPath: studio.folder + "/other", withIntermediateDirectories: false)
    let elsewhere = try ServerProgram(
      studio.start(
        Studio.products + "/emojiart", ["serve", studio.folder + "/other", "--port", "\(first.port)"]), studio
    )
    for host in former { #expect(try page(at: host, first.port) == 421) }
    try elsewhere.end()
  }

  @Test(
    "H23 a server whose address cannot be kept says so in a line, and the next ones know it by their record")
  func unkeptAddress() throws {
    let studio = try Studio()
    // A folder at the path of the new file is in the way, as a full disk would be.
    try FileManager.default.createDirectory(
      atPath: studio.folder + "/state/studio-hosts.new", withIntermediateDirectories: true)
    let first = try studio.serve()
    first.kill()
    let second = try studio.serve(["--port", "\(first.port)"])
    #expect(try page(at: first.host, first.port) == 200)
    try second.end()
    let lines = try studio.errors().split(separator: "\n")
    #expect(lines.count == 2, "\(lines)")
    for line in lines {
      #expect(line.hasPrefix("emojiart: the addresses of servers are remembered only until you log out: "))
    }
  }

  @Test(
    "H12 on a machine without ::1 a server listens at 127.0.0.1, also at the only socket that it is handed")
  func withoutV6() throws {
    guard isRoot(for: "H12 a machine without ::1") else { return }
    let studio = try Studio()
    let script = """
      import fcntl, os, signal, socket, struct, subprocess, sys
      try:
        open("/proc/sys/net/ipv6/conf/all/disable_ipv6", "w").write("1")
        # SIOCSIFFLAGS of lo: IFF_UP and IFF_RUNNING.
        fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack("16sh22x", b"lo", 0x41))
      except OSError as error:
        sys.exit(print(f"none: {error}"))
      kept = socket.create_server(("127.0.0.1", 0))
      os.dup2(kept.fileno(), 3)
      for words in [[], ["sh", "-c", 'export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"', "serve"]]:
        server = subprocess.Popen(words + sys.argv[1:], stdout=subprocess.PIPE, text=True, pass_fds=[3] if words else [])
        host = server.stdout.readline().split("/")[2]
        port = int(host.rpartition(":")[2])
        end = socket.create_connection(("127.0.0.1", port))
        end.sendall(f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\nSec-Fetch-Site: same-origin\\r\\n\\r\\n".encode())
        print(bool(words) == (port == kept.getsockname()[1]), end.recv(12).decode())
        server.send_signal(signal.SIGTERM)
        print("ended", server.wait())
      """
    let words = [
      "--net", "/usr/bin/python3", "-c", script, Studio.products + "/emojiart", "serve", studio.document,
    ]
    do { _ = try studio.output("/usr/bin/unshare", ["--net", "true"]) } catch {
      return Skip("no network-namespaces")("H12 a machine without ::1: \(error)")
    }
    let answer = try studio.output("/usr/bin/unshare", words)
    guard !answer.hasPrefix("none") else {
      return Skip("no network-namespaces")("H12 a machine without ::1: \(answer)")
    }
    let errors = try studio.errors()
    #expect(answer == "True HTTP/1.1 200\nended 0\nTrue HTTP/1.1 200\nended 0", "\(errors)")
  }

  @Test(
    "H3 a server with the sockets of the former one has its address and its sessions, and other sockets have neither"
  )
  func keptSocket() throws {
    let studio = try Studio()
    let session = studio.folder + "/session.json"
    try studio.keepSockets()
    var server = try studio.serve()
    let host = server.host
    _ = try studio.page(server.link, client: "aaaaaaaaaaaa", session: session)
    for isKilled in [true, false] {
      if isKilled { server.kill() } else { try server.end() }
      server = try studio.serve()
      #expect(server.host == host)
      _ = try studio.page(server.link, client: "aaaaaaaaaaaa", session: session)
    }
    try server.end()
    try studio.keepSockets()
    server = try studio.serve()
    let error = #expect(throws: ProgramError.self) {
      try studio.page(server.link, client: "aaaaaaaaaaaa", session: session)
    }
    #expect(error?.what.contains("does not know the session") == true, "\(error?.what ?? "")")
    try server.end()
  }

  @Test("H14 sessions of the running server are listed and revoked")
  func sessions() throws {
    let studio = try Studio()
    let server = try studio.serve()
    #expect(try studio.command(["serve", studio.art, "--sessions"]) == "no sessions")
    #expect(try studio.command(["serve", studio.art, "--sessions", "--json"]) == "")
    let file = studio.folder + "/session.json"
    let page = try studio.page(server.link, client: "aaaaaaaaaaaa", session: file)
    let json = try studio.command(["serve", studio.art, "--sessions", "--json"])
    let id = try #require(
      json.wholeMatch(of: /\{"connected":true,"made":\d{13},"session":"([0-9a-f]{16})","used":\d{13}\}/)
    ).output.1
    let words = try studio.command(["serve", studio.art, "--sessions"])
    #expect(
      words.wholeMatch(of: /[0-9a-f]{16}  made \d{4}-\d\d-\d\d \d\d:\d\d  connected/) != nil, "\(words)")
    let none = #expect(throws: ProgramError.self) {
      try studio.command(["serve", studio.art, "--revoke", "0123456789abcdef"])
    }
    #expect(none?.what.contains("there is no session 0123456789abcdef") == true)
    #expect(try studio.command(["serve", studio.art, "--revoke", String(id)]) == "1 session ended")
    try page.wait(for: "the end") { $0.contains { $0.contains(#""bye""#) && $0.contains("401") } }
    #expect(throws: ProgramError.self) {
      try studio.page(server.link, client: "aaaaaaaaaaaa", session: file)
    }
    _ = try studio.page(studio.link(), client: "bbbbbbbbbbbb")
    #expect(try studio.command(["serve", studio.art, "--revoke", "all", "--json"]) == #"{"revoked":1}"#)
    try server.end()
  }

  @Test("H22 what the user chooses in a page is given to the pages of the next server")
  func preferences() throws {
    let studio = try Studio()
    let file = studio.folder + "/session.json"
    func given() throws -> [String: String]? {
      let session = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
      return (session as? [String: Any])?["preferences"] as? [String: String]
    }
    var server = try studio.serve()
    let page = try studio.page(server.link, client: "aaaaaaaaaaaa", session: file)
    #expect(try given()?.isEmpty == true)
    let choice = try page.ask(#"{"preferences":{"language":"de","name":"Ada"},"tag":"T"}"#)
    #expect(choice.hasPrefix(#"{"ok""#))
    let tooLong = String(repeating: "x", count: 257)
    #expect(try page.ask(#"{"preferences":{"name":"\#(tooLong)"},"tag":"T"}"#).contains("tooLarge"))
    try server.end()
    try FileManager.default.removeItem(atPath: file)
    server = try studio.serve()
    _ = try studio.page(server.link, client: "aaaaaaaaaaaa", session: file)
    #expect(try given() == ["language": "de", "name": "Ada"])
    try server.end()
  }

  @Test("H20 a folder that is moved keeps its identity where its file system says when it was made")
  func movedFolder() throws {
    let studio = try Studio()
    let moved = studio.folder + "/moved"
    func identity(_ folder: String) throws -> String {
      let server = try ServerProgram(
        studio.start(Studio.products + "/emojiart", ["serve", folder]), studio)
      defer { #expect(throws: Never.self) { try server.end() } }
      return try studio.page(server.link, client: "aaaaaaaaaaaa").folderID
    }
    let former = try identity(studio.art)
    #expect(try identity(studio.art) == former)
    let isKept = FileIdentity.birthTime(at: studio.art) != nil
    try FileManager.default.moveItem(atPath: studio.art, toPath: moved)
    #expect(try (identity(moved) == former) == isKept)
    try FileManager.default.createDirectory(atPath: studio.art, withIntermediateDirectories: false)
    #expect(try identity(studio.art) != former)
  }

  @Test("H9 what is handed over must be two sockets that listen at one port of 127.0.0.1 and ::1")
  func handed() throws {
    guard LoopbackSocket.hasV6(for: "H9 sockets that are handed over") else { return }
    let studio = try Studio()
    let other = open("/dev/null", O_RDONLY)
    defer { close(other) }
    let pair = try LoopbackSocket.pair()
    // Its port is another one, since that of the pair is taken.
    let (first, second) = (pair[0], try LoopbackSocket(.v6))
    defer { for socket in pair + [second] { close(socket.descriptor) } }
    func start(_ variables: String, _ passed: [Int32]) throws -> SpawnedProgram {
      let script = "export \(variables); exec \"$@\""
      return try SpawnedProgram(
        "/bin/sh", ["-c", script, "serve", Studio.products + "/emojiart", "serve", studio.art],
        environment: studio.environment, errors: studio.folder + "/errors", passing: passed)
    }
    let none = "a socket that was handed over does not listen at a port of 127.0.0.1 or [::1]"
    let both = "sockets at 127.0.0.1 and at [::1] are needed, at the same port; see emojiart-serve@.socket"
    for (count, passed, error) in [
      (1, [other], none), (2, [first.descriptor, other], none), (1, [first.descriptor], both),
      (1, [second.descriptor], both), (2, [first.descriptor, second.descriptor], both),
      (3, [other], "two sockets can be handed over, and LISTEN_FDS is 3"),
    ] {
      #expect(try start("LISTEN_PID=$$ LISTEN_FDS=\(count)", passed).wait() == 69)
      let errors = try studio.errors()
      #expect(errors.hasSuffix("emojiart: \(error)\n"))
    }
    // What was handed to another program is none of ours.
    try ServerProgram(start("LISTEN_PID=1 LISTEN_FDS=1", [other]), studio).end()
  }

  @Test("H12 a server takes no port of which another program has one of the two addresses")
  func halfPort() throws {
    guard LoopbackSocket.hasV6(for: "H12 half of a port") else { return }
    let studio = try Studio()
    for place in [LoopbackSocket.Address.v4, .v6] {
      let taken = try LoopbackSocket(place)
      defer { close(taken.descriptor) }
      let error = #expect(throws: ProgramError.self) { try studio.serve(["--port", "\(taken.port)"]) }
      let address = place == .v4 ? "127.0.0.1" : "[::1]"
      #expect(
        error?.what.contains("emojiart: \(address):\(taken.port) is in use; choose another port with --port")
          == true,
        "\(error?.what ?? "")")
    }
    // A port of the server's own choice is one that has both.
    let server = try studio.serve()
    #expect(throws: ProgramError.self) { try LoopbackSocket(.v6, port: server.port) }
    try server.end()
  }

  @Test("H9 of two servers that are started together one serves, and both print a link of it")
  func startedTogether() throws {
    let studio = try Studio()
    for _ in 0..<5 {
      let programs = [try studio.beginServing(), try studio.beginServing()]
      let servers = try programs.map { try ServerProgram($0, studio) }
      #expect(servers[0].port == servers[1].port && servers[0].link != servers[1].link)
      try wait(for: "the end of the one that does not serve") { try servers.contains { try $0.hasEnded() } }
      #expect(try !servers.allSatisfy { try $0.hasEnded() })
      for server in servers { try server.end() }
    }
  }

  @Test("H9 a server that is started while the former one ends waits for it")
  func successor() throws {
    let studio = try Studio()
    for _ in 0..<5 {
      let server = try studio.serve()
      kill(server.id, SIGTERM)
      let next = try studio.serve()
      #expect(next.host != server.host)
      try server.end()
      try next.end()
    }
  }

  @Test(
    "H9 a link of a running server names the document that was asked for, unless its pages open it anyway")
  func links() throws {
    let studio = try Studio()
    let other = studio.art + "/100% b&c.emojiart"
    try studio.command(["new", other])
    let server = try studio.serve()
    for (path, end) in [
      (other, "&d=100%25%20b%26c.emojiart"), (studio.document, ""), (studio.art, ""),
    ] {
      for more in [[], ["--link"], ["--port", "\(server.port)"]] {
        let link = try studio.command(["serve", path] + more)
        #expect(try #require(link.wholeMatch(of: /http:.*\/#c=[0-9a-f]{32}(.*)/)).output.1 == end)
      }
    }
    for more in [["--port", server.port == 1_024 ? "1025" : "1024"], ["--assets", "/tmp"]] {
      let error = #expect(throws: ProgramError.self) { try studio.command(["serve", studio.art] + more) }
      let told =
        "emojiart: a server of \(studio.art) is running at port \(server.port); leave \(more[0]) out, or end that server first\n"
      #expect(error?.what.hasSuffix(told) == true, "\(error?.what ?? "")")
    }
    try server.end()
  }

  @Test("H10 a signal ends a program that waits for the folder's server")
  func signalAtStart() throws {
    let studio = try Studio()
    let server = try studio.serve()
    // The kernel takes connections for the stopped server, which does not answer.
    kill(server.id, SIGSTOP)
    var status: Int32 = 0
    #expect(waitpid(server.id, &status, WUNTRACED) == server.id)
    let waiting = try studio.beginServing()
    kill(waiting.id, SIGINT)
    #expect(try waiting.wait() == nil, "it is ended by the signal")
    kill(server.id, SIGCONT)
    try server.end()
  }

  @Test("H9 the browser gets the link, and neither the server's signals nor its terminal")
  func browser() throws {
    let studio = try Studio()
    let (browser, came) = (studio.folder + "/bin/xdg-open", studio.folder + "/came")
    let script = """
      #!/bin/sh
      exec 9>&1 >\(came).new
      read -r _ _ _ _ _ session _ < /proc/$$/stat
      [ "$session" = $$ ] && echo "a session of its own"
      readlink /proc/$$/fd/0
      readlink /proc/$$/fd/9
      grep -E 'SigBlk|SigIgn' /proc/self/status
      umask
      echo "$1"
      mv \(came).new \(came)
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: browser))
    chmod(browser, 0o755)
    let server = try studio.serve(["--open"])
    try wait(for: "the browser") { FileManager.default.fileExists(atPath: came) }
    // posix_spawn leaves the two signals ignored that belong to glibc itself.
    let found = try String(contentsOfFile: came, encoding: .utf8)
      .replacingOccurrences(of: "0000000180000000", with: "0000000000000000")
      .split(separator: "\n").map(String.init)
    let expected = [
      "a session of its own", "/dev/null", "/dev/null", "SigBlk:\t0000000000000000",
      "SigIgn:\t0000000000000000", try studio.output("/bin/sh", ["-c", "umask"]), server.link,
    ]
    #expect(found == expected, "\(found)")
    try server.end()
  }

  @Test("H1 the server refuses what its gate refuses, and answers pages with a ticket")
  func requests() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "dddddddddddd")
    try FileManager.default.createDirectory(atPath: studio.art + "/.hid", withIntermediateDirectories: false)
    for name in ["/.hidden.emojiart", "/.hid/bees.emojiart"] {
      try FileManager.default.copyItem(atPath: studio.document, toPath: studio.art + name)
    }
    try page.open()
    let drawn = try page.http("GET", "/render?document=bees.emojiart&format=png")
    #expect(drawn.contains("\"status\": 200") && drawn.contains("image/png"), "\(drawn)")
    let glyphs = try page.http(
      "POST", "/glyphs", body: #"{"width":100,"height":100,"labels":[{"text":"🐝","x":50,"y":50,"size":64}]}"#)
    #expect(glyphs.contains("\"status\": 200") && glyphs.contains("image/png"), "\(glyphs)")
    #expect(try page.http("GET", "/fonts").contains(#"\"name\":\"noto\""#))
    for (body, status) in [
      (#"{"name":"noto"}"#, 200), (#"{"name":"nothing"}"#, 400), (#"{"more":1}"#, 400), ("{}", 400),
    ] {
      let answer = try page.http("POST", "/choose-font", body: body)
      #expect(answer.contains("\"status\": \(status)"), "\(body): \(answer)")
    }
    for (target, status) in [
      ("/render?document=../bees.emojiart&format=png", 400),
      ("/render?document=nothing.emojiart&format=png", 404),
      ("/picture?document=bees.emojiart", 404), ("/nothing", 404), ("/live", 403),
      ("/thumbnail?document=.hidden.emojiart&side=192", 400),
      ("/thumbnail?document=.hid/bees.emojiart&side=192", 400),
      ("/picture?document=.hid/bees.emojiart", 400), ("/copy?document=.hid/bees.emojiart", 400),
    ] {
      #expect(try page.http("GET", target).contains("\"status\": \(status)"), "\(target)")
    }
    #expect(try page.ask(#"{"open":".hid/bees.emojiart","tag":"T"}"#).contains(#""code":"badValue""#))
    let edit =
      #"{"edit":{"changes":[["add","0000000a","Hi",1,1,40,5,{"box":[1,1],"kind":"caption"}]],"name":"add"},"tag":"T"}"#
    let added = try page.ask(edit)
    #expect(added.contains(#""ok""#), "\(added)")
    let shown = try page.ask(#"{"show":true,"tag":"T"}"#)
    #expect(shown.contains(#""text":"Hi""#) && !shown.contains(#""box":[1,1]"#), "\(shown)")
    try server.end()
  }

  @Test("V21 a page gets a JPEG of inks with a profile in colours of sRGB, and each other picture as it came")
  func inks() throws {
    let inks = try InkedPictureTests.bytes("cmyk.jpg")
    for (file, isSentAsItCame) in [(inks, true), (InkedPictureTests.profiled(inks), false)] {
      let studio = try Studio()
      let path = studio.art + "/inks.jpg"
      try Data(file).write(to: URL(filePath: path))
      _ = try studio.command(["background", studio.document, path])
      let server = try studio.serve()
      let page = try studio.page(server.link, client: "abababababab")
      try page.open()
      let answer = try page.http("GET", "/picture?document=bees.emojiart")
      #expect(answer.contains("\"status\": 200") && answer.contains("image/jpeg"), "\(answer)")
      #expect(answer.contains("\"\(file.count) bytes\"") == isSentAsItCame, "\(answer)")
      try server.end()
    }
  }

  @Test("H10 a signal ends the server after its pages are told and their edits are saved")
  func signal() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "eeeeeeeeeeee")
    try page.open()
    try page.ask(#"{"add":{"text":"🌻"},"tag":"T"}"#)
    try server.end()
    try page.wait(for: "the goodbye") { $0.contains { $0.contains(#""bye""#) } }
    #expect(try studio.command(["show", studio.document, "--json"]).contains("🌻"))
    #expect(try studio.journals().isEmpty)
  }
}
