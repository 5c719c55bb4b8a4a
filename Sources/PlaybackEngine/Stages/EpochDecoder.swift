import MediaCore
import PlayheadBackend

/// A decoder as the decode stage uses it: it is informed about the start of each epoch. `DecoderFactory` makes it
/// from a demuxer's decoder.
protocol EpochDecoder: Decoder {
    /// Begins an epoch. It is called before the first packet, and after the flush that ends the preceding
    /// epoch. The default does nothing.
    func begin(_ start: EpochStart)
    /// Begins an epoch without a flush: the next packets follow those that were sent. The default does nothing.
    func resume(at start: EpochStart)
    /// Returns what is kept for a seek to a time: the frame that is due, or one at most `distance` away. The default is
    /// nil.
    func keptFrame(for target: MediaTime, within distance: MediaTime) -> KeptFrame?
    /// Decodes a key frame beside the packets that are sent, while a user drags the position. The default returns nil.
    ///
    /// - Parameter packet: A packet that will also be sent.
    /// - Returns: The frame, or nil if it is returned no sooner than by sending the packet, or cannot be decoded.
    func decodeAlone(_ packet: Packet) -> VideoFrame?
    /// Whether the next frames come from a cache, so that several at once cost little. The default is false.
    var isServingCachedFrames: Bool { get }
    /// Whether buffers of audio come from packets that refer to others, as those of video do, so that none can be left
    /// out before a seek's target. The default is false.
    var needsAllPackets: Bool { get }
}

extension EpochDecoder {
    func begin(_ start: EpochStart) {}
    func resume(at start: EpochStart) {}
    func keptFrame(for target: MediaTime, within distance: MediaTime) -> KeptFrame? { nil }
    func decodeAlone(_ packet: Packet) -> VideoFrame? { nil }
    var isServingCachedFrames: Bool { false }
    var needsAllPackets: Bool { false }
}
