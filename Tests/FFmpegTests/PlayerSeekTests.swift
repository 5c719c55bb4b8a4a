import FFmpeg
import Foundation
import Playhead
import TestSupport
import Testing

/// Exact seeks with a whole player show the last frame of ffmpeg that is due at or before the target.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct PlayerSeekTests {
    /// The frames are small, so that the test takes seconds. The comments are from the manifest.
    static let files = [
        "mpeg/h264-mp3.avi",  // B-frames, no presentation times in the container
        "chapters/matroska-chapters.mkv",  // B-frames, 4:4:4
        "hevc/cea-captions-fragmented.mp4",  // fragmented, starts at 0.067
        "fragmented/h264-240p60-camera-15s.mp4",  // long groups of pictures, 60 frames per second
        "vp9/opus-webvtt-180p.webm",  // long groups of pictures, hidden frames
        "h264/full-range-518x488.mp4",  // variable frame rate
        "timing/edit-list-first-pts-10s.mp4",  // an empty edit: the first frame is at 10 s
        "timing/edit-list-iibbibb-1fps.mp4",  // an edit list that cuts into B-frames
        "timing/mpegts-starts-at-3600s.ts",  // transport stream without an index
        "timing/mpegts-pcr-rollover.ts",  // transport stream that starts below zero
    ]

    @Test(arguments: files, [false, true])
    func everyTargetShowsItsFrame(_ path: String, isScrubbing: Bool) async throws {
        let entry = try Corpus.entry(path)
        let reference = try #require(FrameMD5(entry))
        let seed = UInt64(path.utf8.reduce(7) { $0 &* 31 &+ Int($1) }.magnitude)
        let screen = Screen()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        layer.add(screen.sink)
        let times = try await playThrough(player, entry, screen)
        try #require(times.count == reference.lines.count)

        player.isScrubbing = isScrubbing
        var random = SplitMix(seed: seed)
        let duration = try #require(player.currentItem?.duration)
        let targets = (0..<200).samples.map { _ in makeTarget(times, duration, &random) }
        var wrong: [String] = []
        for target in targets {
            // Targets beyond the duration that the container declares are included.
            let index = times.lastIndex { $0 <= target } ?? 0
            let finished = await player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
            let shown = screen.last
            let isRight =
                finished && shown.map { FrameDigest.digest(of: $0) } == reference.lines[index].hash
            if isRight { continue }
            let got = shown.flatMap { times.firstIndex(of: $0.presentationTime) }
            wrong.append("to \(target): picture \(got ?? -1) instead of \(index), finished \(finished)")
        }
        await player.shutdown()
        #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) of \(targets.count): \(wrong.prefix(5))")
    }

    /// Returns the item time of each frame, from a pass without seeks.
    private func playThrough(
        _ player: Player,
        _ entry: CorpusEntry,
        _ screen: Screen
    ) async throws -> [MediaTime] {
        let events = player.events
        player.replaceCurrentItem(with: PlayerItem(url: URL(fileURLWithPath: entry.location)))
        player.play()
        for await event in events {
            if case .didPlayToEndTime = event { break }
            if case .failedToPlayToEndTime(_, let error) = event { throw error }
            if case .itemStatusChanged(let item, .failed) = event, let error = item.error { throw error }
        }
        return screen.takeTimes()
    }

    /// Returns a random time, the exact time of a frame, or a time one nanosecond beside it.
    private func makeTarget(_ times: [MediaTime], _ duration: MediaTime, _ random: inout SplitMix)
        -> MediaTime
    {
        func nanoseconds(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1_000_000_000) }
        if Bool.random(using: &random) {
            return nanoseconds(Int64.random(in: 0...(duration.nanoseconds ?? 0), using: &random))
        }
        let time = times.randomElement(using: &random) ?? .zero
        return max(.zero, time + nanoseconds(Int64.random(in: -1...1, using: &random)))
    }

    /// Keeps the frame being shown and the times of all frames.
    private final class Screen: Sendable {
        private let state = Locked((last: VideoFrame?.none, times: [MediaTime]()))

        var sink: CallbackVideoSink {
            CallbackVideoSink { [self] frame in
                state.withLock { state in
                    state.last = frame
                    state.times.append(frame.presentationTime)
                }
            }
        }

        var last: VideoFrame? { state.withLock { $0.last } }

        func takeTimes() -> [MediaTime] {
            state.withLock { state in
                defer { state.times = [] }
                return state.times
            }
        }
    }
}
