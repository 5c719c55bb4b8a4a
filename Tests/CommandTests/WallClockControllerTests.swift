import ArgumentParser
import MediaCore
import TestSupport
import Testing

@testable import vplay

@Suite("Following the wall clock")
struct WallClockControllerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The position and the wall-clock time in nanoseconds, in a loop of 10 s that began at 1,000 s.
        let position: Int64
        let wall: Int64
        let error: Int64
        let correction: WallClockController.Correction
    }

    private static let second: Int64 = 1_000_000_000
    private static let origin = 1000 * second

    static let rows = [
        Row(
            testDescription: "in step",
            position: 3 * second,
            wall: 1003 * second,
            error: 0,
            correction: .pace(0)
        ),
        Row(
            testDescription: "1 ms behind",
            position: 3 * second - 1_000_000,
            wall: 1013 * second,
            error: 1_000_000,
            correction: .pace(100)
        ),
        Row(
            testDescription: "1 ms ahead",
            position: 3 * second + 1_000_000,
            wall: 1003 * second,
            error: -1_000_000,
            correction: .pace(-100)
        ),
        Row(
            testDescription: "30 ms behind: the pace is limited",
            position: 3 * second,
            wall: 1003 * second + 30_000_000,
            error: 30_000_000,
            correction: .pace(500)
        ),
        Row(
            testDescription: "behind across the seam",
            position: 10 * second - 1_000_000,
            wall: 1020 * second + 1_000_000,
            error: 2_000_000,
            correction: .pace(200)
        ),
        Row(
            testDescription: "ahead across the seam",
            position: 1_000_000,
            wall: 1020 * second - 1_000_000,
            error: -2_000_000,
            correction: .pace(-200)
        ),
        Row(
            testDescription: "before the loop began",
            position: 7 * second,
            wall: 997 * second,
            error: 0,
            correction: .pace(0)
        ),
    ]

    @Test("A small error is removed by the pace", arguments: rows)
    func table(row: Row) {
        var controller = WallClockController(length: 10 * Self.second, origin: Self.origin)
        #expect(controller.error(of: row.position, at: row.wall) == row.error)
        #expect(controller.follow(row.position, at: row.wall) == row.correction)
    }

    @Test("Only the third large error in a row requires a jump")
    func jump() {
        var controller = WallClockController(length: 10 * Self.second, origin: Self.origin)
        let far = 1004 * Self.second
        #expect(controller.follow(0, at: far) == .pace(0))
        #expect(controller.follow(0, at: far) == .pace(0))
        #expect(controller.follow(4 * Self.second, at: far) == .pace(0))
        #expect(controller.follow(0, at: far) == .pace(0))
        #expect(controller.follow(0, at: far) == .pace(0))
        #expect(controller.follow(0, at: far) == .jump)
        #expect(controller.follow(0, at: far) == .pace(0))
    }

    @Test(
        "With drift, delayed readings and a clock that is set, playback is in step within a millisecond after 60 s",
        arguments: 0..<40
    )
    func random(seed: Int) {
        var random = SplitMix64(UInt64(seed))
        let length = Int64.random(in: 2 * Self.second...600 * Self.second, using: &random)
        var controller = WallClockController(
            length: length,
            origin: Int64.random(in: 0...Self.second, using: &random)
        )
        // The clocks of machines differ by up to 50 millionths.
        let drift = Int64.random(in: -50...50, using: &random)
        var wall = Int64.random(in: 0...1_000_000 * Self.second, using: &random)
        var position =
            controller.position(at: wall) + Int64.random(in: -30_000_000...30_000_000, using: &random)
        var pace: Int64 = 0
        var jumps = 0
        for reading in 0..<2400 {
            let interval = WallClockController.interval
            wall += interval
            position += interval + interval / 1_000_000 * (drift + pace)
            if reading == 1200 { wall += 3 * Self.second / 2 }
            let delay = reading % 100 == 50 ? Int64(300_000_000) : 0
            switch controller.follow((position % length + length) % length, at: wall + delay) {
            case .pace(let millionths):
                pace = millionths
                #expect(abs(pace) <= WallClockController.maximumPace)
            case .jump:
                position = controller.position(at: wall)
                pace = 0
                jumps += 1
            }
            guard (200..<1200).contains(reading) || reading >= 1400 else { continue }
            let error = controller.error(of: (position % length + length) % length, at: wall)
            #expect(abs(error) < 1_000_000, "seed \(seed), reading \(reading)")
        }
        #expect(jumps == 1, "seed \(seed)")
    }

    @Test("The entry of a list follows from the durations before it")
    func entries() throws {
        let loop = try #require(
            WallClockLoop(
                durations: [.milliseconds(2000), .milliseconds(500), .milliseconds(1000)],
                origin: 0
            )
        )
        let times: [Int64] = [0, 1999, 2000, 2499, 2500, 3499, 3500]
        let found = times.map { loop.entry(at: $0 * 1_000_000) }
        #expect(found.map(\.index) == [0, 0, 1, 1, 2, 2, 0])
        #expect(found.map(\.time) == [0, 1999, 0, 499, 0, 999, 0].map { MediaTime.milliseconds($0) })
        #expect(WallClockLoop(durations: [.milliseconds(2000), .indefinite], origin: 0) == nil)
        #expect(WallClockLoop(durations: [], origin: 0) == nil)
        let century = MediaTime(value: 4_000_000_000, timescale: 1)
        #expect(WallClockLoop(durations: [century, century, century], origin: 0) == nil)
    }

    @Test(
        "Options with which the list or its times change are refused",
        arguments: ["--watch", "--shuffle", "--pause", "--untimed", "--repeat=2", "--rate=2"]
    )
    func excluded(option: String) throws {
        let folder = try TemporaryFolder()
        #expect(throws: ValidationError.self) {
            _ = try PlayOptions(PlayCommand.parse(["--sync-clock", "wall", option, folder.path]))
        }
    }

    @Test("An empty folder is reported, and ends the command")
    func emptyFolder() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.run("--sync-clock", "wall", folder.path)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines == ["vplay: \(folder.path): no media files in this folder"])
    }

    @Test("A time is given in seconds or as a date")
    func arguments() {
        #expect(WallTimeArgument(argument: "1.5")?.nanoseconds == 1_500_000_000)
        #expect(WallTimeArgument(argument: "1970-01-02T00:00:00Z")?.nanoseconds == 86_400_000_000_000)
        #expect(WallTimeArgument(argument: "yesterday") == nil)
    }
}
