import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Frame skipper: the frames that are lost because decoding is too slow")
struct FrameSkipperTests {
    private final class NoPayload: PacketPayload {}

    private static func packet(
        _ time: Int64,
        isKeyFrame: Bool,
        isDiscarded: Bool = false,
        isField: Bool = false
    ) -> Packet {
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
        packet.isField = isField
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

    @Test("A jump to a key frame that the decoder has received before a seek drops nothing after it")
    func jumpToReceivedKeyFrame() {
        var skipper = FrameSkipper()
        skipper.noteReceived(Self.packet(1000, isKeyFrame: true))
        let jump = KeyFrameJump(pass: 0, time: ItemTime(nanoseconds: 1_000_000_000))
        skipper.setRequest(SkipRequest(jump: jump))
        let next = Self.packet(1040, isKeyFrame: false)
        #expect(skipper.decide(next, pass: 0, isReverse: false) == .decode)
    }

    @Test("A frame that is sent because it may be a second field is lost if the decoder skips it")
    func frameAfterKeyFrame() {
        var skipper = FrameSkipper()
        skipper.setRequest(SkipRequest(skipping: .allButKeyFrames))
        for time in stride(from: Int64(0), through: 400, by: 40) {
            let packet = Self.packet(time, isKeyFrame: time % 400 == 0, isField: true)
            let isSent = skipper.decide(packet, pass: 0, isReverse: false) == .decode
            #expect(isSent == [0, 40, 400].contains(time))
        }
        skipper.noteOutput(.ms(0))
        skipper.noteOutput(.ms(400))
        #expect(skipper.resetDroppedCount() == 9)
    }

    @Test("Of key frames that have been frames before and are fields now, both fields are sent")
    func firstFields() {
        var skipper = FrameSkipper()
        skipper.setRequest(SkipRequest(skipping: .allButKeyFrames))
        var sent: [Int64] = []
        for time in stride(from: Int64(0), through: 880, by: 40) {
            // Frames until 400 ms, and fields after it. The frame at 840 ms is not the second field of that at 800 ms.
            let isField = time >= 400 && time != 840
            let packet = Self.packet(time, isKeyFrame: time % 400 == 0, isField: isField)
            if skipper.decide(packet, pass: 0, isReverse: false) == .decode { sent.append(time) }
        }
        #expect(sent == [0, 400, 440, 800])
    }

    @Test("The decoder may skip both fields of a frame, or none", arguments: [false, true])
    func bothFields(isField: Bool) {
        var skipper = FrameSkipper()
        // The first frame is a key frame. The request changes between the fields of the second and the third one.
        let requests: [DecodeSkipping] = [.none, .none, .none, .nonReference, .nonReference, .none, .none]
        var levels: [DecodeSkipping] = []
        for (index, skipping) in requests.enumerated() {
            skipper.setRequest(SkipRequest(skipping: skipping))
            let packet = Self.packet(Int64(index) * 20, isKeyFrame: index == 0, isField: isField)
            #expect(skipper.decide(packet, pass: 0, isReverse: false) == .decode)
            levels.append(skipper.level)
        }
        let ofFields: [DecodeSkipping] = [.none, .none, .none, .none, .nonReference, .nonReference, .none]
        #expect(levels == (isField ? ofFields : requests))
    }

    @Test("The second field of a key frame is sent if another request follows the first field")
    func secondField() {
        let later = SkipRequest(skipping: .allButKeyFrames, position: ItemTime(nanoseconds: 1_030_000_000))
        for next in [SkipRequest(), later] {
            var skipper = FrameSkipper()
            skipper.setRequest(SkipRequest(skipping: .allButKeyFrames))
            let key = Self.packet(1000, isKeyFrame: true, isField: true)
            #expect(skipper.decide(key, pass: 0, isReverse: false) == .decode)
            skipper.setRequest(next)
            // The second field, a leading frame, which refers to frames that were dropped, and another frame.
            var decisions: [FrameSkipper.Decision] = []
            for time in [1020, 960, 1080] as [Int64] {
                let packet = Self.packet(time, isKeyFrame: false, isField: true)
                decisions.append(skipper.decide(packet, pass: 0, isReverse: false))
            }
            #expect(decisions == [.decode, .drop, next.skipping == .none ? .decode : .drop])
        }
    }
}
