import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

/// One core, on which a player that needs more than half of it plays while stills are made.
@Suite("Stills give way to players")
struct StillsBesideTests {
    /// 72 frames a second, each of which takes more than half of its time to decode. Less than what counts as late, so
    /// that what runs already makes none late.
    private static let decodingTime: Int64 = 7_500_000

    private static func media(seconds: Int) -> ScriptedMedia {
        var media = ScriptedMedia(video: .init(frameCount: seconds * 72, frameRate: 72))
        media.decodingTimes = { _, _ in decodingTime }
        return media
    }

    /// Stills of another file.
    private final class Stills: Sendable {
        let found = Locked([MediaTime]())
        private let queue: ImageRequestQueue

        init(_ driver: ManualDriver) {
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

    /// Of a player that plays ten seconds, with so many stills asked for after one.
    private func play(stills count: Int) -> (PlaybackCounters, stills: Int) {
        let bench = EngineTestBench(isRealTime: true)
        bench.load(Self.media(seconds: 10))
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 1)
        let stills = Stills(bench.driver)
        stills.ask(count)
        bench.driver.run(seconds: 8)
        let counters = bench.loop.snapshot.counters
        return (counters, stills.found.withLock { $0.count })
    }

    @Test("Nothing is late beside them, or dropped, and they are made")
    func late() {
        let (alone, _) = play(stills: 0)
        #expect(alone.framesLate == 0 && alone.framesDropped == 0 && alone.framesPresented > 600)
        let (beside, made) = play(stills: 20)
        #expect(beside.framesLate == 0 && beside.framesDropped == 0)
        #expect(beside.framesPresented == alone.framesPresented)
        #expect(made == 20)
    }
}
