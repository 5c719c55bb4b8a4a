import MediaCore
import PlayheadBackend

/// Decodes the first frame of an epoch by itself, so that it does not wait for the frames behind it.
///
/// A decorator: it wraps a decoder that delays its output, and a caller sees the same frames in the same order,
/// only the first one earlier. It drains the decoder after the first packet, flushes it, and sends that packet
/// again; the frame that comes twice is left out. `FastFirstFrame` holds the rules.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` demands.
final class FastFirstFrameDecoder: EpochDecoder, @unchecked Sendable {
    private let base: any Decoder
    private var firstFrame = FastFirstFrame()
    /// Why the packet that was sent again was refused. Thrown by `receive`, because the packet that a caller
    /// sends at that moment is another one.
    private var pendingError: MediaError?

    init(_ base: any Decoder) { self.base = base }

    /// Wraps a video decoder that delays its output, where the item's options want the first frame early.
    static func wrap(_ decoder: any Decoder, of track: Track, _ options: DecoderOptions) -> any Decoder {
        guard options.decodesFirstFrameAlone, track.mediaType == .video, decoder.hasOutputDelay else {
            return decoder
        }
        return FastFirstFrameDecoder(decoder)
    }

    /// Not for an exact seek: its frame is known when the frame behind it has come. Not for reverse playback
    /// either, where the first frame to show is the last one to decode.
    func begin(_ start: EpochStart) {
        (base as? any EpochDecoder)?.begin(start)
        firstFrame.begin(isWanted: !start.isReverse && start.firstWanted == nil)
    }

    func resume(at start: EpochStart) { (base as? any EpochDecoder)?.resume(at: start) }

    var isCatchingUp: Bool { base.isCatchingUp }

    var isServingCachedFrames: Bool { (base as? any EpochDecoder)?.isServingCachedFrames ?? false }

    var hasOutputDelay: Bool { base.hasOutputDelay }

    func skip(_ skipping: DecodeSkipping) { base.skip(skipping) }

    func flush() {
        base.flush()
        firstFrame.begin(isWanted: false)
        pendingError = nil
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
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
            // The same error comes again with the other packets, and is reported then.
            resendFirstPacket()
            return .needsInput
        }
    }

    private func drain() {
        do throws(MediaError) {
            if try base.send(nil) { firstFrame.drain() }
        } catch {
            // The packet is at fault, and that is reported when it comes again.
            firstFrame.drain()
            resendFirstPacket()
        }
    }

    /// The first frame is out, or cannot be had. From here on the decoder decodes all of them.
    private func resendFirstPacket() {
        base.flush()
        firstFrame.drained()
    }
}
