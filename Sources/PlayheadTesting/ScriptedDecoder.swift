public import MediaCore
import PlaybackEngine
public import PlayheadBackend

/// A decoder for the packets of a script. Video frames contain their number, and audio samples their index.
///
/// The decoder holds frames back until their order is certain, as a real decoder does.
public final class ScriptedDecoder: Decoder {
    private struct State {
        var held: [Packet] = []
        var ready: [DecoderOutput] = []
        var isDraining = false
        var skipping = DecodeSkipping.none
    }

    private let media: ScriptedMedia
    private let clock: ManualClock?
    private let track: Int
    private let onCall: @Sendable (ScriptedCall) -> Void
    private let state = Locked(State())
    /// The broken frames that have been sent before.
    private let seen = Locked(Set<Int>())
    /// The number of outputs waiting to be received at which no more packets are accepted.
    private static let capacity = 2

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - media: The script.
    ///   - track: The track to decode.
    ///   - clock: The clock that `ScriptedMedia.decodingTime` advances, if it is a `ManualClock`.
    ///   - onCall: A closure that is called for each packet that is accepted.
    public init(
        _ media: ScriptedMedia,
        track: Int,
        clock: (any HostClock)? = nil,
        onCall: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        self.onCall = onCall
        self.clock = clock as? ManualClock
        self.media = media
        self.track = track
    }

    /// Accepts a packet, or nil to drain.
    ///
    /// - Throws: `MediaError` as the script says.
    public func send(_ packet: Packet?) throws(MediaError) -> Bool {
        if packet == nil, media.video?.throwsAtDraining == true, track == ScriptedMedia.videoTrack,
            state.withLock({ $0.held.contains(where: isBroken) })
        {
            state.withLock { $0.isDraining = true }
            throw MediaError(.decodeFailed, "a frame that was sent before cannot be decoded", track: track)
        }
        let isAccepted = state.withLock { state in
            guard state.ready.count < Self.capacity else { return false }
            guard let packet else {
                state.isDraining = true
                state.ready += state.held.sorted(by: Self.isEarlier).compactMap(output)
                state.held = []
                return true
            }
            if mustSkip(packet, state.skipping) { return true }
            state.held.append(packet)
            while state.held.count > depth, let first = state.held.min(by: Self.isEarlier) {
                state.held.removeAll { $0.payload === first.payload }
                if let output = output(first) { state.ready.append(output) }
            }
            return true
        }
        if isAccepted, packet != nil { onCall(.decode) }
        if let payload = packet?.payload as? ScriptedPayload, isAccepted, track == ScriptedMedia.videoTrack,
            media.faults.contains(.undecodable(frame: payload.index)), throwsNow(payload)
        {
            throw MediaError(.decodeFailed, "frame \(payload.index) cannot be decoded", track: track)
        }
        return isAccepted
    }

    /// Returns whether sending a broken frame throws. If the script also reports broken frames on draining, only the
    /// first attempt to send each of them is silent.
    private func throwsNow(_ payload: ScriptedPayload) -> Bool {
        guard media.video?.throwsAtDraining == true else { return true }
        return !seen.withLock { $0.insert(payload.index).inserted }
    }

    private func isBroken(_ packet: Packet) -> Bool {
        guard let payload = packet.payload as? ScriptedPayload else { return false }
        return media.faults.contains(.undecodable(frame: payload.index))
    }

    private var depth: Int {
        guard track == ScriptedMedia.videoTrack, let video = media.video else { return 0 }
        return max(video.bFrames > 0 ? 1 : 0, video.delay)
    }

    public var hasOutputDelay: Bool { depth > 1 }

    public func makeKeyFrameDecoder() -> (any Decoder)? {
        hasOutputDelay ? ScriptedDecoder(media, track: track, clock: clock, onCall: onCall) : nil
    }

    /// Returns the next frame or buffer.
    ///
    /// - Throws: `MediaError` as the script says.
    public func receive() throws(MediaError) -> DecoderOutput {
        state.withLock { state in
            if !state.ready.isEmpty { return state.ready.removeFirst() }
            return state.isDraining ? .ended : .needsInput
        }
    }

    public func flush() {
        state.withLock { state in
            let skipping = state.skipping
            state = State()
            state.skipping = skipping
        }
    }

    public func skip(_ skipping: DecodeSkipping) { state.withLock { $0.skipping = skipping } }

    private func mustSkip(_ packet: Packet, _ skipping: DecodeSkipping) -> Bool {
        guard skipping > .none, track == ScriptedMedia.videoTrack, let video = media.video,
            let payload = packet.payload as? ScriptedPayload
        else { return false }
        if skipping == .allButKeyFrames { return !packet.isKeyFrame }
        let position = payload.index % video.keyInterval
        let isLast = position == video.keyInterval - 1 || payload.index == video.frameCount - 1
        return video.bFrames > 0 && position > 0 && (position - 1) % (video.bFrames + 1) != video.bFrames
            && !isLast
    }

    private static func isEarlier(_ a: Packet, _ b: Packet) -> Bool {
        (a.presentationTime ?? .zero) < (b.presentationTime ?? .zero)
    }

    private func output(_ packet: Packet) -> DecoderOutput? {
        guard let payload = packet.payload as? ScriptedPayload, let time = packet.presentationTime else {
            return nil
        }
        if track == ScriptedMedia.videoTrack {
            if media.faults.contains(.undecodable(frame: payload.index)) { return nil }
            if let clock {
                let time = media.decodingTimes?(payload.index, clock.now) ?? media.decodingTime
                if time > 0 { clock.advance(to: clock.now.advanced(by: time)) }
            }
            var frame = ScriptedFrame.frame(payload.index, at: time, packet)
            frame.isInterlaced = media.video?.isInterlaced ?? false
            return .video(frame)
        }
        let rate = Int(media.audio?.sampleRate ?? 48_000)
        return .audio(
            AudioBuffer(
                format: AudioFormat(sampleRate: rate, channelLayout: .mono, sampleFormat: .s16),
                presentationTime: time,
                frameCount: payload.length,
                storage: ScriptedSamples(first: payload.index, count: payload.length)
            )
        )
    }
}

extension VideoFrame {
    /// The number in a scripted frame, starting at 0, or nil if the frame is too small to contain one.
    public var scriptedNumber: Int? {
        withPlanes { planes in
            guard let plane = planes.first, plane.bytesUsedPerRow >= 8 else { return nil }
            return Int(truncatingIfNeeded: plane.baseAddress.loadUnaligned(as: UInt64.self).littleEndian)
        }
    }
}
