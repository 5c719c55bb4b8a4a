import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// A demuxer that records which tracks are enabled when it is asked to seek.
private final class RecordingDemuxer: Demuxer {
    private let base: ScriptedDemuxer
    /// The playlists of the tracks that are not in the first one, by track ID.
    private let playlists: [Int: Int]
    private let state = Locked((enabled: Set<Int>(), atSeek: [Set<Int>]()))

    init(_ base: ScriptedDemuxer, playlists: [Int: Int] = [:]) {
        self.base = base
        self.playlists = playlists
    }

    var enabled: Set<Int> { state.withLock { $0.enabled } }
    var enabledAtSeek: [Set<Int>] { state.withLock { $0.atSeek } }

    func setEnabledTracks(_ ids: Set<Int>) {
        state.withLock { $0.enabled = ids }
        base.setEnabledTracks(ids)
    }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        state.withLock { $0.atSeek.append($0.enabled) }
        return try base.seek(to: target, preference: preference)
    }
    func open() throws(MediaError) -> Poll<MediaDescription> {
        guard case .ready(var description) = try base.open() else { return .pending }
        for index in description.tracks.indices {
            description.tracks[index].playlistIndex = playlists[description.tracks[index].id] ?? 0
        }
        return .ready(description)
    }
    func read() throws(MediaError) -> Poll<Packet?> { try base.read() }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try base.makeDecoder(for: track, options: options)
    }
    func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        try base.makeTextDecoder(for: track)
    }
    func begin(_ epoch: Epoch) { base.begin(epoch) }
    func interrupt(before epoch: Epoch) { base.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) { base.setNoticeHandler(handler) }
    func cancel() { base.cancel() }
}

@Suite("Reading of cues")
struct CueStageTests {
    @Test("A seek moves all tracks that are read after it: each may be in a playlist of its own")
    func seek() {
        let media = ScriptedMedia(
            video: .init(frameCount: 2500),
            audio: .init(sampleCount: 4_800_000),
            cues: [.init("cue", from: 70_000, to: 71_000)]
        )
        let demuxer = RecordingDemuxer(ScriptedDemuxer(media, driver: ManualDriver()))
        let source = CueSource.subtitles(
            .track(ScriptedMedia.subtitleTrack),
            makeDemuxer: { _ in demuxer },
            listeners: { [] }
        )
        let stage = CueStage(source, at: .zero, changed: {}, opened: { _ in }, faulted: { _ in })
        _ = stage.step()
        _ = stage.play(at: ItemTime(nanoseconds: 60_000_000_000), jumped: true)
        _ = stage.step()
        let read: Set = [ScriptedMedia.audioTrack, ScriptedMedia.subtitleTrack]
        #expect(demuxer.enabledAtSeek == [read.union([ScriptedMedia.videoTrack])])
        #expect(demuxer.enabled == read)
    }

    @Test("Backward, earlier cues are read before playback reaches the position that was sought to")
    func backward() {
        let media = ScriptedMedia(
            video: .init(frameCount: 2500),
            audio: .init(sampleCount: 4_800_000),
            cues: [.init("early", from: 30_000, to: 31_000), .init("late", from: 70_000, to: 71_000)]
        )
        let demuxer = ScriptedDemuxer(media, driver: ManualDriver())
        let source = CueSource.subtitles(
            .track(ScriptedMedia.subtitleTrack),
            makeDemuxer: { _ in demuxer },
            listeners: { [] }
        )
        let stage = CueStage(source, at: .zero, changed: {}, opened: { _ in }, faulted: { _ in })
        /// Plays backward at a time, and returns the cues that have been read.
        func play(at seconds: Int64, jumped: Bool) -> [String] {
            let time = ItemTime(nanoseconds: seconds * 1_000_000_000)
            if stage.play(at: time, jumped: jumped, isReverse: true) {
                while stage.step() == .progressed {}
            }
            return stage.cues.entries.map(\.cue.text)
        }
        _ = stage.step()
        #expect(play(at: 65, jumped: true) == ["late"])
        #expect(play(at: 51, jumped: false) == ["late"])
        // Cues that are far away are dropped, and are read again on the way back to them.
        #expect(play(at: 49, jumped: false) == ["early"])
        #expect(play(at: 30, jumped: false) == ["early"])
        #expect(play(at: 65, jumped: true) == ["early", "late"])
    }

    @Test(
        "The progress is that of a track in the playlist of the cues: reading does not run ahead of that playlist",
        arguments: [
            ([:], ScriptedMedia.audioTrack), ([ScriptedMedia.audioTrack: 1], ScriptedMedia.videoTrack),
            ([ScriptedMedia.videoTrack: 1], ScriptedMedia.audioTrack),
        ] as [([Int: Int], Int)]
    )
    func progress(playlists: [Int: Int], expected: Int) {
        let media = ScriptedMedia(
            video: .init(frameCount: 2500),
            audio: .init(sampleCount: 4_800_000),
            cues: [.init("cue", from: 70_000, to: 71_000)]
        )
        let demuxer = RecordingDemuxer(ScriptedDemuxer(media, driver: ManualDriver()), playlists: playlists)
        let source = CueSource.subtitles(
            .track(ScriptedMedia.subtitleTrack),
            makeDemuxer: { _ in demuxer },
            listeners: { [] }
        )
        let stage = CueStage(source, at: .zero, changed: {}, opened: { _ in }, faulted: { _ in })
        _ = stage.step()
        #expect(demuxer.enabled == [expected, ScriptedMedia.subtitleTrack])
    }
}
