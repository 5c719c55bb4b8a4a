internal import CFFmpeg
internal import Foundation
internal import MediaCore
internal import PlayheadBackend

/// Where decoders on devices come from: this machine's, or a test's.
protocol HardwareSource: Sendable {
    /// A decoder as the policy wants it, of what `make` makes, and what decodes; nil: by the processor, and nothing to say about it.
    /// Throws, in words, where a device was wanted or found, and does not serve.
    func makeDecoder(
        _ policy: HardwareDecoding,
        of codec: AVCodecID,
        make: (HardwareDevice?) throws(MediaError) -> any Decoder
    ) throws(MediaError) -> (decoder: any Decoder, name: String)?
}
