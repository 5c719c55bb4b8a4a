internal import MediaCore
internal import PlayheadBackend

/// A decoder that uses a device until it fails, and then software, without losing or repeating a frame.
///
/// This decorator keeps the packets since the last key frame. If the device rejects a packet or cannot deliver its
/// frame, all kept packets are sent to a software decoder, and frames that have been delivered before are dropped. The
/// decoder does not return to the device.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires; `faults` is thread-safe.
final class FallbackDecoder: Decoder, @unchecked Sendable {
    private let makeSoftware: () throws(MediaError) -> any Decoder
    private let name: String
    private let faults: DecoderFaults
    private var base: any Decoder
    private var isOnDevice = true
    private var packets = SentPackets()
    /// The packets that the software decoder has not received yet.
    private var packetsToResend: ArraySlice<SentPackets.Sent> = []
    /// The time of the last frame that the device delivered, while frames up to it must be dropped.
    private var lastDelivered: MediaTime?
    /// Whether packets must be dropped until the next key frame, because the previous packets are not available.
    private var needsKeyFrame = false
    private var requestedSkipping = DecodeSkipping.none
    private var appliedSkipping = DecodeSkipping.none

    /// Creates a decoder. `name` is the name of the device in messages.
    init(
        _ device: any Decoder,
        name: String,
        faults: DecoderFaults,
        makeSoftware: @escaping () throws(MediaError) -> any Decoder
    ) {
        base = device
        self.name = name
        self.faults = faults
        self.makeSoftware = makeSoftware
    }

    func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void) { faults.setHandler(handler) }

    /// Whether decoding the first frame alone makes it available sooner. For a device it does not, because recreating
    /// the decoder takes longer.
    var hasOutputDelay: Bool { isOnDevice ? false : base.hasOutputDelay }

    var isCatchingUp: Bool { !packetsToResend.isEmpty }

    func skip(_ skipping: DecodeSkipping) {
        requestedSkipping = skipping
        if packetsToResend.isEmpty { apply(skipping) }
    }

    private func apply(_ skipping: DecodeSkipping) {
        guard skipping != appliedSkipping else { return }
        appliedSkipping = skipping
        base.skip(skipping)
    }

    func flush() {
        base.flush()
        packets = SentPackets()
        packetsToResend = []
        lastDelivered = nil
        needsKeyFrame = false
        apply(requestedSkipping)
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        guard packetsToResend.isEmpty else { return false }
        if needsKeyFrame, let packet {
            guard packet.isKeyFrame else { return true }
            needsKeyFrame = false
        }
        guard isOnDevice else { return try base.send(packet) }
        if let packet, packet.presentationTime == nil {
            // Without times it would be unknown which frames have been delivered.
            try fallBack(MediaError(.hardwareUnavailable, "packets without a timestamp"))
            guard packetsToResend.isEmpty else { return false }
            return try base.send(packet)
        }
        do throws(MediaError) {
            guard try base.send(packet) else { return false }
            packets.record(packet, requestedSkipping)
        } catch {
            packets.record(packet, requestedSkipping)
            try fallBack(error)
        }
        return true
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if isOnDevice {
            do throws(MediaError) {
                let output = try base.receive()
                if case .video(let frame) = output { packets.frameReceived(at: frame.presentationTime) }
                return output
            } catch {
                try fallBack(error)
            }
        }
        while true {
            let output = try base.receive()
            switch output {
            case .video(let frame):
                if let lastDelivered, frame.presentationTime <= lastDelivered { continue }
                lastDelivered = nil
                return output
            case .needsInput:
                try resendNextPacket()
                return output
            case .audio, .ended: return output
            }
        }
    }

    /// Sends one packet per call, so that audio on the same lane and a new seek do not have to wait.
    private func resendNextPacket() throws(MediaError) {
        guard let next = packetsToResend.first else { return }
        apply(next.skipping)
        do throws(MediaError) {
            if try base.send(next.packet) { removeResentPacket() }
        } catch {
            // The error was caused by the packet, so it is not sent again.
            removeResentPacket()
            throw error
        }
    }

    private func removeResentPacket() {
        packetsToResend = packetsToResend.dropFirst()
        if packetsToResend.isEmpty { apply(requestedSkipping) }
    }

    private func fallBack(_ cause: MediaError) throws(MediaError) {
        let software = try makeSoftware()
        base = software
        isOnDevice = false
        appliedSkipping = .none
        packetsToResend = packets.sent[...]
        needsKeyFrame = packets.isIncomplete
        lastDelivered = packets.newest
        packets = SentPackets()
        if packetsToResend.isEmpty { apply(requestedSkipping) }
        faults.report(fault(cause))
    }

    private func fault(_ cause: MediaError) -> MediaError {
        var position = ""
        if let lastDelivered, lastDelivered.isNumeric { position = " after \(lastDelivered.seconds) s" }
        return MediaError(
            .hardwareUnavailable,
            "\(name) failed\(position), using software decoding: \(cause.message)",
            location: cause.location,
            track: cause.track,
            time: cause.time ?? lastDelivered,
            libraryLog: cause.libraryLog,
            underlyingCode: cause.underlyingCode
        )
    }
}

/// The errors of a decoder. Errors that occur before a handler is set are kept for it.
final class DecoderFaults: Sendable {
    private struct State {
        var handler: (@Sendable (MediaError) -> Void)?
        var pending: [MediaError] = []
    }
    private let state = Locked(State())

    func setHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {
        let pending = state.withLock { state in
            state.handler = handler
            defer { state.pending = [] }
            return state.pending
        }
        for error in pending { handler(error) }
    }

    func report(_ error: MediaError) {
        let handler = state.withLock { state in
            if state.handler == nil { state.pending.append(error) }
            return state.handler
        }
        handler?(error)
    }
}
