/// Finds AV1 packets whose frames no other frame refers to.
///
/// libdav1d, as FFmpeg 5.1 calls it, decodes every frame whatever `skip_frame` says. AV1 keeps everything that
/// later frames need with the references, so a packet that refreshes none of them can be left out. The fields are
/// those of the AV1 bitstream specification, 5.5 and 5.9. Where anything is unclear the packet is decoded.
struct AV1FrameScan: ReferenceScan {
    /// What of a sequence header is needed to read a frame header.
    private struct Sequence {
        var forcesScreenContentTools: Bool?
        var forcesIntegerMotion: Bool?
        var frameIDLength = 0
        var orderHintLength = 0
    }

    /// nil: none was read, or frame headers of its kind are not understood.
    private var sequence: Sequence?

    /// `configuration`: the `av1C` record of the container, if there is one.
    init(configuration: UnsafeRawBufferPointer) {
        guard configuration.count > 4 else { return }
        noteKeyFrame(UnsafeRawBufferPointer(rebasing: configuration.dropFirst(4)))
    }

    /// A packet with a key frame may hold a new sequence header.
    mutating func noteKeyFrame(_ packet: UnsafeRawBufferPointer) {
        var rest = packet[...]
        while let unit = Unit(&rest) {
            guard unit.type == .sequenceHeader else { continue }
            var bits = BitReader(unit.payload)
            sequence = Self.sequence(&bits)
        }
    }

    /// True: no later frame needs what the packet holds.
    func isUnreferenced(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard let sequence else { return false }
        var rest = packet[...]
        var hasFrame = false
        while let unit = Unit(&rest) {
            switch unit.type {
            case .sequenceHeader: return false
            case .frameHeader, .frame:
                var bits = BitReader(unit.payload)
                guard Self.refreshes(&bits, sequence) == 0 else { return false }
                hasFrame = true
            case .other: continue
            }
        }
        return hasFrame && rest.isEmpty
    }

    private static func sequence(_ bits: inout BitReader) -> Sequence? {
        bits.skip(3)
        bits.skip(1)
        guard bits.flag() == false else { return nil }
        // Timing and a decoder model put more into frame headers; encoders for files write neither.
        guard bits.flag() == false, let hasDelay = bits.flag(), let points = bits.number(5) else {
            return nil
        }
        for _ in 0...points {
            bits.skip(12)
            guard let level = bits.number(5) else { return nil }
            if level > 7 { bits.skip(1) }
            if hasDelay, bits.flag() == true { bits.skip(4) }
        }
        guard let widthLength = bits.number(4), let heightLength = bits.number(4) else { return nil }
        bits.skip(widthLength + 1 + heightLength + 1)
        var sequence = Sequence()
        guard let hasFrameIDs = bits.flag() else { return nil }
        if hasFrameIDs {
            guard let delta = bits.number(4), let additional = bits.number(3) else { return nil }
            sequence.frameIDLength = additional + delta + 3
        }
        // Superblocks, filter intra, intra edges; inter intra, masked compound, warped motion, dual filter.
        bits.skip(3 + 4)
        guard let hasOrderHint = bits.flag() else { return nil }
        if hasOrderHint { bits.skip(2) }
        guard let choosesTools = bits.flag() else { return nil }
        sequence.forcesScreenContentTools = choosesTools ? nil : bits.flag()
        if sequence.forcesScreenContentTools != false {
            guard let choosesMotion = bits.flag() else { return nil }
            sequence.forcesIntegerMotion = choosesMotion ? nil : bits.flag()
        }
        if hasOrderHint { sequence.orderHintLength = (bits.number(3) ?? 0) + 1 }
        return bits.isExhausted ? nil : sequence
    }

    /// Bits for the references that the frame is stored in; nil: not known.
    private static func refreshes(_ bits: inout BitReader, _ sequence: Sequence) -> Int? {
        // A frame that was decoded before is shown: that costs nothing.
        guard bits.flag() == false, let type = bits.number(2), let isShown = bits.flag() else { return nil }
        // Only inter frames are looked at.
        guard type == 1 else { return nil }
        if !isShown { bits.skip(1) }
        guard let isResilient = bits.flag() else { return nil }
        bits.skip(1)
        let hasTools = sequence.forcesScreenContentTools ?? bits.flag() ?? false
        if hasTools, sequence.forcesIntegerMotion == nil { bits.skip(1) }
        bits.skip(sequence.frameIDLength)
        // Another size.
        bits.skip(1)
        bits.skip(sequence.orderHintLength)
        if !isResilient { bits.skip(3) }
        return bits.number(8)
    }

    /// An open bitstream unit.
    private struct Unit {
        enum Kind { case sequenceHeader, frameHeader, frame, other }

        var type: Kind
        var payload: Slice<UnsafeRawBufferPointer>

        /// Takes the next unit from the front. nil: there is none, or it is broken.
        init?(_ bytes: inout Slice<UnsafeRawBufferPointer>) {
            var rest = bytes
            guard let header = rest.popFirst(), header & 0x80 == 0 else { return nil }
            type =
                switch (header >> 3) & 15 {
                case 1: .sequenceHeader
                case 3: .frameHeader
                case 6: .frame
                default: .other
                }
            if header & 4 != 0, rest.popFirst() == nil { return nil }
            var size = rest.count
            if header & 2 != 0 {
                guard let coded = Self.length(&rest), coded <= rest.count else { return nil }
                size = coded
            }
            payload = rest.prefix(size)
            bytes = rest.dropFirst(size)
        }

        /// Seven bits a byte, the lowest first.
        private static func length(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Int? {
            var value = 0
            for index in 0..<5 {
                guard let byte = bytes.popFirst() else { return nil }
                value |= Int(byte & 0x7F) << (7 * index)
                if byte & 0x80 == 0 { return value }
            }
            return nil
        }
    }

    /// Reads bits, the highest of a byte first.
    private struct BitReader {
        private let bytes: Slice<UnsafeRawBufferPointer>
        private var position = 0

        init(_ bytes: Slice<UnsafeRawBufferPointer>) { self.bytes = bytes }

        /// More was read than there is.
        var isExhausted: Bool { position > bytes.count * 8 }

        mutating func skip(_ count: Int) { position += count }

        mutating func flag() -> Bool? { number(1).map { $0 == 1 } }

        mutating func number(_ count: Int) -> Int? {
            guard position + count <= bytes.count * 8 else { return nil }
            var value = 0
            for _ in 0..<count {
                let byte = bytes[bytes.startIndex + position / 8]
                value = value << 1 | Int(byte >> (7 - UInt8(position % 8)) & 1)
                position += 1
            }
            return value
        }
    }
}
