import MediaCore
import PlayheadBackend

/// The packets of a pass that have been read and not decoded.
struct UpcomingPackets: Hashable {
    /// The presentation times of the key frames, in the order of the packets.
    var keyFrameTimes: [ItemTime] = []
    /// The end of the frame that is due last.
    var end = ItemTime(nanoseconds: .min)
    /// Whether the data of the pass ends after these packets.
    var endsPass = false

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
