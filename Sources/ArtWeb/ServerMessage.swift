// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Messages of the server that belong to no document.
public enum ServerMessage {
  /// `{"welcome":{…}}`: the page has proved its session.
  public static func welcome(ticket: String, folder: String, document: String?) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("welcome")
      json.object { json in
        json.key("document")
        if let document { json.string(document) } else { json.null() }
        json.key("folder")
        json.string(folder)
        json.key("limits")
        json.object { json in
          json.key("message")
          json.integer(PageMessage.limit)
          json.key("picture")
          json.integer(Gate.pictureBytes)
        }
        json.key("ticket")
        json.string(ticket)
      }
    }
    return json.bytes
  }
}
