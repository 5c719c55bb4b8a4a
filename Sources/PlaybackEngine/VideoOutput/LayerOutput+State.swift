import MediaCore
import PlayheadBackend

extension LayerOutput {
    /// The sinks and settings of a layer, and its current frame.
    struct State {
        var fit = Fit()
        var report: (@Sendable (OutputReport) -> Void)?
        var finishHandler: (@Sendable (any VideoSink) -> Void)?
        var feeders: [SinkFeeder] = []
        /// Sinks that were removed while frames were on their way to them.
        var leaving: [SinkFeeder] = []
        var lastFrame: VideoFrame?
        /// The settings with which the current frame was delivered, and its shape after the filter.
        var shownFit: Fit?
        /// The subtitles to draw, and those of the current frame.
        var subtitles: DueSubtitles?
        var shownSubtitles: DueSubtitles?
        var shownShape: VideoShape?
        /// The scheduled check whether the current frame is delivered again; see `refresh`.
        var scheduledRefresh: (any Wakeup)?
        var isClosed = false
        var filter: Filter?
        /// The number of frames that wait for the layer's lane or are processed there.
        var processingCount = 0

        /// The sinks that must receive the current frame again.
        var outdatedFeeders: [SinkFeeder] {
            guard !isClosed, lastFrame != nil else { return [] }
            if shownFit != fit { return feeders }
            return shownSubtitles === subtitles ? [] : feeders.filter(\.rendersSubtitles)
        }

        var deinterlaces: Bool { feeders.contains { $0.requiresDeinterlacing(fit) } }

        /// Clears the current frame.
        mutating func clearShown() {
            lastFrame = nil
            shownFit = nil
            shownShape = nil
            shownSubtitles = nil
            scheduledRefresh?.cancel()
            scheduledRefresh = nil
        }
    }

    /// A closure in a struct, because a bare closure in a generic container is wrapped again on each access.
    struct Filter {
        let call: @Sendable (VideoFrame) -> VideoFrame?
    }

    /// A frame on its way to the sinks, with its slots.
    struct Delivery {
        let frame: VideoFrame
        let fit: Fit
        let filter: Filter?
        let subtitles: DueSubtitles?
        let slots: [(feeder: SinkFeeder, slot: SinkFeeder.Slot)]
        /// The number of sinks that were too busy.
        var skipped = 0
        /// The slots of earlier frames that this frame replaces.
        var displaced: [SinkFeeder.Slot] = []
        let all: CompletionGroup?

        /// Whether the frame is deinterlaced for at least one sink.
        var isDeinterlaced: Bool {
            frame.isInterlaced && slots.contains { $0.feeder.requiresDeinterlacing(fit) }
        }
        /// Whether the frame is processed on the layer's lane before it is converted for sinks.
        var needsProcessing: Bool { filter != nil || isDeinterlaced }
    }
}
