import Dispatch
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting
import Testing

/// One core, on which a player that needs three quarters of it plays while stills are made.
@Suite("Stills give way to players")
struct StillsBesideTests {
    /// 100 frames a second, each of which takes three quarters of its time to decode. Less than what counts as late, so
    /// that what runs already makes none late.
    private static let decodingTime: Int64 = 7_500_000

    private static func media(seconds: Int) -> ScriptedMedia {
        var media = ScriptedMedia(video: .init(frameCount: seconds * 100, frameRate: 100))
        media.decodingTimes = { _, _ in decodingTime }
        return media
    }

    /// The same lanes and time, but nobody is told that players have something to do.
    private final class Blind: Driver {
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

    /// Stills of another file.
    private final class Stills: Sendable {
        let found = Locked([MediaTime]())
        private let queue: ImageRequestQueue

        init(_ driver: any Driver) {
            let backend = ScriptedBackend(StillsBesideTests.media(seconds: 10), clock: driver.clock)
            queue = ImageRequestQueue(
                driver: driver,
                makeDemuxer: { backend.makeDemuxer(for: OpenRequest(location: "/stills")) },
                converter: backend.makeVideoConverter(),
                options: { DecoderOptions() },
                didOpen: { _ in }
            )
        }

        deinit { queue.close() }

        func ask(_ count: Int) {
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

    /// Of a player that plays nine seconds, with so many stills asked for after one.
    private func play(stills count: Int, giveWay: Bool = true) -> (PlaybackCounters, stills: Int) {
        let bench = EngineTestBench(isRealTime: true)
        bench.load(Self.media(seconds: 10))
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 1)
        let stills = Stills(giveWay ? bench.driver : Blind(bench.driver))
        stills.ask(count)
        bench.driver.run(seconds: 8)
        let counters = bench.loop.snapshot.counters
        return (counters, stills.found.withLock { $0.count })
    }

    @Test("Nothing is late beside them, or dropped, and they are made")
    func late() {
        let (alone, _) = play(stills: 0)
        #expect(alone.framesLate == 0 && alone.framesDropped == 0 && alone.framesPresented > 850)
        let (beside, made) = play(stills: 20)
        #expect(beside.framesLate == 0 && beside.framesDropped == 0)
        #expect(beside.framesPresented == alone.framesPresented)
        #expect(made == 20)
        // It is their giving way that does it.
        let (pressed, _) = play(stills: 20, giveWay: false)
        #expect(pressed.framesLate + pressed.framesDropped > 20)
    }
}
