// SPDX-License-Identifier: Apache-2.0

/// Which of two designs fits a terminal, in the manner of a view's size classes.
public enum SizeClass: Hashable, Sendable {
  /// Little room: one thing under the other, in few words.
  case compact
  /// Room for all.
  case regular

  /// Columns and rows from which on there is room for all.
  public static let regularFrom = (columns: 60, rows: 16)

  /// The one rule: with fewer columns or fewer rows it is compact.
  public init(columns: Int, rows: Int) {
    self = columns >= Self.regularFrom.columns && rows >= Self.regularFrom.rows ? .regular : .compact
  }
}
