// SPDX-License-Identifier: Apache-2.0

/// Which of two designs fits a terminal, in the manner of a view's size classes. STUB
public enum SizeClass: Hashable, Sendable {
  /// Little room: one thing under the other, in few words.
  case compact
  /// Room for all.
  case regular

  /// The one rule: so many columns and rows of cells, below which it is compact.
  public init(columns: Int, rows: Int) { self = columns < 60 || rows < 16 ? .compact : .regular }
}
