import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// The packets that are read up to an end. The script has a packet each 40 ms, which is a frame or a field.
@Suite("The end of packets with single fields")
struct FieldEndTests {
    private static let media = ScriptedMedia(video: .init(frameCount: 50, frameRate: 25, keyInterval: 25))

    private func read(
        _ start: EpochStart,
        hasFields: Bool,
        endTime: MediaTime? = nil
    ) throws -> (times: [Int64], videoEnd: Int64?) {
        try VideoPackets.read(Self.media, start, endTime: endTime) { $0.isField = hasFields }
    }

    @Test(
        "The second field of a frame is read if the end is between its fields, and does not move the end",
        arguments: [(1000, 960), (1001, 1000), (1040, 1000)] as [(Int64, Int64)]
    )
    func forward(_ end: Int64, _ last: Int64) throws {
        let start = EpochStart(epoch: Epoch())
        let frames = try read(start, hasFields: false, endTime: .ms(end))
        #expect(frames.times == Array(stride(from: 0, through: last, by: 40)))
        let fields = try read(start, hasFields: true, endTime: .ms(end))
        #expect(fields.times == frames.times + [last + 40])
        #expect(frames.videoEnd == (last + 40) * 1_000_000)
        #expect(fields.videoEnd == (last + 40) * 1_000_000)
    }

    @Test(
        "Backward, the second field of the first frame is read if the start is between its fields",
        arguments: [1000, 1010, 1039] as [Int64]
    )
    func backward(_ time: Int64) throws {
        let start = EpochStart(
            epoch: Epoch(),
            firstWanted: .ms(time),
            demuxTarget: .ms(time),
            isReverse: true
        )
        #expect(try read(start, hasFields: false).times == [1000])
        #expect(try read(start, hasFields: true).times == [1000, 1040])
    }
}
