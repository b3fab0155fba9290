// SPDX-License-Identifier: Apache-2.0

/// How a person wants to hear of a background that was refused.
public enum WarningChoice: String, Sendable, CaseIterable {
  case always
  case once
  case never
}

/// What is kept of the warnings about one document on this machine.
public struct WarningRecord: Sendable, Hashable {
  /// Whether a person has stopped them.
  public var isStopped = false
  /// Whether it was warned.
  public var wasTold = false
  /// The digest of the URL that a person's own command was refused last; nil when the last one was taken.
  public var lastRefused: String?

  /// Nothing was told.
  public init() {}
}

/// What becomes of a warning.
public enum Warning: Sendable, Hashable {
  /// Nothing is said.
  case silent
  /// It is told, and where a person can be asked, the question is put.
  case told(asks: Bool)

  /// By these rules, the first that fits: `never` is silent; `always` is told; what a person asks for again right after it was
  /// refused is told again; what was stopped is silent; else once for a document. Who said `always` has answered the question,
  /// and is not asked.
  public static func decide(
    _ choice: WarningChoice?, _ record: WarningRecord, isAskedAgain: Bool
  ) -> Warning {
    switch choice {
    case .never: .silent
    case .always: .told(asks: false)
    case .once, nil:
      if isAskedAgain {
        .told(asks: !record.isStopped)
      } else if record.isStopped || record.wasTold {
        .silent
      } else {
        .told(asks: true)
      }
    }
  }
}
