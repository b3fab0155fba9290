// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import TestSupport
import Testing

@testable import ArtWorkspace

extension ReportedDocuments {
  /// The notices after lost events, without the notice of the loss itself.
  fileprivate mutating func caughtUp(_ documents: [FolderDocument]) -> [FolderNotice] {
    let notices = receive(.resync, finding: documents, degraded: nil)
    #expect(notices.last == .rescanned("more happened than could be reported in time"))
    return notices.dropLast()
  }
}

@Suite("Documents that a watcher has reported") struct ReportedDocumentsTests {
  private func base(_ revision: Int, by number: Int = 1) throws -> DocumentBase {
    let head = EditID("00000000000\(number):\(max(1, revision))")
    return DocumentBase(
      id: try #require(DocumentID("000000000000")), revision: revision, head: revision == 0 ? nil : head)
  }

  private func whole(_ path: String, _ revision: Int, by number: Int = 1) throws -> FolderDocument {
    FolderDocument(path: path, base: try base(revision, by: number), trouble: nil)
  }

  private func fault(_ cause: String) -> ArtError { ArtError(.damaged, cause) }

  private func broken(_ path: String, _ reason: String) -> FolderDocument {
    FolderDocument(path: path, base: nil, trouble: fault(reason))
  }

  private func change(_ revisions: ClosedRange<Int>, isComplete: Bool = true) throws -> DocumentChange {
    let edits = try revisions.map { revision in
      LoggedEdit(
        EditStamp(id: try #require(EditID("000000000001:\(revision)")), time: 0), revision: revision,
        save: revision,
        edit: Edit(name: "edit \(revision)", changes: []), inverse: [])
    }
    return DocumentChange(
      edits: isComplete ? edits : [], texts: [:], revision: revisions.upperBound, isComplete: isComplete)
  }

  private func begun(_ documents: FolderDocument...) -> ReportedDocuments {
    var reported = ReportedDocuments()
    _ = reported.begin(documents, degraded: nil)
    return reported
  }

  @Test("W9 at first the number of documents is reported, and each damaged one with its reason")
  func beginning() throws {
    var reported = ReportedDocuments()
    #expect(
      reported.begin([try whole("a", 3), broken("b", "why")], degraded: "no watches")
        == [.ready(2), .degraded("no watches"), .damaged("b", reason: fault("why"))])
    #expect(reported.receive(.damaged("b", reason: fault("why"))) == nil)
    var other = reported
    let whole = DocumentChange(edits: [], texts: [:], revision: 4, isComplete: true)
    #expect(other.receive(.added("b", revision: 4)) == .changed("b", whole, isWholeAgain: true))
    #expect(other.receive(.added("b", revision: 4)) == nil)
    #expect(reported.receive(.degraded("no watches")) == nil)
    #expect(reported.receive(.rescanned("back")) == .rescanned("back"))
    #expect(reported.receive(.degraded("no watches")) == .degraded("no watches"))
    let again = DocumentChange(edits: [], texts: [:], revision: 4, isComplete: true)
    #expect(reported.receive(.changed("b", again)) == .changed("b", again, isWholeAgain: true))
  }

  @Test("W9 a document that was locked at first is reported as added when it can be read")
  func inUse() throws {
    let reported = begun(FolderDocument(path: "a", base: nil, trouble: nil))
    for event in [FolderEvent.added("a", revision: 3), .changed("a", try change(1...3))] {
      var reported = reported
      #expect(reported.receive(event) == .added("a", revision: 3))
      #expect(reported.receive(event) == nil)
    }
  }

  @Test("D18 changes that the first list of documents already has are not reported again")
  func overlap() throws {
    var reported = begun(try whole("a", 3))
    #expect(reported.receive(.added("a", revision: 1)) == nil)
    #expect(reported.receive(.changed("a", try change(2...3))) == nil)
    #expect(reported.receive(.movedOn("a", revision: 3)) == nil)
    #expect(reported.receive(.removed("gone before")) == nil)
    #expect(reported.mustRefresh(after: .renamed("a", from: "gone before")))
    #expect(
      reported.receive(.renamed("a", from: "gone before"), finding: [try whole("a", 3)], degraded: nil) == [])
    #expect(
      reported.receive(.changed("a", try change(3...5)))
        == .changed("a", try change(4...5), isWholeAgain: false))
    #expect(reported.receive(.changed("a", try change(5...5))) == nil)
    #expect(reported.receive(.movedOn("a", revision: 9)) == .resync("a", revision: 9))
    reported.read("a", try base(12))
    #expect(reported.receive(.changed("a", try change(11...12))) == nil)
    #expect(
      reported.receive(.changed("a", try change(12...13)))
        == .changed("a", try change(13...13), isWholeAgain: false)
    )
    #expect(reported.receive(.removed("a")) == .removed("a"))
    #expect(reported.receive(.removed("a")) == nil)
    #expect(reported.receive(.added("a", revision: 1)) == .added("a", revision: 1))
    // Whatever event is the first of a document, the document is new.
    #expect(reported.receive(.changed("b", try change(2...3))) == .added("b", revision: 3))
    #expect(reported.receive(.changed("c", try change(1...3, isComplete: false))) == .added("c", revision: 3))
    #expect(reported.receive(.movedOn("d", revision: 9)) == .added("d", revision: 9))
  }

  @Test(
    "D18 another state that was read already is not reported again, and a different state with its revision is"
  )
  func backupAtTheSeam() throws {
    var reported = begun(try whole("a", 30))
    let backup = try change(1...4, isComplete: false)
    reported.read("a", try base(5))
    #expect(reported.mustRefresh(after: .changed("a", backup)))
    #expect(reported.receive(.changed("a", backup), finding: [try whole("a", 5)], degraded: nil) == [])
    #expect(reported.receive(.changed("a", try change(5...5))) == nil)
    let same = try change(1...5, isComplete: false)
    #expect(
      reported.receive(.changed("a", same), finding: [try whole("a", 5, by: 2)], degraded: nil)
        == [.changed("a", same, isWholeAgain: false)])
    // The last edit is not known now, so the change is reported rather than omitted.
    #expect(
      reported.receive(.changed("a", same), finding: [try whole("a", 5)], degraded: nil)
        == [.changed("a", same, isWholeAgain: false)])
  }

  @Test("D18 degraded watching is reported again after lost events")
  func degradedStill() throws {
    var reported = begun()
    let missed = FolderNotice.rescanned("more happened than could be reported in time")
    #expect(
      reported.receive(.resync, finding: [], degraded: "no watches") == [missed, .degraded("no watches")])
    #expect(reported.receive(.degraded("no watches")) == nil)
    #expect(reported.receive(.resync, finding: [], degraded: nil) == [missed])
    #expect(reported.receive(.degraded("no watches")) == .degraded("no watches"))
  }

  @Test(
    "D18 another state of a document is reported although its revision is lower, and later edits of it as well"
  )
  func backup() throws {
    var reported = begun(try whole("a", 30))
    let backup = try change(1...4, isComplete: false)
    #expect(reported.receive(.changed("a", backup)) == .changed("a", backup, isWholeAgain: false))
    #expect(
      reported.receive(.changed("a", try change(5...5)))
        == .changed("a", try change(5...5), isWholeAgain: false))
  }

  @Test("D18 after lost events only the differences from the reported documents are reported")
  func catchingUp() throws {
    var reported = begun(
      try whole("same", 1), try whole("gone", 1), try whole("more", 1), try whole("other", 7),
      try whole("broken", 1), broken("still", "why"), broken("again", "why"), try whole("empty", 0))
    #expect(reported.receive(.changed("more", try change(2...4))) != nil)
    let now = [
      try whole("same", 1), try whole("more", 4), try whole("other", 7, by: 2), broken("broken", "torn"),
      broken("still", "why"), try whole("again", 2), try whole("new", 5), try whole("empty", 0),
    ]
    #expect(
      reported.caughtUp(now) == [
        .resync("again", revision: 2), .damaged("broken", reason: fault("torn")), .removed("gone"),
        .added("new", revision: 5),
        .changed("other", try change(1...7, isComplete: false), isWholeAgain: false),
      ])
    #expect(reported.caughtUp(now) == [])
    let whole = DocumentChange(edits: [], texts: [:], revision: 1, isComplete: true)
    #expect(
      reported.caughtUp(try now.map { try $0.path == "broken" ? self.whole("broken", 1) : $0 })
        == [.changed("broken", whole, isWholeAgain: true)])
  }

  @Test(
    "D18 after lost events a document in its reported state is not reported again, whatever event reported it"
  )
  func unchanged() throws {
    var reported = begun(try whole("moved on", 1), try whole("backup", 9))
    #expect(reported.receive(.added("new", revision: 2)) != nil)
    #expect(reported.receive(.movedOn("moved on", revision: 2)) != nil)
    #expect(reported.receive(.changed("backup", try change(1...2, isComplete: false))) != nil)
    let documents = try ["new", "moved on", "backup"].map { try whole($0, 2) }
    #expect(reported.caughtUp(documents) == [])
    // From here on the last edit is known.
    #expect(reported.caughtUp(try documents.map { try whole($0.path, 2, by: 2) }).count == 3)
  }

  @Test("D18 whichever events were lost, a reader ends with the present documents")
  func endsRight() throws {
    var (random, cases, lost) = (SplitMix64(seed: 7), 0, 0)
    for _ in 0..<500 {
      // The folder's documents, the reported ones, and those that the reader derives.
      var folder: [String: Int] = [:]
      var reported = begun()
      var reader: [String: Int] = [:]
      func read(_ notices: [FolderNotice]) {
        for notice in notices {
          guard let document = notice.document else { continue }
          switch notice {
          case .removed: #expect(reader.removeValue(forKey: document) != nil)
          case .renamed(_, let from, _): reader[document] = reader.removeValue(forKey: from)
          default: reader[document] = notice.revision
          }
        }
      }
      for _ in 0..<40 {
        let name = "abc"[random.below(3)]
        let event: FolderEvent
        switch (folder[name], random.below(5)) {
        case (nil, _): event = .added(name, revision: 1)
        case (_, 0): event = .removed(name)
        case (let revision?, 1): event = .movedOn(name, revision: revision + 2)
        case (let revision?, 2) where revision > 2:
          event = .changed(name, try change(1...(revision - 2), isComplete: false))
        case (_, 3):
          let other = "abc"[random.below(3)]
          event = other == name ? .removed(name) : .renamed(other, from: name)
        case (let revision?, _):
          event = .changed(name, try change((revision + 1)...(revision + random.below(3) + 1)))
        }
        switch event {
        case .added(let name, let revision), .conflict(let name, _, let revision),
          .movedOn(let name, let revision):
          folder[name] = revision
        case .changed(let name, let change): folder[name] = change.revision
        case .removed(let name): folder[name] = nil
        case .renamed(let name, let from): folder[name] = folder.removeValue(forKey: from)
        case .damaged, .rescanned, .degraded, .resync, .versions: break
        }
        cases += 1
        if random.oneIn(4) {
          lost += 1
          // Each state has a head of its own, as a real one has.
          let documents = try folder.map { try whole($0.key, $0.value) }
          read(reported.caughtUp(documents))
        } else if reported.mustRefresh(after: event) {
          let documents = try folder.map { try whole($0.key, $0.value) }
          read(reported.receive(event, finding: documents, degraded: nil))
        } else {
          read(reported.receive(event).map { [$0] } ?? [])
        }
        #expect(reader == folder, "after \(event)")
      }
      read(reported.caughtUp(try folder.map { try whole($0.key, $0.value) }))
      #expect(reader == folder)
    }
    print(
      "told: \(cases) events, \(lost) of them lost, and every reader ended with the documents as they are")
  }

  @Test("documents that are not selected are not reported, and one that gets a selected name is refreshed")
  func wanted() throws {
    var reported = ReportedDocuments(only: [FilePath("a"), FilePath("b")])
    #expect(reported.begin([try whole("a", 1), try whole("x", 1)], degraded: nil) == [.ready(1)])
    #expect(reported.receive(.added("y", revision: 1)) == nil)
    #expect(reported.receive(.changed("x", try change(2...2))) == nil)
    #expect(reported.receive(.damaged("x", reason: fault("why"))) == nil)
    #expect(reported.receive(.movedOn("x", revision: 5)) == nil)
    #expect(!reported.mustRefresh(after: .renamed("y", from: "x")))
    #expect(reported.mustRefresh(after: .renamed("b", from: "x")))
    #expect(reported.mustRefresh(after: .renamed("a", from: "x")))
    var other = reported
    #expect(
      other.receive(.renamed("a", from: "x"), finding: [try whole("a", 1, by: 2)], degraded: nil)
        == [.changed("a", try change(1...1, isComplete: false), isWholeAgain: false)])
    let stranger = DocumentBase(id: try #require(DocumentID("000000000001")), revision: 0, head: nil)
    other = reported
    #expect(
      other.receive(
        .renamed("a", from: "x"), finding: [FolderDocument(path: "a", base: stranger, trouble: nil)],
        degraded: nil) == [.removed("a"), .added("a", revision: 0)])
    #expect(reported.caughtUp([try whole("a", 1), try whole("b", 2)]) == [.added("b", revision: 2)])
    #expect(reported.receive(.renamed("z", from: "b")) == .removed("b"))
    #expect(reported.receive(.renamed("b", from: "a")) == .renamed("b", from: "a", revision: 1))
  }
}

extension String {
  fileprivate subscript(_ place: Int) -> String { String(self[index(startIndex, offsetBy: place)]) }
}
