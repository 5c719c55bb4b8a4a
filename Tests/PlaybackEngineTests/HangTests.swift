import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: closing, interrupted-reads
/// The script hangs at frame 25: it delivers no data from there on, unless a seek goes beyond that frame.
@Suite("Reads that hang")
struct HangTests {
    /// A bench, and the demuxers that were created for it.
    private final class Scene {
        let bench: EngineTestBench
        let reads = Locked(0)
        let demuxers = Locked<[ScriptedDemuxer]>([])

        init(_ seed: UInt64) { bench = EngineTestBench(audio: .none, seed: seed) }

        func load(_ faults: [ScriptedMedia.Fault], id: UInt64 = 1) {
            let (driver, reads, demuxers) = (bench.driver, reads, demuxers)
            let item = MediaItem(makeDemuxer: { _ in
                let demuxer = ScriptedDemuxer(.silentClip(faults), driver: driver) { call in
                    if call == .read { reads.withLock { $0 += 1 } }
                }
                demuxers.withLock { $0.append(demuxer) }
                return demuxer
            })
            bench.loop.perform { $0.setItem(ItemID(id), MediaItemSource(item)) }
            bench.driver.run(seconds: 0)
        }

        /// Plays until no more frames are available.
        func playIntoHang() {
            bench.play()
            bench.driver.run(seconds: 3)
        }

        var numbers: [Int] { bench.videoSink.numbers }
    }

    private static let hang = ScriptedMedia.Fault.hang(atPacket: 25)
    private static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8]

    @Test("A seek beyond the hang plays to the end, and a hanging read is not polled", arguments: seeds)
    func seek(_ seed: UInt64) {
        let scene = Scene(seed)
        scene.load([Self.hang])
        scene.playIntoHang()
        #expect(scene.numbers == Array(0..<25))
        let reads = scene.reads.withLock { $0 }
        // Ten seconds of waiting cause no reads.
        scene.bench.driver.run(seconds: 10)
        #expect(scene.reads.withLock { $0 } == reads)
        let before = scene.bench.driver.now
        scene.bench.seek(1, to: .ms(1200))
        scene.bench.driver.run(seconds: 0)
        #expect(scene.numbers.last == 30)
        #expect(scene.bench.driver.now == before)
        scene.bench.driver.run(seconds: 3)
        #expect(scene.numbers == Array(0..<25) + Array(30..<50))
    }

    @Test("Of two seeks during a hang the newest wins, even if the first one hangs as well", arguments: seeds)
    func seekTwice(_ seed: UInt64) {
        let scene = Scene(seed)
        scene.load([Self.hang])
        scene.playIntoHang()
        scene.bench.seek(1, to: .ms(1100))
        scene.bench.driver.run(seconds: 1)
        // Frame 27 is not available.
        #expect(scene.numbers == Array(0..<25))
        scene.bench.seek(2, to: .ms(400))
        scene.bench.driver.run(seconds: 0)
        #expect(scene.numbers.last == 10)
        scene.bench.seek(3, to: .ms(1100))
        scene.bench.seek(4, to: .ms(1600))
        scene.bench.driver.run(seconds: 3)
        #expect(scene.numbers.suffix(10) == Array(40..<50))
    }

    @Test("During a hang, a pause or another item takes effect immediately", arguments: seeds)
    func otherWays(_ seed: UInt64) {
        let scene = Scene(seed)
        scene.load([Self.hang])
        scene.playIntoHang()
        let before = scene.bench.driver.now
        scene.bench.play(0)
        scene.bench.driver.run(seconds: 0)
        #expect(scene.bench.loop.snapshot.rate == 0)
        scene.bench.play()
        scene.load([], id: 2)
        #expect(scene.numbers.last == 0)
        #expect(scene.bench.driver.now == before)
        scene.bench.driver.run(seconds: 3)
        #expect(scene.numbers == Array(0..<25) + Array(0..<50))
    }

    @Test("A release during a hang finishes the sinks immediately", arguments: seeds)
    func release(_ seed: UInt64) {
        let scene = Scene(seed)
        scene.load([Self.hang])
        scene.playIntoHang()
        let isDone = Locked(false)
        scene.bench.loop.release { isDone.withLock { $0 = true } }
        scene.bench.driver.run(seconds: 0)
        #expect(isDone.withLock { $0 })
    }

    @Test("The end of a stall is reported, so reads are not polled and playback continues", arguments: seeds)
    func stall(_ seed: UInt64) {
        let scene = Scene(seed)
        scene.load([.stall(atPacket: 25, until: 30)])
        scene.playIntoHang()
        let reads = scene.reads.withLock { $0 }
        scene.bench.driver.run(seconds: 20)
        #expect(scene.reads.withLock { $0 } == reads)
        scene.bench.driver.run(seconds: 20)
        #expect(scene.numbers == Array(0..<50))
    }
}
