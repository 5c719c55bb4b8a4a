import MediaCore
import PlayheadBackend
import Synchronization

/// Whether a layer of the player deinterlaces. Set by the loop, read by the decoders of its items.
final class DeinterlacingDemand: Sendable {
    private let isOn = Atomic<Bool>(false)
    var isActive: Bool { isOn.load(ordering: .relaxed) }
    func set(_ isActive: Bool) { isOn.store(isActive, ordering: .relaxed) }
}

/// Gives interlaced frames the frames before and behind them, of which a layer makes whole ones.
///
/// A decorator around a video decoder: a caller sees the same frames in the same order, interlaced ones one frame later, and
/// as they are at the end of the data. Where nobody deinterlaces, and where nothing is interlaced, it holds nothing back
/// and keeps nothing. A frame's neighbours are those that were decoded without a flush between them.
///
/// `@unchecked Sendable`: confined to the caller's queue, as `Decoder` demands.
final class DeinterlaceContextDecoder: EpochDecoder, @unchecked Sendable {
    private let base: any Decoder
    private let demand: DeinterlacingDemand
    /// Waits for the frame behind it.
    private var held: VideoFrame?
    /// The frame before `held`, else before the next one; nil while no frame was interlaced.
    private var previous: VideoFrame?
    /// Comes out next: the frame behind `held` was not interlaced.
    private var ready: VideoFrame?
    private var hasSeenInterlaced = false
    private var isDraining = false
    /// Thrown when `held` is out.
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
        held = nil
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
            guard held != nil || ready != nil else { throw error }
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
            // The caller asks no more once draining has failed.
            guard isDraining, let last = release(next: nil) else { throw error }
            pendingError = error
            return .video(last)
        }
    }

    /// nil: it waits for the one behind it.
    private func process(_ frame: VideoFrame) -> VideoFrame? {
        let isWanted = demand.isActive
        let out = release(next: frame)
        if isWanted, frame.isInterlaced {
            hasSeenInterlaced = true
            held = frame
            return out
        }
        previous = isWanted && hasSeenInterlaced ? frame : nil
        guard let out else { return frame }
        ready = frame
        return out
    }

    /// The frame that waited, with its neighbours.
    private func release(next: VideoFrame?) -> VideoFrame? {
        guard var frame = held else { return nil }
        held = nil
        frame.deinterlaceContext = DeinterlaceContext(previous: previous, next: next)
        previous = frame.withoutContext
        return frame
    }
}
