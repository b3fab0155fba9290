// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace
import Synchronization

/// The answer to a request.
public struct WebAnswer: Sendable {
  /// The status, such as 200.
  public let status: Int
  /// The fields.
  public let fields: [(name: String, value: String)]
  /// The body.
  public let body: [UInt8]

  private init(
    _ status: Int, _ body: [UInt8], _ type: String, policy: String = SecurityFields.body,
    isAsset: Bool = false, more: [(name: String, value: String)] = []
  ) {
    let caching = isAsset ? "no-cache" : "no-store"
    self.status = status
    self.body = body
    fields =
      SecurityFields.all(policy: policy) + [("Cache-Control", caching), ("Content-Type", type)] + more
  }

  /// A file of the page for developing.
  public init(asset bytes: [UInt8], _ name: String) {
    self.init(
      200, bytes, Assets.mediaType(of: name), policy: SecurityFields.policy(of: name), isAsset: true)
  }

  /// A file of the page, or only its tag where the browser has it.
  fileprivate init(_ file: SentAssets.File, _ name: String, _ request: WebRequest) {
    let zipped = request.takesGzip ? file.zipped : nil
    let isKnown = request.knownTag == file.tag
    self.init(
      isKnown ? 304 : 200, isKnown ? [] : zipped ?? file.plain, Assets.mediaType(of: name),
      policy: file.policy, isAsset: true,
      more: (zipped == nil ? [] : [("Content-Encoding", "gzip")])
        + [("ETag", file.tag), ("Vary", "Accept-Encoding")])
  }

  /// A picture or another body.
  public init(_ body: StudioBodies.Body) { self.init(200, body.bytes, body.mediaType, more: body.fields) }

  /// A new session with its token, which is sent this once, and what the user has chosen in other pages.
  public init(session: String, token: [UInt8], preferences: [String: String] = [:]) {
    self.init(200) { json in
      json.key("preferences")
      PagePreferences.write(preferences, to: &json)
      json.key("session")
      json.string(session)
      json.key("token")
      json.string(hexadecimal(token))
    }
  }

  /// A background that is being checked.
  public init(fetching what: String, tag: ProtocolTag?) {
    self.init(200) { json in
      json.key("fetching")
      json.object { json in
        json.key("url")
        json.string(what)
      }
      json.member(tag)
    }
  }

  /// A document that was made from a file, with what was left out or changed of it.
  public init(_ imported: UploadedFile.Imported) {
    self.init(200) { json in
      json.key("made")
      json.string(imported.path)
      json.key("notes")
      json.array { json in
        for note in imported.report.notes {
          json.object { json in
            json.key("kind")
            json.string(note.kind.rawValue)
            json.key("text")
            json.string(note.text)
          }
        }
      }
    }
  }

  /// A refused request that a tab shows: the sentence alone.
  public init(shown refusal: WebRefusal) {
    self.init(refusal.status, Array("\(refusal.reason)\n".utf8), "text/plain; charset=utf-8")
  }

  /// A refused request.
  public init(_ refusal: WebRefusal) {
    self.init(refusal.status) { json in
      json.key("error")
      json.object { json in
        json.key("code")
        json.string("refused")
        json.key("message")
        json.string(refusal.reason)
      }
    }
  }

  /// A request that failed.
  public init(_ error: ArtError) {
    let status =
      switch error.code {
      case .usage, .badJSON, .badValue, .badText, .ambiguous: 400
      case .noSuchDocument, .noSuchEmoji, .noSuchRevision, .noBackground: 404
      case .tooLarge: 413
      case .notPermitted, .closed: 403
      case .busy, .movedOn, .exists, .replaced: 409
      default: 503
      }
    self.init(status) { json in
      json.key("error")
      json.object { $0.error(error) }
    }
  }

  private init(_ status: Int, _ members: (inout JSONWriter) -> Void) {
    var json = JSONWriter(urls: .redacted)
    json.object { members(&$0) }
    json.endLine()
    self.init(status, json.bytes, "application/json")
  }

  /// The only member of a body, a text. Throws 400.
  public static func text(_ name: String, in body: [UInt8]) throws(WebRefusal) -> String {
    var text: String?
    do throws(ArtError) {
      try body.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (reader) throws(ArtError) in
          try reader.object { (key, reader) throws(ArtError) in
            guard key == name else { throw reader.error("the key \"\(key.prefix(40))\"") }
            text = try reader.string()
          }
        }
      }
    } catch {
      throw WebRefusal(400, error.cause)
    }
    guard let text else { throw WebRefusal(400, "no \(name)") }
    return text
  }
}

/// The files of the page as they are sent: without comments, compressed, and the document with its styles and the sums of its modules. Each is
/// made when it is first asked for.
public final class SentAssets: Sendable {
  fileprivate struct File {
    let plain: [UInt8]
    let zipped: [UInt8]?
    let tag: String
    let policy: String
  }

  private struct Made {
    var plain: [String: [UInt8]] = [:]
    var sent: [String: File] = [:]
  }

  private let secrets: WebSecrets
  private let made = Mutex(Made())

  /// No file yet. The digest gives their tags, and the sums of what the document admits.
  public init(_ secrets: WebSecrets) { self.secrets = secrets }

  /// The answer to a request for a file. Throws 404.
  public func answer(_ name: String, _ request: WebRequest) throws(WebRefusal) -> WebAnswer {
    guard let file = made.withLock({ file(name, in: &$0) }) else { throw WebRefusal(404, "nothing is here") }
    return WebAnswer(file, name, request)
  }

  private func file(_ name: String, in made: inout Made) -> File? {
    if let file = made.sent[name] { return file }
    guard var bytes = plain(name, in: &made) else { return nil }
    var policy = SecurityFields.policy(of: name)
    if name == WebRoute.page { (bytes, policy) = completed(bytes, in: &made) }
    let digest = secrets.digest(bytes).prefix(8)
    let file = File(
      plain: bytes, zipped: Assets.compressed(bytes), tag: "\"\(hexadecimal(Array(digest)))\"",
      policy: policy)
    made.sent[name] = file
    return file
  }

  private func plain(_ name: String, in made: inout Made) -> [UInt8]? {
    if let bytes = made.plain[name] { return bytes }
    guard let asset = Assets.file(name) else { return nil }
    let isCode = name.hasSuffix(".js") || name.hasSuffix(".css")
    let bytes = isCode ? PageComments.removed(from: asset) : asset
    made.plain[name] = bytes
    return bytes
  }

  /// The document with its styles and an import map in the place of the link to the styles, and the policy that admits both by their digests.
  ///
  /// The styles in the document are one request less before the first picture. The import map has the sum of each module, before the first one
  /// is loaded: the browser refuses every other script, whoever answers by then (HTML, 8.1.6.2, "integrity": Chromium 127, Firefox 138).
  /// Chromium takes a preloaded module only for a request with the same sum, so the preloads have theirs, too.
  private func completed(_ page: [UInt8], in made: inout Made) -> (page: [UInt8], policy: String) {
    var (text, sums) = (String(decoding: page, as: UTF8.self), [String]())
    for name in Assets.names.sorted() where name.hasSuffix(".js") {
      let sum = SecurityFields.sum(secrets.digest(plain(name, in: &made) ?? []))
      let preload = "<link rel=\"modulepreload\" href=\"/\(name)\""
      text = text.replacing(part: preload, with: "\(preload) integrity=\"\(sum)\"")
      sums.append("\"/\(name)\":\"\(sum)\"")
    }
    let (styles, modules) = (
      plain("studio.css", in: &made) ?? [], "{\"integrity\":{\(sums.joined(separator: ","))}}"
    )
    text = text.replacing(
      part: #"<link rel="stylesheet" href="/studio.css">"#,
      with:
        "<style>\(String(decoding: styles, as: UTF8.self))</style>\n<script type=\"importmap\">\(modules)</script>"
    )
    return (
      Array(text.utf8),
      SecurityFields.page(styles: secrets.digest(styles), modules: secrets.digest(Array(modules.utf8)))
    )
  }
}
