import MediaCore
import PlayheadBackend
import Synchronization

/// Whether a layer of the player deinterlaces. The loop sets it, and the decoders of its items read it.
final class DeinterlacingDemand: Sendable {
    private let isOn = Atomic<Bool>(false)
    var isActive: Bool { isOn.load(ordering: .relaxed) }
    func set(_ isActive: Bool) { isOn.store(isActive, ordering: .relaxed) }
}

/// Attaches the preceding and the following frame to each interlaced frame, for the layers that deinterlace it.
///
/// It is a decorator around a video decoder. A caller receives the same frames in the same order, interlaced
/// ones one frame later, and the last one at the end of the data. If no layer deinterlaces, or if no frame is
/// interlaced, it delays and keeps nothing. Only frames that were decoded without a flush between them are
/// attached.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires.
final class DeinterlaceContextDecoder: EpochDecoder, @unchecked Sendable {
    private let base: any Decoder
    private let demand: DeinterlacingDemand
    /// An interlaced frame that waits for the following frame.
    private var pending: VideoFrame?
    /// The frame before `pending`, or before the next frame if `pending` is nil. It is nil while no frame has been
    /// interlaced.
    private var previous: VideoFrame?
    /// The next output: the progressive frame that follows `pending`.
    private var ready: VideoFrame?
    private var hasSeenInterlaced = false
    private var isDraining = false
    /// The error to throw once `pending` has been delivered.
    private var pendingError: MediaError?

    init(_ base: any Decoder, demand: DeinterlacingDemand) {
        self.base = base
        self.demand = demand
    }

    static func wrap(_ decoder: any Decoder, of track: Track, _ demand: DeinterlacingDemand) -> any Decoder {
        track.mediaType == .video ? DeinterlaceContextDecoder(decoder, demand: demand) : decoder
    }

    func begin(_ start: EpochStart) { (base as? any EpochDecoder)?.begin(start) }

    func resume(at start: EpochStart) { (base as? any EpochDecoder)?.resume(at: start) }

    var isCatchingUp: Bool { base.isCatchingUp }

    var isServingCachedFrames: Bool { (base as? any EpochDecoder)?.isServingCachedFrames ?? false }

    var hasOutputDelay: Bool { base.hasOutputDelay }

    func skip(_ skipping: DecodeSkipping) { base.skip(skipping) }

    func flush() {
        base.flush()
        pending = nil
        previous = nil
        ready = nil
        hasSeenInterlaced = false
        isDraining = false
        pendingError = nil
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        guard packet == nil else { return try base.send(packet) }
        do throws(MediaError) {
            guard try base.send(nil) else { return false }
        } catch {
            guard pending != nil || ready != nil else { throw error }
            pendingError = error
        }
        isDraining = true
        return true
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if let frame = ready {
            ready = nil
            return .video(frame)
        }
        if let error = pendingError {
            if let last = release(next: nil) { return .video(last) }
            pendingError = nil
            throw error
        }
        do throws(MediaError) {
            while true {
                let output = try base.receive()
                switch output {
                case .video(let frame): if let out = process(frame) { return .video(out) }
                case .ended: return release(next: nil).map { .video($0) } ?? .ended
                case .audio, .needsInput: return output
                }
            }
        } catch {
            // The caller does not call again after draining has failed.
            guard isDraining, let last = release(next: nil) else { throw error }
            pendingError = error
            return .video(last)
        }
    }

    /// Returns the frame to deliver, or nil if an interlaced frame waits for the following one.
    private func process(_ frame: VideoFrame) -> VideoFrame? {
        let isWanted = demand.isActive
        let out = release(next: frame)
        if isWanted, frame.isInterlaced {
            hasSeenInterlaced = true
            pending = frame
            return out
        }
        previous = isWanted && hasSeenInterlaced ? frame : nil
        guard let out else { return frame }
        ready = frame
        return out
    }

    /// Returns the held frame with its context, or nil if there is none.
    private func release(next: VideoFrame?) -> VideoFrame? {
        guard var frame = pending else { return nil }
        pending = nil
        frame.deinterlaceContext = DeinterlaceContext(previous: previous, next: next)
        previous = frame.withoutContext
        return frame
    }
}
