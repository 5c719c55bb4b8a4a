package import MediaCore

/// What the loop's owner plugs in. All on the control lane; see `perform`.
extension PlaybackLoop {
    func addLayer(_ layer: LayerOutput) {
        layer.setReport { [weak self] report in self?.perform { $0.outputReported(report) } }
        layers.add(layer)
    }

    package func removeLayer(_ layer: LayerOutput) { layers.remove(layer) }

    /// On the control lane: the frame being shown, for who comes late; nil: none of the item's is.
    package func frameShown(of id: ItemID) -> VideoFrame? { layers.lastItem == id ? layers.lastFrame : nil }

    package func setAudio(_ output: AudioOutputLane?) {
        audio.replaceOutput(output)
        renderer.sinkLead = audio.lead ?? Renderer.defaultLead(isRealTime: driver.isRealTime)
        renderer.audioSlack = audio.lead == nil ? Renderer.defaultSlack(isRealTime: driver.isRealTime) : 0
        output?.setPaused(state.timelineRate == 0)
    }

    /// 0...1, after mute is applied.
    package func setVolume(_ volume: Float) { audio.output?.setVolume(volume) }

    /// From any thread; see `AudioDeviceSink`.
    package func setAudioDevice(_ uniqueID: String?) { perform { $0.audio.output?.setDevice(uniqueID) } }

    package func outputReported(_ output: OutputReport) {
        switch output {
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
        observers.addPeriodic(id, interval: interval, now: renderer.itemTime(at: now), call)
        update()
    }

    /// `call` is called on the control lane, once for each of `times` that is reached or passed.
    package func observeTimes(
        _ id: UInt64,
        _ times: [ItemTime],
        _ call: @escaping @Sendable (ItemTime) -> Void
    ) {
        observers.addBoundary(id, times: times, now: renderer.itemTime(at: now), call)
        update()
    }

    package func stopObserving(_ id: UInt64) { observers.remove(id) }
}
