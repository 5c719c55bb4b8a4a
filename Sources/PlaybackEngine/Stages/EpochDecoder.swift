import MediaCore
import PlayheadBackend

/// A decoder that is told where each epoch begins.
///
/// Decorators of the engine conform to it. A plain `Decoder` does not need to know.
protocol EpochDecoder: Decoder {
    /// The next packets belong to an epoch that begins at `start`. Called before the first packet and after the
    /// flush that ends the epoch before.
    func begin(_ start: EpochStart)
    /// The epoch `start` begins without a flush: the next packets follow those that were sent.
    func resume(at start: EpochStart)
    /// What it gives is kept from before: nothing is decoded.
    var isServingCachedFrames: Bool { get }
}
