import MediaCore

/// Timeline and sound are kept together here.
extension PlaybackLoop {
    /// What of the sound's state belongs to the loop.
    struct Following {
        var follower = SoundFollower()
        var nextReading = HostTime.zero
        var lastReading = HostTime.zero
        var hasEnded = false
        /// The timeline's start waits until then at most for a device to answer.
        var waitsUntil: HostTime?
        /// There was a reading since the start.
        var hasMet = false
        /// What the device has in hand was made for.
        var rate = PlaybackRate.normal
    }

    /// Compares what is heard with where the timeline is, and says when to do so again.
    func followSound(at now: HostTime) -> HostTime? {
        guard let audio, let device = audio.device else { return nil }
        counters.audioUnderruns = device.underruns
        guard renderer.timeline.isRunning, !renderer.isReverse, pipeline?.audio != nil else {
            followHost(at: now)
            return nil
        }
        if let waitsUntil = following.waitsUntil {
            guard !endWaiting(until: waitsUntil, device, at: now) else {
                return min(waitsUntil, now.advanced(by: Self.answerInterval))
            }
        }
        guard now >= following.nextReading else { return following.nextReading }
        following.nextReading = now.advanced(by: Self.readingInterval)
        guard let reading = audio.reading(at: now) else {
            let patience = following.hasMet ? Self.patience : Self.startPatience
            if now.nanoseconds(since: following.lastReading) > patience { followHost(at: now) }
            return following.nextReading
        }
        following.lastReading = now
        following.hasMet = true
        let media = renderer.timeline.line(at: reading.host, epoch: reading.epoch)
        if let correction = following.follower.follow(reading, timeline: media) {
            apply(correction, reading.epoch, at: now)
        }
        return following.nextReading
    }

    private func apply(_ correction: SoundCorrection, _ epoch: Epoch, at now: HostTime) {
        switch correction {
        case .pace(let millionths): renderer.timeline.correct(by: millionths, epoch: epoch, at: now)
        case .hold(let time): renderer.timeline.hold(for: time, epoch: epoch, at: now)
        case .step(let time): renderer.timeline.step(by: time, epoch: epoch, at: now)
        case .moveSound(let time): audio?.move(by: time)
        case .restartSound: audio?.restart()
        }
    }

    /// From here on the timeline runs at the pace of the host's clock; it goes on where it is.
    private func followHost(at now: HostTime) {
        guard following.follower.lose() else { return }
        renderer.timeline.correct(by: 0, epoch: renderer.timeline.epoch, at: now)
    }

    /// The device has answered, or took too long: the timeline starts. True: it waits on.
    private func endWaiting(until end: HostTime, _ device: any AudioDeviceSink, at now: HostTime) -> Bool {
        guard !device.isConnecting || now >= end else { return true }
        following.waitsUntil = nil
        following.lastReading = now
        let rest = end.nanoseconds(since: now) - startWait(device)
        renderer.timeline.step(by: rest, epoch: renderer.timeline.epoch, at: now)
        renderer.timeline.hold(for: -rest, epoch: renderer.timeline.epoch, at: now)
        return false
    }

    /// Pictures wait so long for their sound. A device that takes longer joins them in the middle.
    private func startWait(_ device: any AudioDeviceSink) -> Int64 {
        let delay = max(0, device.startDelay)
        return delay.magnitude <= SoundFollower.longestWait ? delay : 0
    }

    /// The timeline starts: how long until its first sound can be heard.
    func beginFollowing(at now: HostTime) -> Int64 {
        following.follower.start()
        following.nextReading = now
        following.lastReading = now
        following.hasMet = false
        following.waitsUntil = nil
        guard let device = audio?.device, pipeline?.audio != nil, !renderer.isReverse else { return 0 }
        guard device.isConnecting, appointment == nil else {
            return startWait(device)
        }
        following.waitsUntil = now.advanced(by: Self.longestWait)
        return Self.longestWait
    }

    /// While playing. The timeline takes up another speed at the moment from which on it is heard: a device plays
    /// what it has in hand at the old one.
    func changeRate(_ rate: Float, at now: HostTime) {
        let epoch = renderer.timeline.epoch
        let follows = following.follower.isFollowing && pipeline?.audio != nil && !renderer.isReverse
        let point = follows ? audio?.turnPoint(at: now, epoch: epoch) : nil
        following.rate = PlaybackRate(rate)
        guard let point else {
            renderer.setRate(rate, at: now)
            beginSoundAnew(at: now)
            return
        }
        let media = point.media
        renderer.timeline.turn(at: media, to: PlaybackRate(rate), at: now)
        audio?.turn(with: renderer.timeline, at: point) { [weak self] moved in
            self?.perform { loop in
                loop.renderer.timeline.moveTurn(
                    from: media,
                    to: moved,
                    epoch: epoch,
                    at: loop.driver.clock.now
                )
                loop.look()
            }
        }
    }

    /// Playing on after a pause, maybe at another speed.
    func resumeSound(at now: HostTime) {
        let rate = renderer.timeline.rate
        guard rate != following.rate else { return }
        following.rate = rate
        beginSoundAnew(at: now)
    }

    private func beginSoundAnew(at now: HostTime) {
        let timeline = renderer.timeline
        let media = timeline.media(at: now)
        // Where it stands, or begins only, no picture is ahead of what is heard next.
        let hasBegun = timeline.host(for: media).map { $0 <= now } ?? false
        audio?.beginAnew(with: timeline, from: media, isLate: hasBegun)
    }

    /// A device that runs out of samples at the end of a track has not been let down.
    func noteEndOfSound() {
        guard let audio, audio.device != nil, let pipeline else { return }
        let hasEnded = renderer.soundHasEnded(pipeline)
        defer { following.hasEnded = hasEnded }
        if hasEnded, !following.hasEnded { audio.pauseExpected() }
    }

    /// After an end was told of: what was handed over of the sound beyond it is heard only if that is what comes,
    /// and then.
    func checkSeam() {
        if renderer.endWasReported { return dropSoundAhead() }
        if renderer.soundIsMisplaced { audio?.restart() }
    }

    /// Sound from beyond a seam was handed over, and the seam does not come.
    func dropSoundAhead() {
        guard renderer.ahead != nil else { return }
        audio?.restart()
    }

    /// From any thread; see `AudioDeviceSink`.
    package func setAudioDevice(_ uniqueID: String?) { perform { $0.audio?.setDevice(uniqueID) } }

    var audioFacts: AudioDeviceFacts {
        var facts = following.follower.facts
        facts.device = audio?.device?.deviceName
        return facts
    }

    /// 50 ms: often enough to notice at once that something is wrong.
    private static let readingInterval: Int64 = 50_000_000
    /// Half a second for a server to answer; then the beginning is not heard.
    private static let longestWait: Int64 = 500_000_000
    private static let answerInterval: Int64 = 5_000_000
    private static let startPatience: Int64 = 700_000_000
    /// 300 ms without a reading: there is no device.
    private static let patience: Int64 = 300_000_000
}
