/// Gets the audio of an item as it is played, whatever it comes from: to look at it, or to put other samples
/// in its place.
///
/// The samples are those of the decoder, after the volumes of the item's `AudioMix` and before rate, the
/// player's volume and any conversion for a sink; they come once each and in order, a little before they are
/// heard. Their times are item times; `epoch` changes with each seek, `pass` with each pass of a loop. A tap
/// that is added while playing begins with the next samples. One tap may serve several items.
public final class AudioTap: Sendable {
    package enum Work: Sendable {
        case meter(@Sendable (AudioBuffer) -> Void)
        case process(@Sendable (AudioBuffer, inout [[Float]]) -> Void)
    }

    package let work: Work

    /// Looks on. The closure gets planar 32 bit floats, on a queue that the meters of a player share: it may
    /// take its time without holding up audio or frames. In real time one that lags by more than 32
    /// buffers does not get those that come then; on the virtual clock it gets all of them.
    public init(metering body: @escaping @Sendable (AudioBuffer) -> Void) { work = .meter(body) }

    /// Changes the audio. The closure gets the samples, one array of floats for each channel, to change them
    /// in place, and the buffer that they are of. It runs where the audio of this player is made ready: while
    /// it runs neither the clock nor the frames nor other players wait, but when it takes longer than the
    /// audio lasts the sink runs dry. The number of samples stays: what is missing is silence, what is too
    /// much is cut off.
    public init(processing body: @escaping @Sendable (AudioBuffer, inout [[Float]]) -> Void) {
        work = .process(body)
    }
}
