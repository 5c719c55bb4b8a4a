import MediaCore
import PlayheadBackend

/// What was read of a pass and waits for the decoder.
struct UpcomingPackets: Hashable {
    /// When its key frames are due, in the order in which they lie there.
    var keyFrameTimes: [ItemTime] = []
    /// Where the frame that is due last ends.
    var end = ItemTime(nanoseconds: .min)
    /// The data of the pass ends there.
    var endsPass = false

    init() {}

    init(_ queue: PacketQueue, pass: Int) {
        for element in queue.prefix(.max) {
            switch element {
            case .packet(let packet, pass):
                guard let time = ItemTime(packet.presentationTime) else { continue }
                if packet.isKeyFrame { keyFrameTimes.append(time) }
                end = max(end, time + (packet.duration?.nanoseconds ?? 0))
            case .endOfPass(pass, _):
                endsPass = true
                return
            case .packet, .endOfPass: continue
            }
        }
    }
}
