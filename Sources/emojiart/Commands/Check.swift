// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check documents, and repair them.",
    usage: "emojiart check <doc> ... [(--repair | --adopt) [--yes]]",
    discussion: """
      Checks the digest, the schema and every row, and runs SQLite's own check. Prints `ok`, or what is wrong. \
      --repair quarantines rows that do not match their sums. --adopt also accepts rows that another program wrote, if \
      they are valid. Both build a valid document, and keep the original file in the state folder.

      Examples:
        emojiart check bees
        emojiart check bees --repair
        emojiart check bees --adopt --yes
      """)

  @Argument(help: "The documents.", completion: .custom(Completion.documents)) var doc: [String]
  @Flag(help: "Quarantine bad rows.") var repair = false
  @Flag(help: "Accept valid rows of another program.") var adopt = false
  @Flag(help: "Do not ask.") var yes = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard !(repair && adopt) else { throw ArtError(.usage, "--repair or --adopt: give one of them") }
    var results: [JSON] = []
    var status = ExitStatus.done
    for name in doc {
      do throws(ArtError) {
        let isWhole = try check(common.file(name), &results)
        if !isWhole, status == .done { status = .badData }
      } catch {
        if status == .done { status = ExitStatus(error.code) }
        results.append(
          .object(["document": .string(name), "error": .string(error.message), "ok": .boolean(false)]))
        try Output.flush()
        Output.printError(error.message)
      }
    }
    if common.json { try Output.json(.array(results)) }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// Checks one document. Returns whether it is valid in the end.
  private func check(_ file: DocumentFile, _ results: inout [JSON]) throws(ArtError) -> Bool {
    let check = try DocumentCheck(file, recovery: .ofCommand)
    if !common.json {
      if check.isWhole { try Output.line("\(safe(file.path)): ok") }
      for fault in check.faults { try Output.line("\(safe(file.path)): \(safe(fault))") }
    }
    if check.isWhole, repair { try check.resolve() }
    let kept = check.isWhole ? try Quarantine.kept.files(of: file.base().id) : []
    if !common.json {
      for state in kept {
        let words = [file.path, state.path].map { safe(ArtError.Remedy.shellWord($0)) }
        try Output.line(
          "\(safe(file.path)): another state (\(state.size) bytes) is kept; `emojiart merge \(words[0]) \(words[1])` takes it back"
        )
      }
    }
    guard !check.isWhole, repair || adopt else {
      results.append(result(file, check.faults, kept))
      return check.isWhole
    }
    try Output.flush()
    try confirm(file)
    return try repairDocument(file, check, &results)
  }

  private func result(_ file: DocumentFile, _ faults: [String], _ kept: [Quarantine.File] = []) -> JSON {
    var members: [String: JSON] = [
      "document": .string(file.path), "faults": .array(faults.map(JSON.string)),
      "ok": .boolean(faults.isEmpty),
    ]
    if !kept.isEmpty {
      members["kept"] = .array(
        kept.map { .object(["file": .string($0.path), "size": .integer($0.size)]) })
    }
    return .object(members)
  }

  private func repairDocument(
    _ file: DocumentFile, _ check: DocumentCheck, _ results: inout [JSON]
  ) throws(ArtError) -> Bool {
    guard let report = try check.repair(adopt ? .adopt : .repair) else {
      // Another program has repaired it meanwhile.
      results.append(result(file, []))
      return true
    }
    Output.addToErrors("\(file.path) is repaired")
    guard !common.json else {
      results.append(
        .object([
          "adopted": .array(report.adopted.map(JSON.string)), "document": .string(file.path),
          "faults": .array(report.faults.map(JSON.string)), "lost": .array(report.lost.map(JSON.string)),
          "ok": .boolean(true), "original": .string(report.original),
          "setAside": .array(report.quarantined.map(JSON.string)),
        ]))
      return true
    }
    for line in report.adopted { try Output.line("accepted: \(safe(line))") }
    for line in report.quarantined { try Output.line("quarantined: \(safe(line))") }
    for line in report.lost { try Output.line("lost: \(safe(line))") }
    try Output.line("\(safe(file.path)): repaired; the original file is kept as \(safe(report.original))")
    return true
  }

  /// Asks for confirmation. Throws `usage` without a terminal, `notPermitted` when the answer is no.
  private func confirm(_ file: DocumentFile) throws(ArtError) {
    guard !yes else { return }
    let verb = adopt ? "Adopt" : "Repair"
    try emojiart.confirm(
      "\(verb) \(file.path)", "repairing \(file.path)", otherwise: "\(file.path) stays as it is")
  }
}
