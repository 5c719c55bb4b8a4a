internal import MediaCore
internal import PlayheadBackend

/// Decodes on a device until that fails, then by the processor, and no frame is lost or comes twice.
///
/// A decorator. It keeps the packets since the last key frame. Where the device refuses one, or has no frame for it, a decoder
/// of the processor's gets them all again; what comes out of it and was handed out before is left out. It stays with
/// the processor for the life of the decoder.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` demands; `faults` guards itself.
final class FallbackDecoder: Decoder, @unchecked Sendable {
    private let makeSoftware: () throws(MediaError) -> any Decoder
    private let name: String
    private let faults: DecoderFaults
    private var base: any Decoder
    private var isOnDevice = true
    private var packets = SentPackets()
    /// What the processor's decoder must still be given.
    private var packetsToResend: ArraySlice<SentPackets.Sent> = []
    /// Frames up to this time were handed out.
    private var lastDelivered: MediaTime?
    /// What was sent before is not known: nothing can be decoded before a key frame.
    private var needsKeyFrame = false
    private var requestedSkipping = DecodeSkipping.none
    private var appliedSkipping = DecodeSkipping.none

    /// `name`: the device's, for sentences.
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

    /// A device's first frame is not had sooner by decoding it twice: to begin anew costs more there.
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
            // Which frames were handed out could not be told afterwards.
            try fallBack(MediaError(.hardwareUnavailable, "the stream has packets without a time"))
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

    /// One packet a call, so that audio of the same lane, and a new seek, need not wait.
    private func resendNextPacket() throws(MediaError) {
        guard let next = packetsToResend.first else { return }
        apply(next.skipping)
        do throws(MediaError) {
            if try base.send(next.packet) { removeResentPacket() }
        } catch {
            // It is the packet that is at fault.
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
        if let lastDelivered, lastDelivered.isNumeric { position = " behind \(lastDelivered.seconds) s" }
        return MediaError(
            .hardwareUnavailable,
            "\(name) decodes no more\(position), the processor does: \(cause.message)",
            location: cause.location,
            track: cause.track,
            time: cause.time ?? lastDelivered,
            libraryLog: cause.libraryLog,
            underlyingCode: cause.underlyingCode
        )
    }
}

/// What a decoder lost or gave up, on its way to whoever listens. What comes before anybody does is kept.
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
