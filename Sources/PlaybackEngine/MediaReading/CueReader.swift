package import MediaCore
package import PlayheadBackend

/// Reads all cues of a track without playing.
///
/// `@unchecked Sendable`: members without a lock are confined to `lane`.
package final class CueReader: @unchecked Sendable {
    private let source: CueSource
    private let output: ReaderOutput<[TextCue]>
    private let lane: any Lane
    private let stage: CueStage
    private let failure = Locked<MediaError?>(nil)
    private let runner = Locked<StageRunner?>(nil)

    /// Creates a reader. Nothing is opened before `start()`.
    ///
    /// - Parameters:
    ///   - source: The track.
    ///   - driver: The driver of the lane that reads.
    ///   - role: The role of that lane.
    ///   - output: Receives one element: the cues in the order of their start times.
    package init(
        _ source: CueSource,
        driver: any Driver,
        role: LaneRole,
        output: ReaderOutput<[TextCue]>
    ) {
        self.source = source
        self.output = output
        lane = driver.makeLane(role, label: "cues")
        stage = CueStage(
            source,
            at: .zero,
            usesBlockingReads: driver.stopsTimeDuringReads,
            changed: {},
            opened: { [failure] result in
                if case .failure(let error) = result { failure.withLock { $0 = error } }
            },
            // A cue that cannot be decoded is skipped. Another fault ends the track.
            faulted: { [failure] error in
                if error.code != .decodeFailed { failure.withLock { $0 = error } }
            }
        )
    }

    /// Begins to open the asset. Any thread, once.
    package func start() {
        let runner = StageRunner(on: lane, stepsPerTurn: 16) { [weak self, stage] in
            let result = stage.step()
            if result == .finished || Self.hasBitmaps(stage) {
                self?.finish()
                return .finished
            }
            guard result == .needsSpace else { return result }
            // Nothing is played, so the rest of the track is read at once.
            _ = stage.play(at: .distantFuture, jumped: false)
            return .progressed
        }
        runner.wakes(for: stage.demuxer)
        self.runner.withLock { $0 = runner }
        runner.wake()
    }

    /// Ends reading and releases the demuxer on its lane. Any thread.
    package func close() {
        stage.cancel()
        let runner = runner.withLock { runner in
            defer { runner = nil }
            return runner
        }
        runner?.stop()
        lane.enqueue { [stage] in withExtendedLifetime(stage) {} }
    }

    /// Returns whether the track has bitmaps. Its cues are all bitmaps, or all text.
    private static func hasBitmaps(_ stage: CueStage) -> Bool {
        stage.cues.entries.first?.cue.isBitmap == true
    }

    private func finish() {
        if Self.hasBitmaps(stage) {
            return output.finish(
                MediaError(.decoderNotFound, "the subtitles are bitmaps, not text", track: stage.trackID)
            )
        }
        guard stage.isAtEnd else {
            return output.finish(failure.withLock { $0 } ?? MediaError(.cancelled, "reading was cancelled"))
        }
        guard stage.hasAllCues else {
            return output.finish(
                MediaError(
                    .exceedsLimits,
                    "the cues exceed \(CueList.byteLimit >> 20) MiB",
                    track: stage.trackID
                )
            )
        }
        output.append(stage.cues.entries.filter { !$0.isDrawnOnly }.map(\.cue), byteCount: 0)
        output.finish()
    }
}
