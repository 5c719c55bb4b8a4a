/// Access to the audio of an item while it plays, to observe it or to replace the samples.
///
/// A tap receives the decoder's samples after the volumes of the item's `AudioMix` are applied, and before rate, the
/// player's volume and any conversion for a sink. Each sample arrives once, in order, shortly before it is heard.
/// Times are item times; `epoch` changes with each seek, and `pass` with each pass of a loop. A tap that is added
/// during playback starts with the next samples. One tap may serve several items.
public final class AudioTap: Sendable {
    package enum Work: Sendable {
        case meter(@Sendable (AudioBuffer) -> Void)
        case process(@Sendable (AudioBuffer, inout [[Float]]) -> Void)
    }

    package let work: Work

    /// Creates a tap that observes the audio.
    ///
    /// - Parameter body: Receives planar 32-bit floating-point samples, on a queue that all metering taps of a player
    ///   share. It may take its time: neither audio nor frames wait for it. In real time, a tap that is more than 32
    ///   buffers behind loses the buffers that arrive then. On the virtual clock it receives all of them.
    public init(metering body: @escaping @Sendable (AudioBuffer) -> Void) { work = .meter(body) }

    /// Creates a tap that changes the audio.
    ///
    /// - Parameter body: Receives a buffer and its samples, one array of floats for each channel, and changes the
    ///   samples in place. It runs on the lane that prepares this player's audio. The clock, frames and other players
    ///   do not wait for it, but the sink runs out of samples if it takes longer than the audio lasts. The number of
    ///   samples is fixed: missing samples become silence, and extra ones are ignored.
    public init(processing body: @escaping @Sendable (AudioBuffer, inout [[Float]]) -> Void) {
        work = .process(body)
    }
}
