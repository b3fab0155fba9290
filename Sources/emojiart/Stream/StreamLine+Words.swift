// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtDocument
import ArtModel
import ArtTerminal

extension StreamLine {
  /// Reads `move 🐝 --by 1,1`; nil for a line of blanks.
  init?(words line: UnsafeBufferPointer<UInt8>) {
    guard let text = String(validating: line, as: UTF8.self) else {
      self.init(request: .bad(ArtError(.badValue, "a line that is no UTF-8 text")))
      return
    }
    self.init(words: text)
  }

  /// The same for text.
  init?(words line: String) {
    do throws(ArtError) {
      // A line that another system wrote ends with a return.
      let words = try ShellWords.split(line.hasSuffix("\r") ? String(line.dropLast()) : line)
      guard let name = words.first else { return nil }
      self = try Self.line(name, words.dropFirst())
    } catch {
      self.init(request: .bad(error))
    }
  }

  private static func line(_ name: String, _ rest: ArraySlice<String>) throws(ArtError) -> StreamLine {
    if let command = StreamWords.commands[name] { return try line(command, name, rest) }
    guard StreamWords.own.keys.contains(name) else {
      throw .unknown("no command", name, among: StreamWords.names, all: "`help` lists them")
    }
    if name == "help", rest.count <= 1 { return StreamLine(request: .help(try StreamWords.help(rest.first))) }
    if name == "background" {
      if rest.contains("--help") || rest.contains("-h") {
        return StreamLine(request: .help(try StreamWords.help(name)))
      }
      return StreamLine(request: .background(try BackgroundLine(words: rest)))
    }
    guard rest.isEmpty else { throw ArtError(.usage, "\(name) takes no other word; `help` tells more") }
    return StreamLine(request: name == "save" ? .save : .quit)
  }

  /// A line of a command that there is outside, too: its own parser reads it.
  private static func line(
    _ type: any ParsableCommand.Type, _ name: String, _ rest: ArraySlice<String>
  ) throws(ArtError) -> StreamLine {
    let options = rest.prefix { $0 != "--" }
    for foreign in ["--folder", "--json", "--if-revision"]
    where options.contains(where: { $0 == foreign || $0.hasPrefix(foreign + "=") }) {
      throw ArtError(.usage, "\(foreign) is for all of the stream; give it to emojiart edit")
    }
    do {
      // The document's place is taken: it is open.
      switch try Emojiart.parseAsRoot([name, "document"] + rest) {
      case let command as any ActionCommand:
        return StreamLine(
          request: .edit(.action(try command.action())), isAboutSeveral: true, words: command.line)
      case let command as any StepCommand:
        let count = try command.steps()
        return StreamLine(
          request: .edit(command.direction == .undo ? .undo(count) : .redo(count)), isAboutSeveral: count > 1)
      case is Show:
        guard rest.isEmpty else {
          throw ArtError(.usage, "show takes no other word here; outside, `emojiart show` draws")
        }
        return StreamLine(request: .show)
      case is History: return StreamLine(request: .history)
      default: return StreamLine(request: .help(try StreamWords.help(name)))
      }
    } catch let error as ArtError {
      throw error
    } catch  where Emojiart.exitCode(for: error) == .success {
      return StreamLine(request: .help(try StreamWords.help(name)))
    } catch {
      throw ArtError(.usage, Main.usageLine(Emojiart.message(for: error), more: "`help \(name)`"))
    }
  }
}
