import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Frame skipper: the frames that are lost because decoding is too slow")
struct FrameSkipperTests {
    private final class NoPayload: PacketPayload {}

    private static func packet(_ time: Int64, isKeyFrame: Bool, isDiscarded: Bool) -> Packet {
        var packet = Packet(
            track: 0,
            presentationTime: .ms(time),
            decodeTime: .ms(time),
            duration: .ms(40),
            byteCount: 1,
            isKeyFrame: isKeyFrame,
            payload: NoPayload()
        )
        packet.isDiscarded = isDiscarded
        return packet
    }

    @Test(
        "Packets that an edit list leaves out are dropped and skipped like others, and are no lost frames",
        arguments: [DecodeSkipping.nonReference, .allButKeyFrames],
        [false, true]
    )
    func discarded(skipping: DecodeSkipping, isDiscarded: Bool) {
        var skipper = FrameSkipper()
        skipper.setRequest(SkipRequest(skipping: skipping))
        for time in stride(from: Int64(0), to: 400, by: 40) {
            let packet = Self.packet(time, isKeyFrame: time == 0, isDiscarded: isDiscarded)
            let isDropped = skipper.decide(packet, pass: 0, isReverse: false) == .drop
            #expect(isDropped == (skipping == .allButKeyFrames && time > 0))
        }
        // The decoder returns the last frame, and has skipped those before it.
        skipper.noteOutput(.ms(360))
        #expect(skipper.resetDroppedCount() == (isDiscarded ? 0 : 9))
    }
}
