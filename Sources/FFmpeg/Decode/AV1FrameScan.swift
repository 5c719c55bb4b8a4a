/// Detects AV1 packets whose frames are not referenced by other frames.
///
/// With FFmpeg 5.1, libdav1d decodes every frame regardless of `skip_frame`. In AV1 all state that later frames need is
/// stored with the reference frames, so a packet that refreshes none of them can be skipped. The syntax elements are
/// those of the AV1 bitstream specification, 5.5 and 5.9. A packet is decoded in case of doubt.
struct AV1FrameScan: ReferenceScan {
    /// The elements of a sequence header that are needed to parse a frame header.
    private struct Sequence {
        var forcesScreenContentTools: Bool?
        var forcesIntegerMotion: Bool?
        var frameIDLength = 0
        var orderHintLength = 0
    }

    /// The current sequence header, or nil if none was read or its frame headers are not supported.
    private var sequence: Sequence?

    /// Creates a scan. `configuration` is the `av1C` record of the container, if there is one.
    init(configuration: UnsafeRawBufferPointer) {
        guard configuration.count > 4 else { return }
        noteKeyFrame(UnsafeRawBufferPointer(rebasing: configuration.dropFirst(4)))
    }

    /// Reads the sequence header that a packet with a key frame may contain.
    mutating func noteKeyFrame(_ packet: UnsafeRawBufferPointer) {
        var rest = packet[...]
        while let unit = Unit(&rest) {
            guard unit.type == .sequenceHeader else { continue }
            var bits = BitReader(unit.payload)
            sequence = Self.sequence(&bits)
        }
    }

    /// Returns true if no later frame needs the packet.
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
        // Timing information and a decoder model add elements to frame headers. Encoders for files write neither.
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
        // The skipped flags are superblock size, filter intra and intra edge; then inter-intra, masked compound, warped
        // motion and dual filter.
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

    /// Returns the flags of the reference frames that the frame refreshes, or nil if they are unknown.
    private static func refreshes(_ bits: inout BitReader, _ sequence: Sequence) -> Int? {
        // A frame that only shows an existing frame costs nothing.
        guard bits.flag() == false, let type = bits.number(2), let isShown = bits.flag() else { return nil }
        // Only inter frames are examined.
        guard type == 1 else { return nil }
        if !isShown { bits.skip(1) }
        guard let isResilient = bits.flag() else { return nil }
        bits.skip(1)
        let hasTools = sequence.forcesScreenContentTools ?? bits.flag() ?? false
        if hasTools, sequence.forcesIntegerMotion == nil { bits.skip(1) }
        bits.skip(sequence.frameIDLength)
        // The frame size override flag.
        bits.skip(1)
        bits.skip(sequence.orderHintLength)
        if !isResilient { bits.skip(3) }
        return bits.number(8)
    }

    /// An open bitstream unit (OBU).
    private struct Unit {
        enum Kind { case sequenceHeader, frameHeader, frame, other }

        var type: Kind
        var payload: Slice<UnsafeRawBufferPointer>

        /// Removes the next unit from the front of the bytes. Returns nil if there is none or it is invalid.
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

        /// Reads a leb128 value: seven bits per byte, least significant first.
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

    /// A reader of bits, most significant first.
    private struct BitReader {
        private let bytes: Slice<UnsafeRawBufferPointer>
        private var position = 0

        init(_ bytes: Slice<UnsafeRawBufferPointer>) { self.bytes = bytes }

        /// Whether more bits were read than available.
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
