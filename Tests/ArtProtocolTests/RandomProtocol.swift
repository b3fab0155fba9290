// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtProtocol
import ArtWorkspace
import TestSupport
import Testing

/// Random values of every shape of the protocol. URLs are such that displaying does not change them.
struct RandomProtocol {
  var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func pick<Value>(_ values: [Value]) throws -> Value {
    try #require(values.randomElement(using: &generator))
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  mutating func count() -> Int { generator.oneIn(5) ? int(0...Int.max) : int(0...9) }
  mutating func flag() -> Bool { generator.oneIn(2) }

  mutating func optional<Value>(_ value: (inout Self) throws -> Value) rethrows -> Value? {
    flag() ? nil : try value(&self)
  }

  mutating func list<Value>(_ value: (inout Self) throws -> Value) rethrows -> [Value] {
    var values: [Value] = []
    for _ in 0..<int(0...3) { values.append(try value(&self)) }
    return values
  }

  mutating func text() throws -> String {
    try pick([
      "", "bees", "a \"quoted\" one\\", "line\nbreak\t", "\u{1B}]0;\u{202E}", "🐝 é e\u{301}", "a/b.emojiart",
    ])
  }

  mutating func emojiID() -> EmojiID { EmojiID.random(using: &generator) }
  mutating func editID() -> EditID { EditID(origin: Origin(using: &generator), sequence: int(1...Int.max)) }
  mutating func z() -> Int { int(-(1 << 60)...1 << 60) }

  mutating func emojiText() throws -> EmojiText {
    int(0...4) == 0
      ? EmojiText(try Words("Happy\nbirthday"), box: try TextBox(width: double(1e-6...2_000), height: 1.5))
      : try labelText()
  }

  mutating func labelText() throws -> EmojiText {
    try EmojiText(pick(["🐝", "🌸", "👩‍🚀", "🏳️‍🌈", "1️⃣", "a\"\\🐝", "e\u{301}🐝"]))
  }

  mutating func double(_ range: ClosedRange<Double>) -> Double {
    flag() ? Double.random(in: range, using: &generator) : Double(int(1...9))
  }

  mutating func point() throws -> Point { try Point(x: double(-1e6...1e6), y: double(-1e6...1e6)) }
  mutating func size() throws -> FontSize { try FontSize(double(1e-9...1e5)) }
  mutating func canvas() throws -> Canvas { try Canvas(width: int(1...100_000), height: int(1...100_000)) }

  mutating func emoji() throws -> Emoji {
    Emoji(
      id: emojiID(), text: try emojiText(), position: try point(), size: try size(), z: z(),
      rotation: try rotation(), isMirrored: flag(), color: color() ?? .black)
  }

  mutating func rotation() throws -> Rotation { try Rotation(degrees: double(-360...360)) }
  mutating func color() -> Color? {
    optional { Color(red: UInt8($0.int(0...255)), green: 0, blue: 9, alpha: UInt8($0.int(0...255))) }
  }

  mutating func url() throws -> String {
    try pick(["https://example.org/a.png", "http://[2001:db8::1]:80/ü", "data:image/png;base64,…"])
  }

  mutating func background() throws -> Background {
    try Background(
      digest: String(repeating: pick(["0", "a", "7"]), count: 32),
      mediaType: pick(["image/png", "image/webp"]),
      size: canvas(), url: optional { try $0.url() })
  }

  mutating func pending() throws -> PendingBackground {
    try PendingBackground(
      url: url(), since: count(), reason: pick(["dns", "later"]), anchor: pick([.topLeft, .center]))
  }

  mutating func change() throws -> Change {
    switch int(0...12) {
    case 0: .add(try emoji())
    case 1: .remove(emojiID())
    case 2: .move(emojiID(), to: try point())
    case 3: .resize(emojiID(), to: try size())
    case 4: .setText(emojiID(), to: try emojiText())
    case 5: .order(emojiID(), to: z())
    case 6: .setCanvas(try canvas())
    case 7: .setBackground(try optional { try $0.background() })
    case 8: .rotate(emojiID(), to: try rotation())
    case 9: .mirror(emojiID(), to: flag())
    case 10: .color(emojiID(), to: color() ?? .black)
    case 11: .setFill(color())
    default: .setPending(try optional { try $0.pending() })
    }
  }

  mutating func effect() throws -> ContentEffect {
    let updated = try list { random in
      var update = ContentEffect.Update(random.emojiID())
      update.text = try random.optional { try $0.emojiText() }
      update.position = try random.optional { try $0.point() }
      update.size = try random.optional { try $0.size() }
      update.z = random.optional { $0.z() }
      update.rotation = try random.optional { try $0.rotation() }
      update.isMirrored = random.optional { $0.flag() }
      update.color = random.optional { $0.color() ?? .black }
      return update
    }
    return ContentEffect(
      added: try list { try $0.emoji() }, updated: updated, removed: list { $0.emojiID() },
      canvas: try optional { try $0.canvas() }, fill: optional { random in random.color() },
      background: try optional { random in try random.optional { try $0.background() } },
      pending: try optional { random in try random.optional { try $0.pending() } })
  }

  mutating func edit() throws -> ProtocolEdit {
    ProtocolEdit(
      by: try text(), changes: try list { try $0.change() }, id: editID(),
      session: optional { SessionID(using: &$0.generator) },
      tags: try list { try #require(RequestTag(try $0.pick(["a", "{}", "x\"y", "~!"]))) }, what: try text())
  }

  mutating func saved() -> SavedState { SavedState(head: optional { $0.editID() }, revision: count()) }

  mutating func error() throws -> ArtError {
    ArtError(
      try pick(ArtError.Code.allCases), try text(), about: try optional { try $0.text() },
      remedy: try optional { try $0.pick(ArtError.Remedy.allCases) })
  }

  mutating func refusal() throws -> Refusal {
    Refusal(
      try pick([.badURL, .dns, .tooBig, .notAnImage, .status]), try text(), isTransient: flag())
  }

  /// Any JSON of a tag, but no object: a tag's members are not checked.
  mutating func tag() throws -> ProtocolTag? {
    try optional {
      try #require(ProtocolTag(try $0.pick(["7", "-2.50e+3", "null", #""x y""#, "[1,[]]", #""\u009b""#])))
    }
  }

  // MARK: Lines

  mutating func request() throws -> ProtocolRequest {
    let body: ProtocolRequest.Body
    switch int(0...11) {
    case 0: body = .caption(try captionAction())
    case 1...7: body = .action(try action())
    case 8: body = flag() ? .undo(int(1...1_000)) : .redo(int(1...1_000))
    case 9: body = flag() ? .save : try earlier()
    default:
      body = .background(
        try pick([
          .clear, .later(try url()), .fetch(try url(), keepsCanvas: flag(), allowsPrivate: flag()),
        ]))
    }
    return ProtocolRequest(
      body, tag: try tag(), since: optional { random in random.flag() ? .beginning : .edit(random.editID()) },
      isAboutSeveral: flag())
  }

  private mutating func action() throws -> Action {
    let which = try selection()
    switch int(0...15) {
    case 0: return .add(try list { try $0.labelText() } + [try labelText()], at: try target(), size: length())
    case 1:
      return .addGrid(
        try list { try $0.labelText() } + [try labelText()],
        try Grid(columns: int(1...1_000), rows: int(1...1_000)),
        in: try region(), size: optional { $0.length() })
    case 2, 3: return .move(which, flag() ? .to(try target()) : .by(try place()))
    case 4: return .resize(which, flag() ? .to(length()) : .by(double(1e-9...10)))
    case 5: return .rotate(which, flag() ? .to(try rotation()) : .by(try rotation()))
    case 6: return .mirror(which, flag())
    case 7: return .color(which, color())
    case 8: return .setText(which, try labelText())
    case 9: return .order(which, try pick([.front, .back, .above(try reference())]))
    case 10: return .remove(which)
    case 11: return .duplicate(which, by: try place())
    case 12: return .align(which, try pick(Alignment.allCases))
    case 13: return .distribute(which, try pick(Axis.allCases))
    case 14: return .grid(which, columns: int(1...9), gap: length(), at: try optional { try $0.target() })
    default:
      return .canvas(
        try pick([
          .resize(try canvas(), anchor: try pick(CanvasPlace.allCases), scales: flag()),
          .fit(margin: length()),
          .fill(color()),
        ]))
    }
  }

  private mutating func captionAction() throws -> CaptionAction {
    let words = try Words(pick(["Happy birthday", "1\n2", "\"\\ 🐝"]))
    return flag()
      ? .add(words, at: try target(), size: length(), color: color()) : .set(try selection(), words)
  }

  private mutating func target() throws -> Target {
    flag() ? .at(try place()) : .place(try pick(CanvasPlace.allCases))
  }

  private mutating func region() throws -> Region { Region(try place(), width: length(), height: length()) }

  private mutating func place() throws -> Coordinates { Coordinates(x: length(), y: length()) }

  private mutating func length() -> Length {
    flag() ? .pixels(double(-1e6...1e6)) : .percent(double(-100...100))
  }

  private mutating func reference() throws -> Reference {
    try Reference(
      pick(["🐝", "🌸:2", "🌸:2-4", "🌸:*", "k3m9abcd", "K3", "Happy birthday", "Happy birthday:*", "@last"]))
  }

  private mutating func selection() throws -> EmojiSelection {
    let references = flag() ? nil : try list { try $0.reference() } + [try reference()]
    return EmojiSelection(references, in: try optional { try $0.region() })
  }

  /// A request about earlier states, or for the present one.
  private mutating func earlier() throws -> ProtocolRequest.Body {
    let state: RevisionReference = flag() ? .number(count()) : .version(try name())
    return try pick([
      .show(at: nil), .show(at: state), .revert(to: state), .keepVersion(name()), .removeVersion(name()),
      .versions,
    ])
  }

  /// The name of a version.
  private mutating func name() throws -> String {
    try pick(["draft", "first draft", "🐝", "k3m9abcd0f2z:17"])
  }

  private mutating func version() throws -> NamedVersion {
    NamedVersion(
      id: editID(), name: try name(), revision: count(), head: optional { $0.editID() },
      author: try optional { try $0.text() },
      time: int(0...253_402_300_799_999))
  }

  mutating func answer(of id: DocumentID) throws -> ProtocolAnswer {
    let outcome: ProtocolAnswer.Outcome
    switch int(0...6) {
    case 6: outcome = .versions(try list { try $0.version() }, unsaved: count())
    case 0:
      outcome = .edited(
        ProtocolAnswer.Edited(
          try pick([.none, .one(emojiID()), .several(list { $0.emojiID() })]), offCanvas: count(),
          unsaved: count(), isPending: flag(), isRepeated: flag()))
    case 1:
      outcome = .stepped(
        ProtocolAnswer.Stepped(
          try list { try $0.text() }, left: count(), lost: count(), unsaved: count(), isPending: flag(),
          isRepeated: flag()))
    case 2: outcome = .saved(revision: count(), unsaved: count())
    case 3: outcome = .fetching(try text())
    case 4: outcome = .failed(try error())
    default: outcome = .document(try shown(of: id))
    }
    let inputLine: Int? = if case .failed = outcome { optional { $0.count() } } else { nil }
    return ProtocolAnswer(outcome, tag: try tag(), inputLine: inputLine)
  }

  /// Without `z` an emoji is placed by its position in the array; an empty array does not show whether it has `z`.
  mutating func shown(of id: DocumentID) throws -> ProtocolDocument {
    var emojis = try list { try $0.emoji() }
    let hasZ = flag() && !emojis.isEmpty
    if !hasZ {
      emojis = emojis.enumerated().map { place, emoji in
        var emoji = emoji
        emoji.z = place
        return emoji
      }
    }
    let content = try #require(
      DocumentContent(
        id: id, canvas: canvas(), fill: color(), background: optional { try $0.background() },
        pending: optional { try $0.pending() }, emojis: emojis, revision: count()))
    return ProtocolDocument(
      content, saved: saved(), state: try state(), unsaved: count(), version: count(), hasZ: hasZ)
  }

  mutating func state() throws -> DocumentState {
    try pick([.closed, .open, .saving, .error(try error()), .editingDisabled(try text())])
  }

  /// Every event but `failed`, which is read as an answer.
  mutating func event() throws -> ProtocolEvent {
    switch int(0...9) {
    case 0: .state(try state())
    case 1: .saved(revision: count())
    case 2, 3:
      .changed(
        try #require(
          ProtocolChange(
            after: int(0...Int.max - 1), cause: pick(ContentChange.Cause.allCases),
            edits: list { try $0.edit() }, isComplete: flag(), effect: effect(), revision: count(),
            saved: optional { $0.saved() })))
    case 4: .dropped(editID(), try list { try $0.change() })
    case 5:
      try pick([
        .renamed(emojiID(), to: emojiID()), .repeated(editID(), as: editID()),
        .setAside(edits: count(), files: try list { try $0.text() }),
      ])
    case 6: .resync(version: count())
    case 7: .background(try background(), revision: count(), tag: try tag())
    case 8:
      .rejected(
        try refusal(), url: try optional { try $0.url() }, tag: try tag(), line: optional { $0.count() })
    default:
      try pick([.degraded(try text()), .watching, .lifeCycle(try pick(LifeCycleEvent.allCases))])
    }
  }

  mutating func notice() throws -> ProtocolNotice {
    let name = try text()
    switch int(0...12) {
    case 0: return .ready(folder: name, documents: count())
    case 1: return .added(name, revision: count())
    case 2: return .changed(name, [], origin: nil, revision: count())
    case 3:
      let edits = try list { try $0.edit() } + [try edit()]
      return .changed(name, edits, origin: Origin(using: &generator), revision: count())
    case 4: return .replaced(name, revision: count())
    case 5: return .resync(name, revision: count())
    case 6: return .removed(name)
    case 7: return .renamed(name, from: try text())
    case 8: return .damaged(name, reason: try text())
    case 9: return .rejected(name, try refusal(), url: try optional { try $0.url() })
    case 11: return .versions(name, names: try list { try $0.text() }, revision: count())
    case 10: return .unfetched(name, reason: try text(), url: try optional { try $0.url() })
    default:
      return flag()
        ? .rescanned(folder: name, reason: try text()) : .degraded(folder: name, reason: try text())
    }
  }
}
