// SPDX-License-Identifier: Apache-2.0

/// The edits of an orphaned journal, merged into one edit for each client, on a document that other programs may have
/// edited since.
///
/// A change is made if its field still has the value that the edit found, which the edit's inverse tells. Otherwise
/// another program has set the field since: its value stays, and the change and all later ones of that field are
/// dropped.
///
/// For each field, the client that set it last gets the value. So the edits together have the result of all of them,
/// in whatever order the clients took turns. They are in the order of the clients' last edits. A field of an emoji
/// that a later edit of the plan adds is part of the addition.
public struct RestorePlan: Sendable {
  /// The edit of one client.
  public struct Part: Sendable {
    /// The stamp of the client's last edit, with the keys of all its requests.
    public let stamp: EditStamp
    /// The edit: for each field the last value only.
    public let edit: Edit
    /// The dropped changes: for each field the last value only.
    public let dropped: [Change]
  }

  /// The edits, in the order in which they are made.
  public let parts: [Part]
  /// The document after the edits, without log entries for them.
  public let content: DocumentContent

  /// Plans the restoring of entries, given in their order. Throws `tooLarge`.
  public init(_ entries: [LoggedEdit], on start: DocumentContent) throws(ArtError) {
    var replay = Replay(entries, on: start)
    for (entry, client) in zip(entries, replay.clientNumbers) { try replay.apply(entry, by: client) }
    // The bytes of this background may be dropped by now, because others have set backgrounds since.
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

  /// The name of an edit: `restore 12 edits`.
  public static func name(_ count: Int) -> String { count == 1 ? "restore 1 edit" : "restore \(count) edits" }

  /// The dropped changes of all parts.
  public var dropped: [Change] { parts.flatMap(\.dropped) }
  /// The number of changes of all parts.
  public var changeCount: Int { parts.reduce(0) { $0 + $1.edit.changes.count } }

  /// A client with edits in the journal. `number` is its index in the plan.
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
    /// The clients, in the order of their last edits.
    let clients: [Client]
    /// For each entry, the number of its client.
    let clientNumbers: [Int]
    var content: DocumentContent
    var dropped: [Field: (change: Change, client: Int)] = [:]
    /// The fields of dropped changes, in order.
    var lost: [Field] = []
    /// Fields that another program has set.
    private var foreign: Set<Field> = []
    /// For each field, the client that set it last.
    private var writers: [Field: Int] = [:]
    /// Added emoji, with the values that the adding client set last.
    private var added: [EmojiID: Emoji] = [:]
    private var touchedIDs: Set<EmojiID> = []
    private var order: [EmojiID] = []

    init(_ entries: [LoggedEdit], on content: DocumentContent) {
      self.content = content
      var groups: [ClientKey: (last: Int, tags: [RequestTag], edits: Int)] = [:]
      for (index, entry) in entries.enumerated() {
        let key = ClientKey(entry.stamp)
        groups[key, default: (index, [], 0)].last = index
        groups[key, default: (index, [], 0)].tags += entry.stamp.tags
        groups[key, default: (index, [], 0)].edits += 1
      }
      var numbers: [ClientKey: Int] = [:]
      var clients: [Client] = []
      for (key, value) in groups.sorted(by: { $0.value.last < $1.value.last }) {
        let last = entries[value.last].stamp
        let stamp = EditStamp(
          id: last.id, time: last.time, author: last.author, session: last.session,
          tags: value.tags.suffix(Limits.editTags))
        numbers[key] = clients.count
        clients.append(Client(number: clients.count, stamp: stamp, edits: value.edits))
      }
      self.clients = clients
      clientNumbers = entries.map { numbers[ClientKey($0.stamp)] ?? 0 }
    }

    mutating func apply(_ entry: LoggedEdit, by client: Int) throws(ArtError) {
      for (change, inverse) in zip(entry.edit.changes, entry.inverse.reversed()) {
        guard !isForeign(change.field), content.has(inverse), try content.apply([change]).dropped.isEmpty
        else {
          foreign.insert(change.field)
          if !content.has(change), dropped.updateValue((change, client), forKey: change.field) == nil {
            lost.append(change.field)
          }
          continue
        }
        record(change, by: client)
      }
    }

    private mutating func record(_ change: Change, by client: Int) {
      for single in [change] + change.fieldByField { writers[single.field] = client }
      guard let id = change.field.emoji else { return }
      if touchedIDs.insert(id).inserted { order.append(id) }
      switch change {
      case .add(let emoji): added[id] = emoji
      case .remove: added[id] = nil
      case .set(_, let value): if writers[.existence(id)] == client { added[id]?.set(value) }
      default: break
      }
    }

    /// An emoji's existence and its fields depend on each other: a foreign change of one makes the others foreign.
    private func isForeign(_ field: Field) -> Bool {
      guard let id = field.emoji else { return foreign.contains(field) }
      if case .existence = field {
        return Field.all(of: id).contains(where: foreign.contains)
      }
      return foreign.contains(field) || foreign.contains(.existence(id))
    }

    /// The differences from the start, for each client.
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
      if content.fill != start.fill { put(.setFill(content.fill)) }
      if content.background != start.background { put(.setBackground(content.background)) }
      if content.pending != start.pending { put(.setPending(content.pending)) }
      return changes
    }

    /// Adds a new emoji, and the values that clients after the adding one set.
    private func add(_ new: Emoji, _ put: (Change) -> Void) {
      guard let adder = writers[.existence(new.id)], var own = added[new.id] else {
        return put(.add(new))
      }
      var later: [Change] = []
      for value in EmojiField.allCases.map({ new[$0] }) where value != own[value.field] {
        let change = Change.set(new.id, value)
        if let writer = writers[change.field], writer > adder {
          later.append(change)
        } else {
          own.set(value)
        }
      }
      put(.add(own))
      for change in later { put(change) }
    }
  }
}

extension DocumentContent {
  /// Whether the document already has the state that the change leads to.
  fileprivate func has(_ change: Change) -> Bool {
    switch change {
    case .remove(let id): emoji(id) == nil
    case .setCanvas(let canvas): self.canvas == canvas
    case .setFill(let fill): self.fill == fill
    case .setBackground(let background): self.background == background
    case .setPending(let pending): self.pending == pending
    case .add, .set:
      change.field.emoji.flatMap { emoji($0) }.map(change.matches) ?? false
    }
  }
}
