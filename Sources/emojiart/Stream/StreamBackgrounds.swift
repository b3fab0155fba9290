// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import ArtWorkspace
import Synchronization

/// A stream's backgrounds: who fetches them, and what is told of them. Refusals are heard of on other threads than the one
/// that writes answers.
final class StreamBackgrounds: Sendable {
  /// Nil with `--atomic`: then nothing is fetched.
  let fetching: DocumentBackgrounds?
  private let failures: FirstFailure
  private let hear: @Sendable (DocumentBackgrounds.Event) -> Void

  init<Form: StreamForm>(
    _ document: Document, _ file: DocumentFile, _ settings: StreamSettings, _ outbox: Outbox,
    in form: Form.Type
  ) {
    let failures = FirstFailure()
    let hear: @Sendable (DocumentBackgrounds.Event) -> Void = { event in
      Form.tell(event, by: outbox)
      switch event.outcome {
      case .rejected(let refusal):
        if event.isRequested { failures.note(.refused(refusal)) }
        // Who types at a prompt is not asked: the line belongs to the prompt.
        let say: (String) -> Void = { Form.notice($0, by: outbox) }
        if event.isRequested, event.url == nil {
          // A file of one's own that is no picture is an error as any other.
          if settings.warning != .never { say(BackgroundRefusal(refusal, file: "the file").text) }
        } else {
          let asked = event.isRequested ? event.url : nil
          RefusalMessages.tell(refusal, of: file, settings.warning, asked: asked, mayAsk: false, say: say)
        }
      case .failed(let error): if event.isRequested { failures.note(error) }
      case .set: if event.isRequested { RefusalWarnings(of: file).forget() }
      }
    }
    self.failures = failures
    self.hear = hear
    fetching =
      settings.isAtomic
      ? nil
      : DocumentBackgrounds(
        document, pending: settings.fetch, allowsPrivate: settings.allowsPrivate, hear: hear)
  }

  /// What the first line came to that came to nothing.
  var firstError: ArtError? { failures.first }

  /// A line came to nothing.
  func note(_ error: ArtError) { failures.note(error) }

  /// Tells of one that was refused before anything was fetched.
  func tell(_ event: DocumentBackgrounds.Event) { hear(event) }
}

/// The first of what came to nothing.
private final class FirstFailure: Sendable {
  private let error = Mutex<ArtError?>(nil)

  var first: ArtError? { error.withLock { $0 } }

  func note(_ new: ArtError) { error.withLock { $0 = $0 ?? new } }
}
