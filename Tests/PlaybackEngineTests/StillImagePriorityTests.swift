import Dispatch
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting
import Testing

// Rule: images-yield
/// A player that needs three quarters of a single core plays while still images are made.
@Suite("Still images yield to players")
struct StillImagePriorityTests {
    /// Each of 100 frames per second takes three quarters of its duration to decode. That is less than the
    /// threshold for late frames, so work that is already running makes no frame late.
    private static let decodingTime: Int64 = 7_500_000

    private static func media(seconds: Int) -> ScriptedMedia {
        var media = ScriptedMedia(video: .init(frameCount: seconds * 100, frameRate: 100))
        media.decodingTimes = { _, _ in decodingTime }
        return media
    }

    /// A driver with the same lanes and time that never reports urgent work.
    private final class DriverWithoutUrgency: Driver {
        private let inner: ManualDriver
        init(_ inner: ManualDriver) { self.inner = inner }

        var clock: any HostClock { inner.clock }
        var isRealTime: Bool { inner.isRealTime }
        func makeLane(_ role: LaneRole, label: String) -> any Lane { inner.makeLane(role, label: label) }
        func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { inner.makeCallbackLane(queue) }
        func schedule(
            at time: HostTime,
            on lane: any Lane,
            _ work: @escaping @Sendable () -> Void
        ) -> any Wakeup {
            inner.schedule(at: time, on: lane, work)
        }
    }

    /// Still images of another file.
    private final class Stills: Sendable {
        let found = Locked([MediaTime]())
        private let queue: ImageRequestQueue

        init(_ driver: any Driver) {
            let backend = ScriptedBackend(StillImagePriorityTests.media(seconds: 10), driver: driver)
            queue = ImageRequestQueue(
                driver: driver,
                makeDemuxer: { backend.makeDemuxer(for: OpenRequest(location: "/stills")) },
                converter: backend.makeVideoConverter(),
                options: { DecoderOptions() },
                didOpen: { _ in }
            )
        }

        deinit { queue.close() }

        func request(_ count: Int) {
            for index in 0..<count {
                let time = MediaTime.ms(Int64(index) * 9_000 / Int64(count) + 3)
                let request = ImageRequest(time: time, generation: queue.generation)
                queue.request(request, ImageTicket()) { [found] answer in
                    if case .success(let frame) = answer {
                        found.withLock { $0.append(frame.presentationTime) }
                    }
                }
            }
        }
    }

    /// Plays for nine seconds, and requests still images after one second.
    private func play(stills count: Int, yields: Bool = true) -> (PlaybackCounters, stills: Int) {
        let bench = EngineTestBench(isRealTime: true)
        bench.load(Self.media(seconds: 10))
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 1)
        let stills = Stills(yields ? bench.driver : DriverWithoutUrgency(bench.driver))
        stills.request(count)
        bench.driver.run(seconds: 8)
        let counters = bench.loop.snapshot.counters
        return (counters, stills.found.withLock { $0.count })
    }

    @Test("While still images are made, no frame of a player is late or dropped")
    func late() {
        let (withoutImages, _) = play(stills: 0)
        #expect(
            withoutImages.framesLate == 0 && withoutImages.framesDropped == 0
                && withoutImages.framesPresented > 850
        )
        let (withImages, imageCount) = play(stills: 20)
        #expect(withImages.framesLate == 0 && withImages.framesDropped == 0)
        #expect(withImages.framesPresented == withoutImages.framesPresented)
        #expect(imageCount == 20)
        // Without yielding, frames are late or dropped.
        let (unyielding, _) = play(stills: 20, yields: false)
        #expect(unyielding.framesLate + unyielding.framesDropped > 20)
    }
}
