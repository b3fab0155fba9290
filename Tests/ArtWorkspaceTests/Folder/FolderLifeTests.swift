// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Folders with many random changes") struct FolderLifeTests {
  private struct Outcome {
    var complaints: [String] = []
    var operations: [String: Int] = [:]
    var events: [String: Int] = [:]
  }

  /// The content of the folder, as a new reader finds it.
  private func truth(_ folder: DocumentFolder, _ watched: WatchedFolder) async -> [FilePath: Listener
    .Known]
  {
    var documents: [FilePath: Listener.Known] = [:]
    for name in watched.names {
      let path = FilePath(name)
      do throws(ArtError) {
        guard try await folder.file(path).stampIfThere() != nil else { continue }
        documents[path] = Listener.Known(revision: try await folder.file(path).read().revision)
      } catch {
        documents[path] = Listener.Known(trouble: error)
      }
    }
    return documents
  }

  private func compare(
    _ listener: Listener, _ folder: DocumentFolder, _ watched: WatchedFolder
  ) async -> [String] {
    // A listener may remember the state of a document from before its damage, which the folder does not hold. A reason is reported
    // once for each kind of error, so the latest words are taken from the folder.
    let reasons = Dictionary(
      await folder.documents.map { (FilePath($0.path), $0.trouble) }, uniquingKeysWith: { $1 })
    var reported = listener.documents
    for (path, known) in reported where known.trouble != nil {
      reported[path] = Listener.Known(trouble: reasons[path] ?? nil)
    }
    let truth = await truth(folder, watched)
    var complaints = listener.complaints
    for path in Set(reported.keys).union(truth.keys).sorted() where reported[path] != truth[path] {
      complaints.append("\(path.string): reported \(reported[path] as Any), is \(truth[path] as Any)")
    }
    for document in await folder.documents where document.base != nil {
      let base = try? DocumentFile(watched[document.path]).base()
      if base != document.base {
        complaints.append("\(document.path) is in another state than the folder says")
      }
    }
    return complaints
  }

  private func live(seed: UInt64, operations: Int, ignoring kind: String? = nil) async throws -> Outcome {
    let watched = try WatchedFolder()
    var life = try FolderLife(watched, seed: seed)
    let open = try await OpenFolder(watched)
    var listener = Listener(await open.folder.documents)
    listener.ignoredKind = kind
    for _ in 0..<operations {
      if life.random.oneIn(12), let begun = life.begin() {
        await open.source.send(.changed([WatchedFile(begun.name, isQuiet: false)]))
        if life.random.oneIn(2) { try await open.source.handled() }
        life.finish(begun)
      } else {
        life.act()
      }
      await deliverSome(&life, open)
      guard life.random.oneIn(4) else { continue }
      try await open.source.handled()
      for event in try await open.received() { listener.receive(event) }
    }
    // All remaining events are delivered.
    await deliver(&life, open, .scan, all: true)
    await open.source.send(.changed(life.files.sorted().map { WatchedFile($0, isQuiet: true) }))
    try await open.source.handled()
    while await !open.source.rechecks.isEmpty {
      for event in try await open.recheck() { listener.receive(event) }
    }
    for event in try await open.received() { listener.receive(event) }
    let complaints = await compare(listener, open.folder, watched)
    let repeated = try await open.scan("", watched.names)
    await open.folder.close()
    return Outcome(
      complaints: complaints + repeated.map { "reported twice: \($0)" }, operations: life.done,
      events: listener.counts)
  }

  private enum Delivery { case changes, scan }

  /// Delivers some of the pending events, some as changes and some as a scan.
  private func deliverSome(_ life: inout FolderLife, _ open: OpenFolder) async {
    if life.random.oneIn(2) { await deliver(&life, open, .changes, all: false) }
    if life.random.oneIn(6) { await deliver(&life, open, .scan, all: false) }
    if life.random.oneIn(30) {
      // The queue was full: a scan replaces the lost events.
      life.files = []
      life.folders = []
      await open.source.send(.scanned(FolderScan("", files: life.watched.names, reason: "full")))
    }
    if life.random.oneIn(3) {
      let rechecks = await open.source.takeRechecks()
      // Some rechecks come early, as further events of a file cause.
      let pause = rechecks.map(\.delay).max() ?? .zero
      open.clock.advance(by: life.random.oneIn(3) ? pause / 2 : pause)
      await open.source.send(.changed(rechecks.map { WatchedFile($0.path, isQuiet: true) }))
    }
  }

  private func deliver(_ life: inout FolderLife, _ open: OpenFolder, _ delivery: Delivery, all: Bool) async {
    switch delivery {
    case .changes:
      var files: [WatchedFile] = []
      for path in life.files.sorted() where all || life.random.oneIn(2) {
        let isQuiet = all || !life.random.oneIn(3)
        if isQuiet { life.files.remove(path) }
        files.append(WatchedFile(path, isQuiet: isQuiet))
      }
      if !files.isEmpty { await open.source.send(.changed(files)) }
    case .scan:
      for folder in life.folders.sorted() where all || life.random.oneIn(2) {
        life.folders.remove(folder)
        let files = life.watched.names.filter { FilePath($0).isWithin(FilePath(folder)) }
        await open.source.send(.scanned(FolderScan(folder, files: files, reason: nil)))
      }
    }
  }

  @Test(
    "W6 a listener that applies the events ends with the content of the folder, and receives no event twice")
  func lives() async throws {
    let campaign = Campaign("folders", smoke: 4)
    var total = Outcome()
    for seed in campaign.cases {
      let outcome = try await live(seed: seed, operations: 150)
      let complaints = outcome.complaints.joined(separator: "\n")
      #expect(complaints.isEmpty, "seed \(seed)")
      total.operations.merge(outcome.operations, uniquingKeysWith: +)
      total.events.merge(outcome.events, uniquingKeysWith: +)
    }
    let sum = { (counts: [String: Int]) in counts.values.reduce(0, +) }
    let list = { (counts: [String: Int]) in
      counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    print(
      "W6 lives: \(campaign.count) folders, \(sum(total.operations)) operations (\(list(total.operations))), "
        + "\(sum(total.events)) events (\(list(total.events)))")
    campaign.report(tried: campaign.count)
    #expect(
      total.events["damaged", default: 0] > 6 * campaign.count, "more than at the end of the episodes")
  }

  @Test(
    "W6 a listener that ignores one kind of event ends with wrong content",
    arguments: ["added", "changed", "removed", "renamed", "damaged"])
  func ignored(_ kind: String) async throws {
    var isWrong = false
    for seed in 1...UInt64(3) where !isWrong {
      isWrong = try await !live(seed: seed, operations: 150, ignoring: kind).complaints.isEmpty
    }
    #expect(isWrong)
  }

  @Test(
    "W6 a listener that applies the events of a really watched folder ends with the content of the folder")
  func real() async throws {
    let campaign = Campaign("watched-folders", smoke: 1)
    var total = 0
    for seed in campaign.cases {
      let watched = try WatchedFolder()
      var life = try FolderLife(watched, seed: seed)
      let folder = try await DocumentFolder.open(watched.path, isRecursive: true)
      let events = folder.events(capacity: 1_000_000)
      var listener = Listener(await folder.documents)
      #expect(await folder.degraded == nil)
      for number in 0..<300 {
        if life.random.oneIn(12), let begun = life.begin() {
          await Task.yield()
          life.finish(begun)
        } else {
          life.act()
        }
        if life.random.oneIn(15) { try await mark("mark\(number).emojiart", watched, events, &listener) }
      }
      // Events before the mark were sent before it, except those of files that are checked again.
      var complaints: [String] = []
      var ends = 0
      try await until("events that add up to the folder: \(complaints)") {
        try await mark("end\(ends).emojiart", watched, events, &listener)
        complaints = await compare(listener, folder, watched)
        ends += 1
        return complaints.isEmpty || !listener.complaints.isEmpty
      }
      let text = complaints.joined(separator: "\n")
      #expect(text.isEmpty, "seed \(seed)")
      await folder.close()
      total += listener.counts.values.reduce(0, +)
    }
    print(
      "W6 watched lives: \(campaign.count) folders, \(300 * campaign.count) operations, \(total) events")
    campaign.report(tried: campaign.count)
  }

  /// Makes a document and receives events until it is added.
  private func mark(
    _ name: String, _ watched: WatchedFolder, _ events: EventSequence<FolderEvent>, _ listener: inout Listener
  ) async throws {
    try watched.make(name)
    let added = FolderEvent.added(name, revision: 0)
    for event in try await events.elements(until: "the event of \(name)", { $0 == added }) {
      listener.receive(event)
    }
  }
}
