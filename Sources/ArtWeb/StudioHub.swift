// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Synchronization

/// The pages of one server, and what they show each other.
public final class StudioHub: Sendable {
  /// Another page of the same document.
  struct Peer: Sendable, Equatable {
    let client: DocumentClient
    var presence: PageMessage.Presence
  }

  private struct Entry {
    let page: LivePage
    var document: String
    var presence = PageMessage.Presence()
  }

  /// The folder.
  public let workspace: Workspace
  /// The admitted pages by their tickets.
  private let admitted = Mutex<[String: LivePage]>([:])
  private let pages = Mutex<[ObjectIdentifier: Entry]>([:])
  private let firstDocument: Mutex<String?>

  /// The pages of a folder. `first` is the document that a new page opens first; nil for none.
  public init(_ workspace: Workspace, first: String? = nil) {
    self.workspace = workspace
    firstDocument = Mutex(first)
  }

  /// The document that a new page opens first, by its present name; nil for none.
  public var first: String? { firstDocument.withLock(\.self) }

  /// A page has proved its session.
  public func admit(_ page: LivePage, _ ticket: String) { admitted.withLock { $0[ticket] = page } }

  /// The page with a ticket.
  public func page(_ ticket: String) -> LivePage? { admitted.withLock { $0[ticket] } }

  /// A page's connection has ended.
  public func dismiss(_ ticket: String) { admitted.withLock { $0[ticket] = nil } }

  /// A page has opened a document.
  func add(_ page: LivePage, _ document: String) {
    pages.withLock { $0[ObjectIdentifier(page)] = Entry(page: page, document: document) }
    tell(of: document)
  }

  /// The file of a page's document was renamed. Each page of the document tells so.
  func moved(_ page: LivePage, to path: String) {
    let old = pages.withLock { pages in
      let old = pages[ObjectIdentifier(page)]?.document
      pages[ObjectIdentifier(page)]?.document = path
      return old
    }
    firstDocument.withLock { if let old, $0 == old { $0 = path } }
    tell(of: path)
  }

  /// A page has closed its document.
  func leave(_ page: LivePage) {
    guard let entry = pages.withLock({ $0.removeValue(forKey: ObjectIdentifier(page)) }) else { return }
    tell(of: entry.document)
  }

  /// What a page's user has selected and drags.
  func show(_ presence: PageMessage.Presence, of page: LivePage) {
    let document = pages.withLock { pages in
      pages[ObjectIdentifier(page)]?.presence = presence
      return pages[ObjectIdentifier(page)]?.document
    }
    if let document { tell(of: document, except: page) }
  }

  /// Tells each page of a document about the others.
  private func tell(of document: String, except page: LivePage? = nil) {
    let entries = pages.withLock { $0.values.filter { $0.document == document } }
    for entry in entries where entry.page !== page {
      entry.page.show(
        entries.filter { $0.page !== entry.page }.map { Peer(client: $0.page.client, presence: $0.presence) })
    }
  }
}

extension StudioHub.Peer {
  func write(to json: inout JSONWriter) {
    json.object { json in
      if let session = client.session {
        json.key("client")
        json.string(session.description)
      }
      if let drag = presence.drag {
        json.key("drag")
        json.array { json in
          json.number(drag.x)
          json.number(drag.y)
        }
      }
      json.key("ids")
      json.array { json in for id in presence.ids { json.string(id.description) } }
      if let author = client.author {
        json.key("name")
        json.string(author)
      }
    }
  }
}
