// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The power cut at random points of a recording, and what is read from the disk then.
struct PowerCut<State: Equatable> {
  let recording: Recording
  /// What the folder holds for whoever opens it; throws when it is torn.
  let read: (String) throws -> State
  /// What the folder held at the beginning and at each answer: the last one is what is kept.
  private let states: [State]

  /// A number of cuts and what they came to.
  struct Outcome {
    var cuts = 0
    /// An older state than the last one that was answered.
    var lost = 0
    /// None of the states that were recorded, or nothing that can be read.
    var torn = 0
    /// Cuts that left more than one file.
    var withJournal = 0
    /// The first that went wrong, by their seeds.
    var faults: [String] = []
  }

  /// Throws when the recording has overlooked something: replayed to its end it must give the folder as it is.
  init(_ recording: Recording, read: @escaping (String) throws -> State) throws {
    self.recording = recording
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
      if case .acknowledge = event { states.append(try state()) }
    }
    guard try disk.whole() == Recording.files(in: recording.root) else {
      throw TraceError(what: "the replay does not give what lies in \(recording.root)")
    }
    self.states = states
  }

  /// Answers that were recorded.
  var answers: Int { states.count - 1 }

  /// Cuts so many times; `then` is given the number of each cut whose state was kept, the folder, and the state.
  func cut(_ cuts: Int, seed: UInt64, then: (Int, String, State) throws -> Void = { _, _, _ in }) throws
    -> Outcome
  {
    var random = SeededGenerator(seed)
    let places = (0..<cuts).map { (number: $0, place: random.below(recording.events.count + 1)) }
    let atPlace = Dictionary(grouping: places, by: \.place)
    let folder = try CutFolder()
    var disk = SimulatedDisk(recording.start)
    var outcome = Outcome()
    var answered = 0
    for place in 0...recording.events.count {
      for (number, _) in atPlace[place] ?? [] {
        var chance = SeededGenerator(seed &+ UInt64(number) &* 7919)
        let files = disk.cut(&chance)
        try folder.fill(files)
        outcome.cuts += 1
        if files.count > 1 { outcome.withJournal += 1 }
        let about = "cut \(number) of seed \(seed), after event \(place) and answer \(answered)"
        do {
          let state = try read(folder.path)
          if states[answered...].contains(state) {
            try then(number, folder.path, state)
          } else if let older = states.firstIndex(of: state) {
            outcome.lost += 1
            outcome.faults.append("\(about): lost, state \(older)")
          } else {
            outcome.torn += 1
            outcome.faults.append("\(about): a state that never was")
          }
        } catch {
          outcome.torn += 1
          outcome.faults.append("\(about): \(error)")
        }
      }
      guard place < recording.events.count else { break }
      disk.apply(recording.events[place])
      if case .acknowledge = recording.events[place] { answered += 1 }
    }
    return outcome
  }
}

/// The folder that a cut leaves, in memory where the machine has such a place.
private final class CutFolder {
  let path: String

  init() throws {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    path = "\(parent)/emojiart-cut.\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Puts these files there instead of what is there.
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
