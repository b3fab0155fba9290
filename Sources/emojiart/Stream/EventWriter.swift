// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorkspace

/// What happens to a document, as lines of JSON between the answers.
enum EventWriter {
  /// The line of an event.
  static func lines(_ event: DocumentEvent) -> [UInt8] {
    switch event {
    case .state(let state): return line { state.write(to: &$0) }
    case .saved(let revision):
      return member("saved") {
        $0.key("revision")
        $0.integer(revision)
      }
    case .changed(let change): return lines(change)
    case .dropped(let edit, let changes):
      return member("dropped") {
        $0.key("changes")
        changes.write(to: &$0)
        $0.key("edit")
        $0.string(edit.description)
      }
    case .renamed(let old, let new):
      return member("renamed") {
        $0.key("id")
        $0.string(old.description)
        $0.key("to")
        $0.string(new.description)
      }
    case .resync(let version):
      return member("resync") {
        $0.key("version")
        $0.integer(version)
      }
    }
  }

  /// The line of a turn in the program's life.
  static func line(_ event: LifeCycleEvent) -> [UInt8] {
    line {
      $0.key("lifecycle")
      $0.string(event.rawValue)
    }
  }

  /// The line that says how well others' edits are heard of.
  static func line(_ event: DocumentWatch.Event) -> [UInt8] {
    switch event {
    case .degraded(let reason):
      return member("degraded") {
        $0.key("reason")
        $0.string(reason)
      }
    case .watching:
      return line {
        $0.key("watching")
        $0.boolean(true)
      }
    }
  }

  /// The line of a background that was fetched or not.
  static func line(_ event: DocumentBackgrounds.Event) -> [UInt8] {
    line { json in
      switch event.outcome {
      case .set(let background, let revision):
        json.key("background")
        background.write(to: &json)
        json.key("revision")
        json.integer(revision)
      case .rejected(let refusal):
        json.key("rejected")
        json.object { write(refusal, of: event.url, to: &$0) }
      case .failed(let error):
        json.key("error")
        json.object {
          $0.key("code")
          $0.string(error.code.rawValue)
          $0.key("message")
          $0.string(error.message)
        }
      }
      guard let tag = event.tag else { return }
      json.key("tag")
      json.verbatim(Array(tag.utf8))
    }
  }

  /// The members that tell of a refusal.
  static func write(_ refusal: Refusal, of url: String?, to json: inout JSONWriter) {
    json.key("detail")
    json.string(refusal.detail)
    json.key("reason")
    json.string(refusal.reason.rawValue)
    json.key("transient")
    json.boolean(refusal.isTransient)
    json.urlMember(url)
  }

  private static func line(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(urls: .shown)
    json.object(members)
    json.endLine()
    return json.bytes
  }

  private static func member(_ name: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
    line {
      $0.key(name)
      $0.object(members)
    }
  }

  /// A change of the content: what it did, who made it, and between which versions.
  private static func lines(_ change: ContentChange) -> [UInt8] {
    member("changed") {
      if !change.isComplete {
        $0.key("all")
        $0.boolean(true)
      }
      $0.key("before")
      $0.integer(change.before)
      $0.key("cause")
      $0.string(change.cause.rawValue)
      $0.key("edits")
      write(change.edits, to: &$0)
      $0.key("effect")
      change.effect.write(to: &$0)
      $0.key("revision")
      $0.integer(change.revision)
      if let saved = change.saved {
        $0.key("saved")
        write(saved, to: &$0)
      }
      $0.key("version")
      $0.integer(change.after)
    }
  }

  /// The state of the file.
  static func write(_ saved: DocumentBase, to json: inout JSONWriter) {
    json.object {
      $0.key("head")
      if let head = saved.head { $0.string(head.description) } else { $0.null() }
      $0.key("revision")
      $0.integer(saved.revision)
    }
  }

  /// Edits that follow each other and are of one program, together.
  static func runs(of edits: [LoggedEdit]) -> [ArraySlice<LoggedEdit>] {
    var runs: [ArraySlice<LoggedEdit>] = []
    var rest = edits[...]
    while let origin = rest.first?.id.origin {
      let run = rest.prefix { $0.id.origin == origin }
      rest = rest.dropFirst(run.count)
      runs.append(run)
    }
    return runs
  }

  /// Edits as an array: who made each, what it changes, what it is called.
  static func write(_ edits: some Sequence<LoggedEdit>, to json: inout JSONWriter) {
    json.array { json in for entry in edits { write(entry, &json) } }
  }

  private static func write(_ entry: LoggedEdit, _ json: inout JSONWriter) {
    json.object {
      $0.key("by")
      $0.string(entry.author ?? entry.id.origin.description)
      $0.key("changes")
      entry.edit.changes.write(to: &$0)
      $0.key("id")
      $0.string(entry.id.description)
      if let session = entry.session {
        $0.key("session")
        $0.string(session.description)
      }
      if !entry.stamp.tags.isEmpty {
        $0.key("tags")
        $0.array { json in for tag in entry.stamp.tags { json.string(tag.description) } }
      }
      $0.key("what")
      $0.string(entry.title)
    }
  }
}

extension DocumentState {
  fileprivate func write(to json: inout JSONWriter) {
    let (name, reason): (String, String?) =
      switch self {
      case .closed: ("closed", nil)
      case .open: ("open", nil)
      case .saving: ("saving", nil)
      case .error(let error): ("error", error.message)
      case .editingDisabled(let reason): ("editingDisabled", reason)
      }
    if case .error(let error) = self {
      json.key("code")
      json.string(error.code.rawValue)
    }
    if let reason {
      json.key("reason")
      json.string(reason)
    }
    json.key("state")
    json.string(name)
  }
}
