// SPDX-License-Identifier: Apache-2.0

import ArtModel

// The value of each request that is an action.

extension StreamLine {
  /// `{"size":40,"text":"🐝","x":10,"y":"50%"}`, or `texts`, an array.
  mutating func add(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var texts: [EmojiText]?
    var place = Coordinates.center
    var size = FontSize.standard
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "text" where texts == nil: texts = [try EmojiText(reader.string())]
      case "texts" where texts == nil:
        var several: [EmojiText] = []
        try reader.array { (reader) throws(ArtError) in several.append(try EmojiText(reader.string())) }
        texts = several
        isAboutSeveral = true
      case "x": place.x = try reader.length()
      case "y": place.y = try reader.length()
      case "size": size = try FontSize(reader.number())
      case "text", "texts": throw ArtError(.usage, "add with text and texts; give one of them")
      default: throw .unknown("add has no key", key, among: ["size", "text", "texts", "x", "y"])
      }
    }
    guard let texts, !texts.isEmpty else { throw ArtError(.usage, "add what? give text, such as \"🐝\"") }
    return .add(texts, at: place, size: size)
  }

  /// `{"ref":"🐝","to":[x,y]}` or `by`.
  mutating func move(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: Selection?
    var how: Action.Displacement?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "to" where how == nil: how = .to(try reader.coordinates())
      case "by" where how == nil: how = .by(try reader.coordinates())
      case "to", "by": throw ArtError(.usage, "move with to and by; give one of them")
      default: try select(&which, of: "move", key, &reader, besides: ["by", "to"])
      }
    }
    guard let how else { throw ArtError(.usage, "where to? give to or by, such as \"by\":[1,1]") }
    return .move(try selected(which), how)
  }

  /// `{"ref":"🐝","to":48}` or `by`.
  mutating func resize(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: Selection?
    var how: Action.Resizing?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "to" where how == nil: how = .to(try FontSize(reader.number()))
      case "by" where how == nil:
        let factor = try reader.number()
        guard factor > 0 else { throw .badFactor(numberText(factor)) }
        how = .by(factor)
      case "to", "by": throw ArtError(.usage, "resize with to and by; give one of them")
      default: try select(&which, of: "resize", key, &reader, besides: ["by", "to"])
      }
    }
    guard let how else { throw ArtError(.usage, "to what size? give to or by, such as \"to\":48") }
    return .resize(try selected(which), how)
  }

  /// `{"ref":"🐝"}`.
  mutating func remove(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: Selection?
    try reader.object { (key, reader) throws(ArtError) in try select(&which, of: "remove", key, &reader) }
    return .remove(try selected(which))
  }

  /// `{"front":true,"ref":"🐝"}`, or `back`, or `above`.
  mutating func order(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: Selection?
    var place: Action.Ordering?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "front" where place == nil:
        try reader.yes(of: key)
        place = .front
      case "back" where place == nil:
        try reader.yes(of: key)
        place = .back
      case "above" where place == nil: place = .above(try Reference(reader.string()))
      case "front", "back", "above":
        throw ArtError(.usage, "order with several places; give one of front, back and above")
      default: try select(&which, of: "order", key, &reader, besides: ["above", "back", "front"])
      }
    }
    guard let place else { throw ArtError(.usage, "to which place? give one of front, back and above") }
    return .order(try selected(which), place)
  }

  /// `{"ref":"🐝","text":"🌸"}`.
  mutating func setText(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: Reference?
    var text: EmojiText?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "ref": which = try Reference(reader.string())
      case "text": text = try EmojiText(reader.string())
      default: throw .unknown("setText has no key", key, among: ["ref", "text"])
      }
    }
    guard let which, let text else { throw ArtError(.usage, "setText wants a ref and a text") }
    return .setText(which, text)
  }

  /// How many steps to undo or redo.
  mutating func steps(_ reader: inout JSONReader) throws(ArtError) -> Int {
    let count = try reader.integer()
    guard (1...1_000).contains(count) else {
      throw ArtError(.badValue, "\(count) is no count; give a number from 1 to 1,000")
    }
    isAboutSeveral = count > 1
    return count
  }

  /// `ref`, a string or an array of them, or `all`.
  private mutating func select(
    _ selection: inout Selection?, of verb: String, _ key: String, _ reader: inout JSONReader,
    besides others: [String] = []
  ) throws(ArtError) {
    guard key == "ref" || key == "all" else {
      throw .unknown("\(verb) has no key", key, among: (["all", "ref"] + others).sorted())
    }
    guard selection == nil else { throw ArtError(.usage, "all stands for every emoji; leave out ref") }
    if key == "all" {
      try reader.yes(of: key)
      selection = .all
      isAboutSeveral = true
    } else if reader.kind() == .array {
      var references: [Reference] = []
      try reader.array { (reader) throws(ArtError) in references.append(try Reference(reader.string())) }
      selection = references.isEmpty ? nil : .references(references)
      isAboutSeveral = true
    } else {
      selection = .references([try Reference(reader.string())])
    }
  }

  private func selected(_ selection: Selection?) throws(ArtError) -> Selection {
    guard let selection else {
      throw ArtError(.usage, "which emoji? give ref, such as \"🐝\", or \"all\":true")
    }
    return selection
  }
}

extension JSONReader {
  /// Pixels, or a string such as `50%`.
  fileprivate mutating func length() throws(ArtError) -> Length {
    guard kind() == .string else { return .pixels(try number()) }
    let typed = try string()
    guard let length = Length(typed) else { throw .badPlace(typed) }
    return length
  }

  /// `[x,y]`.
  fileprivate mutating func coordinates() throws(ArtError) -> Coordinates {
    try open()
    let x = try length()
    try comma()
    let y = try length()
    try close()
    return Coordinates(x: x, y: y)
  }

  /// `true`, where nothing else means something.
  mutating func yes(of key: String) throws(ArtError) {
    guard try boolean() else { throw ArtError(.usage, "\(key) can only be true; leave it out otherwise") }
  }
}
