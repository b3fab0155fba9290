// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Cuts of the power at random points of a recording.
struct PowerCut {
  let recording: Recording

  /// The folder after one cut.
  struct Remains {
    let number: Int
    /// The folder, which may be read and changed.
    let folder: String
    /// The number of answers before the cut, and the last of them.
    let answers: Int
    let answer: String?
  }

  enum Verdict: Equatable {
    case kept
    /// An older state than that of the last answer.
    case lost
    /// A state that was never recorded, or nothing that can be read.
    case torn(String)
  }

  /// The counts of a number of cuts.
  struct Outcome {
    var cuts = 0
    var lost = 0
    var torn = 0
    /// Cuts that left a rollback journal.
    var withJournal = 0
    /// The first faults, by their seeds.
    var faults: [String] = []
  }

  /// Throws when the recording is incomplete: replayed to its end it must give the present folder.
  init(_ recording: Recording) throws {
    self.recording = recording
    var disk = SimulatedDisk(recording.start)
    for event in recording.events { disk.apply(event) }
    guard try disk.whole() == Recording.files(in: recording.root) else {
      throw TraceError(what: "the replay does not give what lies in \(recording.root)")
    }
  }

  /// The number of recorded answers.
  var answers: Int { recording.events.count { if case .answer = $0 { true } else { false } } }

  /// Cuts once for each case. An error of `judge` counts as a torn document.
  func cut(_ campaign: Campaign, _ judge: (Remains) throws -> Verdict) throws -> Outcome {
    let places = campaign.cases.map { number in
      var random = campaign.random(number)
      return (number: number, place: random.below(recording.events.count + 1), chance: random)
    }
    let atPlace = Dictionary(grouping: places, by: \.place)
    let folder = try CutFolder()
    var disk = SimulatedDisk(recording.start)
    var outcome = Outcome()
    var answers: [String] = []
    for place in 0...recording.events.count {
      for (number, _, chance) in atPlace[place] ?? [] {
        var chance = chance
        let files = disk.cut(&chance)
        try folder.fill(files)
        let remains = Remains(
          number: Int(number), folder: folder.path, answers: answers.count, answer: answers.last)
        outcome.add(
          judged(remains, judge),
          "case \(number), after event \(place), \(answers.count) answers")
        if files.keys.contains(where: { $0.hasSuffix("-journal") }) { outcome.withJournal += 1 }
      }
      guard place < recording.events.count else { break }
      disk.apply(recording.events[place])
      if case .answer(let line) = recording.events[place] { answers.append(line) }
    }
    return outcome
  }

  private func judged(_ remains: Remains, _ judge: (Remains) throws -> Verdict) -> Verdict {
    do { return try judge(remains) } catch { return .torn("\(error)") }
  }
}

extension PowerCut.Outcome {
  fileprivate mutating func add(_ verdict: PowerCut.Verdict, _ about: String) {
    cuts += 1
    switch verdict {
    case .kept: return
    case .lost: lost += 1
    case .torn: torn += 1
    }
    if faults.count < 20 { faults.append("\(about): \(verdict)") }
  }
}

/// The states of a folder at the answers of a recording, if nothing happens between an answer and the next call of a program.
struct AcknowledgedStates<State: Equatable> {
  private let states: [State]
  private let read: (String) throws -> State

  init(_ recording: Recording, read: @escaping (String) throws -> State) throws {
    self.read = read
    var disk = SimulatedDisk(recording.start)
    let folder = try CutFolder()
    func state() throws -> State {
      try folder.fill(disk.whole())
      return try read(folder.path)
    }
    var states = [try state()]
    for event in recording.events {
      disk.apply(event)
      if case .answer = event { states.append(try state()) }
    }
    self.states = states
  }

  /// Whether a cut left the last acknowledged state or a later one. `then` receives the state if so.
  func judge(
    _ remains: PowerCut.Remains, then: (State) throws -> Void = { _ in }
  ) throws -> PowerCut.Verdict {
    let state = try read(remains.folder)
    if states[remains.answers...].contains(state) {
      try then(state)
      return .kept
    }
    return states.contains(state) ? .lost : .torn("a state that never was")
  }
}

/// The folder after a cut, in memory where the machine has such a place.
private final class CutFolder {
  let path: String

  init() throws {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    path = "\(parent)/emojiart-cut.\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Replaces the files of the folder.
  func fill(_ files: [String: [UInt8]]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
    for (name, bytes) in files {
      if name.contains("/") {
        try FileManager.default.createDirectory(
          atPath: "\(path)/\(Recording.folder(of: name))", withIntermediateDirectories: true)
      }
      try write(bytes, to: "\(path)/\(name)")
    }
  }
}
