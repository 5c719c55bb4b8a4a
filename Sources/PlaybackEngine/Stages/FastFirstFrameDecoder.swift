import MediaCore
import PlayheadBackend

/// Returns the first frame of an epoch early: a frame that a preloader has decoded, or the first packet decoded
/// alone, so that it does not wait for later frames.
///
/// A caller receives the same frames in the same order, but the first one sooner. To decode a packet alone, the
/// decorator drains the decoder after it, flushes the decoder, and sends the packet again; the duplicate frame is
/// dropped. `FastFirstFrame` contains the rules.
///
/// While a user drags the position, key frames are decoded alone by a second decoder (`decodeAlone(_:)`). The first one
/// may still be decoding packets of the preceding seek then.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires.
final class FastFirstFrameDecoder: EpochDecoder, @unchecked Sendable {
    private let base: CachingDecoder
    private var firstFrame: FastFirstFrame
    /// The error with which the decoder rejected the packet that was sent again. `receive()` throws it, because
    /// the caller is sending another packet at that time.
    private var pendingError: MediaError?
    private let decodesAlone: Bool
    /// The decoder for single key frames. It is created for the first one, and released after scrubbing.
    private var keyFrameDecoder: (any Decoder)?

    /// - Parameters:
    ///   - base: The decoder.
    ///   - decodesAlone: Whether the first packet of an epoch is decoded alone.
    ///   - decoded: A packet whose frame has been decoded.
    init(_ base: CachingDecoder, decodesAlone: Bool, decoded: (packet: Packet, frame: VideoFrame)? = nil) {
        self.base = base
        self.decodesAlone = decodesAlone
        firstFrame = FastFirstFrame(decodesAlone: decodesAlone, decoded: decoded)
    }

    /// Begins an epoch. The first frame is not shown early in an exact seek, whose frame is identified by the
    /// one after it, nor in reverse playback, where the first frame to show is the last one to be decoded.
    func begin(_ start: EpochStart) {
        base.begin(start)
        if !start.isScrubbing { keyFrameDecoder = nil }
        firstFrame.begin(isWanted: !start.isReverse && start.firstWanted == nil)
    }

    func resume(at start: EpochStart) {
        base.resume(at: start)
        if !start.isScrubbing { keyFrameDecoder = nil }
    }

    func keptFrame(for target: MediaTime, within distance: MediaTime) -> KeptFrame? {
        base.keptFrame(for: target, within: distance)
    }

    func decodeAlone(_ packet: Packet) -> VideoFrame? {
        guard decodesAlone else { return nil }
        do throws(MediaError) {
            if keyFrameDecoder == nil { keyFrameDecoder = try base.makeKeyFrameDecoder() }
            guard let keyFrameDecoder else { return nil }
            defer { keyFrameDecoder.restart() }
            guard try keyFrameDecoder.send(packet), try keyFrameDecoder.send(nil),
                case .video(let frame) = try keyFrameDecoder.receive()
            else { return nil }
            // The other field may be in the next packet.
            return frame.isInterlaced ? nil : frame
        } catch {
            // The packet is sent to the other decoder too, whose errors are reported.
            return nil
        }
    }

    var isCatchingUp: Bool { base.isCatchingUp }

    var isServingCachedFrames: Bool { base.isServingCachedFrames }

    func skip(_ skipping: DecodeSkipping) { base.skip(skipping) }

    func flush() {
        base.flush()
        firstFrame.begin(isWanted: false)
        pendingError = nil
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        if firstFrame.hasDecodedFrame { return false }
        if let packet, firstFrame.hasFrame(of: packet) { return true }
        if let first = firstFrame.packetToResend {
            do throws(MediaError) {
                guard try base.send(first) else { return false }
            } catch {
                firstFrame.failed()
                pendingError = error
            }
            firstFrame.resent()
        }
        if firstFrame.isComplete(before: packet) {
            drain()
            return false
        }
        do throws(MediaError) {
            guard try base.send(packet) else { return false }
        } catch {
            firstFrame.failed()
            throw error
        }
        if let packet { firstFrame.sent(packet) }
        return true
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if let frame = firstFrame.removeDecodedFrame() { return .video(frame) }
        if let error = pendingError {
            pendingError = nil
            throw error
        }
        do throws(MediaError) {
            while true {
                let output = try base.receive()
                switch output {
                case .video(let frame): if firstFrame.isNew(frame) { return output }
                case .ended where firstFrame.isDraining:
                    resendFirstPacket()
                    return .needsInput
                case .audio, .needsInput, .ended: return output
                }
            }
        } catch {
            guard firstFrame.isDraining else {
                firstFrame.failed()
                throw error
            }
            // The error occurs again with the later packets, and is reported then.
            resendFirstPacket()
            return .needsInput
        }
    }

    private func drain() {
        do throws(MediaError) {
            if try base.send(nil) { firstFrame.drain() }
        } catch {
            // The packet is faulty, which is reported when it is sent again.
            firstFrame.drain()
            resendFirstPacket()
        }
    }

    /// Flushes the decoder after the first frame has been delivered or has failed. From now on it decodes all
    /// frames.
    private func resendFirstPacket() {
        base.flush()
        firstFrame.drained()
    }
}
