// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension ArtError {
  /// Writes `{"code":"noSuchEmoji","message":"…","remedy":"listEmoji","subject":"🐝"}`. The codes and remedies are the names of
  /// `ArtError.Code` and `ArtError.Remedy`; an error without remedy or subject has no such member. `message` makes the front end's
  /// line of an error.
  public func write(to json: inout JSONWriter, message: (ArtError) -> String = \.cause) {
    json.object {
      writeAccount(to: &$0, as: "message", message(self))
      writeSubject(to: &$0)
    }
  }

  /// Writes the code, the line for people under that name, and the remedy.
  func writeAccount(to json: inout JSONWriter, as name: String, _ line: String) {
    json.key("code")
    json.string(code.rawValue)
    json.key(name)
    json.string(line)
    if let remedy {
      json.key("remedy")
      json.string(remedy.rawValue)
    }
  }

  /// Writes what the error is about.
  func writeSubject(to json: inout JSONWriter) {
    if let subject {
      json.key("subject")
      json.string(subject)
    }
  }

  /// Reads what `write` writes. The cause is the message, with the words of the front end that wrote it. Throws `badJSON`.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var (code, message, remedy, subject): (Code?, String?, Remedy?, String?)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "code": code = try reader.errorCode()
      case "message": message = try reader.string()
      case "remedy": remedy = try reader.remedy()
      case "subject": subject = try reader.string()
      default: throw reader.error("an error with the key \"\(key.prefix(40))\"")
      }
    }
    guard let code, let message else { throw reader.error("an error without code or message") }
    self.init(code, message, about: subject, remedy: remedy)
  }
}

extension JSONReader {
  /// Reads an error's code. Throws `badJSON`.
  mutating func errorCode() throws(ArtError) -> ArtError.Code {
    let name = try string()
    guard let code = ArtError.Code(rawValue: name) else { throw error("no code \"\(name.prefix(40))\"") }
    return code
  }

  /// Reads the name of a remedy. Throws `badJSON`.
  mutating func remedy() throws(ArtError) -> ArtError.Remedy {
    let name = try string()
    guard let remedy = ArtError.Remedy(rawValue: name) else {
      throw error("no remedy \"\(name.prefix(40))\"")
    }
    return remedy
  }

  /// Reads the name of a refusal's reason. Throws `badJSON`.
  mutating func refusalReason() throws(ArtError) -> Refusal.Reason {
    let name = try string()
    guard let reason = Refusal.Reason(rawValue: name) else {
      throw error("no reason \"\(name.prefix(40))\"")
    }
    return reason
  }
}
