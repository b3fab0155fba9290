// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The members of an object, in any order.
private struct Members {
  private var members: [(key: String, write: (inout JSONWriter) -> Void)] = []

  mutating func add(_ key: String, _ write: @escaping (inout JSONWriter) -> Void) {
    members.append((key, write))
  }

  mutating func add(_ key: String, _ text: String) { add(key) { $0.string(text) } }

  mutating func add(_ key: String, _ length: Length) { add(key) { $0.length(length) } }

  mutating func add(_ key: String, _ target: Target) {
    switch target {
    case .at(let coordinates): add(key) { $0.coordinates(coordinates) }
    case .place(let place): add(key, place.rawValue)
    }
  }

  mutating func add(_ key: String, _ color: Color?) {
    add(key) { if let color { $0.string(color.description) } else { $0.null() } }
  }

  mutating func add(_ key: String, isTrue: Bool) { if isTrue { add(key) { $0.boolean(true) } } }

  mutating func add(_ selection: EmojiSelection, isAboutSeveral: Bool) {
    if let region = selection.region { add("in", region.description) }
    guard let references = selection.references else { return add("all", isTrue: selection.region == nil) }
    if let reference = references.first, references.count == 1, !isAboutSeveral || reference.isPlural {
      add("ref", reference.description)
    } else {
      add("ref") { $0.array { for reference in references { $0.string(reference.description) } } }
    }
  }

  func write(to json: inout JSONWriter) {
    json.object {
      for member in members.sorted(by: { $0.key < $1.key }) {
        $0.key(member.key)
        member.write(&$0)
      }
    }
  }
}

extension Action {
  /// The verb of its request.
  var verb: String {
    switch self {
    case .add, .addGrid: "add"
    case .caption: "caption"
    case .move: "move"
    case .resize: "resize"
    case .rotate: "rotate"
    case .mirror: "mirror"
    case .color: "color"
    case .setText: "setText"
    case .order: "order"
    case .remove: "remove"
    case .duplicate: "duplicate"
    case .align: "align"
    case .distribute: "distribute"
    case .grid: "grid"
    case .canvas: "canvas"
    }
  }

  private var selection: EmojiSelection? {
    switch self {
    case .move(let selection, _), .resize(let selection, _), .rotate(let selection, _),
      .mirror(let selection, _),
      .color(let selection, _), .setText(let selection, _), .order(let selection, _), .remove(let selection),
      .duplicate(let selection, by: _), .align(let selection, _), .distribute(let selection, _),
      .grid(let selection, columns: _, gap: _, at: _):
      selection
    case .add, .addGrid, .caption, .canvas: nil
    }
  }

  /// Whether the request is written in its form for several emoji, which decides between `ids` and `id` in the answer; nil if both
  /// forms are possible: `text` or `texts`, `ref` as a string or as an array.
  var needsSeveral: Bool? {
    switch self {
    case .add(let texts, at: _, size: _): texts.count == 1 ? nil : true
    case .addGrid: true
    case .caption, .canvas: false
    default: selection?.isPlural == true ? true : nil
    }
  }

  /// Writes the object of its request.
  func write(to json: inout JSONWriter, isAboutSeveral: Bool) {
    var members = Members()
    if let selection { members.add(selection, isAboutSeveral: isAboutSeveral) }
    switch self {
    case .add(let texts, let target, let size):
      members.add(texts, isAboutSeveral: isAboutSeveral)
      members.add(place: target)
      members.add("size", size)
    case .addGrid(let texts, let grid, let region, let size):
      members.add(texts, isAboutSeveral: texts.count > 1)
      members.add("grid", grid.description)
      members.add("in", region.description)
      if let size { members.add("size", size) }
    case .caption(let text, let target, let size, let color):
      members.add("text", text.string)
      members.add(place: target)
      members.add("size", size)
      if let color { members.add("color", color) }
    case .move(_, .to(let target)): members.add("to", target)
    case .move(_, .by(let distance)), .duplicate(_, by: let distance): members.add("by", Target.at(distance))
    case .resize(_, .to(let size)): members.add("to", size)
    case .resize(_, .by(let factor)): members.add("by") { $0.number(factor) }
    case .rotate(_, .to(let rotation)): members.add("to") { $0.number(rotation.degrees) }
    case .rotate(_, .by(let rotation)): members.add("by") { $0.number(rotation.degrees) }
    case .mirror(_, let isMirrored): members.add("off", isTrue: !isMirrored)
    case .color(_, let color): members.add("to", color)
    case .setText(_, let text): members.add(text.isCaption ? "words" : "text", text.string)
    case .order(_, .front): members.add("front", isTrue: true)
    case .order(_, .back): members.add("back", isTrue: true)
    case .order(_, .above(let reference)): members.add("above", reference.description)
    case .remove: break
    case .align(_, let line): members.add("to", line.rawValue)
    case .distribute(_, let axis): members.add("along", axis.rawValue)
    case .grid(_, let columns, let gap, let target):
      members.add("columns") { $0.integer(columns) }
      members.add("gap", gap)
      if let target { members.add("at", target) }
    case .canvas(.resize(let canvas, let anchor, let scales)):
      members.add("size", "\(canvas.width)x\(canvas.height)")
      members.add("anchor", anchor.rawValue)
      members.add("scale", isTrue: scales)
    case .canvas(.fit(let margin)): members.add("fit", margin)
    case .canvas(.fill(let color)): members.add("fill", color)
    }
    members.write(to: &json)
  }
}

extension CaptionAction {
  /// The verb of its request.
  var verb: String {
    switch self {
    case .add: "caption"
    case .set: "setText"
    }
  }

  /// As for an action.
  var needsSeveral: Bool? {
    switch self {
    case .add: false
    case .set(let selection, _): selection.isPlural ? true : nil
    }
  }

  /// Writes the object of its request.
  func write(to json: inout JSONWriter, isAboutSeveral: Bool) {
    var members = Members()
    switch self {
    case .add(let words, let target, let size, let color):
      members.add("text", words.string)
      members.add(place: target)
      members.add("size", size)
      if let color { members.add("color", color) }
    case .set(let selection, let words):
      members.add(selection, isAboutSeveral: isAboutSeveral)
      members.add("words", words.string)
    }
    members.write(to: &json)
  }
}

extension Members {
  fileprivate mutating func add(_ texts: [EmojiText], isAboutSeveral: Bool) {
    if let text = texts.first, !isAboutSeveral {
      add("text", text.string)
    } else {
      add("texts") { $0.array { for text in texts { $0.string(text.string) } } }
    }
  }

  fileprivate mutating func add(place target: Target) {
    switch target {
    case .at(let coordinates):
      add("x", coordinates.x)
      add("y", coordinates.y)
    case .place(let place): add("at", place.rawValue)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func length(_ length: Length) {
    switch length {
    case .pixels(let value): number(value)
    case .percent: string(length.description)
    }
  }

  fileprivate mutating func coordinates(_ coordinates: Coordinates) {
    array {
      $0.length(coordinates.x)
      $0.length(coordinates.y)
    }
  }
}
