// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// How `emojiart-studio`, the server of the page, is started: its arguments, which a front end has checked.
///
///     emojiart-studio 1 /srv/art document=bees.emojiart port=8080 open
package struct StudioLaunch: Sendable {
  /// The version of these arguments. Both programs have the same one.
  static let version = 1
  /// The program's name.
  package static let program = "emojiart-studio"

  /// The absolute path of the folder to serve.
  package var folder: String
  /// The document that pages open first; nil for none.
  package var document: String?
  /// The wanted port; nil for any, or for that of sockets that are handed over.
  package var port: Int?
  /// A folder with the files of the page, instead of those in the program.
  package var assets: String?
  /// The name of users whose page gives none.
  package var author: String?
  /// Whether to open a browser, and to end when its last page has gone.
  package var opens = false
  /// What a running server is asked for; nil to start one, if none is running.
  package var request: Request?
  /// Whether the answer is printed as JSON.
  package var isJSON = false

  /// What a running server can be asked for.
  package enum Request: Sendable, Hashable {
    /// A new link.
    case link
    /// The sessions of its pages.
    case sessions
    /// To end a session, or all of them.
    case revoke(String?)

    /// The request as it is sent.
    package var text: String {
      switch self {
      case .link: "link"
      case .sessions: "sessions"
      case .revoke(nil): "revoke"
      case .revoke(let session?): "revoke \(session)"
      }
    }

    /// Parses a request; nil for none.
    package init?(_ text: String) {
      switch text {
      case "link": self = .link
      case "sessions": self = .sessions
      case "revoke": self = .revoke(nil)
      default:
        guard text.hasPrefix("revoke "), Self.isSession(text.dropFirst(7)) else { return nil }
        self = .revoke(String(text.dropFirst(7)))
      }
    }

    /// Whether a text can be the name of a session.
    package static func isSession(_ text: some StringProtocol) -> Bool {
      text.utf8.count == 16 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
  }

  /// A server of a folder.
  package init(folder: String) { self.folder = folder }

  /// The arguments behind the program's name.
  var words: [String] {
    ["\(Self.version)", folder]
      + [
        document.map { "document=\($0)" }, port.map { "port=\($0)" }, assets.map { "assets=\($0)" },
        author.map { "author=\($0)" }, opens ? "open" : nil, isJSON ? "json" : nil,
        request.map { "ask=\($0.text)" },
      ].compactMap(\.self)
  }

  /// Parses the arguments behind the program's name. Throws `usage`, and `unavailable` for another version.
  package init(words: some Collection<String>) throws(ArtError) {
    var words = words[...]
    guard let version = words.popFirst(), let folder = words.popFirst() else {
      throw ArtError(.usage, "\(Self.program) is started by another program, with arguments of its own")
    }
    guard version == "\(Self.version)" else {
      throw ArtError(.unavailable, "\(Self.program) is of another version; install both programs again")
    }
    self.init(folder: folder)
    for word in words {
      // By bytes: the scalar behind the sign may form one character with it.
      let parts = word.utf8.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { String(decoding: $0, as: UTF8.self) }
      switch (parts[0], parts.count > 1 ? parts[1] : nil) {
      case ("open", nil): opens = true
      case ("json", nil): isJSON = true
      case ("ask", let value?):
        guard let request = Request(value) else { throw ArtError(.usage, "no request: \(value.prefix(40))") }
        self.request = request
      case ("document", let value?): document = value
      case ("assets", let value?): assets = value
      case ("author", let value?): author = try DocumentClient(author: value).author
      case ("port", let value?):
        guard let number = Int(value), (1...65_535).contains(number) else {
          throw ArtError(.badValue, "\(value) is no port; give a number from 1 to 65535", about: value)
        }
        port = number
      default: throw ArtError(.usage, "\(Self.program) has no argument \(word.prefix(40))")
      }
    }
  }

  /// Replaces this process by the server. Returns only by throwing: `unavailable` if the program is missing or cannot be executed.
  package func start(by helpers: HelperPrograms = .installed) throws(ArtError) -> Never {
    let program: HelperProgram
    do throws(HelperFailure) { program = try helpers.program(Self.program) } catch {
      throw ArtError(
        .unavailable, "\(Self.program) is missing; it belongs beside emojiart or into libexec/emojiart",
        about: Self.program)
    }
    let arguments = ([Self.program] + words).map { strdup($0) } + [nil]
    execv(program.path, arguments)
    throw ArtError(SystemError("execv", program.path), cannot: "start", program.path)
  }
}
