// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension ArtError {
  /// Writes `{"code":"noSuchEmoji","message":"…"}`. The codes are the raw values of `ArtError.Code`.
  public func write(to json: inout JSONWriter) {
    json.object {
      $0.key("code")
      $0.string(code.rawValue)
      $0.key("message")
      $0.string(message)
    }
  }

  /// Reads what `write` writes. Throws `badJSON`.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var code: Code?
    var message: String?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "code": code = try reader.errorCode()
      case "message": message = try reader.string()
      default: throw reader.error("an error with the key \"\(key.prefix(40))\"")
      }
    }
    guard let code, let message else { throw reader.error("an error without code or message") }
    self.init(code, message)
  }
}

extension JSONReader {
  /// Reads an error's code. Throws `badJSON`.
  mutating func errorCode() throws(ArtError) -> ArtError.Code {
    let name = try string()
    guard let code = ArtError.Code(rawValue: name) else { throw error("no code \"\(name.prefix(40))\"") }
    return code
  }

  /// Reads a refusal's reason. Throws `badJSON`.
  mutating func refusalReason() throws(ArtError) -> Refusal.Reason {
    let name = try string()
    guard let reason = Refusal.Reason(rawValue: name) else {
      throw error("no reason \"\(name.prefix(40))\"")
    }
    return reason
  }
}
