// SPDX-License-Identifier: Apache-2.0

/// A JSON value, for what is too small to need a reader and a writer of its own.
public enum JSON: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// A string, or null.
  public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// The text of the value, keys sorted.
  public var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.text
  }
}

extension JSONWriter {
  /// Writes a value, keys sorted.
  public mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .boolean(let flag): boolean(flag)
    case .integer(let number): integer(number)
    case .number(let number): self.number(number)
    case .string(let text): string(text)
    case .array(let elements): array { for element in elements { $0.value(element) } }
    case .object(let members):
      object {
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
          $0.key(name)
          $0.value(member)
        }
      }
    }
  }
}
