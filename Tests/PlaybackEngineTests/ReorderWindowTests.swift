import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// The packets that are read up to an end if they have no decode times. The script has a frame each 40 ms, and a key
/// frame each second.
@Suite("The end of packets without decode times")
struct ReorderWindowTests {
    private static let media = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 25, bFrames: 2)
    )

    private func read(_ start: EpochStart, endTime: MediaTime? = nil) throws -> (
        times: [Int64], videoEnd: Int64?
    ) {
        try VideoPackets.read(Self.media, start, endTime: endTime) { $0.decodeTime = nil }
    }

    private func backward(from time: Int64) -> EpochStart {
        EpochStart(epoch: Epoch(), firstWanted: .ms(time), demuxTarget: .ms(time), isReverse: true)
    }

    @Test(
        "Frames before an end that are decoded after one past it are read, and the others do not move the end",
        arguments: [160, 200, 240] as [Int64]
    )
    func forward(end: Int64) throws {
        let found = try read(EpochStart(epoch: Epoch()), endTime: .ms(end))
        #expect(found.times.filter { $0 < end }.sorted() == Array(stride(from: 0, to: end, by: 40)))
        // As many past the end as a codec may decode before the last frame.
        #expect(found.times.count { $0 >= end } == 16)
        #expect(found.videoEnd == end * 1_000_000)
    }

    @Test("No frame after the group of a key frame past an end is read")
    func keyFrame() throws {
        let found = try read(EpochStart(epoch: Epoch()), endTime: .ms(1000))
        #expect(found.times.sorted() == Array(stride(from: 0, through: 1000, by: 40)))
    }

    @Test("Backward, frames before the start that are decoded after a later one are read")
    func backward() throws {
        let found = try read(backward(from: 160)).times
        #expect(found.filter { $0 <= 160 }.sorted() == [0, 40, 80, 120, 160])
        let group = try read(backward(from: 960)).times
        #expect(group.sorted() == Array(stride(from: 0, through: 1000, by: 40)))
    }

    @Test("A second field of a key frame past the end does not end the reading, and fields count half")
    func fields() {
        var window = ReorderWindow()
        var packet = Packet(
            track: 0,
            presentationTime: .ms(1000),
            decodeTime: nil,
            duration: .ms(20),
            byteCount: 1,
            isKeyFrame: true,
            payload: NoBytes()
        )
        packet.isField = true
        let isNeeded = (0..<33).map { index in
            packet.presentationTime = .ms(1000 + 20 * Int64(index))
            packet.isKeyFrame = index == 0
            return window.mayContinue(after: packet)
        }
        #expect(isNeeded == Array(repeating: true, count: 32) + [false])
    }

    private final class NoBytes: PacketPayload {}
}
