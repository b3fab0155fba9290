// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Synchronization

/// The pages of one server, and what they show each other.
public final class StudioHub: Sendable {
  /// How long a page's presence is shown before a newer one is.
  static let presencePause = Duration.milliseconds(50)

  private struct Entry {
    let page: LivePage
    var document: FilePath
    /// What other pages get of this one, as JSON.
    var peer: [UInt8]
    /// Whether the others got its presence a moment ago, and whether there is a newer one since.
    var isPausing = false
    var isNewer = false
    /// Whether it has missed a presence of another page, because it was slow.
    var isBehind = false
  }

  /// The folder.
  public let workspace: Workspace
  /// What the user has chosen in pages; nil if it is not kept.
  package let preferences: PagePreferences?
  /// What the font has: other emoji are not offered.
  let font = FontCoverage(triesTones: true)
  /// The admitted pages by their tickets.
  private let admitted = Mutex<[String: LivePage]>([:])
  private let pages = Mutex<[ObjectIdentifier: Entry]>([:])
  private let browsedFolders = Mutex<[ObjectIdentifier: BrowsedFolder]>([:])
  private let firstDocument: Mutex<FilePath?>
  /// The documents that pages have deleted, the oldest first.
  private let trash = Mutex<[(document: FilePath, trashed: TrashedDocument)]>([])
  /// How many deleted documents can be brought back.
  private static let trashed = 10_000
  let pause: @Sendable () async throws -> Void

  /// The pages of a folder. `first` is the document that a new page opens first; nil for none.
  package init(
    _ workspace: Workspace, first: String? = nil, preferences: PagePreferences? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    (self.workspace, self.preferences) = (workspace, preferences)
    firstDocument = Mutex(first.map { FilePath($0) })
    pause = { try await clock.sleep(for: Self.presencePause) }
  }

  /// The document that a new page opens first, by its present name; nil for none.
  public var first: String? { firstDocument.withLock { $0?.string } }

  /// A page has proved its session.
  public func admit(_ page: LivePage, _ ticket: String) { admitted.withLock { $0[ticket] = page } }

  /// The page with a ticket.
  public func page(_ ticket: String) -> LivePage? { admitted.withLock { $0[ticket] } }

  /// A page's connection has ended.
  public func dismiss(_ ticket: String) { admitted.withLock { $0[ticket] = nil } }

  /// A page begins to show a folder.
  func add(_ browsed: BrowsedFolder) {
    browsedFolders.withLock { $0[ObjectIdentifier(browsed)] = browsed }
  }

  /// A page shows a folder no more.
  func remove(_ browsed: BrowsedFolder) {
    browsedFolders.withLock { $0[ObjectIdentifier(browsed)] = nil }
  }

  /// The state of an open document has changed: the pages that show its folder are told.
  func noteState(of document: String) async {
    for browsed in browsedFolders.withLock({ Array($0.values) }) { await browsed.noteState(of: document) }
  }

  /// A folder was made: no event of a document tells so.
  func noteFolder(_ folder: String) async {
    for browsed in browsedFolders.withLock({ Array($0.values) }) { await browsed.noteNew(folder) }
  }

  /// A document was deleted.
  func trash(_ trashed: TrashedDocument, of document: String) {
    trash.withLock { trash in
      trash.append((FilePath(document), trashed))
      if trash.count > Self.trashed { trash.removeFirst() }
    }
  }

  /// The document that was deleted last under a path, to be brought back; nil if none is known.
  func trashed(_ document: String) -> TrashedDocument? {
    trash.withLock { trash in trash.last { $0.document == FilePath(document) }?.trashed }
  }

  /// A deleted document is back.
  func forget(_ trashed: TrashedDocument) {
    trash.withLock { trash in trash.removeAll { $0.trashed == trashed } }
  }

  /// A page has opened a document.
  func add(_ page: LivePage, _ document: String) {
    let peer = Self.peer(page, PageMessage.Presence())
    pages.withLock { pages in
      pages[ObjectIdentifier(page)] = Entry(page: page, document: FilePath(document), peer: peer)
      Self.tell(&pages, of: FilePath(document))
    }
  }

  /// The file of a page's document was renamed. Each page of the document tells so.
  func moved(_ page: LivePage, to path: String) {
    let path = FilePath(path)
    let old = pages.withLock { pages in
      let old = pages[ObjectIdentifier(page)]?.document
      pages[ObjectIdentifier(page)]?.document = path
      Self.tell(&pages, of: path)
      return old
    }
    firstDocument.withLock { if let old, $0 == old { $0 = path } }
  }

  /// A page has closed its document.
  func leave(_ page: LivePage) {
    pages.withLock { pages in
      guard let entry = pages.removeValue(forKey: ObjectIdentifier(page)) else { return }
      Self.tell(&pages, of: entry.document)
    }
  }

  /// What a page's user has selected and drags. The other pages get the first one at once, and the last one of each pause after it.
  func show(_ presence: PageMessage.Presence, of page: LivePage) {
    let (id, peer) = (ObjectIdentifier(page), Self.peer(page, presence))
    let isFirst = pages.withLock { pages in
      guard var entry = pages[id] else { return false }
      let isFirst = !entry.isPausing
      (entry.peer, entry.isPausing, entry.isNewer) = (peer, true, !isFirst)
      pages[id] = entry
      if isFirst { Self.tell(&pages, presenceOf: id) }
      return isFirst
    }
    guard isFirst else { return }
    Task { [pause, weak self] in
      repeat { try await pause() } while self?.showNewer(of: id) == true
    }
  }

  /// Shows the newer presence of a page after a pause; false if there is none, and the pause has ended.
  private func showNewer(of id: ObjectIdentifier) -> Bool {
    pages.withLock { pages in
      guard var entry = pages[id] else { return false }
      (entry.isPausing, entry.isNewer) = (entry.isNewer, false)
      pages[id] = entry
      if entry.isPausing { Self.tell(&pages, presenceOf: id) }
      return entry.isPausing
    }
  }

  /// Tells each page of a document about the others. It is called with the lock, so that pages get everything in its order.
  private static func tell(_ pages: inout [ObjectIdentifier: Entry], of document: FilePath) {
    for id in pages.keys where pages[id]?.document == document { tellAll(&pages, to: id) }
  }

  /// Tells the other pages of its document about one page, and those that have missed something about all.
  private static func tell(_ pages: inout [ObjectIdentifier: Entry], presenceOf one: ObjectIdentifier) {
    guard let entry = pages[one] else { return }
    for (id, other) in pages where id != one && other.document == entry.document {
      if other.isBehind {
        tellAll(&pages, to: id)
      } else {
        pages[id]?.isBehind = !other.page.show(peer: entry.peer)
      }
    }
  }

  private static func tellAll(_ pages: inout [ObjectIdentifier: Entry], to id: ObjectIdentifier) {
    guard let entry = pages[id] else { return }
    let others = pages.lazy.filter { $0.key != id && $0.value.document == entry.document }
    pages[id]?.isBehind = !entry.page.show(others.map(\.value.peer))
  }

  /// What other pages get of a page: `{"client":"…","drag":[dx,dy],"ids":["…"],"name":"Ada"}`.
  private static func peer(_ page: LivePage, _ presence: PageMessage.Presence) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      if let session = page.client.session {
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
      if let author = page.client.author {
        json.key("name")
        json.string(author)
      }
    }
    return json.bytes
  }
}
