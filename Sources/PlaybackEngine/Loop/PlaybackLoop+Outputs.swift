package import MediaCore
import PlayheadBackend

/// Frames on their way to whoever asks for them beside the layers. Called on the control lane.
package struct FrameTap: Sendable {
    /// Gets every frame as it comes due, and the item that it belongs to, and says whether the layers show it.
    let take: @Sendable (ItemID, VideoFrame) -> Bool
    /// False: the layers show nothing of the item.
    let isRendered: @Sendable (ItemID) -> Bool

    package init(
        take: @escaping @Sendable (ItemID, VideoFrame) -> Bool = { _, _ in true },
        isRendered: @escaping @Sendable (ItemID) -> Bool = { _ in true }
    ) {
        self.take = take
        self.isRendered = isRendered
    }
}

/// What the loop's owner plugs in. All on the control lane; see `perform`.
extension PlaybackLoop {
    func addLayer(_ layer: LayerOutput) {
        layer.setReport { [weak self] report in self?.perform { $0.outputReported(report) } }
        layers.add(layer)
    }

    package func removeLayer(_ layer: LayerOutput) { layers.remove(layer) }

    /// On the control lane: the frame being shown, for who comes late; nil: none of the item's is.
    package func frameShown(of id: ItemID) -> VideoFrame? { layers.lastItem == id ? layers.lastFrame : nil }

    /// From any thread: whether layers show the item may have changed.
    package func reconsiderRendering(_ id: ItemID) {
        perform { loop in
            guard loop.current?.id == id, let frame = loop.frameShown(of: id) else { return }
            let wasSuppressed = loop.layers.isSuppressed
            loop.suppressRendering(of: id, !loop.frameTap.isRendered(id))
            guard wasSuppressed, !loop.layers.isSuppressed else { return }
            loop.layers.present(frame, of: id, isEssential: true, done: loop.readiness())
        }
    }

    /// Before each frame of the item.
    func suppressRendering(of id: ItemID, _ isSuppressed: Bool) {
        guard isSuppressed != layers.isSuppressed else { return }
        if layers.suppress(isSuppressed) { report(.readyForDisplayChanged(id, false)) }
    }

    package func setAudio(_ output: AudioOutputLane?) {
        audio.replaceOutput(output)
        presentation.sinkLead = audio.lead ?? PresentationScheduler.defaultLead(isRealTime: driver.isRealTime)
        presentation.audioSlack =
            audio.lead == nil ? PresentationScheduler.defaultSlack(isRealTime: driver.isRealTime) : 0
        output?.setPaused(state.timelineRate == 0)
    }

    /// 0...1, after mute is applied.
    package func setVolume(_ volume: Float) { audio.setVolume(volume, presentation.timeline, at: now) }

    /// From any thread; see `AudioDeviceSink`.
    package func setAudioDevice(_ uniqueID: String?) { perform { $0.audio.output?.setDevice(uniqueID) } }

    package func outputReported(_ output: OutputReport) {
        switch output {
        case .deinterlacingChanged: layers.reconsiderDemand()
        // What is lost is lost of what is being shown.
        case .notDeinterlaced(let error): if let id = current?.id { fault(error, of: id) }
        case .device(.interruptionBegan): handle(.interruptionBegan)
        case .device(.interruptionEnded): handle(.interruptionEnded)
        case .skipped: publisher.counters.framesSkippedBySinks += 1
        case .sinkFailed(let error, let underlying): report(.sinkFailed(error, underlying))
        }
    }

    // MARK: Time observers

    /// `call` is called on the control lane. `interval`: nanoseconds of item time.
    package func observePeriodically(
        _ id: UInt64,
        every interval: Int64,
        _ call: @escaping @Sendable (ItemTime) -> Void
    ) {
        observers.addPeriodic(id, interval: interval, now: presentation.itemTime(at: now), call)
        update()
    }

    /// `call` is called on the control lane, once for each of `times` that is reached or passed.
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
