// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Testing

@testable import ArtDocument

@Suite("Save blockers") struct SaveBlockerTests {
  private enum Found { case known, first, second, gone, damaged, busy }

  @Test("D7 a refresh starts a save at once when it finds a new state, or when a save blocker is gone")
  func table() throws {
    let folder = try DocumentFolder()
    let (first, second) = (try folder.make("first").base(), try folder.make("second").base())
    let stories: [([(Found, Bool)], isSaveFailing: Bool)] = [
      ([(.known, false), (.busy, false), (.known, false)], true),
      ([(.first, true), (.known, false)], false),
      ([(.first, true), (.first, false), (.second, true), (.second, false), (.first, true)], true),
      ([(.first, true), (.known, true), (.known, false), (.first, true)], true),
      ([(.first, true), (.busy, false), (.first, false), (.busy, false), (.known, true)], true),
      ([(.gone, true), (.gone, false), (.damaged, false), (.known, true), (.known, false)], true),
      ([(.gone, true), (.busy, false), (.busy, false), (.known, true)], true),
      ([(.busy, false), (.gone, true), (.first, true), (.first, false)], true),
    ]
    for (number, (story, isSaveFailing)) in stories.enumerated() {
      var blocker = SaveBlocker()
      for (step, (found, isDue)) in story.enumerated() {
        let isSaveStarted =
          switch found {
          case .known: blocker.refreshed(isSaveFailing: isSaveFailing)
          case .first: blocker.conflicted(with: first, isSaveFailing: isSaveFailing)
          case .second: blocker.conflicted(with: second, isSaveFailing: isSaveFailing)
          case .gone: blocker.readFailed(.noSuchDocument)
          case .damaged: blocker.readFailed(.damaged)
          case .busy: blocker.readFailed(.busy)
          }
        #expect(isSaveStarted == isDue, "story \(number), step \(step)")
      }
    }
  }
}
