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
    private var again: ArraySlice<SentPackets.Sent> = []
    /// Frames up to this time were handed out.
    private var given: MediaTime?
    /// What was sent before is not known: nothing can be decoded before a key frame.
    private var needsKey = false
    private var wanted = DecodeSkipping.none
    private var told = DecodeSkipping.none

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

    var isCatchingUp: Bool { !again.isEmpty }

    func skip(_ skipping: DecodeSkipping) {
        wanted = skipping
        if again.isEmpty { tell(skipping) }
    }

    private func tell(_ skipping: DecodeSkipping) {
        guard skipping != told else { return }
        told = skipping
        base.skip(skipping)
    }

    func flush() {
        base.flush()
        packets = SentPackets()
        again = []
        given = nil
        needsKey = false
        tell(wanted)
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        guard again.isEmpty else { return false }
        if needsKey, let packet {
            guard packet.isKeyFrame else { return true }
            needsKey = false
        }
        guard isOnDevice else { return try base.send(packet) }
        if let packet, packet.presentationTime == nil {
            // Which frames were handed out could not be told afterwards.
            try fallBack(MediaError(.hardwareUnavailable, "the stream has packets without a time"))
            guard again.isEmpty else { return false }
            return try base.send(packet)
        }
        do throws(MediaError) {
            guard try base.send(packet) else { return false }
            packets.note(packet, wanted)
        } catch {
            packets.note(packet, wanted)
            try fallBack(error)
        }
        return true
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if isOnDevice {
            do throws(MediaError) {
                let output = try base.receive()
                if case .video(let frame) = output { packets.came(frame.presentationTime) }
                return output
            } catch {
                try fallBack(error)
            }
        }
        while true {
            let output = try base.receive()
            switch output {
            case .video(let frame):
                if let given, frame.presentationTime <= given { continue }
                given = nil
                return output
            case .needsInput:
                try sendAgain()
                return output
            case .audio, .ended: return output
            }
        }
    }

    /// One packet a call, so that audio of the same lane, and a new seek, need not wait.
    private func sendAgain() throws(MediaError) {
        guard let next = again.first else { return }
        tell(next.skipping)
        do throws(MediaError) {
            if try base.send(next.packet) { passed() }
        } catch {
            // It is the packet that is at fault.
            passed()
            throw error
        }
    }

    private func passed() {
        again = again.dropFirst()
        if again.isEmpty { tell(wanted) }
    }

    private func fallBack(_ cause: MediaError) throws(MediaError) {
        let software = try makeSoftware()
        base = software
        isOnDevice = false
        told = .none
        again = packets.sent[...]
        needsKey = packets.isIncomplete
        given = packets.newest
        packets = SentPackets()
        if again.isEmpty { tell(wanted) }
        faults.report(fault(cause))
    }

    private func fault(_ cause: MediaError) -> MediaError {
        var place = ""
        if let given, given.isNumeric { place = " behind \(given.seconds) s" }
        return MediaError(
            .hardwareUnavailable,
            "\(name) decodes no more\(place), the processor does: \(cause.message)",
            location: cause.location,
            track: cause.track,
            time: cause.time ?? given,
            libraryLog: cause.libraryLog,
            underlyingCode: cause.underlyingCode
        )
    }
}

/// What a decoder lost or gave up, on its way to whoever listens. What comes before anybody does is kept.
final class DecoderFaults: Sendable {
    private struct State {
        var handler: (@Sendable (MediaError) -> Void)?
        var waiting: [MediaError] = []
    }
    private let state = Locked(State())

    func setHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {
        let waiting = state.withLock { state in
            state.handler = handler
            defer { state.waiting = [] }
            return state.waiting
        }
        for error in waiting { handler(error) }
    }

    func report(_ error: MediaError) {
        let handler = state.withLock { state in
            if state.handler == nil { state.waiting.append(error) }
            return state.handler
        }
        handler?(error)
    }
}
