import Testing

@testable import vplay

/// The steps by which the wheel changes the volume.
@Suite("Steps of the wheel")
struct WheelStepsTests {
    @Test(
        "Fractions of a step add up to steps, and begin again in the other direction",
        arguments: [
            ([1, 1, -1], [1, 1, -1]), ([3, -2], [3, -2]), ([0], [0]),
            ([0.25, 0.25, 0.25, 0.25, 0.25], [0, 0, 0, 1, 0]),
            ([0.75, 0.5, 0.75], [0, 1, 1]),
            ([0.75, -0.5, -0.5, 0.75], [0, 0, -1, 0]), ([-0.5, 0, -0.5], [0, 0, -1]),
            ([1e300, .infinity, .nan], [20, 0, 0]),
        ] as [([Double], [Int])]
    )
    func steps(turns: [Double], expected: [Int]) {
        var wheel = WheelSteps()
        let counts = turns.map { wheel.add($0) }
        #expect(counts == expected)
    }
}
