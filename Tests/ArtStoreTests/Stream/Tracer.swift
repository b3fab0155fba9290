// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Files of a stream.
struct TracedFiles {
  /// Their name in the tables.
  let name: String
  let paths: [String]
  /// Whether they are the journal's own files, whose names are known when the program has locked the journal.
  var isJournal = false
}

/// strace, which tampers with a program's system calls on some files. It counts calls by name in each thread: the part of a program
/// that writes the document is usually in one thread, and the part that writes the journal is if there is only one processor.
struct Tracer {
  let files: TracedFiles
  let trace: String
  var fault: [String] = []

  /// A copy that tampers with a call.
  func tampering(_ call: SystemCall, _ fault: String, from: String = "") -> Tracer {
    Tracer(
      files: files, trace: trace, fault: ["-e", "inject=\(call.name):\(fault):when=\(call.number)\(from)"])
  }

  /// The words of a command that runs the program under strace. strace starts the program, or attaches to it after its first
  /// answer, when it has locked its journal and started its threads. The shell becomes strace: the program is its child, and may be
  /// traced by it.
  func command(for program: [String], journals: String, answers: String) throws -> [String] {
    let filter = files.paths.flatMap { ["-P", $0] }
    let strace = ["strace", "-f", "-y", "-o", trace] + filter + fault
    guard files.isJournal else { return strace + ["-qq"] + program }
    let segments = (1...4).map { "-P \"$journal-00000\($0).journal\"" }.joined(separator: " ")
    let script = """
      exec 3<&0 </dev/null
      \(Self.quoted(program)) <&3 &
      until test -s \(Self.quoted([answers])); do kill -0 $! || exit 1; sleep 0.01; done
      set -- \(Self.quoted([journals]))/*/*.lock
      journal=${1%.lock}
      exec 3<&- \(Self.quoted(strace)) -P "$1" \(segments) -p $! >/dev/null
      """
    return try Self.oneProcessor + ["sh", "-c", script]
  }

  private static func quoted(_ words: [String]) -> String {
    words.map { "'\($0.replacingOccurrences(of: "'", with: #"'\''"#))'" }.joined(separator: " ")
  }

  private static var oneProcessor: [String] {
    get throws {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let list = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") })
      return ["taskset", "-c", String(list.drop { !$0.isNumber }.prefix { $0.isNumber })]
    }
  }
}

extension StreamCase {
  var documentFiles: TracedFiles {
    TracedFiles(
      name: "document", paths: [file.path, file.path + "-journal", file.path + "-wal", space["documents"]])
  }
  var journalFiles: TracedFiles { TracedFiles(name: "journal", paths: [journals.path], isJournal: true) }
  var stateFiles: TracedFiles {
    get throws { TracedFiles(name: "state folder", paths: [state, journals.path, try ownJournals]) }
  }
  var answerFiles: TracedFiles { TracedFiles(name: "answers", paths: [outputPath]) }

  func tracer(_ files: TracedFiles) -> Tracer { Tracer(files: files, trace: space["trace"]) }

  /// The calls of a run without tampering. Where a part of the program has several threads, some calls cannot be distinguished: of
  /// a few runs the one with the most calls counts.
  func calls(_ tracer: Tracer, _ lines: [String]) throws -> CallTrace {
    var best: CallTrace?
    for _ in 0..<10 where best.map({ $0.calls.count < $0.count * 9 / 10 }) ?? true {
      try reset()
      let end = try stream(lines, under: tracer)
      try #require(end.status == 0 && !end.isReported, "\(end)")
      let found = try CallTrace(tracer.trace)
      if found.calls.count > best?.calls.count ?? 0 { best = found }
    }
    return try #require(best)
  }
}
