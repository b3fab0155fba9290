// SPDX-License-Identifier: Apache-2.0

/// What `emojiart-worker` answers, a line of JSON each.
public enum WorkerReply: Sendable, Hashable {
  /// Bytes of a line, at most.
  public static let lineLimit = 1 << 16
  /// Bytes of a part, at most.
  public static let partLimit = 1 << 20

  /// The first line: which version of requests it takes.
  case hello(version: Int)
  /// So many bytes of the body have come, of so many as far as that is known.
  case progress(received: Int, total: Int?)
  /// The body, so many bytes, follows the line.
  case body(bytes: Int)
  /// The picture can be decoded.
  case picture(mediaType: String, size: Canvas, isAnimated: Bool)
  /// It was not fetched, or is none.
  case refused(Refusal)
  /// The next part of what is drawn, so many bytes, at least one, follows the line.
  case part(bytes: Int)
  /// All of it was in the parts.
  case drawn(Drawn)
  /// It was not drawn, and the parts, if there were any, are good for nothing.
  case notDrawn(DrawingRefusal)
  /// What the system has for a sandbox.
  case sandbox(SandboxAbility)
}
