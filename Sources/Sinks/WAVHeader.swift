/// The header of a RIFF WAVE file with 16-bit integer samples.
struct WAVHeader: Sendable {
    let sampleRate: UInt32
    let channelCount: UInt16
    /// The loudspeaker mask of WAVEFORMATEXTENSIBLE; 0 if no loudspeakers are assigned.
    let channelMask: UInt32

    /// Creates a header. Returns nil if a field would overflow.
    init?(sampleRate: Int, channelCount: Int, layoutName: String) {
        guard
            sampleRate > 0, channelCount > 0,
            let rate = UInt32(exactly: sampleRate),
            let channels = UInt16(exactly: channelCount),
            channels <= UInt16.max / 2,
            !rate.multipliedReportingOverflow(by: UInt32(channels) * 2).overflow
        else { return nil }
        self.sampleRate = rate
        self.channelCount = channels
        self.channelMask = Self.channelMask(layoutName: layoutName, channelCount: channelCount)
    }

    /// Whether the header declares loudspeakers, which more than two channels require.
    var isExtensible: Bool { channelCount > 2 }
    var bytesPerFrame: Int { Int(channelCount) * 2 }

    /// The number of bytes before the first sample.
    var byteCount: Int { isExtensible ? 68 : 44 }
    /// The largest number of sample bytes that the 32-bit size fields can declare.
    var maximumDataByteCount: Int64 {
        let limit = Int64(UInt32.max) - Int64(byteCount - 8)
        return limit - limit % Int64(bytesPerFrame)
    }

    /// Returns the bytes of the header.
    ///
    /// - Parameter dataByteCount: The number of sample bytes. If nil, both size fields are 0xFFFFFFFF, which readers
    ///   treat as "to the end".
    func bytes(dataByteCount: Int64?) -> [UInt8] {
        let data = dataByteCount.map { UInt32(clamping: $0) }
        let whole = data.map { UInt32(clamping: Int64($0) + Int64(byteCount - 8)) }
        var bytes: [UInt8] = []
        func text(_ text: String) { bytes += Array(text.utf8) }
        func word(_ value: UInt16) { bytes += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
        func long(_ value: UInt32) {
            word(UInt16(truncatingIfNeeded: value))
            word(UInt16(value >> 16))
        }
        text("RIFF")
        long(whole ?? .max)
        text("WAVEfmt ")
        long(isExtensible ? 40 : 16)
        word(isExtensible ? 0xFFFE : 1)
        word(channelCount)
        long(sampleRate)
        long(sampleRate * UInt32(channelCount) * 2)
        word(channelCount * 2)
        word(16)
        if isExtensible {
            word(22)
            word(16)
            long(channelMask)
            // KSDATAFORMAT_SUBTYPE_PCM
            long(1)
            word(0)
            word(0x10)
            bytes += [0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
        }
        text("data")
        long(data ?? .max)
        return bytes
    }
}

extension WAVHeader {
    /// Returns the loudspeaker mask of one of FFmpeg's named layouts, whose channels have the order of the mask's
    /// bits. Returns 0 if the name is unknown or does not match `channelCount`.
    static func channelMask(layoutName: String, channelCount: Int) -> UInt32 {
        let mask = masks[layoutName] ?? 0
        return mask.nonzeroBitCount == channelCount ? mask : 0
    }

    /// The masks by name.
    ///
    /// Bits in hexadecimal: 1 front left, 2 front right, 4 front center, 8 low frequency, 10 back left, 20 back
    /// right, 40 and 80 front left and right of center, 100 back center, 200 side left, 400 side right.
    private static let masks: [String: UInt32] = [
        "mono": 0x4,
        "stereo": 0x3,
        "2.1": 0xB,
        "3.0": 0x7,
        "3.0(back)": 0x103,
        "4.0": 0x107,
        "quad": 0x33,
        "quad(side)": 0x603,
        "3.1": 0xF,
        "4.1": 0x10F,
        "5.0": 0x37,
        "5.0(side)": 0x607,
        "5.1": 0x3F,
        "5.1(side)": 0x60F,
        "6.0": 0x707,
        "6.0(front)": 0x6C3,
        "hexagonal": 0x137,
        "6.1": 0x70F,
        "6.1(back)": 0x13F,
        "6.1(front)": 0x6CB,
        "7.0": 0x637,
        "7.0(front)": 0x6C7,
        "7.1": 0x63F,
        "7.1(wide)": 0xFF,
        "7.1(wide-side)": 0x6CF,
        "octagonal": 0x737,
    ]
}
