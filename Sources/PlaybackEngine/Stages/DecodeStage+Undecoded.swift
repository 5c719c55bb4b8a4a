import MediaCore
import PlayheadBackend
import Synchronization

/// Delivers frames without pixels while the video is not watched.
///
/// The stage changes to such frames at any packet, and back at a key frame. Seeks and reverse playback decode in any
/// case, because their frames determine the position. A packet with other parameters is decoded, and those after it up to
/// the first frame, because only that frame has the new format.
extension DecodeStage {
    /// Delivers the pending input without decoding it, if it need not be decoded.
    ///
    /// - Returns: False if the input has to be decoded.
    func deliverUndecoded() -> Bool {
        guard let input = current.pendingInput else { return false }
        guard let packet = input.packet else { return endUndecodedPass(input.end) }
        if packet.hasNewParameters, let time = packet.presentationTime { current.newParametersTime = time }
        let mayPass = mayDeliverUndecoded(packet)
        if current.undecoded == nil {
            guard mayPass, hasDecodeTime(packet), let format = newestFormat else {
                return isUndecodableLeadingFrame(packet)
            }
            beginUndecoded(format)
        } else if !mayPass, packet.isKeyFrame {
            pushUndecoded(current.undecoded?.drain() ?? [])
            current.undecoded = nil
            current.leadingFrameLimit = packet.presentationTime
            return false
        }
        pushUndecoded(current.undecoded?.append(packet) ?? [])
        current.pendingInput = nil
        return true
    }

    private func mayDeliverUndecoded(_ packet: Packet) -> Bool {
        !isWatched.load(ordering: .relaxed) && current.collector == nil && !current.filter.isSearching
            && !current.pass.hasGivenUp && current.newParametersTime == nil && packet.presentationTime != nil
            && packet.duration != nil
    }

    /// Returns whether the order of presentation is known. Packets of H.264 and HEVC in Matroska, or the first ones of
    /// them, have no decode times.
    private func hasDecodeTime(_ packet: Packet) -> Bool {
        guard let time = packet.presentationTime, let decode = packet.decodeTime else { return false }
        return decode <= time
    }

    /// Returns whether a packet after the key frame at which decoding resumed is presented before it. Such a frame
    /// refers to frames that were not decoded, and is dropped.
    private func isUndecodableLeadingFrame(_ packet: Packet) -> Bool {
        guard let limit = current.leadingFrameLimit, let time = packet.presentationTime, !packet.isKeyFrame
        else {
            return false
        }
        guard time < limit else {
            current.leadingFrameLimit = nil
            return false
        }
        current.pendingInput = nil
        return true
    }

    /// Discards the frames that the decoder has not returned, and delivers them without pixels.
    private func beginUndecoded(_ format: VideoFormat) {
        deliverHeldFrame()
        let packets = packetsInDecoder
        flush()
        framesSinceDrain = 0
        skipper.begin()
        countSkipped()
        current.leadingFrameLimit = nil
        current.undecoded = UndecodedFrames(format: format)
        for packet in packets { pushUndecoded(current.undecoded?.append(packet) ?? []) }
    }

    private func endUndecodedPass(_ error: MediaError?) -> Bool {
        guard let rest = current.undecoded?.drain() else { return false }
        pushUndecoded(rest)
        current.pendingInput = nil
        current.pass.drainError = error
        finishPass()
        return true
    }

    private func pushUndecoded(_ frames: [VideoFrame]) {
        for frame in frames where !isPastEnd(frame.presentationTime) { push(stamped(frame)) }
    }
}
