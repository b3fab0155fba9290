// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import Glibc

@main
enum Main {
  static func main() {
    occupyStandardDescriptors()
    do {
      try checkCommandName(CommandLine.arguments.dropFirst().first)
      var command = try Emojiart.parseAsRoot()
      try command.run()
      try Output.flush()
    } catch let error as ArtError {
      fail(error)
    } catch {
      finish(with: error)
    }
  }

  /// Prints the line of an error, after what was written before it, and ends with its code.
  private static func fail(_ error: ArtError) -> Never {
    do { try Output.flush() } catch { Output.complain(error.message) }
    Output.complain(error.message)
    exit(ExitStatus(error.code).rawValue)
  }

  /// What the argument parser has to say: help and version on stdout, usage errors on stderr.
  private static func finish(with error: any Error) -> Never {
    let status = Emojiart.exitCode(for: error).rawValue
    let message = Emojiart.fullMessage(for: error)
    if status == 0 {
      Output.write(message + "\n")
      do { try Output.flush() } catch { fail(error) }
    } else if !message.isEmpty {
      Output.writeError(
        message.split(separator: "\n", omittingEmptySubsequences: false).map { safe(String($0)) }.joined(
          separator: "\n") + "\n")
    }
    exit(status)
  }

  /// The parser suggests near options, but not near commands.
  private static func checkCommandName(_ name: String?) throws(ArtError) {
    guard let name, !name.hasPrefix("-") else { return }
    let names = Emojiart.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard !names.contains(name) else { return }
    let near = nearest(to: name, among: names)
    let hint =
      near.isEmpty ? "`emojiart --help` lists them" : "did you mean \(near.joined(separator: " or "))?"
    throw ArtError(.usage, "no command \(name); \(hint)")
  }

  /// A document opened as descriptor 0, 1 or 2 would be read as input or written over by messages.
  private static func occupyStandardDescriptors() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor >= 0, descriptor <= 2 else {
        close(descriptor)
        return
      }
    }
  }
}
