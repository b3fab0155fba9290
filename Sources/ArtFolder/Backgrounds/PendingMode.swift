// SPDX-License-Identifier: Apache-2.0

/// Which pending backgrounds are fetched.
public enum PendingMode: String, Sendable, CaseIterable {
  /// None.
  case none
  /// What becomes pending in a document that was known before: a file that merely appears makes nobody call out.
  case changed
  /// All, but for what a person chose to leave unfetched.
  case all
}
