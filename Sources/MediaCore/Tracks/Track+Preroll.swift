extension Track {
    /// Returns the duration before a seek's target that the decoder of an audio track needs for correct output.
    ///
    /// Packets of MPEG audio layer III refer up to 511 bytes back, or 255 below 32 kHz (the bit reservoir). At low bit
    /// rates these are more packets than any other codec needs: up to 9 of 1152 samples, or about 20 of 576, and one
    /// more for the overlapping windows.
    ///
    /// - Parameter usual: The duration that suffices for all other codecs.
    package func preroll(usual: MediaTime) -> MediaTime {
        guard codec == "mp3", sampleRate > 0 else { return usual }
        return max(usual, MediaTime(value: 12 * 1152, timescale: Int32(clamping: sampleRate)))
    }
}

extension Sequence<Track> {
    /// Returns the longest preroll of the tracks, or `usual` if there are none; see `Track.preroll(usual:)`.
    package func preroll(usual: MediaTime) -> MediaTime {
        map { $0.preroll(usual: usual) }.max() ?? usual
    }
}
