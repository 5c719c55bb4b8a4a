import FFmpeg
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// A source whose bytes arrive late each time: a thread of the test delivers them, and the virtual clock must not
/// advance meanwhile.
final class LateSource: ByteSource {
    private let bytes: [UInt8]
    /// The number of reads after which one finds no data at first; nil for none.
    private let period: Int?
    private let reads = Locked(0)
    let waits = Locked(0)
    private let queue = DispatchQueue(label: "late")

    init(_ name: String, period: Int?) throws {
        bytes = [UInt8](try Data(contentsOf: Fixture.url(name)))
        self.period = period
    }

    var byteCount: Int64? { Int64(bytes.count) }
    var isSeekable: Bool { true }
    var isLocal: Bool { false }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.io, "only with a context")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        let number = reads.withLock { reads in
            reads += 1
            return reads
        }
        if let period, number % period != 0 {
            waits.withLock { $0 += 1 }
            // Wakes the reader on another thread at an arbitrary time, and sometimes once more than necessary.
            for _ in 0...number % 2 { queue.async { context.wake() } }
            throw MediaError(.notReady, "not yet", isRetryable: true)
        }
        guard offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(min(buffer.count, 3000))
        buffer.copyBytes(from: part)
        return part.count
    }

    func cancel() {}
}

@Suite(
    "The virtual clock does not advance while bytes are being received",
    .enabled(if: Fixture.areThere, "make fixtures")
)
struct VirtualReadTests {
    /// Everything that was reported and shown, in order, with the time on the clock.
    private func play(_ name: String, period: Int?) async throws -> (lines: [String], waits: Int) {
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let source = try LateSource(name, period: period)
        let item = PlayerItem(
            asset: Asset(url: Fixture.url(name), options: AssetOptions(byteSource: source))
        )
        let words = LegibleOutput()
        let cues = Locked([String]())
        words.setHandler(queue: player.callbackQueue) { notice in cues.withLock { $0.append("\(notice)") } }
        item.add(words)
        let shown = Locked([String]())
        let layer = PlayerLayer(player: player)
        layer.add(
            CallbackVideoSink { frame in
                let line = "\(frame.presentationTime.seconds) \(FrameDigest.digest(of: frame))"
                shown.withLock { $0.append(line) }
            }
        )
        let events = player.timedEvents
        player.play()
        player.replaceCurrentItem(with: item)
        var lines: [String] = []
        for await event in events {
            if let line = event.line { lines.append("\(event.hostTime.nanoseconds) \(line)") }
            if case .didPlayToEndTime = event.event { break }
        }
        await player.shutdown()
        withExtendedLifetime(layer) {}
        lines += shown.withLock { $0 } + cues.withLock { $0 }
        return (lines, source.waits.withLock { $0 })
    }

    @Test(
        "Events, frames and cues, and their times, are those of data that is available at once",
        arguments: ["clip-h264-aac.mp4", "two-languages.mkv", "clip-vp9-opus.webm"]
    )
    func independent(_ name: String) async throws {
        let atHand = try await play(name, period: nil)
        #expect(atHand.lines.contains { $0.hasSuffix(" end") })
        for period in [2, 5] {
            let late = try await play(name, period: period)
            #expect(late.lines == atHand.lines)
            #expect(late.waits > 10)
        }
    }
}
