import MediaCore

/// What the loop's owner plugs in. All on the control lane; see `perform`.
extension PlaybackLoop {
    func addLayer(_ layer: LayerOutput) {
        layer.setReport { [weak self] report in self?.perform { $0.outputReported(report) } }
        layers.append(layer)
        if let lastFrame { layer.present(lastFrame, isEssential: true, done: nil) }
    }

    package func removeLayer(_ layer: LayerOutput) {
        layer.setReport(nil)
        layers.removeAll { $0 === layer }
    }

    package func setAudio(_ output: AudioOutputLane?) {
        audio?.finish()
        audio = output
        renderer.sinkLead = output?.device?.lead ?? Renderer.defaultLead(isRealTime: driver.isRealTime)
        audio?.setPaused(state.timelineRate == 0)
    }

    /// 0...1, after mute is applied.
    package func setVolume(_ volume: Float) { audio?.setVolume(volume) }

    package func outputReported(_ output: OutputReport) {
        switch output {
        case .skipped: counters.framesSkippedBySinks += 1
        case .sinkFailed(let error, let underlying): report(.sinkFailed(error, underlying))
        }
    }

    // MARK: Time observers

    /// `call` gets item time in nanoseconds, on the control lane.
    package func observePeriodically(
        _ id: UInt64,
        every interval: Int64,
        _ call: @escaping @Sendable (Int64) -> Void
    ) {
        let now = renderer.itemTime(at: driver.clock.now)
        observers.addPeriodic(id, interval: interval, now: now, call)
        look()
    }

    /// `times`: item times in nanoseconds.
    package func observeTimes(_ id: UInt64, _ times: [Int64], _ call: @escaping @Sendable (Int64) -> Void) {
        let now = renderer.itemTime(at: driver.clock.now)
        observers.addBoundary(id, times: times, now: now, call)
        look()
    }

    package func stopObserving(_ id: UInt64) { observers.remove(id) }
}
