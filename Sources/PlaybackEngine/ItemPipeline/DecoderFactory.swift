import MediaCore
import PlayheadBackend

/// Creates the decoders of an item. A packet passes the decorators of its track from left to right:
///
///     video:  FastFirstFrameDecoder -> CachingDecoder -> decoder of the demuxer
///     audio:                           CachingDecoder -> decoder of the demuxer
///
/// The demuxer's decoder may have a decorator of its own: `FallbackDecoder`, if a device decodes.
struct DecoderFactory {
    let demuxer: any Demuxer
    let options: DecoderOptions
    /// The duration of the item, from which the cache estimates the size of a pass.
    let duration: MediaTime
    let share: FrameCacheShare
    let loopSetting: LoopSetting
    /// Receives the failures after which a decoder continues.
    let reportFault: @Sendable (MediaError) -> Void

    func makeDecoder(for track: Track) throws(MediaError) -> Poll<any EpochDecoder> {
        try demuxer.makeDecoder(for: track.id, options: options).map { wrap($0, for: track) }
    }

    private func wrap(_ base: any Decoder, for track: Track) -> any EpochDecoder {
        base.setFaultHandler(reportFault)
        let cache = CachingDecoder(base, of: track, duration: duration, share: share, setting: loopSetting)
        guard track.mediaType == .video else { return cache }
        let decoded = demuxer.decodedFirstFrame(of: track.id)
        let decodesAlone = options.decodesFirstFrameAlone && base.hasOutputDelay
        guard decodesAlone || decoded != nil else { return cache }
        return FastFirstFrameDecoder(cache, decodesAlone: decodesAlone, decoded: decoded)
    }

    /// Returns a decoder that only keeps time, and the track that describes its output.
    func makeTimekeeper(
        for track: Track
    ) throws(MediaError) -> Poll<(track: Track, decoder: any EpochDecoder)> {
        var options = options
        options.hardware = .none
        return try demuxer.makeDecoder(for: track.id, options: options).map { base in
            (SilentDecoder.audioTrack(for: track), SilentDecoder(base, of: track.mediaType))
        }
    }
}
