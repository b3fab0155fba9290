// SPDX-License-Identifier: Apache-2.0

import ArtModel

// The actions of requests: the object behind the verb.

/// Reads the object of one action.
struct ActionReader {
  /// The verbs of actions.
  static let verbs = [
    "add", "align", "canvas", "caption", "color", "distribute", "duplicate", "grid", "mirror", "move",
    "order",
    "remove", "resize", "rotate", "setText",
  ]

  /// Whether the request may concern any number of emoji.
  private(set) var isAboutSeveral = false
  private let verb: String
  private var references: [Reference]?
  private var isAll = false
  private var region: Region?

  /// Nil for a verb that is no action's.
  init?(_ verb: String) {
    guard Self.verbs.contains(verb) else { return nil }
    self.verb = verb
  }

  /// Reads the object. Throws `usage`, `badJSON`, `badValue` or `badText`.
  mutating func read(_ reader: inout JSONReader) throws(ArtError) -> ProtocolRequest.Body {
    switch verb {
    case "add": .action(try add(&reader))
    case "align": .action(try align(&reader))
    case "canvas": .action(try canvas(&reader))
    case "caption": .caption(try caption(&reader))
    case "color": .action(try color(&reader))
    case "distribute": .action(try distribute(&reader))
    case "duplicate": .action(try duplicate(&reader))
    case "grid": .action(try grid(&reader))
    case "mirror": .action(try mirror(&reader))
    case "move": .action(try move(&reader))
    case "order": .action(try order(&reader))
    case "remove": .action(try remove(&reader))
    case "resize": .action(try resize(&reader))
    case "rotate": .action(try rotate(&reader))
    default: try setText(&reader)
    }
  }

  // MARK: Adding

  /// The place and the size of what is added.
  private struct Spot {
    var coordinates = Coordinates.center
    var place: CanvasPlace?
    var size: Length?
    static let keys = ["at", "size", "x", "y"]

    var target: Target { place.map(Target.place) ?? .at(coordinates) }

    /// Reads the value of a key; false for another key.
    mutating func read(_ key: String, _ reader: inout JSONReader) throws(ArtError) -> Bool {
      switch key {
      case "at":
        switch try reader.target() {
        case .at(let coordinates): self.coordinates = coordinates
        case .place(let place): self.place = place
        }
      case "size": size = try reader.length { (typed) throws(ArtError) in throw .badSize(typed) }
      case "x": coordinates.x = try reader.length()
      case "y": coordinates.y = try reader.length()
      default: return false
      }
      return true
    }
  }

  /// Reads `{"size":40,"text":"🐝","x":10,"y":"50%"}`, or `texts` with an array; with `"grid":"3x4"` also `"in":"X,Y,WxH"`.
  private mutating func add(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var texts: [EmojiText]?
    var spot = Spot()
    var grid: Grid?
    var several = false
    var region: Region?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "text" where texts == nil: texts = [try EmojiText(reader.string())]
      case "texts" where texts == nil:
        texts = try reader.list { (r) throws(ArtError) in try EmojiText(r.string()) }
        several = true
      case "text", "texts": throw ArtError(.usage, "add with text and texts; give one of them")
      case "grid": grid = try Grid(typed: reader.string())
      case "in": region = try Region(typed: reader.string())
      default:
        guard try spot.read(key, &reader) else {
          throw .unknown(
            "add has no key", key, among: (["grid", "in", "text", "texts"] + Spot.keys).sorted())
        }
      }
    }
    isAboutSeveral = several || grid != nil
    guard let texts, !texts.isEmpty else { throw ArtError(.usage, "add what? give text, such as \"🐝\"") }
    guard let grid else {
      guard region == nil else { throw ArtError(.usage, "add with in, but without grid; give both") }
      return .add(texts, at: spot.target, size: spot.size ?? .standard)
    }
    return .addGrid(texts, grid, in: region ?? .whole, size: spot.size)
  }

  /// Reads `{"at":"top","color":"#cc0000","size":96,"text":"Happy birthday"}`.
  private mutating func caption(_ reader: inout JSONReader) throws(ArtError) -> CaptionAction {
    var words: Words?
    var spot = Spot()
    var color: Color?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "text": words = try Words(reader.string())
      case "color": color = try reader.typedColor()
      default:
        guard try spot.read(key, &reader) else {
          throw .unknown("caption has no key", key, among: (["color", "text"] + Spot.keys).sorted())
        }
      }
    }
    guard let words else { throw ArtError(.usage, "which words? give text, such as \"Happy birthday\"") }
    return .add(words, at: spot.target, size: spot.size ?? .standard, color: color)
  }

  // MARK: Changing

  /// Reads `{"ref":"🐝","to":[x,y]}`, or `by`.
  private mutating func move(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var how: Action.Displacement?
    try chosen(&reader, besides: ["by", "to"]) { (key, reader) throws(ArtError) in
      guard how == nil else { throw ArtError(.usage, "move with to and by; give one of them") }
      how = key == "to" ? .to(try reader.target()) : .by(try reader.coordinates())
    }
    guard let how else { throw ArtError(.usage, "where to? give to or by, such as \"by\":[1,1]") }
    return .move(try selection(), how)
  }

  /// Reads `{"ref":"🐝","to":48}`, or `by`.
  private mutating func resize(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var how: Action.Resizing?
    try chosen(&reader, besides: ["by", "to"]) { (key, reader) throws(ArtError) in
      guard how == nil else { throw ArtError(.usage, "resize with to and by; give one of them") }
      if key == "to" {
        how = .to(try reader.length { (typed) throws(ArtError) in throw .badSize(typed) })
      } else {
        let factor = try reader.number()
        guard factor > 0 else { throw .badFactor(numberText(factor)) }
        how = .by(factor)
      }
    }
    guard let how else { throw ArtError(.usage, "to what size? give to or by, such as \"to\":48") }
    return .resize(try selection(), how)
  }

  /// Reads `{"ref":"🐝","to":30}`, or `by`.
  private mutating func rotate(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var how: Action.Turning?
    try chosen(&reader, besides: ["by", "to"]) { (key, reader) throws(ArtError) in
      guard how == nil else { throw ArtError(.usage, "rotate with to and by; give one of them") }
      let rotation = try Rotation(degrees: reader.number())
      how = key == "to" ? .to(rotation) : .by(rotation)
    }
    guard let how else { throw ArtError(.usage, "how far? give to or by, such as \"to\":30") }
    return .rotate(try selection(), how)
  }

  /// Reads `{"ref":"🐝"}`, with `"off":true` for the end of it.
  private mutating func mirror(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var isOff = false
    try chosen(&reader, besides: ["off"]) { (_, reader) throws(ArtError) in isOff = try reader.boolean() }
    return .mirror(try selection(), !isOff)
  }

  /// Reads `{"ref":"Happy birthday","to":"#cc0000"}`, or null.
  private mutating func color(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var color: Color??
    try chosen(&reader, besides: ["to"]) { (_, reader) throws(ArtError) in
      color = .some(try reader.typedColor())
    }
    guard let color else { throw ArtError(.usage, "which colour? give to, such as \"to\":\"#cc0000\"") }
    return .color(try selection(), color)
  }

  /// Reads `{"ref":"🐝","text":"🌸"}`, or `words` for a caption.
  private mutating func setText(_ reader: inout JSONReader) throws(ArtError) -> ProtocolRequest.Body {
    var text: EmojiText?
    var words: Words?
    try chosen(&reader, besides: ["text", "words"]) { (key, reader) throws(ArtError) in
      guard text == nil, words == nil else {
        throw ArtError(.usage, "setText with text and words; give one of them")
      }
      if key == "text" { text = try EmojiText(reader.string()) } else { words = try Words(reader.string()) }
    }
    if let words { return .caption(.set(try selection(), words)) }
    guard let text else { throw ArtError(.usage, "setText needs a text, such as \"🌸\", or words") }
    return .action(.setText(try selection(), text))
  }

  /// Reads `{"front":true,"ref":"🐝"}`, or `back`, or `above`.
  private mutating func order(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var place: Action.Ordering?
    try chosen(&reader, besides: ["above", "back", "front"]) { (key, reader) throws(ArtError) in
      guard place == nil else {
        throw ArtError(.usage, "order with several places; give one of front, back and above")
      }
      if key == "above" {
        place = .above(try Reference(reader.string()))
      } else {
        try reader.yes(of: key)
        place = key == "front" ? .front : .back
      }
    }
    guard let place else { throw ArtError(.usage, "to which place? give one of front, back and above") }
    return .order(try selection(), place)
  }

  /// Reads `{"ref":"🐝"}`.
  private mutating func remove(_ reader: inout JSONReader) throws(ArtError) -> Action {
    try chosen(&reader, besides: []) { _, _ in }
    return .remove(try selection())
  }

  /// Reads `{"by":[20,20],"ref":"🐝"}`.
  private mutating func duplicate(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var distance = Coordinates.duplicateDistance
    try chosen(&reader, besides: ["by"]) { (_, reader) throws(ArtError) in distance = try reader.coordinates()
    }
    return .duplicate(try selection(), by: distance)
  }

  // MARK: Arranging

  /// Reads `{"ref":"🐝:*","to":"left"}`.
  private mutating func align(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var line: Alignment?
    try chosen(&reader, besides: ["to"]) { (_, reader) throws(ArtError) in line = try reader.word(of: "align")
    }
    guard let line else { throw ArtError(.usage, "to which line? give to, such as \"to\":\"left\"") }
    return .align(try selection(), line)
  }

  /// Reads `{"along":"horizontally","ref":"🐝:*"}`.
  private mutating func distribute(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var axis: Axis?
    try chosen(&reader, besides: ["along"]) { (_, reader) throws(ArtError) in
      axis = try reader.word(of: "distribute")
    }
    guard let axis else {
      throw ArtError(.usage, "in which direction? give along, such as \"along\":\"vertically\"")
    }
    return .distribute(try selection(), axis)
  }

  /// Reads `{"at":"center","columns":4,"gap":10,"ref":"🐝:*"}`.
  private mutating func grid(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var columns: Int?
    var gap = Length.pixels(0)
    var target: Target?
    try chosen(&reader, besides: ["at", "columns", "gap"]) { (key, reader) throws(ArtError) in
      switch key {
      case "at": target = try reader.target()
      case "gap": gap = try reader.length { (typed) throws(ArtError) in throw .badLength(typed, "gap") }
      default: columns = try reader.integer()
      }
    }
    guard let columns else { throw ArtError(.usage, "how many columns? give columns, such as 4") }
    return .grid(try selection(), columns: columns, gap: gap, at: target)
  }

  /// Reads `{"anchor":"center","scale":true,"size":"1080x1350"}`, `{"fit":"5%"}` or `{"fill":"#ffcc00"}`.
  private mutating func canvas(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var size: Canvas?
    var anchor: CanvasPlace?
    var scales = false
    var margin: Length?
    var fill: Color??
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "anchor": anchor = try CanvasPlace(typed: reader.string())
      case "fill": fill = .some(try reader.typedColor())
      case "fit": margin = try reader.length { (typed) throws(ArtError) in throw .badLength(typed, "margin") }
      case "scale": scales = try reader.boolean()
      case "size": size = try Canvas(typed: reader.string())
      default:
        throw .unknown("canvas has no key", key, among: ["anchor", "fill", "fit", "scale", "size"])
      }
    }
    guard size != nil || anchor == nil && !scales else {
      throw ArtError(.usage, "anchor and scale are about a new size; give size, too")
    }
    switch (size, margin, fill) {
    case (let size?, nil, nil): return .canvas(.resize(size, anchor: anchor ?? .topLeft, scales: scales))
    case (nil, let margin?, nil): return .canvas(.fit(margin: margin))
    case (nil, nil, let fill?): return .canvas(.fill(fill))
    default: throw ArtError(.usage, "canvas needs one of size, fit and fill")
    }
  }

  // MARK: Selections

  /// Reads an object: `ref`, `all` and `in` choose emoji, and `read` reads the values of the other keys.
  private mutating func chosen(
    _ reader: inout JSONReader, besides others: [String],
    _ read: (String, inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "all":
        try reader.yes(of: key)
        isAll = true
      case "in": region = try Region(typed: reader.string())
      case "ref" where reader.kind() == .array:
        references = try reader.list { (r) throws(ArtError) in try Reference(r.string()) }
        isAboutSeveral = true
      case "ref": references = [try Reference(reader.string())]
      default:
        guard others.contains(key) else {
          if key == "id" || key == "ids" {
            throw ArtError(.usage, "\(verb) has no key \(key); ids are given as ref")
          }
          throw .unknown("\(verb) has no key", key, among: (["all", "in", "ref"] + others).sorted())
        }
        try read(key, &reader)
      }
    }
  }

  /// The emoji that the object chooses. Throws `usage`.
  private mutating func selection() throws(ArtError) -> EmojiSelection {
    guard !isAll || references == nil else {
      throw ArtError(.usage, "all stands for every emoji; leave out ref")
    }
    guard isAll || region != nil || references?.isEmpty == false else {
      throw ArtError(.usage, "which emoji? give ref, such as \"🐝\", or \"all\":true")
    }
    let selection = EmojiSelection(references, in: region)
    if selection.isPlural { isAboutSeveral = true }
    return selection
  }
}

extension JSONReader {
  /// Reads an array.
  fileprivate mutating func list<Element>(
    _ element: (inout JSONReader) throws(ArtError) -> Element
  ) throws(ArtError) -> [Element] {
    var list: [Element] = []
    try array { (reader) throws(ArtError) in list.append(try element(&reader)) }
    return list
  }

  /// Reads a number of pixels, or a string such as `50%`. For another string, `refuse` throws an error.
  fileprivate mutating func length(
    refuse: (String) throws(ArtError) -> Never = { (typed) throws(ArtError) in throw .badPlace(typed) }
  ) throws(ArtError) -> Length {
    guard kind() == .string else { return .pixels(try number()) }
    let typed = try string()
    guard let length = Length(typed) else { try refuse(typed) }
    return length
  }

  /// Reads `[x,y]`, `{"x":x,"y":y}` or `"X,Y"`.
  fileprivate mutating func coordinates() throws(ArtError) -> Coordinates {
    switch kind() {
    case .string: return try Coordinates(string())
    case .object: return try members()
    case .array: break
    default: throw errorInstead(of: "[x,y], {\"x\":x,\"y\":y} or \"X,Y\"")
    }
    try open()
    let x = try length()
    try comma()
    let y = try length()
    try close()
    return Coordinates(x: x, y: y)
  }

  /// Reads `{"x":x,"y":y}`.
  private mutating func members() throws(ArtError) -> Coordinates {
    var (x, y): (Length?, Length?) = (nil, nil)
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "x": x = try reader.length()
      case "y": y = try reader.length()
      default: throw .unknown("a place has no key", key, among: ["x", "y"])
      }
    }
    guard let x, let y else {
      throw ArtError(.usage, "a place needs x and y, such as {\"x\":10,\"y\":\"50%\"}")
    }
    return Coordinates(x: x, y: y)
  }

  /// The same, or the name of a place.
  fileprivate mutating func target() throws(ArtError) -> Target {
    kind() == .string ? try Target(typed: string()) : .at(try coordinates())
  }

  /// Reads a colour as users type it, or `null` for none.
  fileprivate mutating func typedColor() throws(ArtError) -> Color? {
    null() ? nil : try Color(typed: string())
  }

  /// Reads one of an enumeration's words.
  fileprivate mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    of verb: String
  ) throws(ArtError) -> Word {
    let typed = try string()
    guard let word = Word(rawValue: typed) else {
      throw .unknown("\(verb) has no word", typed, among: Word.allCases.map(\.rawValue))
    }
    return word
  }
}
