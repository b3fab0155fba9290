// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import ArtWorkspace
import Glibc

extension EditingStream {
  /// Does what is asked of the background. What has to be fetched is answered at once, and told of when it is there, or
  /// refused.
  mutating func answer(_ asked: BackgroundLine, to line: StreamLine) {
    switch asked {
    case .request(.fetch(let typed, let keepsCanvas, let allowsPrivate)):
      guard let fetching = backgrounds.fetching else { return say(.nothingFetchedAtomically(), to: line) }
      guard let url = url(typed, line) else { return }
      let request = BackgroundRequest(
        url, isUserInitiated: true, allowsPrivate: allowsPrivate || settings.allowsPrivate,
        proxies: settings.proxies)
      let tag = line.tag?.text
      // Without news meanwhile: the answer comes first.
      Outcome { await fetching.request(request, keepsCanvas: keepsCanvas, tag: tag) }.wait()
      say { (form) throws(ArtError) in try form.fetching(url.redacted, of: line) }
    case .picture(let path, let keepsCanvas):
      guard let fetching = backgrounds.fetching else { return say(.nothingFetchedAtomically(), to: line) }
      guard let bytes = bytes(of: path, line) else { return }
      let tag = line.tag?.text
      Outcome { await fetching.request(bytes, keepsCanvas: keepsCanvas, tag: tag) }.wait()
      say { (form) throws(ArtError) in try form.fetching(path, of: line) }
    case .request(.later(let typed)):
      guard let url = url(typed, line) else { return }
      do throws(ArtError) {
        guard let pending = try PendingBackground(later: url, at: millisecondsSince1970()) else {
          throw .tooLongToKeep()
        }
        change(.later(pending), line)
      } catch {
        say(error, to: line)
      }
    case .request(.clear): change(.clear, line)
    }
  }

  /// The URL that was typed; nil for one that is refused, which is told.
  private mutating func url(_ typed: String, _ line: StreamLine) -> BackgroundURL? {
    do throws(Refusal) { return try BackgroundURL(typed) } catch {
      let event = DocumentBackgrounds.Event(
        .rejected(error), url: typed, isRequested: true, tag: line.tag?.text)
      backgrounds.tell(event)
      return nil
    }
  }

  /// A person's own picture; nil for one that cannot be read, or is refused, which is told.
  private mutating func bytes(of path: String, _ line: StreamLine) -> [UInt8]? {
    // Whoever opens and closes it by hand takes the locks of a save that is being made.
    guard !isSameFile(path, document.path) else {
      say(ArtError(.badValue, "\(path) is the document itself, and no picture"), to: line)
      return nil
    }
    do {
      guard case .bytes(let bytes) = try PictureSource.path(path).read() else { return nil }
      return bytes
    } catch let refusal as Refusal {
      backgrounds.tell(
        DocumentBackgrounds.Event(.rejected(refusal), url: nil, isRequested: true, tag: line.tag?.text))
    } catch let error as ArtError {
      say(error, to: line)
    } catch {
      say(ArtError(.inputOutput, "cannot read \(path): \(error)"), to: line)
    }
    return nil
  }

  /// An edit, after which nothing is fetched that was asked for before.
  private mutating func change(_ change: BackgroundChange, _ line: StreamLine) {
    guard waitForCapacity() else { return }
    let (document, fetching) = (document, backgrounds.fetching)
    let edited = wait {
      await fetching?.cancel()
      return await result { () async throws(ArtError) in
        guard await document.hasCapacity else { throw .tooManyAtOnce() }
        try await document.change(change)
        return await document.unsavedChanges
      }
    }
    switch edited {
    case .success(let unsaved):
      say { (form) throws(ArtError) in try form.edited(unsaved: unsaved, of: line) }
      acknowledge()
    case .failure(let error): say(error, to: line)
    }
  }

  /// Waits for what is being fetched, and writes what happens meanwhile; not when nobody reads any more.
  mutating func waitForBackgrounds() {
    guard let fetching = backgrounds.fetching, broken == nil else { return }
    let over = Outcome {
      await fetching.idle()
    } done: { [wakeup = outbox.wakeup] in
      wakeup.wake()
    }
    while over.now == nil, broken == nil { waitForNews() }
  }
}

/// Whether two paths lead to one file.
private func isSameFile(_ path: String, _ other: String) -> Bool {
  // What cannot be looked at is no document that is open here.
  do throws(SystemError) {
    return try FileStatus(at: path).identity == FileStatus(at: other).identity
  } catch {
    return false
  }
}
