// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace

/// A folder that a page shows: its documents, and their changes as they happen.
///
///     workspace ──events──▶ note what differs ──at most one message each pause──▶ page
///
/// A message has the present state of each document that may differ, so a page that applies all of them has the folder, whatever events
/// merge or overtake each other. While a page does not read, what differs adds up to one message.
actor BrowsedFolder {
  private let workspace: Workspace
  private let folder: FilePath
  private let output: any PageOutput
  private let pause: @Sendable () async throws -> Void
  /// The edits of killed programs by their documents, as they were when the folder was last read whole, without those of documents that have
  /// changed since: opening or editing one restores them.
  private var orphaned: [DocumentID: Int] = [:]
  private var following: [Task<Void, Never>] = []
  private var telling: Task<Void, Never>?
  private var news = News()

  /// What the page does not know yet.
  private struct News {
    var documents: Set<FilePath> = []
    /// Documents whose files have another time or size, and no other content.
    var files: Set<FilePath> = []
    var renamed: [(old: FilePath, new: FilePath)] = []
    var isAll = false
    var hasFolders = false
    var hasDegraded = false

    var isEmpty: Bool {
      documents.isEmpty && files.isEmpty && renamed.isEmpty && !isAll && !hasFolders && !hasDegraded
    }
  }

  /// What has failed of documents, by their paths.
  private struct Failures {
    let saving: [FilePath: ArtError]
    let merging: [FilePath: ArtError]

    init(_ workspace: Workspace) async {
      saving = await workspace.saveFailures
      merging = await workspace.mergeFailures
    }
  }

  init(
    _ folder: String, of workspace: Workspace, to output: any PageOutput,
    pause: @escaping @Sendable () async throws -> Void
  ) {
    (self.folder, self.workspace, self.output, self.pause) = (FilePath(folder), workspace, output, pause)
  }

  /// Answers with the folder, and sends its changes from then on. Throws what listing it throws.
  func begin(_ tag: ProtocolTag?) async throws(ArtError) {
    let (events, merges) = (workspace.events(), workspace.merges())
    let changes = workspace.quietChanges(in: folder)
    await output.send(try await list(tag))
    following.append(
      Task { [weak self] in
        for await event in events {
          guard let self else { return }
          await self.note(event)
        }
      })
    following.append(
      Task { [weak self] in
        for await change in changes {
          guard let self else { return }
          await self.note(change)
        }
      })
    guard let merges else { return }
    following.append(
      Task { [weak self] in
        for await event in merges {
          guard let self else { return }
          switch event {
          case .failed(let document, _), .waiting(let document, _): await self.noteCopies(of: document)
          case .merged: break
          }
        }
      })
  }

  /// The folder as it is now. Throws what listing it throws.
  func list(_ tag: ProtocolTag?) async throws(ArtError) -> [UInt8] {
    await whole(try await workspace.folders(in: folder.string), tag)
  }

  /// Sends no more.
  func end() {
    for task in following { task.cancel() }
    telling?.cancel()
  }

  /// The state of an open document has changed.
  func noteState(of document: String) {
    note(FilePath(document))
    if !news.isEmpty { tellSoon() }
  }

  /// A folder was made.
  func noteNew(_ path: String) {
    guard isHere(FilePath(path)) else { return }
    news.hasFolders = true
    tellSoon()
  }

  /// The conflict copies of a document cannot be merged.
  private func noteCopies(of document: String) async {
    let document = FilePath(document)
    guard isHere(document) else { return }
    for copy in await workspace.documents(in: folder.string) where copy.documentPath == document {
      note(copy.filePath)
    }
    if !news.isEmpty { tellSoon() }
  }

  private func note(_ event: FolderEvent) {
    switch event {
    case .added(let path, _), .conflict(let path, _, _), .removed(let path):
      note(FilePath(path))
      noteFolder(of: FilePath(path))
    case .changed(let path, _), .movedOn(let path, _), .damaged(let path, _), .versions(let path, _, _):
      note(FilePath(path))
    case .renamed(let new, let former):
      let (path, old) = (FilePath(new), FilePath(former))
      if isHere(path), isHere(old) { news.renamed.append((old, path)) }
      note(path)
      note(old)
      noteFolder(of: path)
      noteFolder(of: old)
    case .rescanned: news.hasFolders = true
    case .degraded: news.hasDegraded = true
    case .resync: news.isAll = true
    }
    if !news.isEmpty { tellSoon() }
  }

  /// A file has another time or size. Nil stands for any number of files.
  private func note(_ change: QuietChange?) {
    if let change { news.files.insert(change.path) } else { news.isAll = true }
    tellSoon()
  }

  private func note(_ path: FilePath) { if isHere(path) { news.documents.insert(path) } }

  /// A document came or went below: perhaps with its folder.
  private func noteFolder(of path: FilePath) {
    if path.isWithin(folder), !isHere(path) { news.hasFolders = true }
  }

  private func isHere(_ path: FilePath) -> Bool { path.parent == folder }

  /// Sends what is new: at once, and then once each pause while there is more.
  private func tellSoon() {
    guard telling == nil else { return }
    telling = Task {
      while !news.isEmpty, !Task.isCancelled {
        let message = await next()
        guard !Task.isCancelled else { break }
        await output.send(message)
        do { try await pause() } catch { break }
      }
      telling = nil
    }
  }

  // MARK: Messages

  /// The folder as a whole; `folders` is nil if they are not known.
  private func whole(_ folders: [String]?, _ tag: ProtocolTag?) async -> [UInt8] {
    orphaned = workspace.orphanedEdits()
    let documents = await workspace.documents(in: folder.string)
    let failures = await Failures(workspace)
    let degraded = await workspace.degraded
    var json = JSONWriter()
    json.object { json in
      json.key(tag == nil ? "folder" : "documents")
      json.object { json in
        json.key("all")
        json.array { json in for document in documents { write(document, failures, to: &json) } }
        write(folders, degraded: .some(degraded), to: &json)
      }
      json.member(tag)
    }
    return json.bytes
  }

  private func next() async -> [UInt8] {
    let news = news
    self.news = News()
    var folders: [String]?
    if news.isAll || news.hasFolders {
      do throws(ArtError) { folders = try await workspace.folders(in: folder.string) } catch {
        // A folder that is gone has no folders. Of one that cannot be read now, the page keeps those that it knows.
        if error.code == .noSuchDocument { folders = [] }
      }
    }
    if news.isAll { return await whole(folders, nil) }
    let failures = await Failures(workspace)
    var changed: [FolderDocument] = []
    var removed: [FilePath] = []
    for path in news.documents.union(news.files).sorted() {
      guard let document = await workspace.document(path.string) else {
        removed.append(path)
        continue
      }
      changed.append(document)
      if news.documents.contains(path), let id = document.base?.id { orphaned[id] = nil }
    }
    let degraded = await workspace.degraded
    var json = JSONWriter()
    json.object { json in
      json.key("folder")
      json.object { json in
        json.key("changed")
        json.array { json in for document in changed { write(document, failures, to: &json) } }
        write(folders, degraded: news.hasDegraded ? .some(degraded) : nil, to: &json)
        json.key("removed")
        json.array { json in for path in removed { json.string(path.name) } }
        json.key("renamed")
        json.array { json in
          for (old, new) in news.renamed {
            json.array { json in
              json.string(old.name)
              json.string(new.name)
            }
          }
        }
      }
    }
    return json.bytes
  }

  /// Writes the members that are about the folder itself; `folders` and `degraded` only if they are given.
  private func write(_ folders: [String]?, degraded: String??, to json: inout JSONWriter) {
    if let degraded {
      json.key("degraded")
      json.string(orNull: degraded)
    }
    json.key("folder")
    json.string(folder.string)
    guard let folders else { return }
    json.key("folders")
    json.array { json in for name in folders { json.string(name) } }
  }

  /// Writes `{"key":"…","modified":1732400000000,"name":"bees.emojiart","size":20480}`, with the state of a document that is not well.
  private func write(_ document: FolderDocument, _ failures: Failures, to json: inout JSONWriter) {
    json.object { json in
      json.key("key")
      if let base = document.base { json.string(base.key) } else { json.null() }
      if let file = document.file {
        json.key("modified")
        json.integer(file.modified)
      }
      json.key("name")
      json.string(document.filePath.name)
      if let file = document.file {
        json.key("size")
        json.integer(file.size)
      }
      if let state = state(of: document, failures) {
        json.key("state")
        json.string(state.name)
        if let why = state.why {
          json.key("why")
          json.string(why)
        }
      }
    }
  }

  /// The state of a document that is not well; nil for others.
  private func state(
    of document: FolderDocument, _ failures: Failures
  ) -> (name: String, why: String?)? {
    if let trouble = document.trouble {
      return (trouble.code == .damaged ? "damaged" : "unreadable", trouble.cause)
    }
    if let failure = failures.saving[document.filePath] { return ("notSaved", failure.cause) }
    if let original = document.documentPath { return ("conflict", failures.merging[original]?.cause) }
    if let edits = document.base.flatMap({ orphaned[$0.id] }) { return ("unsaved", "\(edits)") }
    return workspace.isReadOnly(document.path) ? ("readOnly", nil) : nil
  }
}
