package import MediaCore
import PlayheadBackend

/// Receives the frames of a loop in addition to the layers. Called on the control lane.
package struct FrameTap: Sendable {
    /// Receives every frame when it comes due, with its item. Returns whether the layers show the frame.
    let receive: @Sendable (ItemID, VideoFrame) -> Bool
    /// Returns whether the layers show the item.
    let isRendered: @Sendable (ItemID) -> Bool
    /// Returns whether an output receives the frames of the item.
    let isWatched: @Sendable (ItemID) -> Bool

    package init(
        receive: @escaping @Sendable (ItemID, VideoFrame) -> Bool = { _, _ in true },
        isRendered: @escaping @Sendable (ItemID) -> Bool = { _ in true },
        isWatched: @escaping @Sendable (ItemID) -> Bool = { _ in false }
    ) {
        self.receive = receive
        self.isRendered = isRendered
        self.isWatched = isWatched
    }
}

/// The outputs that the loop's owner attaches. All functions are called on the control lane (see `perform`), unless
/// stated otherwise.
extension PlaybackLoop {
    /// Adds a layer. `done` is called on some lane when its sinks have received the frame that is shown, if any.
    func addLayer(_ layer: LayerOutput, done: @escaping @Sendable () -> Void) {
        layer.setReport { [weak self] report in self?.perform { $0.outputReported(report) } }
        layers.add(layer)
        viewersChanged()
        layer.afterPending(done)
    }

    package func removeLayer(_ layer: LayerOutput) { layers.remove(layer) }

    /// Returns the frame that is being shown, for a listener that is added later, or nil if it is not a frame of the
    /// item.
    package func frameShown(of id: ItemID) -> VideoFrame? { layers.lastItem == id ? layers.lastFrame : nil }

    /// Reacts to a possible change of whether layers show the item. May be called from any thread.
    package func reconsiderRendering(_ id: ItemID) {
        perform { loop in
            guard loop.current?.id == id, let frame = loop.frameShown(of: id) else { return }
            let wasSuppressed = loop.layers.isSuppressed
            loop.suppressRendering(of: id, !loop.frameTap.isRendered(id))
            guard wasSuppressed, !loop.layers.isSuppressed else { return }
            loop.layers.present(frame, of: id, isEssential: true, done: loop.displayCallback())
        }
    }

    /// Sets whether the layers are suppressed. Called before each frame of the item.
    func suppressRendering(of id: ItemID, _ isSuppressed: Bool) {
        guard isSuppressed != layers.isSuppressed else { return }
        if layers.suppress(isSuppressed) { report(.readyForDisplayChanged(id, false)) }
    }

    package func setAudio(_ output: AudioOutputLane?) {
        audio.replaceOutput(output)
        presentation.sinkLead = audio.lead ?? PresentationScheduler.defaultLead(isRealTime: driver.isRealTime)
        presentation.hasAudioDevice = audio.device != nil
        presentation.audioSlack =
            audio.lead == nil ? PresentationScheduler.defaultSlack(isRealTime: driver.isRealTime) : 0
        output?.setPaused(state.timelineRate == 0)
    }

    /// Returns whether audio of an item is written. Silence in place of video is written only to a device, which is
    /// the clock. Other sinks receive exactly what was decoded.
    func writesAudio(of pipeline: ItemPipeline?) -> Bool {
        guard let pipeline, pipeline.audio != nil else { return false }
        return audio.device != nil || !pipeline.audioReplacesVideo
    }

    /// Sets the volume, in the range 0...1, after muting has been applied.
    package func setVolume(_ volume: Float) { audio.setVolume(volume, presentation.timeline, at: now) }

    /// Selects the audio device; see `AudioDeviceSink`.
    package func setAudioDevice(_ uniqueID: String?) { audio.output?.setDevice(uniqueID) }

    package func outputReported(_ output: OutputReport) {
        switch output {
        case .deinterlacingChanged: layers.updateDeinterlacingDemand()
        // The fault concerns the item that is being shown.
        case .notDeinterlaced(let error), .subtitlesNotDrawn(let error):
            if let id = current?.id { fault(error, of: id) }
        case .device(.interruptionBegan): handle(.interruptionBegan)
        case .device(.interruptionEnded): handle(.interruptionEnded)
        case .skipped: publisher.counters.framesSkippedBySinks += 1
        case .sinkFailed(let error, let underlying):
            report(.sinkFailed(PlaybackChange.SinkFailure(error: error, underlying: underlying)))
        }
    }

    // MARK: Time observers

    /// Calls `call` on the control lane whenever `interval` nanoseconds of item time have passed.
    package func observePeriodically(
        _ id: UInt64,
        every interval: Int64,
        _ call: @escaping @Sendable (ItemTime) -> Void
    ) {
        observers.addPeriodic(id, interval: interval, now: presentation.itemTime(at: now), call)
        update()
    }

    /// Calls `call` on the control lane once for each of `times` that is reached or passed.
    package func observeTimes(
        _ id: UInt64,
        _ times: [ItemTime],
        _ call: @escaping @Sendable (ItemTime) -> Void
    ) {
        observers.addBoundary(id, times: times, now: presentation.itemTime(at: now), call)
        update()
    }

    package func stopObserving(_ id: UInt64) { observers.remove(id) }
}
