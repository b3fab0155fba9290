// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorker
import Glibc
import Synchronization

/// A signal that ends programs, which came while a picture was fetched: `Main` lets it do what it does, after whoever has something to
/// tell before that.
struct Interruption: Error { let number: Int32 }

/// Has a picture fetched and looked at while a command waits: tells on a terminal how far it is, and ends with nothing
/// changed when a signal says so.
struct Transfer {
  private let fetcher = BackgroundFetcher()
  /// What the line on the terminal calls the document.
  let name: String

  /// The picture. Throws a `Refusal`, an `ArtError` when there was nobody to fetch it, or an `Interruption`.
  func picture(_ request: BackgroundRequest) throws -> CheckedPicture {
    let held = SignalSource()
    defer { held.release() }
    let latest = Latest()
    let outcome = try Outcome.onThread { [fetcher] in
      let fetch = fetcher.fetch(request)
      Task.detached { for await progress in fetch.progress { latest.set(progress) } }
      return await Self.result { () async throws(BackgroundFailure) in try await fetch.picture }
    }
    return try wait(for: outcome, latest, held)
  }

  /// The picture of these bytes. Throws what fetching throws.
  func picture(_ bytes: [UInt8]) throws -> CheckedPicture {
    let held = SignalSource()
    defer { held.release() }
    let outcome = try Outcome.onThread { [fetcher] in
      await Self.result { () async throws(BackgroundFailure) in try await fetcher.check(bytes) }
    }
    return try wait(for: outcome, nil, held)
  }

  private static func result(
    _ body: () async throws(BackgroundFailure) -> CheckedPicture
  ) async -> Result<CheckedPicture, BackgroundFailure> {
    do throws(BackgroundFailure) { return .success(try await body()) } catch { return .failure(error) }
  }

  private func wait(
    for outcome: Outcome<Result<CheckedPicture, BackgroundFailure>>, _ latest: Latest?, _ held: SignalSource
  ) throws -> CheckedPicture {
    var line = latest.flatMap { _ in isatty(2) == 1 ? TransferLine(name: name) : nil }
    let start = ContinuousClock.now
    while true {
      let result = outcome.wait(atMost: .milliseconds(100))
      if let number = held.next() {
        outcome.cancel()
        // Its helpers end with this process in any case.
        _ = outcome.wait(atMost: .seconds(1))
        Output.writeError(line?.clearing() ?? "")
        throw Interruption(number: number)
      }
      if let result {
        Output.writeError(line?.clearing() ?? "")
        return try Self.picture(of: result)
      }
      let drawing = line?.drawing(latest?.value, at: ContinuousClock.now - start, columns: Self.columns)
      if let drawing { Output.writeError(drawing) }
    }
  }

  private static func picture(
    of result: Result<CheckedPicture, BackgroundFailure>
  ) throws -> CheckedPicture {
    switch result {
    case .success(let picture): return picture
    case .failure(.refused(let refusal)): throw refusal
    case .failure(.failed(let error)): throw error
    case .failure(.cancelled): throw ArtError(.unavailable, "the transfer was cancelled; nothing is changed")
    }
  }

  /// How many columns the terminal behind stderr has; 80 where it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// How far it was when somebody said so last.
  private final class Latest: Sendable {
    private let progress = Mutex<FetchProgress?>(nil)
    var value: FetchProgress? { progress.withLock { $0 } }
    func set(_ new: FetchProgress) { progress.withLock { $0 = new } }
  }
}
