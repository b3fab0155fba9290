// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Edits of the background")
struct BackgroundEditTests {
  private static let url = "https://example.org/a.png"

  private func picture(_ number: Int = 0, url: String? = url, width: Int = 640, height: Int = 480) throws
    -> Background
  {
    try Background(
      digest: RandomEdits.digests[number], mediaType: "image/png",
      size: try Canvas(width: width, height: height), url: url)
  }

  private func pending(_ url: String = url, _ anchor: PendingBackground.Anchor = .topLeft) throws
    -> PendingBackground
  {
    try PendingBackground(url: url, since: 5, reason: "later", anchor: anchor)
  }

  private func perform(_ edit: BackgroundEdit, on art: inout DocumentContent) throws -> Edit? {
    var author = try author(1)
    let plan = try edit.plan(on: art)
    if let plan { try art.perform(plan, by: &author) }
    return plan
  }

  @Test(
    "B16 setting a background also sets the canvas and ends the pending background, and the edit holds only changes with an effect"
  )
  func set() throws {
    var art = try document()
    #expect(try perform(.later(pending()), on: &art)?.changes == [.setPending(pending())])
    #expect(art.background == nil && art.pending?.url == Self.url)
    let edit = try #require(try perform(.set(picture(), keepsCanvas: false), on: &art))
    #expect(edit.name == "set the background")
    #expect(try edit.changes == [.setBackground(picture()), .setCanvas(picture().size), .setPending(nil)])
    #expect(try art.background == picture() && art.canvas == picture().size && art.pending == nil)
    #expect(try perform(.set(picture(), keepsCanvas: false), on: &art) == nil)
    let other = try picture(1, width: 10, height: 20)
    #expect(try perform(.set(other, keepsCanvas: true), on: &art)?.changes == [.setBackground(other)])
    #expect(try art.canvas == picture().size)
    #expect(try perform(.clear, on: &art)?.name == "clear the background")
    #expect(art.background == nil)
    #expect(try perform(.clear, on: &art) == nil)
  }

  @Test("B16 a refused URL is no longer pending, if it was the pending one, and the edit has the reason")
  func refuse() throws {
    var art = try document()
    _ = try perform(.later(pending()), on: &art)
    #expect(try perform(.refuse(url: "https://example.org/other.png", .status), on: &art) == nil)
    let edit = try #require(try perform(.refuse(url: Self.url, .status), on: &art))
    #expect(edit.name == "refuse the background: status" && edit.changes == [.setPending(nil)])
    #expect(edit.kind == .refuse)
    #expect(art.pending == nil)
    var author = try author(1)
    func refusal(_ name: String, _ kind: LoggedEdit.Kind) -> Refusal.Reason? {
      let edit = Edit(name: name, changes: [.setPending(nil)])
      return BackgroundEdit.refusal(
        in: LoggedEdit(author.stamp(at: 0), revision: 1, save: 1, kind: kind, edit: edit, inverse: []))
    }
    #expect(refusal(edit.name, .refuse) == .status)
    for name in ["refuse the background: nonsense", "clear the background", ""] {
      #expect(refusal(name, .refuse) == nil)
    }
    #expect(refusal(edit.name, .edit) == nil)
    #expect(try art.undo(by: &author) != nil)
    #expect(try art.pending == pending())
  }

  @Test("B16 a picture that was fetched for a URL is set only while that URL is pending")
  func late() throws {
    var art = try document()
    let late = BackgroundEdit.set(try picture(), keepsCanvas: false, pending: Self.url)
    #expect(try perform(late, on: &art) == nil)
    _ = try perform(.later(pending("https://example.org/other.png")), on: &art)
    #expect(try perform(late, on: &art) == nil)
    _ = try perform(.later(pending()), on: &art)
    #expect(try perform(late, on: &art) != nil && art.pending == nil)
  }

  @Test(
    "B16 emoji measured from the centre keep their distance from it when the picture arrives, within the bounds of places"
  )
  func anchor() throws {
    let far = Limits.coordinate
    let emojis = [
      try emoji("aaaaaaaa", x: 512, y: 384, z: 1), try emoji("bbbbbbbb", x: 0, y: far, z: 2),
      try emoji("cccccccc", x: -far, y: 1, z: 3),
    ]
    for (anchor, url, keeps, expected) in [
      (PendingBackground.Anchor.center, Self.url, false, [[320.0, 240], [-192, far - 144], [-far, -143]]),
      (.topLeft, Self.url, false, nil), (.center, "https://example.org/other.png", false, nil),
      (.center, Self.url, true, nil),
    ] as [(PendingBackground.Anchor, String, Bool, [[Double]]?)] {
      var art = try document(emojis)
      _ = try perform(.later(pending(url, anchor)), on: &art)
      let edit = try #require(try perform(.set(picture(), keepsCanvas: keeps), on: &art))
      let places = art.emojisInOrder().map { [$0.position.x, $0.position.y] }
      #expect(
        places == expected ?? emojis.map { [$0.position.x, $0.position.y] }, "\(anchor) \(url) \(keeps)")
      #expect(edit.changes.count == (keeps ? 2 : 3) + (expected == nil ? 0 : 3))
    }
    // The pending URL may be a page's URL, and the picture may have no URL.
    let wrapped = "https://search.example/page?imgurl=https%3A%2F%2Fexample.org%2Fa.png"
    let nameless = try picture(url: nil)
    for edit in [
      BackgroundEdit.set(try picture(), keepsCanvas: false),
      .set(try picture(), keepsCanvas: false, pending: wrapped),
      .set(nameless, keepsCanvas: false, pending: wrapped),
    ] {
      var art = try document(emojis)
      _ = try perform(.later(pending(wrapped, .center)), on: &art)
      #expect(try perform(edit, on: &art)?.changes.count == 6)
      #expect(art.emojisInOrder().first.map { [$0.position.x, $0.position.y] } == [320, 240])
    }
    // To a larger picture, beyond the other bound.
    var art = try document([try emoji("aaaaaaaa", x: far, y: 0)])
    _ = try perform(.later(pending(Self.url, .center)), on: &art)
    _ = try perform(.set(picture(width: 3_024, height: 769), keepsCanvas: false), on: &art)
    #expect(try art.emojisInOrder().map(\.position) == [Point(x: far, y: 0.5)])
  }

  @Test(
    "B19 an undo to a picture that is not stored makes its URL pending, and later undos and redos continue from there"
  )
  func undoBeyond() throws {
    var art = try document()
    var author = try author(1)
    let (first, second) = (try picture(0), try picture(1, url: "https://example.org/b.png", width: 30))
    art.setPictures([first.digest, second.digest])
    for background in [first, second] {
      let plan = try #require(try BackgroundEdit.set(background, keepsCanvas: false).plan(on: art))
      _ = try Self.step(plan.changes, .edit, plan.name, &art, &author)
    }
    art.setPictures([second.digest])
    func undo() throws -> AppliedEdit {
      let plan = try #require(try UndoPlan.undo(in: art))
      return try Self.step(plan.changes, plan.kind, plan.name, &art, &author)
    }
    func redo() throws -> AppliedEdit {
      let plan = try #require(try UndoPlan.redo(in: art))
      #expect(plan.skipped == [])
      return try Self.step(plan.changes, plan.kind, plan.name, &art, &author)
    }
    let instead = try PendingBackground(url: Self.url, since: 9, reason: "undo", anchor: .topLeft)
    let undone = try undo()
    #expect(undone.lost == [first] && undone.dropped == [.setBackground(first)])
    #expect(art.background == nil && art.pending == instead && art.canvas == first.size)
    // The pending URL replaces the background: an undo removes it, and a redo sets it again.
    #expect(try undo().lost == [])
    #expect(art.background == nil && art.pending == nil && art.canvas == .standard)
    #expect(try redo().lost == [])
    #expect(art.background == nil && art.pending == instead && art.canvas == first.size)
    #expect(try redo().lost == [])
    #expect(art.background == second && art.pending == nil && art.canvas == second.size)
    // The picture was fetched meanwhile: setting it again stores its bytes again.
    #expect(try undo().lost == [first])
    art.setPictures([first.digest, second.digest])
    let fetched = try #require(try BackgroundEdit.set(first, keepsCanvas: false).plan(on: art))
    _ = try Self.step(fetched.changes, .edit, fetched.name, &art, &author)
    #expect(art.background == first && art.pending == nil)
    #expect(try undo().lost == [])
    #expect(art.background == nil && art.pending == instead)
  }

  @Test(
    "B19 undos and redos through pictures that are not stored give the same states each time"
  )
  func stepsBeyond() throws {
    var art = try document()
    var author = try author(1)
    let wanted = try pending("https://example.org/wanted.png")
    var states = [Picture(art)]
    func record(_ edit: BackgroundEdit) throws {
      let plan = try #require(try edit.plan(on: art))
      _ = try Self.step(plan.changes, .edit, plan.name, &art, &author)
      states.append(Picture(art))
    }
    try record(.later(wanted))
    try record(.set(picture(0), keepsCanvas: false))
    try record(.set(picture(1, url: nil, width: 30), keepsCanvas: false))
    try record(.later(wanted))
    try record(.set(picture(2, url: "https://example.org/b.png", width: 40), keepsCanvas: false))
    art.setPictures([])
    // The states without stored bytes: the URL of the background is pending, unless another one is.
    for index in states.indices.dropLast() {
      guard let background = states[index].background else { continue }
      states[index].background = nil
      guard states[index].pending == nil, let url = background.url else { continue }
      states[index].pending = try PendingBackground(url: url, since: 9, reason: "undo", anchor: .topLeft)
    }
    for round in 1...3 {
      for index in states.indices.dropLast().reversed() {
        let plan = try #require(try UndoPlan.undo(in: art), "round \(round)")
        #expect(plan.skipped == [], "round \(round), undo to \(index)")
        _ = try Self.step(plan.changes, plan.kind, plan.name, &art, &author)
        #expect(Picture(art) == states[index], "round \(round), undo to \(index)")
      }
      #expect(try UndoPlan.undo(in: art) == nil)
      // The bytes of the newest background are not stored any more either.
      if round == 1 {
        let last = states.count - 1
        states[last].background = nil
        states[last].pending = try PendingBackground(
          url: "https://example.org/b.png", since: 9, reason: "undo", anchor: .topLeft)
      }
      for index in states.indices.dropFirst() {
        let plan = try #require(try UndoPlan.redo(in: art), "round \(round)")
        #expect(plan.skipped == [], "round \(round), redo to \(index)")
        _ = try Self.step(plan.changes, plan.kind, plan.name, &art, &author)
        #expect(Picture(art) == states[index], "round \(round), redo to \(index)")
      }
    }
  }

  /// A document that two programs edit, and what the tests below do with it.
  private struct Two {
    var art: DocumentContent
    var own: Author
    var other: Author
    /// Backgrounds with URLs of their own; one is stored, the others are not.
    let pictures: [Background]
    private var index = WriteIndex()

    init(_ art: DocumentContent, own: Author, other: Author, pictures: [Background]) {
      (self.art, self.own, self.other, self.pictures) = (art, own, other, pictures)
    }

    mutating func perform(_ edit: BackgroundEdit, by author: WritableKeyPath<Two, Author>) throws {
      if case .set(let picture, _, _) = edit { art.setPictures([picture.digest]) }
      let plan = try #require(try edit.plan(on: art))
      _ = try step(plan.changes, .edit, plan.name, by: author)
    }

    mutating func undo(by author: WritableKeyPath<Two, Author>) throws -> AppliedEdit {
      let plan = try #require(try UndoPlan.undo(in: art, by: .origin(self[keyPath: author].origin)))
      return try step(plan.changes, plan.kind, plan.name, by: author)
    }

    mutating func redo(by author: WritableKeyPath<Two, Author>) throws -> AppliedEdit {
      let plan = try #require(try UndoPlan.redo(in: art, by: .origin(self[keyPath: author].origin)))
      return try step(plan.changes, plan.kind, plan.name, by: author)
    }

    private mutating func step(
      _ changes: [Change], _ kind: LoggedEdit.Kind, _ name: String, by path: WritableKeyPath<Two, Author>
    ) throws -> AppliedEdit {
      var author = self[keyPath: path]
      defer { self[keyPath: path] = author }
      let applied = try BackgroundEditTests.step(changes, kind, name, &art, &author)
      // By the places of the writes each undo is planned as by a walk through the log.
      for entry in art.log {
        #expect(try index.again(.undo(entry.id), in: art.log) == UndoPlan.again(.undo(entry.id), in: art))
      }
      return applied
    }
  }

  private func two() throws -> Two {
    Two(
      try document(), own: try author(1), other: try author(2),
      pictures: try [0, 1, 2, 1, 0].enumerated().map {
        try picture($1, url: "https://example.org/\($0).png")
      })
  }

  @Test("B19 the URL of a former background does not become pending beside the background of somebody else")
  func besideAnother() throws {
    var two = try two()
    let pictures = two.pictures
    // The own pending URL that an undo must bring back in the end.
    try two.perform(.later(pending()), by: \.own)
    try two.perform(.set(pictures[0], keepsCanvas: true), by: \.own)
    try two.perform(.set(pictures[1], keepsCanvas: true), by: \.own)
    #expect(try two.undo(by: \.own).lost == [pictures[0]])
    let substitute = try #require(two.art.pending)
    #expect(substitute.reason == "undo" && substitute.url == pictures[0].url)
    try two.perform(.set(pictures[2], keepsCanvas: true), by: \.own)
    #expect(two.art.pending == nil)
    try two.perform(.set(pictures[3], keepsCanvas: true), by: \.other)
    // The edit that the undo reverts has removed the substitute, and the background is the other program's.
    for _ in 1...2 {
      let undone = try two.undo(by: \.own)
      #expect(two.art.background == pictures[3] && two.art.pending == nil)
      #expect(undone.dropped == [.setPending(substitute)])
      _ = try two.redo(by: \.own)
      #expect(two.art.background == pictures[3] && two.art.pending == nil)
    }
    _ = try two.undo(by: \.own)
    // The step before is reverted, too, and its pending URL is there again.
    _ = try two.undo(by: \.own)
    #expect(try two.art.background == pictures[3] && two.art.pending == pending())
  }

  @Test(
    "B19 an undo withdraws the own pending URL, also where a background has replaced what was pending before")
  func withdrawn() throws {
    var two = try two()
    let pictures = two.pictures
    try two.perform(.set(pictures[0], keepsCanvas: true), by: \.other)
    try two.perform(.set(pictures[1], keepsCanvas: true), by: \.other)
    #expect(try two.undo(by: \.other).lost == [pictures[0]])
    let substitute = try #require(two.art.pending)
    try two.perform(.set(pictures[2], keepsCanvas: true), by: \.other)
    _ = try two.undo(by: \.other)
    #expect(two.art.background == nil && two.art.pending == substitute)
    try two.perform(.later(pending()), by: \.own)
    _ = try two.redo(by: \.other)
    #expect(try two.art.background == pictures[2] && two.art.pending == pending())
    _ = try two.undo(by: \.own)
    #expect(two.art.background == pictures[2] && two.art.pending == nil)
  }

  @Test("B19 a background without a URL is lost, and another pending background stays")
  func nothingToFetch() throws {
    for (url, hasPending) in [(nil, false), (nil, true), (Self.url, true)] as [(String?, Bool)] {
      var art = try document()
      art.setPictures([])
      let other = try pending("https://example.org/other.png")
      if hasPending { art.setPending(other) }
      let lost = try picture(url: url)
      let applied = try art.apply([.setBackground(lost)], at: 1)
      #expect(applied.lost == [lost] && applied.changes == [])
      #expect(art.background == nil && art.pending == (hasPending ? other : nil))
    }
  }

  fileprivate static func step(
    _ changes: [Change], _ kind: LoggedEdit.Kind, _ name: String, _ art: inout DocumentContent,
    _ author: inout Author
  ) throws -> AppliedEdit {
    let applied = try art.apply(changes, of: kind, at: 9)
    let stamp = author.stamp(at: 9)
    art.append(
      LoggedEdit(
        stamp, revision: art.revision + 1, save: art.revision + 1, kind: kind,
        edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse, dropped: applied.dropped))
    return applied
  }

  @Test("C11 no summary of an edit has the query of a URL")
  func words() throws {
    let secret = "https://example.org/a.png?key=hidden"
    let changes: [Change] = [.setBackground(try picture(url: secret)), .setPending(try pending(secret))]
    let entry = LoggedEdit(
      try author(1).stamp(), revision: 1, save: 1,
      edit: Edit(name: "x", changes: changes), inverse: [])
    for words in [entry.summary()] + changes.map(\.summary) {
      #expect(!words.contains("hidden"), "\(words)")
    }
    #expect(entry.summary().contains("example.org"))
    let refused = LoggedEdit(
      entry.stamp, revision: 1, save: 1, kind: .refuse,
      edit: Edit(name: BackgroundEdit.refuse(url: "", .tls).name, changes: [.setPending(nil)]), inverse: [])
    #expect(refused.summary() == "background refused (tls)")
  }
}

extension Author {
  fileprivate func stamp() -> EditStamp {
    var copy = self
    return copy.stamp(at: 0)
  }
}
