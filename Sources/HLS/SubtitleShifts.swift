internal import MediaCore

/// The offsets of the timestamps of subtitles after discontinuities: those of the media with the same discontinuity
/// sequence number.
///
/// Another demuxer reads the media, before or after the subtitles of the same time. The times of cues must not depend on
/// which of them is first, and the virtual clock stops while a read waits. So an offset is measured here, as after a seek
/// of the media: the first segment of the sequence begins where its playlist declares it.
///
/// Confined to the lane of its demuxer.
final class SubtitleShifts {
    private let demuxers: DemuxerSet
    /// The measured offsets by discontinuity sequence number. A value is nil if the sequence is the first one, or if the
    /// offset cannot be measured.
    private var measured: [Int64: MediaTime?] = [:]
    /// The difference above which the offset of a media reader is another one. Below it, audio and video begin at
    /// different times.
    private static let leastCorrection = MediaTime(value: 1, timescale: 2)

    init(_ demuxers: DemuxerSet) { self.demuxers = demuxers }

    /// Returns the offset of a subtitle segment, or zero if it is unknown. Waits for bytes with
    /// `ReadContext.wait(after:)`.
    ///
    /// - Throws: `MediaError` if the call is interrupted.
    func shift(of index: Int, in tracker: MediaPlaylistTracker, _ context: ReadContext) throws(MediaError)
        -> MediaTime
    {
        guard let number = tracker.segment(index)?.discontinuity else { return .zero }
        let resources = demuxers.resources
        let shared = resources.shifts.withLock { $0.measured[number] }
        // The item times of the segments of a live playlist are estimates, so nothing can be measured.
        if resources.liveWindow != nil { return shared ?? .zero }
        guard let own = try measuredShift(of: number, index, in: tracker, context) else { return .zero }
        // A reader that came from the beginning corrects a start whose declaration is rounded.
        if let shared, max(shared - own, own - shared) > Self.leastCorrection { return shared }
        return own
    }

    /// Returns the offset of the discontinuity sequence that contains a segment. Measures it on the first call, and again
    /// after a failure that may pass.
    private func measuredShift(
        of number: Int64,
        _ index: Int,
        in tracker: MediaPlaylistTracker,
        _ context: ReadContext
    ) throws(MediaError) -> MediaTime? {
        if let known = measured[number] { return known }
        var first = index
        while tracker.segment(first - 1)?.discontinuity == number { first -= 1 }
        var found: MediaTime?
        // The first sequence of a presentation has no offset.
        if tracker.segment(first - 1) != nil {
            do throws(MediaError) {
                found = try measure(number, near: tracker.start(of: first), context)
            } catch {
                if error.code == .cancelled { throw error }
                // The reader of the media reports the error. The next segment repeats an attempt that may succeed.
                if error.isRetryable { return nil }
            }
        }
        measured.updateValue(found, forKey: number)
        return found
    }

    /// Opens the first media segment of a discontinuity sequence. Returns nil if the sequence does not begin near
    /// `start`, in microseconds: then the playlists count their discontinuities differently.
    private func measure(_ number: Int64, near start: Int64, _ context: ReadContext) throws(MediaError)
        -> MediaTime?
    {
        let resources = demuxers.resources
        guard let url = resources.mainPlaylistURL else { return nil }
        var load = PlaylistLoad(url, resources)
        let found = try context.retryUntilReady { () throws(MediaError) in try load.resume(context) }
        guard case .media(let playlist) = found, playlist.hasEnded,
            let first = playlist.segments.firstIndex(where: { $0.discontinuity == number && !$0.isGap })
        else { return nil }
        let declared = MediaPlaylistTracker(playlist, url: url, resources: resources).start(of: first)
        guard declared.subtractingClamped(start).magnitude <= playlist.targetDuration.magnitude else {
            return nil
        }
        let rendition = try Rendition(
            playlist,
            url: url,
            demuxers: demuxers,
            // Media readers do not use this offset: theirs may be that of the audio.
            timestampAdjuster: TimestampAdjuster(Locked(TimestampAdjuster.SharedShifts())),
            openingTime: MediaTime(value: declared, timescale: 1_000_000),
            liveOffset: nil,
            start: nil
        )
        defer { rendition.close() }
        try rendition.open(firstTrackID: 0)
        return rendition.firstShift
    }
}
