// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtDocument
import ArtModel

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit a document line by line.",
    usage: "emojiart edit <doc> --json",
    discussion: """
      Reads an edit a line on stdin, answers each on stdout, saves by itself, and on end of input saves and closes.

      Examples:
        emojiart edit bees --json < edits.jsonl
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var options: EditOptions

  func run() throws {
    let file = try options.common.file(doc)
    let bell = Bell()
    let outbox = Outbox(bell)
    let document = try Outcome { () -> Result<Document, ArtError> in
      do throws(ArtError) {
        return .success(try await Document.open(file, author: environment("EMOJIART_AUTHOR")))
      } catch {
        return .failure(error)
      }
    }.wait().get()
    let events = document.events(ownEdits: false)
    let listening = Outcome { for await event in events { outbox.put(EventWriter.lines(event)) } }
    var stream = EditingStream(document, outbox, bell)
    try stream.run()
    try Outcome { () -> Result<Void, ArtError> in
      do throws(ArtError) { return .success(try await document.close()) } catch { return .failure(error) }
    }.wait().get()
    listening.wait()
    try stream.flush()
  }
}
