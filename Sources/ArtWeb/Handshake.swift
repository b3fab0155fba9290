// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol

/// The first messages of a connection, in which both sides prove that they know the session's token.
///
///     waiting ──hello──▶ challenged ──answer──▶ admitted
///        └──anything else──▶ refused ◀──a wrong proof──┘
public struct Handshake: Sendable {
  private enum State {
    case waiting
    case challenged(session: String, challenge: String)
  }

  /// What is to be done.
  public enum Effect: Sendable {
    /// Send this message and wait for the next one.
    case send([UInt8])
    /// The page is admitted, with this ticket.
    case admit(DocumentClient, ticket: String)
    /// Send this message and close the connection.
    case refuse([UInt8])
  }

  private var state = State.waiting

  /// A connection without messages.
  public init() {}

  /// Receives a message. `now` is the time of `sessions`.
  public mutating func receive(
    _ frame: [UInt8], _ sessions: inout PageSessions, at now: Duration
  ) -> Effect {
    let body: PageMessage.Body
    do throws(ProtocolRequest.Unreadable) { body = try PageMessage(frame).body } catch {
      return .refuse(Self.refusal(WebRefusal(400, error.error.cause)))
    }
    do throws(WebRefusal) { return try step(body, &sessions, now) } catch {
      return .refuse(Self.refusal(error))
    }
  }

  private mutating func step(
    _ body: PageMessage.Body, _ sessions: inout PageSessions, _ now: Duration
  ) throws(WebRefusal) -> Effect {
    switch (state, body) {
    case (.waiting, .hello(let session, let nonce)):
      let (proof, challenge) = try sessions.greet(session: session, nonce: nonce, at: now)
      state = .challenged(session: session, challenge: challenge)
      var json = JSONWriter()
      json.object { json in
        json.key("challenge")
        json.string(challenge)
        json.key("proof")
        json.string(proof)
      }
      return .send(json.bytes)
    case (.challenged(let session, let challenge), .answer(let proof, let client)):
      let ticket = try sessions.admit(session: session, challenge: challenge, proof: proof, at: now)
      return .admit(client, ticket: ticket)
    default: throw WebRefusal(401, "the page must prove its session first")
    }
  }

  /// What a page is told whose session has ended.
  public static let ended = refusal(.endedSession)
  /// The answer to a page at the address of a former server, which admits no page.
  public static let unknown = refusal(.unknownSession)

  /// `{"bye":"…","status":401}`.
  static func refusal(_ refusal: WebRefusal) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("bye")
      json.string(refusal.reason)
      json.key("status")
      json.integer(refusal.status)
    }
    return json.bytes
  }

  /// `{"welcome":{…}}`: the page has proved its session. `folderID` names the folder also after a restart, by what it is and where it is;
  /// `secret` seals what the page keeps in its browser, and is nil if there is none.
  public static func welcome(
    ticket: String, folder: String, folderID: String, document: String?, secret: [UInt8]? = nil
  ) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("welcome")
      json.object { json in
        json.key("document")
        if let document { json.string(document) } else { json.null() }
        json.key("folder")
        json.string(folder)
        json.key("folderID")
        json.string(folderID)
        json.key("limits")
        json.object { json in
          json.key("message")
          json.integer(PageMessage.limit)
          json.key("picture")
          json.integer(Gate.pictureBytes)
        }
        if let secret {
          json.key("secret")
          json.string(hexadecimal(secret))
        }
        json.key("ticket")
        json.string(ticket)
      }
    }
    return json.bytes
  }
}
