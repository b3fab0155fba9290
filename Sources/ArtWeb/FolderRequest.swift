// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Synchronization

/// What a page asks of the folder's documents: the value of `documents` in a message. Paths are relative to the served folder.
public enum FolderRequest: Sendable, Equatable {
  /// The most documents of one request.
  static let documents = 10_000

  /// List a folder, and tell its changes from then on; `""` is the served folder itself.
  case browse(String)
  /// List a folder once.
  case list(String)
  /// Tell no more changes.
  case leave
  /// Make a document under the first free name: empty, or with the art of a template.
  case create(String, Canvas?, template: String?)
  case rename(String, to: String)
  case duplicate(String)
  /// Move documents to the trash.
  case delete([String])
  /// Bring deleted documents back.
  case putBack([String])
  case makeFolder(String)
  /// Repair a damaged document.
  case repair(String)
  /// Merge a conflict copy into its document.
  case merge(String)

  private static let verbs = [
    "browse", "create", "delete", "duplicate", "leave", "list", "makeFolder", "merge", "putBack", "rename",
    "repair",
  ]

  /// Reads `{"browse":"posters"}`, `{"create":{"height":1350,"name":"posters/untitled","width":1080}}`. Throws `usage`, `badValue`,
  /// `badJSON`.
  init(from reader: inout JSONReader) throws(ArtError) {
    var request: FolderRequest?
    try reader.object { (verb, reader) throws(ArtError) in
      guard request == nil else { throw ArtError(.usage, "documents that asks for two things") }
      request = try Self.request(verb, &reader)
    }
    guard let request else { throw ArtError(.usage, "documents asks for nothing") }
    self = request
  }

  private static func request(_ verb: String, _ reader: inout JSONReader) throws(ArtError) -> FolderRequest {
    switch verb {
    case "browse": return .browse(try reader.string())
    case "list": return .list(try reader.string())
    case "leave":
      try reader.skip()
      return .leave
    case "create": return try create(&reader)
    case "rename":
      var (document, new): (String?, String?)
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "document": document = try reader.string()
        case "to": new = try reader.string()
        default: throw .unknown("rename has no key", key, among: ["document", "to"])
        }
      }
      guard let document, let new else { throw ArtError(.usage, "rename has document and to") }
      return .rename(document, to: new)
    case "duplicate": return .duplicate(try reader.string())
    case "delete": return .delete(try names(&reader))
    case "putBack": return .putBack(try names(&reader))
    case "makeFolder": return .makeFolder(try reader.string())
    case "repair": return .repair(try reader.string())
    case "merge": return .merge(try reader.string())
    default: throw .unknown("documents has no key", verb, among: verbs)
    }
  }

  private static func create(_ reader: inout JSONReader) throws(ArtError) -> FolderRequest {
    var (name, template): (String?, String?)
    var (width, height): (Int?, Int?)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "name": name = try reader.string()
      case "template": template = try reader.string()
      case "width": width = try reader.integer()
      case "height": height = try reader.integer()
      default: throw .unknown("create has no key", key, among: ["height", "name", "template", "width"])
      }
    }
    guard let name, (width == nil) == (height == nil), width == nil || template == nil else {
      throw ArtError(.usage, "create has a name, and width and height or a template")
    }
    var canvas: Canvas?
    if let width, let height { canvas = try Canvas(width: width, height: height) }
    return .create(name, canvas, template: template)
  }

  private static func names(_ reader: inout JSONReader) throws(ArtError) -> [String] {
    var names: [String] = []
    try reader.array { (reader) throws(ArtError) in
      guard names.count < documents else { throw ArtError(.tooLarge, "more than \(documents) documents") }
      names.append(try reader.string())
    }
    return names
  }
}

/// What became of a request for documents. Some may have failed while others were done.
struct FolderOutcome: Sendable {
  /// The documents that were made, moved, deleted or brought back.
  var documents: [String] = []
  /// Those that failed, and why.
  var failures: [(document: String, error: ArtError)] = []
  /// The edits that a killed program had left, and that were restored before.
  var restored: [(document: String, edits: Int)] = []
  /// What repairing did, a line each.
  var lines: [String] = []

  /// Writes `{"done":["bees copy.emojiart"],"failed":[…],"restored":[…]}`, without what is empty.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("done")
      json.array { json in for document in documents { json.string(document) } }
      if !failures.isEmpty {
        json.key("failed")
        json.array { json in
          for failure in failures {
            json.object { json in
              json.key("document")
              json.string(failure.document)
              json.error(failure.error)
            }
          }
        }
      }
      if !lines.isEmpty {
        json.key("lines")
        json.array { json in for line in lines { json.string(line) } }
      }
      if !restored.isEmpty {
        json.key("restored")
        json.array { json in
          for each in restored {
            json.object { json in
              json.key("document")
              json.string(each.document)
              json.key("edits")
              json.integer(each.edits)
            }
          }
        }
      }
    }
  }
}

extension StudioHub {
  /// Performs a request for documents by a client. Throws the error of a request that is about one document.
  func perform(
    _ request: FolderRequest, by client: DocumentClient
  ) async throws(ArtError) -> FolderOutcome {
    let restored = Mutex<[(document: String, edits: Int)]>([])
    let recovery = workspace.recovery(by: client.author) { notice in
      guard case .restored(let path, let report) = notice else { return }
      restored.withLock { $0.append((path, report.edits)) }
    }
    var outcome = FolderOutcome()
    switch request {
    case .browse, .list, .leave: break
    case .create(let name, let canvas, template: nil):
      outcome.documents = [try await workspace.create(name, canvas: canvas)]
    case .create(let name, _, let template?):
      outcome.documents = [try await workspace.create(name, from: template, by: recovery)]
    case .rename(let document, let new):
      outcome.documents = [try await workspace.rename(document, to: new, by: recovery)]
    case .duplicate(let document): outcome.documents = [try await workspace.duplicate(document, by: recovery)]
    case .makeFolder(let folder):
      try await workspace.makeFolder(folder)
      await noteFolder(folder)
    case .repair(let document):
      if let report = try await workspace.repair(document, by: recovery) {
        outcome.lines = report.quarantined
      }
      outcome.documents = [document]
    case .merge(let copy):
      _ = try await workspace.mergeCopy(copy, by: recovery)
      outcome.documents = [copy]
    case .delete(let documents):
      for document in documents {
        do throws(ArtError) {
          trash(try await workspace.delete(document, by: recovery), of: document)
          outcome.documents.append(document)
        } catch {
          outcome.failures.append((document, error))
        }
      }
    case .putBack(let documents):
      for document in documents {
        do throws(ArtError) {
          guard let trashed = trashed(document) else {
            throw ArtError(
              .noSuchDocument,
              "\(document) was deleted too long ago; bring it back from the trash of your desktop",
              about: document)
          }
          outcome.documents.append(try await workspace.putBack(trashed, by: recovery))
          forget(trashed)
        } catch {
          outcome.failures.append((document, error))
        }
      }
    }
    outcome.restored = restored.withLock(\.self)
    return outcome
  }
}
