// SPDX-License-Identifier: Apache-2.0

/// What the edits of an orphaned journal come to, on a document that others may have edited since: one edit for each client.
///
/// A change is made where its field is as the edit found it, which the edit's inverse tells. Elsewhere somebody has
/// set it since: what stands there stays, and the change is among the dropped ones, with all later ones of that field.
///
/// Of each field the client that set it last gets the value, so that the edits together come to what all of them did, in whatever
/// order the clients took turns. They are in the order of the clients' last edits. A field of an emoji that a later one of them adds
/// is part of the addition.
public struct RestorePlan: Sendable {
  /// What one client's edits come to.
  public struct Part: Sendable {
    /// The client's last edit, its name and session, and the keys of all its requests.
    public let stamp: EditStamp
    /// What is to be done: for each field the last value, not every step.
    public let edit: Edit
    /// What was left out: for each field the last value, not every step.
    public let dropped: [Change]
  }

  /// The edits, in the order in which they are to be made.
  public let parts: [Part]
  /// The document after them, without entries in its log.
  public let content: DocumentContent

  /// A plan for entries in their order. Throws `tooLarge`.
  public init(_ entries: [LoggedEdit], on start: DocumentContent) throws(ArtError) {
    var replay = Replay(entries, on: start)
    for (entry, client) in zip(entries, replay.makers) { try replay.make(entry, by: client) }
    // Somebody may have set backgrounds since: then the bytes of this one are not kept.
    var content = start
    var parts: [Part] = []
    for (client, changes) in zip(replay.clients, replay.changes(since: start)) {
      let applied = try content.apply(changes, at: entries.last?.time ?? 0)
      let lost = replay.lost.compactMap { replay.dropped[$0] }.filter { $0.client == client.number }
      parts.append(
        Part(
          stamp: client.stamp, edit: Edit(name: Self.name(client.edits), changes: applied.changes),
          dropped: lost.map(\.change) + applied.dropped))
    }
    self.parts = parts
    self.content = content
  }

  /// What an edit is called: `restore 12 edits`.
  public static func name(_ count: Int) -> String { count == 1 ? "restore 1 edit" : "restore \(count) edits" }

  /// What all of them leave out.
  public var dropped: [Change] { parts.flatMap(\.dropped) }
  /// How many changes all of them make.
  public var changeCount: Int { parts.reduce(0) { $0 + $1.edit.changes.count } }

  /// A client with edits in the journal. Its number is its place in the plan.
  private struct Client {
    let number: Int
    let stamp: EditStamp
    let edits: Int
  }

  private struct ClientKey: Hashable {
    let author: String?
    let session: SessionID?

    init(_ stamp: EditStamp) {
      author = stamp.author
      session = stamp.session
    }
  }

  private struct Replay {
    /// In the order of their last edits.
    let clients: [Client]
    /// The number of the client of each entry.
    let makers: [Int]
    var content: DocumentContent
    var dropped: [Field: (change: Change, client: Int)] = [:]
    /// The fields of what was left out, in their order.
    var lost: [Field] = []
    /// Fields that somebody else has set.
    private var foreign: Set<Field> = []
    /// The client that set a field last.
    private var writers: [Field: Int] = [:]
    /// Emoji that were added, as the client that added them last set them.
    private var added: [EmojiID: Emoji] = [:]
    private var touched: Set<EmojiID> = []
    private var order: [EmojiID] = []

    init(_ entries: [LoggedEdit], on content: DocumentContent) {
      self.content = content
      var found: [ClientKey: (last: Int, tags: [RequestTag], edits: Int)] = [:]
      for (index, entry) in entries.enumerated() {
        let key = ClientKey(entry.stamp)
        found[key, default: (index, [], 0)].last = index
        found[key, default: (index, [], 0)].tags += entry.stamp.tags
        found[key, default: (index, [], 0)].edits += 1
      }
      var numbers: [ClientKey: Int] = [:]
      var clients: [Client] = []
      for (key, value) in found.sorted(by: { $0.value.last < $1.value.last }) {
        let last = entries[value.last].stamp
        let stamp = EditStamp(
          id: last.id, time: last.time, author: last.author, session: last.session,
          tags: value.tags.suffix(Limits.editTags))
        numbers[key] = clients.count
        clients.append(Client(number: clients.count, stamp: stamp, edits: value.edits))
      }
      self.clients = clients
      makers = entries.map { numbers[ClientKey($0.stamp)] ?? 0 }
    }

    mutating func make(_ entry: LoggedEdit, by client: Int) throws(ArtError) {
      for (change, inverse) in zip(entry.edit.changes, entry.inverse.reversed()) {
        guard !isForeign(change.field), content.has(inverse), try content.apply([change]).dropped.isEmpty
        else {
          foreign.insert(change.field)
          if !content.has(change), dropped.updateValue((change, client), forKey: change.field) == nil {
            lost.append(change.field)
          }
          continue
        }
        note(change, by: client)
      }
    }

    private mutating func note(_ change: Change, by client: Int) {
      for single in [change] + change.fieldByField { writers[single.field] = client }
      guard let id = change.field.emoji else { return }
      if touched.insert(id).inserted { order.append(id) }
      switch change {
      case .add(let emoji): added[id] = emoji
      case .remove: added[id] = nil
      default: if writers[.existence(id)] == client { added[id] = added[id]?.with(change) }
      }
    }

    /// With an emoji's existence all its fields are somebody else's, and with any of them its existence.
    private func isForeign(_ field: Field) -> Bool {
      guard let id = field.emoji else { return foreign.contains(field) }
      if case .existence = field {
        return [field, .position(id), .size(id), .text(id), .order(id)].contains(where: foreign.contains)
      }
      return foreign.contains(field) || foreign.contains(.existence(id))
    }

    /// What is different now, client by client.
    func changes(since start: DocumentContent) -> [[Change]] {
      var changes = clients.map { _ in [Change]() }
      func put(_ change: Change) {
        if let writer = writers[change.field] { changes[writer].append(change) }
      }
      for id in order {
        switch (start.emoji(id), content.emoji(id)) {
        case (nil, let new?): add(new, put)
        case (_?, nil): put(.remove(id))
        case (let old?, let new?):
          for change in Change.add(new).fieldByField where !change.matches(old) { put(change) }
        case (nil, nil): break
        }
      }
      if content.canvas != start.canvas { put(.setCanvas(content.canvas)) }
      if content.background != start.background { put(.setBackground(content.background)) }
      if content.pending != start.pending { put(.setPending(content.pending)) }
      return changes
    }

    /// An emoji that is new, with what clients after the one that added it set of it.
    private func add(_ new: Emoji, _ put: (Change) -> Void) {
      guard let adder = writers[.existence(new.id)], var own = added[new.id] else {
        return put(.add(new))
      }
      var later: [Change] = []
      for change in Change.add(new).fieldByField where !change.matches(own) {
        if let writer = writers[change.field], writer > adder {
          later.append(change)
        } else {
          own = own.with(change)
        }
      }
      put(.add(own))
      for change in later { put(change) }
    }
  }
}

extension DocumentContent {
  /// Whether the document is as it would be after the change.
  fileprivate func has(_ change: Change) -> Bool {
    switch change {
    case .remove(let id): emoji(id) == nil
    case .setCanvas(let canvas): self.canvas == canvas
    case .setBackground(let background): self.background == background
    case .setPending(let pending): self.pending == pending
    case .add, .move, .resize, .setText, .order:
      change.field.emoji.flatMap { emoji($0) }.map(change.matches) ?? false
    }
  }
}

/// Time as pure machines see it: durations since it was made.
package struct Timeline: Sendable {
  /// What time it is.
  package let now: @Sendable () -> Duration
  /// Sleeps until then; throws when the task is cancelled.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// The time of a clock, from now on.
  package init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}
