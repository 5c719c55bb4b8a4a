import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("Prediction of seek targets")
struct SeekPatternTests {
    private static let frame = MediaTime(value: 1, timescale: 25)

    private static func frames(_ count: Int) -> MediaTime { frame * count }

    /// Performs the seeks one after the other. The decoder is `ahead` frames ahead of the frame that is shown.
    private static func pattern(_ targets: [Int], ahead: Int = 0) -> SeekPattern {
        var pattern = SeekPattern(frameDuration: frame)
        var newest: MediaTime?
        for target in targets {
            pattern.seek(to: frames(target), newestFrame: newest)
            newest = frames(target + ahead)
        }
        return pattern
    }

    @Test(
        "Only a seek back by a few frames is a step",
        arguments: [
            ([100], false), ([100, 99], true), ([100, 92], true), ([100, 91], false), ([100, 100], false),
            ([100, 101], false), ([100, 99, 98], true), ([100, 99, 150], false),
        ]
    )
    func steps(targets: [Int], isStepping: Bool) {
        for ahead in [0, 4, 16] {
            #expect(Self.pattern(targets, ahead: ahead).isStepping == isStepping, "\(ahead) ahead")
        }
    }

    @Test("If playback has continued, the distance is measured from the playback position")
    func playedOn() {
        #expect(!Self.pattern([100, 99], ahead: 30).isStepping)
        #expect(Self.pattern([100, 125], ahead: 30).isStepping)
    }

    @Test(
        "Two equal strides backward predict more of them",
        arguments: [
            ([100, 88], []), ([100, 88, 76], [64, 52, 40, 28, 16, 4]), ([100, 88, 75], []),
            ([100, 88, 76, 64], [52, 40, 28, 16, 4]), ([100, 88, 76, 88], []), ([100, 92, 84], []),
            ([30, 20, 10], [0]), ([500, 490, 480], [470, 460, 450, 440, 430, 420, 410, 400]),
        ]
    )
    func strides(targets: [Int], expected: [Int]) {
        let pattern = Self.pattern(targets, ahead: 3)
        #expect(pattern.predictedTargets == expected.map(Self.frames))
        for number in 0..<600 {
            #expect(pattern.predicts(Self.frames(number)) == expected.contains(number))
        }
    }

    @Test("The frame that is due at a predicted target is predicted")
    func betweenFrames() {
        var pattern = SeekPattern(frameDuration: Self.frame)
        for milliseconds in [4010, 3510, 3010] as [Int64] {
            pattern.seek(to: MediaTime(value: milliseconds, timescale: 1000), newestFrame: nil)
        }
        // The frame at 2.48 s is due at 2.51 s.
        #expect(pattern.predicts(Self.frames(62)))
        #expect(!pattern.predicts(Self.frames(61)))
        #expect(!pattern.predicts(Self.frames(63)))
    }

    @Test("Times that are not numeric predict nothing")
    func withoutNumber() {
        var pattern = SeekPattern(frameDuration: Self.frame)
        for time in [.invalid, .positiveInfinity, .negativeInfinity, Self.frames(3)] as [MediaTime] {
            pattern.seek(to: time, newestFrame: .invalid)
            #expect(!pattern.isStepping)
            #expect(pattern.predictedTargets.isEmpty)
        }
    }
}
