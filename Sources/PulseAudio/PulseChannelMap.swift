package import MediaCore

/// The loudspeakers of a stream.
///
/// libpulse's maps by the number of channels do not fit: that of WAVE files has loudspeakers beside the center where
/// 7.1 has those at the sides, and the center where four channels have the back ones.
package enum PulseChannelMap {
    /// Returns libpulse's names of the loudspeakers, in the order of the channels.
    ///
    /// - Parameter layout: A layout that `AudioDeviceBuffer.start` has returned.
    package static func names(of layout: ChannelLayout) -> String {
        let (front, rear) = ("front-left,front-right", "rear-left,rear-right")
        return switch layout.channelCount {
        case 1: "mono"
        case 2: front
        case 3: layout.name == "2.1" ? "\(front),lfe" : "\(front),front-center"
        case 4: "\(front),\(rear)"
        case 5: "\(front),front-center,\(rear)"
        case 6: "\(front),front-center,lfe,\(rear)"
        case 7: "\(front),front-center,lfe,rear-center,side-left,side-right"
        default: "\(front),front-center,lfe,\(rear),side-left,side-right"
        }
    }
}
