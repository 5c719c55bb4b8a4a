import MediaCore
import PlayheadBackend

/// A decoder that is informed about the start of each epoch.
///
/// The decorators of the engine conform to it. A plain `Decoder` does not need the information.
protocol EpochDecoder: Decoder {
    /// Begins an epoch. It is called before the first packet, and after the flush that ends the preceding
    /// epoch.
    func begin(_ start: EpochStart)
    /// Begins an epoch without a flush: the next packets follow those that were sent.
    func resume(at start: EpochStart)
    /// Whether the output comes from a cache, so that nothing is decoded.
    var isServingCachedFrames: Bool { get }
}
