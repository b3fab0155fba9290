// SPDX-License-Identifier: Apache-2.0

/// What is done to a document's background, in a person's or a fetcher's terms. On a document it becomes an `Edit`.
public enum BackgroundEdit: Hashable, Sendable {
  /// That picture; the canvas takes its size, unless it is to be kept. What was pending is not any more. Where this is the pending
  /// one, and was measured from the centre, the emoji move with it: by its URL, or because `pending` is the URL that it was
  /// pending by. Where that is not pending any more, nothing is done.
  case set(Background, keepsCanvas: Bool, pending: String? = nil)
  /// No picture, and none to be fetched.
  case clear
  /// A picture that is to be fetched later; the one that is there stays until then.
  case later(PendingBackground)
  /// The pending picture of that URL was refused for good: it is not pending any more.
  case refuse(url: String, Refusal.Reason)

  /// What it is on this document; nil when it has no effect. Throws what reading throws.
  public func plan(on art: some ArtReading) throws(ArtError) -> Edit? {
    let changes: [Change]
    switch self {
    case .set(let background, let keepsCanvas, let pending):
      guard pending == nil || art.pending?.url == pending else { return nil }
      let canvas = keepsCanvas ? art.canvas : background.size
      let moves = try Self.moves(to: canvas, for: pending ?? background.url, on: art)
      changes = [.setBackground(background), .setCanvas(canvas)] + moves + [.setPending(nil)]
    case .clear: changes = [.setBackground(nil), .setPending(nil)]
    case .later(let pending): changes = [.setPending(pending)]
    case .refuse(let url, _):
      guard art.pending?.url == url else { return nil }
      changes = [.setPending(nil)]
    }
    let effective = changes.filter { !$0.matches(art) }
    return effective.isEmpty ? nil : Edit(name: name, changes: effective)
  }

  /// What the edit is called.
  public var name: String {
    switch self {
    case .set: "set the background"
    case .clear: "clear the background"
    case .later: "fetch the background later"
    case .refuse(_, let reason): Self.refuseName + reason.rawValue
    }
  }

  private static let refuseName = "refuse the background: "

  /// Why a background was refused for good, where that is what the edit says.
  public static func refusal(in edit: Edit) -> Refusal.Reason? {
    guard edit.name.hasPrefix(refuseName), edit.changes == [.setPending(nil)] else { return nil }
    return Refusal.Reason(rawValue: String(edit.name.dropFirst(refuseName.count)))
  }

  /// Where a picture arrives that the places were measured from the centre of, they stay where they are to its centre; none
  /// leaves the bounds of places.
  private static func moves(
    to canvas: Canvas, for url: String?, on art: some ArtReading
  ) throws(ArtError) -> [Change] {
    guard let pending = art.pending, pending.anchor == .center, isSame(pending.url, url), canvas != art.canvas
    else {
      return []
    }
    let right = Double(canvas.width - art.canvas.width) / 2
    let down = Double(canvas.height - art.canvas.height) / 2
    var moves: [Change] = []
    for emoji in try art.emojisInOrder() {
      let place = try Point(x: within(emoji.position.x + right), y: within(emoji.position.y + down))
      moves.append(.move(emoji.id, to: place))
    }
    return moves
  }

  /// Whether that is the URL of the pending one, as it stands there or as it is fetched.
  private static func isSame(_ pending: String, _ url: String?) -> Bool {
    if pending == url { return true }
    do throws(Refusal) { return try BackgroundURL(pending).string == url } catch { return false }
  }

  private static func within(_ value: Double) -> Double {
    min(max(value, -Limits.coordinate), Limits.coordinate)
  }
}

extension Change {
  /// Whether a field of the document as a whole has the value that the change gives it.
  fileprivate func matches(_ art: some ArtReading) -> Bool {
    switch self {
    case .setCanvas(let canvas): canvas == art.canvas
    case .setBackground(let background): background == art.background
    case .setPending(let pending): pending == art.pending
    case .add, .remove, .move, .resize, .setText, .order: false
    }
  }
}
