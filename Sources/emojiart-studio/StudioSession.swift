// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import Glibc

  /// A session of a page, as users see it. Times are milliseconds since 1970.
  struct StudioSession: Hashable {
    let id: String
    let made: Int
    let used: Int
    /// Whether a page of it is connected now.
    let isConnected: Bool

    /// A line of JSON for each session, the one that was used last at the end.
    static func json(_ sessions: [StudioSession]) -> String {
      var json = JSONWriter()
      for session in sessions {
        json.object { json in
          json.key("connected")
          json.boolean(session.isConnected)
          json.key("made")
          json.integer(session.made)
          json.key("session")
          json.string(session.id)
          json.key("used")
          json.integer(session.used)
        }
        json.endLine()
      }
      return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Parses these lines. Throws `badJSON`.
    static func parse(_ text: String) throws(ArtError) -> [StudioSession] {
      var sessions: [StudioSession] = []
      for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
        var (id, made, used, isConnected) = ("", 0, 0, false)
        try Array(line).withUnsafeBufferPointer { (bytes) throws(ArtError) in
          try JSONReader.read(bytes) { (reader) throws(ArtError) in
            try reader.object { (key, reader) throws(ArtError) in
              switch key {
              case "connected": isConnected = try reader.boolean()
              case "made": made = try reader.integer()
              case "session": id = try reader.string()
              case "used": used = try reader.integer()
              default: try reader.skip()
              }
            }
          }
        }
        sessions.append(StudioSession(id: id, made: made, used: used, isConnected: isConnected))
      }
      return sessions
    }

    /// A line of words for each session.
    static func words(_ sessions: [StudioSession]) -> String {
      guard !sessions.isEmpty else { return "no sessions\n" }
      return sessions.map { session in
        let use = session.isConnected ? "connected" : "last used \(time(session.used))"
        return "\(session.id)  made \(time(session.made))  \(use)\n"
      }.joined()
    }

    /// The local time, to the minute.
    private static func time(_ milliseconds: Int) -> String {
      var (seconds, parts) = (time_t(milliseconds / 1_000), tm())
      guard localtime_r(&seconds, &parts) != nil else { return "?" }
      var buffer = [CChar](repeating: 0, count: 32)
      let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
#endif
