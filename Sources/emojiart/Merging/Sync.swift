// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Synchronization

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Keep the documents of a folder and of a bucket the same.",
    usage: """
      emojiart sync <folder> s3://<bucket>/<prefix> [--endpoint <url>]
               [--watch] [--every <seconds>]
      """,
    discussion: """
      Each document of the folder becomes an object in an S3-compatible store, and each object a document. Where both \
      have edits, they are merged, and no edit is lost, however many machines do this at once. A document that is deleted \
      on one side comes back from the other one.

      The key comes from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from ~/.aws/credentials; the region and the \
      address of the store from AWS_REGION and AWS_ENDPOINT_URL, or from ~/.aws/config. A store that does not check the \
      conditions of a write is refused.

      Examples:
        emojiart sync ~/art s3://posters/team
        emojiart sync ~/art s3://posters --endpoint https://s3.example.org --watch
      """)

  @Argument(help: "The folder.", completion: .directory) var folder: String
  @Argument(
    help: ArgumentHelp("The bucket, and what the names of its objects begin with.", valueName: "s3-url"))
  var location: String
  @Flag(help: "Go on, until it is interrupted.") var watch = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --watch: look at the bucket after so many seconds (default: 10).", valueName: "seconds"))
  var every: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The address of the store.", valueName: "url"))
  var endpoint: String?
  @OptionGroup var common: CommonOptions

  func run() throws {
    let folder = try CommonOptions.checked(folder)
    let pause = try seconds()
    let sync = try BucketSync(
      folder, try BucketLocation(location), endpoint: endpoint, proxies: .ofEnvironment, by: .ofCommand,
      onOutage: { Output.printError("\($0.message); trying again") })
    _ = try FolderListing(of: folder)
    try prepareThreads()
    let done = Outcome<Result<Void, ArtError>>()
    // Whoever watches learns nothing more. A single run goes on: it ends by itself.
    let lines = SyncLines(isJSON: common.json) { [watch] in if watch { done.cancel() } }
    let work = { @Sendable [watch] in
      await result { () async throws(ArtError) in
        try await sync.probe()
        if watch {
          try await sync.follow(every: pause) { lines.write($0) }
        } else {
          try await sync.run { lines.write($0) }
        }
      }
    }
    done.begin(work) {}
    let ended = done.wait()
    if let error = lines.outputError { throw error }
    try ended.get()
    try Output.flush()
    if let error = lines.firstError { throw ExitCode(ExitStatus(error.code).rawValue) }
  }

  private func seconds() throws(ArtError) -> Duration {
    guard let every else { return .seconds(10) }
    guard watch else { throw ArtError(.usage, "--every is about --watch") }
    guard let seconds = Int(every), (1...86_400).contains(seconds) else {
      throw ArtError(.badValue, "\"\(every)\" is no number of seconds from 1 to 86400", about: every)
    }
    return .seconds(seconds)
  }
}

/// Writes what a synchronisation does, line by line.
private final class SyncLines: Sendable {
  private struct Errors {
    var first: ArtError?
    var output: ArtError?
  }

  private let isJSON: Bool
  private let onOutputError: @Sendable () -> Void
  private let errors = Mutex(Errors())

  /// `onOutputError` is called when stdout cannot be written.
  init(isJSON: Bool, onOutputError: @escaping @Sendable () -> Void) {
    (self.isJSON, self.onOutputError) = (isJSON, onOutputError)
  }

  /// The first failure of a document.
  var firstError: ArtError? { errors.withLock(\.first) }
  /// Why stdout could not be written.
  var outputError: ArtError? { errors.withLock(\.output) }

  func write(_ event: BucketSync.Event) {
    if case .failed(_, let error) = event { errors.withLock { $0.first = $0.first ?? error } }
    guard outputError == nil else { return }
    do throws(ArtError) {
      if isJSON { try Output.json(Self.json(event)) } else { try writeText(event) }
      try Output.flush()
    } catch {
      errors.withLock { $0.output = error }
      onOutputError()
    }
  }

  private func writeText(_ event: BucketSync.Event) throws(ArtError) {
    switch event {
    case .uploaded(let name): try Output.line("\(safe(name)): sent")
    case .downloaded(let name): try Output.line("\(safe(name)): received")
    case .merged(let name, let received, let sent, let conflicts):
      let edits =
        switch received ?? 0 {
        case 0: "received"
        case 1: "1 edit received"
        case let count: "\(count) edits received"
        }
      let history = "`emojiart history \(safe(ArtError.Remedy.shellWord(DocumentName.withoutEnding(name))))`"
      let places = conflicts == 1 ? "1 place" : "\(conflicts) places"
      try Output.line(
        "\(safe(name)): \(received == nil ? "sent" : sent ? "\(edits), and sent" : edits)"
          + (conflicts == 0
            ? "" : "; in \(places) both sides had changed the same: \(history) lists the edits"))
    case .failed(let name, let error):
      Output.printError(name.isEmpty ? error.message : "\(name): \(error.message)")
    case .leftOut(let count, let name):
      let objects = count == 1 ? "1 object is" : "\(count) objects are"
      Output.printError("\(objects) left out, because no document can have such a name: \(name)")
    }
  }

  private static func json(_ event: BucketSync.Event) -> JSON {
    switch event {
    case .uploaded(let name): object(name, received: nil, sent: true, conflicts: 0)
    case .downloaded(let name): .object(["document": .string(name), "event": .string("received")])
    case .merged(let name, let received, let sent, let conflicts):
      object(name, received: received, sent: sent, conflicts: conflicts)
    case .failed(let name, let error):
      .object([
        "document": .string(name),
        "error": .object(["code": .string(error.code.rawValue), "message": .string(error.message)]),
        "event": .string("failed"),
      ])
    case .leftOut(let count, let name):
      .object(["count": .integer(count), "event": .string("leftOut"), "object": .string(name)])
    }
  }

  private static func object(_ name: String, received: Int?, sent: Bool, conflicts: Int) -> JSON {
    .object([
      "conflicts": .integer(conflicts), "document": .string(name), "edits": .integer(received ?? 0),
      "event": .string(received == nil ? "sent" : "merged"), "sent": .boolean(sent),
    ])
  }
}
