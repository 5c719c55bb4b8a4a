internal import CFFmpeg
internal import FoundationEssentials
internal import MediaCore
internal import PlayheadBackend

/// A provider of hardware decoders: this machine, or a test.
protocol HardwareSource: Sendable {
    /// Returns a decoder according to the policy, created by `make`, and the name of its device. Returns nil if
    /// software decoding is to be used without a message. Throws an error if a device was requested or found but cannot
    /// be used.
    func makeDecoder(
        _ policy: HardwareDecoding,
        of codec: AVCodecID,
        make: (HardwareDevice?) throws(MediaError) -> any Decoder
    ) throws(MediaError) -> (decoder: any Decoder, name: String)?
}
