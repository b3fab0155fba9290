// SPDX-License-Identifier: Apache-2.0

/// What a worker is started for. Its sandbox is closed for that before it reads a request.
public enum WorkerVerb: Sendable, Hashable {
  /// Fetches bodies.
  case fetch
  /// Decodes pictures of these kinds; another kind is refused as if its loader were not installed.
  case decode([PictureKind])
  /// Draws with the font at that path, and decodes backgrounds of these kinds.
  case draw(font: String?, [PictureKind])
  /// Says what the system has for a sandbox, and answers no requests.
  case sandbox

  /// A program's arguments that say it.
  public var arguments: [String] {
    switch self {
    case .fetch: ["fetch"]
    case .decode(let kinds): ["decode"] + kinds.map(\.rawValue)
    case .draw(nil, let kinds): ["draw"] + kinds.map(\.rawValue)
    case .draw(let font?, let kinds): ["draw", Self.fontOption, font] + kinds.map(\.rawValue)
    case .sandbox: ["sandbox"]
    }
  }

  private static let fontOption = "--font"

  /// Reads what `arguments` gives. Throws `usage` for anything else.
  public init(arguments: [String]) throws(ArtError) {
    var rest = arguments.dropFirst()
    switch arguments.first {
    case "decode": self = .decode(try Self.kinds(rest))
    case "draw":
      var font: String?
      if rest.first == Self.fontOption {
        font = rest.dropFirst().first
        rest = rest.dropFirst(2)
      }
      self = .draw(font: font, try Self.kinds(rest))
    case "fetch" where rest.isEmpty: self = .fetch
    case "sandbox" where rest.isEmpty: self = .sandbox
    default: throw Self.isNone
    }
  }

  private static let isNone = ArtError(.usage, "a helper of emojiart, which starts it; it has no commands")

  private static func kinds(_ words: ArraySlice<String>) throws(ArtError) -> [PictureKind] {
    var kinds: [PictureKind] = []
    for word in words {
      guard let kind = PictureKind(rawValue: word) else { throw isNone }
      kinds.append(kind)
    }
    return kinds
  }

  /// Whether a worker that was started for this answers that request.
  public func takes(_ request: WorkerRequest) -> Bool {
    switch (self, request) {
    case (.fetch, .fetch), (.decode, .decode), (.draw, .labels), (.draw, .picture), (.draw, .draw): true
    default: false
    }
  }
}

/// What a system has for the worker's sandbox.
public struct SandboxAbility: Sendable, Hashable {
  /// The version of Landlock's interface; nil where the kernel has none, or has it switched off.
  public var landlock: Int?
  /// Whether the kernel filters system calls.
  public var hasSeccomp: Bool

  /// That much.
  public init(landlock: Int?, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}
