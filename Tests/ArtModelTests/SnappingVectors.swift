// SPDX-License-Identifier: Apache-2.0

@testable import ArtModel

// Cases of shared rules; `RuleVectorTests` documents their form. Snapping: ties, lines at nearly one place, and random boxes.

private typealias Edges = (left: Double, top: Double, right: Double, bottom: Double)

private struct SnappingCase {
  var name: String
  var canvas = (width: 1024.0, height: 768.0)
  var others: [Edges] = []
  var moves: [(moved: Edges, distance: Double)] = []

  var json: String {
    let snapping = Snapping(toEdges: others, width: canvas.width, height: canvas.height)
    return jsonText {
      $0.member("canvas", canvas.width, canvas.height)
      $0.key("moves")
      $0.array {
        for (moved, distance) in moves {
          let snap = snapping.snap(moved, within: distance)
          $0.object {
            $0.member("distance", distance)
            $0.member("dx", snap.dx)
            $0.member("dy", snap.dy)
            $0.key("guides")
            $0.array {
              for guide in snap.guides {
                $0.array {
                  $0.string(guide.axis == .horizontally ? "x" : "y")
                  for value in [guide.at, guide.from, guide.to] { $0.number(value) }
                }
              }
            }
            $0.member("moved", moved.left, moved.top, moved.right, moved.bottom)
          }
        }
      }
      $0.key("name")
      $0.string(name)
      $0.key("others")
      $0.array {
        for edges in others {
          $0.array { for value in [edges.left, edges.top, edges.right, edges.bottom] { $0.input(value) } }
        }
      }
    }
  }
}

func snappingCases() -> [String] {
  let near = 500.0.nextUp
  let named = [
    SnappingCase(
      name: "the canvas alone",
      moves: [
        ((3, 5, 43, 45), 8), ((3, 5, 43, 45), 2), ((492, 364, 532, 404), 8), ((984, 728, 1_024, 768), 8),
        ((-30, -40, 8, 8), 8), ((9, 9, 49, 49), 8), ((8, 8, 48, 48), 8), ((300, 200, 340, 240), 8),
        ((0, 0, 1_024, 768), 0), ((1, 1, 1_025, 769), 1), ((3, 5, 43, 45), 0), ((3, 5, 43, 45), -1),
        ((3, 5, 43, 45), 1e6), ((4, 4, 4, 4), 8), ((-0.0, -0.0, 40, 40), 8), ((2, 2, -2, -2), 8),
        ((0, 0, 1_024, 768), -1), ((0.000_001, 0.000_001, 1_024, 768), 8),
        ((0.000_001.nextUp, 0.000_001.nextDown, 1_024, 768), 8),
      ]),
    SnappingCase(
      name: "ties", canvas: (10_000, 10_000),
      others: [(100, 100, 140, 140), (160, 160, 200, 200), (116, 300, 124, 320)],
      moves: [
        ((145, 145, 155, 155), 8), ((150, 150, 150, 150), 10), ((130, 130, 170, 170), 20),
        ((138, 138, 162, 162), 8),
        ((104, 104, 136, 136), 8), ((120, 400, 150, 420), 8), ((110, 90, 130, 110), 8),
        ((118, 118, 122, 122), 4),
      ]),
    SnappingCase(
      name: "lines at one place", others: [(100, 0, 200, 50), (100, 600, 200, 650), (200, 300, 300, 350)],
      moves: [
        ((97, 400, 197, 440), 8), ((203, 500, 303, 540), 8), ((150, 100, 250, 150), 8),
        ((198, -900, 201, -800), 8),
      ]),
    SnappingCase(
      name: "lines that differ in the last bit", canvas: (5_000, 5_000),
      others: [
        (500, 500, 600, 600), (near, near, 600.0.nextDown, 600.0.nextUp), (500.0.nextDown, 0, 700, 3),
      ],
      moves: [
        ((503, 503, 603, 603), 8), ((near, near, 600, 600), 8), ((497.3, 501.1, 597.7, 599.9), 8),
        ((near, 499.999_999_5, 600.000_000_5, 600), 8), ((0.1 + 500, 0.2 + 500, 600.3, 600.4), 0.5),
      ]),
    SnappingCase(
      name: "lines with one distance by rounding",
      others: [(1e-25, 2e-25, 3e-25, 4e-25), (5e-25, 0, 5e-25, 9)],
      moves: [((-2, -3, 1, 1), 8), ((1, 1, 2, 2), 8), ((-1, -1, -1, -1), 8), ((1e-7, 2e-7, 1_024, 768), 8)]),
    SnappingCase(
      name: "guides within a millionth", others: [(100, 100, 200, 200), (300, 300, 400, 400)],
      moves: [
        ((101, 101, 201.000_000_9, 201.000_001_1), 8), ((102, 99, 201.999_999, 199.000_001), 8),
        ((150.000_001, 149.999_998, 250.000_001, 249.999_998), 8),
      ]),
    SnappingCase(
      name: "negative zero and far away",
      others: [
        (-0.0, -0.0, -0.0, -0.0), (-1e6, -1e6, 1e6, 1e6), (1e6, 5, 1e6, 6),
        (1e-300, -.leastNonzeroMagnitude, .leastNonzeroMagnitude, 1e-300),
      ],
      moves: [
        ((-0.0, -1, 1, 0), 8), ((-3, -3, 3, 3), 8), ((999_995, 999_999, 1_000_003, 1_000_001), 8),
        ((-1_000_001, 4, -999_999, 7), 8), ((.leastNonzeroMagnitude, 0, 1, 1), 8),
      ]),
  ]
  var chance = Chance(seed: 38)
  let random = (0..<60).map { index in
    // Whole numbers meet often, dirty ones never.
    let isDirty = index % 3 == 2
    let reach = isDirty ? 900.0 : [60.0, 300][index % 2]
    func edges(_ chance: inout Chance) -> Edges {
      func place(_ low: Double, _ high: Double) -> Double {
        isDirty ? chance.dirty(low, high) : Double(Int(low) + chance.below(Int(high - low) + 1))
      }
      let (left, top) = (place(-20, reach), place(-20, reach))
      return (left, top, left + place(0, 60), top + place(0, 60))
    }
    return SnappingCase(
      name: "random \(index + 1)", canvas: (reach, chance.hundredths(1, reach)),
      others: (0..<chance.below(9)).map { _ in edges(&chance) },
      moves: (0..<8).map { _ in (edges(&chance), chance.pick([8, 4, 2.5, 8 / 3, 0, 40])) })
  }
  let copies = (0..<20).map { index in
    let reach = [900.0, 30][index % 2]
    let others = (0..<3).map { _ -> Edges in
      let (left, top) = (chance.dirty(-reach, reach), chance.dirty(-reach, reach))
      return (left, top, left + chance.dirty(0, 90), top + chance.dirty(0, 90))
    }
    // Copies of a box, near to it, and larger by some millionths: whether its other lines are guides depends on the last bits.
    let moves = (0..<8).map { _ -> (Edges, Double) in
      let (edges, dx, dy) = (chance.pick(others), chance.dirty(-3, 3), chance.dirty(-3, 3))
      let (right, bottom) = (edges.right + dx, edges.bottom + dy)
      let larger = Double(chance.below(3)) * 0.000_001
      return ((edges.left + dx, edges.top + dy, right + larger, bottom - larger), 8)
    }
    return SnappingCase(name: "copies \(index + 1)", others: others, moves: moves)
  }
  return (named + random + copies).map(\.json)
}
