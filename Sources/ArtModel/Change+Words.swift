// SPDX-License-Identifier: Apache-2.0

extension Change {
  /// What the change does, for people: `move k3m9abcd to 10,20`. May hold text from a document: it is made safe where it
  /// is printed.
  public var words: String {
    switch self {
    case .add(let emoji): "add \(emoji.text) (\(emoji.id)) at \(Self.words(emoji.position))"
    case .remove(let id): "remove \(id)"
    case .move(let id, let place): "move \(id) to \(Self.words(place))"
    case .resize(let id, let size): "resize \(id) to \(numberText(size.pixels))"
    case .setText(let id, let text): "change \(id) to \(text)"
    case .order(let id, _): "order \(id)"
    case .setCanvas(let canvas): "set the canvas to \(canvas.width)x\(canvas.height)"
    case .setBackground(nil): "clear the background"
    case .setBackground: "set the background"
    case .setPending(nil): "no background to fetch"
    case .setPending(let pending?): "fetch the background \(BackgroundURL.words(pending.url))"
    }
  }

  private static func words(_ place: Point) -> String { "\(numberText(place.x)),\(numberText(place.y))" }
}
