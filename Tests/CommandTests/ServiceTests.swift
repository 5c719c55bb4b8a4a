import Foundation
import Glibc
import MediaCore
import TestSupport
import Testing

@testable import vplay

/// What a service manager is told, and when playback counts as hanging.
@Suite("Service")
struct ServiceTests {
    private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test(
        "The service manager is told of the first frame, signs of life and the end",
        .enabled(if: hasPython && Media.isMade)
    )
    func checks() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("check-service.py")
        let outcome = try await Command.shell(#"exec /usr/bin/python3 "$1" "$vplay""#, script.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(", 0 failed\n"))
    }

    @Test("Without a usable NOTIFY_SOCKET there is no manager", arguments: [nil, "", "/", "relative", "@"])
    func noManager(path: String?) {
        #expect(ServiceManager { $0 == "NOTIFY_SOCKET" ? path : nil } == nil)
        let long = "/" + String(repeating: "a", count: 200)
        #expect(ServiceManager { $0 == "NOTIFY_SOCKET" ? long : nil } == nil)
    }

    @Test("A watchdog of another process is ignored")
    func watchdog() {
        func interval(_ pid: String?) -> Duration? {
            let values = ["NOTIFY_SOCKET": "@none", "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": pid]
            return ServiceManager { values[$0] ?? nil }?.watchdogInterval
        }
        #expect(interval(nil) == .seconds(2))
        #expect(interval("\(getpid())") == .seconds(2))
        #expect(interval("1") == nil)
    }

    @Test("The journal is recognized by the file of standard error")
    func journal() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", Data())
        let descriptor = open(folder.path("file"), O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        #expect(Journal.matches("\(status.st_dev):\(status.st_ino)", descriptor))
        for stream in [nil, "", "1", "\(status.st_dev):1", "a:b", "\(status.st_dev):\(status.st_ino):1"] {
            #expect(!Journal.matches(stream, descriptor))
        }
        #expect(Journal.text("vplay: a\nb", .error) == "<3>vplay: a\n<3>b")
        #expect(Journal.Priority("vplay: warning: x") == .warning)
        #expect(Journal.Priority("vplay: x") == .error)
    }

    // MARK: Progress

    private typealias Sample = ProgressMonitor.Sample

    /// Returns the seconds at which a monitor finds a problem, of one sample in a second.
    private func problems(_ seconds: Int, _ sample: (Int) -> Sample) -> [Int] {
        var monitor = ProgressMonitor()
        return (0..<seconds).filter { monitor.update(sample($0), at: .seconds($0)) != nil }
    }

    @Test("Frames that advance are healthy, and frames that stop are not after 10 s")
    func frames() {
        #expect(
            problems(100) { Sample(activity: .playing, frames: $0, position: .zero, hasMovingVideo: true) }
                .isEmpty
        )
        let found = problems(40) { second in
            Sample(
                activity: .playing,
                frames: second < 20 ? second : 19 + max(0, second - 35),
                position: .seconds(Double(second)),
                hasMovingVideo: true
            )
        }
        #expect(found == Array(30...35))
    }

    @Test("Audio and still images advance by their position")
    func position() {
        #expect(
            problems(100) {
                Sample(activity: .playing, frames: 1, position: .seconds(Double($0)), hasMovingVideo: false)
            }.isEmpty
        )
        #expect(
            problems(15) { _ in Sample(activity: .playing, frames: 1, position: .zero, hasMovingVideo: false)
            }
                == Array(11..<15)
        )
    }

    @Test(
        "Frames are expected while a video track lasts, and not while audio alone plays",
        arguments: [
            (25, 10, 5, true), (25, 10, 0, false), (25, 10, 12, false), (25, nil, 12, true),
            (1, 10, 5, false), (nil, 10, 5, false),
        ] as [(Int32?, Double?, Double, Bool)]
    )
    func videoTrack(rate: Int32?, end: Double?, time: Double, isExpected: Bool) {
        let track = makeVideoTrack(rate: rate, end: end)
        #expect(track.showsMovingVideo(at: .seconds(time)) == isExpected)
    }

    @Test(
        "No frames are expected before a frame that is due much later, forward or backward",
        arguments: [
            (5.04, false, true), (5.9, false, true), (20, false, false), (4.96, true, true), (2, true, false),
            // A frame that is overdue, as if playback hung.
            (2, false, true),
        ] as [(Double, Bool, Bool)]
    )
    func longFrame(next: Double, isReverse: Bool, isExpected: Bool) {
        let track = makeVideoTrack(rate: 25, end: 30)
        let isMoving = track.showsMovingVideo(
            at: .seconds(5),
            nextFrame: .seconds(next),
            isReverse: isReverse
        )
        #expect(isMoving == isExpected)
    }

    private func makeVideoTrack(rate: Int32?, end: Double?) -> Track {
        var track = Track(id: 0, mediaType: .video, codec: "h264", timeBase: Rational(1, 90_000))
        track.nominalFrameRate = rate.map { Rational($0, 1) }
        track.timeRange = MediaTimeRange(
            start: .seconds(1),
            duration: end.map { .seconds($0 - 1) } ?? .indefinite
        )
        return track
    }

    @Test("Playback may be still on purpose, and may wait for data for a minute")
    func waiting() {
        #expect(
            problems(1000) { _ in Sample(activity: .still, frames: 1, position: .zero, hasMovingVideo: true) }
                .isEmpty
        )
        let found = problems(100) { _ in
            Sample(activity: .waiting, frames: 1, position: .zero, hasMovingVideo: true)
        }
        #expect(found == Array(61..<100))
    }
}
