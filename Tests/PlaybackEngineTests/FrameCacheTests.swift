import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: kept-frames
@Suite("The cache of decoded frames observes its byte limit")
struct FrameCacheTests {
    private final class SizedStorage: VideoFrameStorage {
        let byteCount: Int
        init(_ byteCount: Int) { self.byteCount = byteCount }
        func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
    }

    private static let format = VideoFormat(pixelFormat: .gray, size: PixelSize(width: 1, height: 1))

    /// A frame that counts `bytes` in the cache, including the overhead of each output.
    private static func frame(_ time: Int64, bytes: Int = 10_000) -> VideoFrame {
        VideoFrame(
            format: format,
            presentationTime: .ms(time),
            duration: .ms(40),
            isKeyFrame: false,
            sourceTime: SourceTime(ticks: time, timeBase: Rational(1, 1000)),
            storage: SizedStorage(bytes - 1024)
        )
    }

    @Test("Frames far from the item's position are evicted first")
    func farthest() {
        let cache = FrameCache(byteLimit: 50_000)
        let share = cache.makeShare()
        share.setPosition(.ms(100))
        for time in 0..<10 { share.keep(Self.frame(Int64(time) * 20), of: 1) }
        let kept = (0..<10).filter { share.frame(at: .ms(Int64($0) * 20), of: 1) != nil }
        #expect(kept == [3, 4, 5, 6, 7])
        #expect(cache.byteCount == 50_000)
        share.setPosition(.ms(180))
        share.keep(Self.frame(180), of: 1)
        #expect(share.frame(at: .ms(60), of: 1) == nil && share.frame(at: .ms(180), of: 1) != nil)
    }

    @Test("Frames of the least recently used item are evicted before others")
    func leastRecent() {
        let cache = FrameCache(byteLimit: 40_000)
        let shares = [cache.makeShare(), cache.makeShare()]
        for time in 0..<4 { shares[0].keep(Self.frame(Int64(time)), of: 1) }
        for time in 0..<2 { shares[1].keep(Self.frame(Int64(time)), of: 1) }
        #expect((0..<4).filter { shares[0].frame(at: .ms($0), of: 1) != nil } == [0, 1])
        #expect((0..<2).filter { shares[1].frame(at: .ms($0), of: 1) != nil } == [0, 1])
    }

    @Test("Records are distinguished even if they have frames at the same time")
    func records() {
        let cache = FrameCache(byteLimit: 100_000)
        let share = cache.makeShare()
        share.keep(Self.frame(40, bytes: 2000), of: 1)
        share.keep(Self.frame(40, bytes: 3000), of: 2)
        #expect(share.frame(at: .ms(40), of: 1)?.storage.byteCount == 2000 - 1024)
        #expect(share.frame(at: .ms(40), of: 2)?.storage.byteCount == 3000 - 1024)
        #expect(share.frame(at: .ms(40), of: 3) == nil && share.frame(at: .ms(41), of: 1) == nil)
        share.dropFrames(of: 1)
        #expect(share.frame(at: .ms(40), of: 1) == nil && share.frame(at: .ms(40), of: 2) != nil)
        #expect(cache.byteCount == 3000)
    }

    @Test("The frame nearest to a time is found in any record, up to a distance")
    func nearest() {
        let share = FrameCache(byteLimit: 100_000).makeShare()
        func nearest(_ time: Int64, within distance: Int64 = 1000) -> MediaTime? {
            share.frame(nearestTo: .ms(time), within: .ms(distance))?.presentationTime
        }
        #expect(nearest(40) == nil)
        for (record, time) in [(1, 40), (2, 100), (1, 200)] as [(Int, Int64)] {
            share.keep(Self.frame(time), of: record)
        }
        #expect(
            [-500, 40, 69, 71, 149, 151, 900].map { nearest($0) }
                == [40, 40, 40, 100, 100, 200, 200].map { .ms($0) }
        )
        #expect(nearest(150, within: 49) == nil && nearest(149, within: 49) == .ms(100))
    }

    @Test("Frames of a record that was replaced stay, until a frame with the same time is kept")
    func moved() {
        let cache = FrameCache(byteLimit: 100_000)
        let share = cache.makeShare()
        for time in [40, 80] as [Int64] { share.keep(Self.frame(time, bytes: 2000), of: 1) }
        share.moveFrames(of: 1, to: 0)
        #expect(share.frame(at: .ms(40), of: 1) == nil && share.frame(at: .ms(40), of: 0) != nil)
        share.keep(Self.frame(40, bytes: 3000), of: 2)
        #expect(share.frame(at: .ms(40), of: 0) == nil && share.frame(at: .ms(40), of: 2) != nil)
        #expect(cache.byteCount == 5000)
        share.dropFrames(of: 0)
        #expect(cache.byteCount == 3000)
    }

    @Test("A pass that will not fit is not begun, and one that turns out not to fit is dropped as a whole")
    func passes() {
        let cache = FrameCache(byteLimit: 50_000)
        let share = cache.makeShare()
        #expect(!share.beginPass(of: 0, expecting: 60_000))
        #expect(share.beginPass(of: 0, expecting: 0))
        for time in 0..<5 { #expect(share.append(.video(Self.frame(Int64(time))), of: 0)) }
        #expect(share.output(4, of: 0) != nil && share.output(5, of: 0) == nil)
        #expect(!share.append(.video(Self.frame(5)), of: 0))
        #expect(share.output(0, of: 0) == nil && cache.byteCount == 0)
    }

    @Test("A pass evicts single frames, and passes that exceed the fair share of their item")
    func fairness() {
        let cache = FrameCache(byteLimit: 100_000)
        let (first, second) = (cache.makeShare(), cache.makeShare())
        #expect(first.beginPass(of: 0, expecting: 80_000))
        for time in 0..<8 { #expect(first.append(.video(Self.frame(Int64(time))), of: 0)) }
        second.keep(Self.frame(0), of: 1)
        #expect(!second.beginPass(of: 0, expecting: 60_000), "more than half")
        #expect(second.beginPass(of: 0, expecting: 40_000))
        for time in 0..<4 { #expect(second.append(.video(Self.frame(Int64(time))), of: 0)) }
        #expect(first.output(0, of: 0) == nil && second.output(3, of: 0) != nil)
        #expect(!first.beginPass(of: 0, expecting: 80_000))
        #expect(first.beginPass(of: 0, expecting: 50_000))
    }

    @Test(
        "Frames are released with their item, a lower limit takes effect at once, and a limit of 0 keeps nothing"
    )
    func released() {
        let cache = FrameCache(byteLimit: 100_000)
        var share: FrameCacheShare? = cache.makeShare()
        let other = cache.makeShare()
        #expect(share?.beginPass(of: 0, expecting: 0) == true)
        #expect(share?.append(.video(Self.frame(0)), of: 0) == true)
        other.keep(Self.frame(0), of: 1)
        #expect(cache.byteCount == 20_000)
        cache.byteLimit = 15_000
        #expect(cache.byteCount == 10_000 && other.frame(at: .ms(0), of: 1) == nil)
        share = nil
        #expect(cache.byteCount == 0)
        cache.byteLimit = 0
        other.keep(Self.frame(0), of: 1)
        #expect(!other.beginPass(of: 0, expecting: 0) && cache.byteCount == 0)
    }

    @Test("The byte count never exceeds the limit and is always exact", arguments: 1...30)
    func random(sample: Int) {
        var random = SplitMix64(UInt64(sample))
        var contents = FrameCacheContents(byteLimit: 200_000)
        var shares = (0..<4).map { _ in contents.makeShare() }
        for _ in 0..<2000 {
            let index = Int.random(in: 0..<4, using: &random)
            let id = shares[index]
            let track = Int.random(in: 0..<2, using: &random)
            let frame = Self.frame(
                Int64.random(in: 0..<500, using: &random),
                bytes: Int.random(in: 1024..<40_000, using: &random)
            )
            switch Int.random(in: 0..<40, using: &random) {
            case 0: contents.setByteLimit(Int.random(in: 0..<400_000, using: &random))
            case 1:
                contents.removeShare(id)
                shares[index] = contents.makeShare()
            case 2...3: _ = contents.beginPass(id, track, Int.random(in: 0..<200_000, using: &random))
            case 4: contents.dropPass(id, track)
            case 5: contents.dropFrames(id, track)
            case 6...8: contents.setPosition(frame.presentationTime, id)
            case 9...20: contents.keep(frame, id, track)
            default: _ = contents.append(.video(frame), id, track)
            }
            #expect(contents.byteCount <= contents.byteLimit && contents.byteCount >= 0)
        }
        for id in shares { contents.removeShare(id) }
        #expect(contents.byteCount == 0)
    }
}
