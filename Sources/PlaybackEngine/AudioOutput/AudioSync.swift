import MediaCore
import PlayheadBackend

/// The player's audio output, synchronized with the timeline.
///
/// A device is the clock: the timeline follows what is heard. Any other sink receives its buffers ahead of
/// time, and the timeline follows the host's clock.
struct AudioSync {
    private(set) var output: AudioOutputLane?
    private var follower = AudioClockFollower()
    private var nextReading = HostTime.zero
    private var lastReading = HostTime.zero
    /// The time until which the start of the timeline waits for the device, or nil if it does not wait.
    private var startDeadline: HostTime?
    /// The time from which audio is written for a start that the application has set, or nil. The device plays nothing
    /// before, because it has no capacity for long silence.
    private var writeTime: HostTime?
    /// True if the device has supplied a reading since the start.
    private var hasReading = false
    /// The rate for which the audio of the device was processed, or nil if there is audio of several rates.
    private var rate: PlaybackRate? = .normal
    /// True if all audio of the pass has been delivered, and the device has been informed.
    private var hasEnded = false

    var device: (any AudioDeviceSink)? { output?.device }
    /// The lead time of the sink in nanoseconds: audio is written this long before it is due. It is nil if the
    /// sink does not specify one.
    var lead: Int64? { device?.leadNanoseconds }

    var facts: AudioDeviceFacts {
        var facts = follower.facts
        facts.device = device?.deviceName
        return facts
    }

    /// Replaces the output, and finishes the old one.
    mutating func replaceOutput(_ new: AudioOutputLane?) {
        output?.finish()
        output = new
    }

    /// Finishes the output. `done` is called on some lane when its sink has been finished.
    mutating func close(done: (@Sendable () -> Void)?) {
        guard let output else {
            done?()
            return
        }
        output.finish()
        if let done { output.afterPending(done) }
        self.output = nil
    }

    // MARK: While playing

    /// Compares what is heard with the position of the timeline, and corrects the difference.
    ///
    /// - Returns: The time of the next comparison, or nil if there is nothing to compare.
    mutating func update(_ timeline: inout Timeline, isAudible: Bool, at now: HostTime) -> HostTime? {
        guard let output, let device = output.device else { return nil }
        if timeline.isRunning, let writeTime {
            guard now >= writeTime else { return writeTime }
            self.writeTime = nil
            lastReading = now
            // The flush of `move` makes the delay of the device begin now.
            output.move(to: timeline.media(at: now))
            output.startInterruptedAudio(with: timeline)
        }
        guard timeline.isRunning, isAudible else {
            followHost(&timeline, at: now)
            return nil
        }
        if let startDeadline, mustWait(until: startDeadline, output, device, &timeline, at: now) {
            return min(startDeadline, now.advanced(by: Self.answerInterval))
        }
        guard now >= nextReading else { return nextReading }
        nextReading = now.advanced(by: Self.readingInterval)
        guard let reading = output.reading(at: now) else {
            let timeout = hasReading ? Self.readingTimeout : Self.startReadingTimeout
            if now.nanoseconds(since: lastReading) > timeout { followHost(&timeline, at: now) }
            return nextReading
        }
        lastReading = now
        hasReading = true
        let media = timeline.line(at: reading.host, epoch: reading.epoch)
        if let correction = follower.follow(reading, timeline: media) {
            apply(correction, to: &timeline, reading.epoch, at: now)
        }
        return nextReading
    }

    private func apply(
        _ correction: AudioClockCorrection,
        to timeline: inout Timeline,
        _ epoch: Epoch,
        at now: HostTime
    ) {
        switch correction {
        case .pace(let millionths): timeline.correct(by: millionths, epoch: epoch, at: now)
        case .hold(let time): timeline.hold(for: time, epoch: epoch, at: now)
        case .step(let time): timeline.step(by: time, epoch: epoch, at: now)
        case .moveAudio(let time): output?.move(by: time)
        case .restartAudio: output?.restart()
        }
    }

    /// Lets the timeline continue at the pace of the host's clock.
    private mutating func followHost(_ timeline: inout Timeline, at now: HostTime) {
        guard follower.stopFollowing() else { return }
        timeline.correct(by: 0, epoch: timeline.epoch, at: now)
    }

    /// Records whether the track has ended, so that running out of samples there is not an underrun.
    mutating func noteEnd(_ hasEnded: Bool) {
        if hasEnded, !self.hasEnded { output?.expectPause() }
        self.hasEnded = hasEnded
    }

    // MARK: Starting

    /// Prepares for a start of the timeline.
    ///
    /// - Parameters:
    ///   - isAudible: Whether audio is played.
    ///   - hasStartTime: Whether the application has set the time of the start, so that nothing is waited for.
    ///   - now: The current time.
    /// - Returns: The time that the timeline waits for its first audio to be heard, in nanoseconds.
    mutating func start(isAudible: Bool, hasStartTime: Bool, at now: HostTime) -> Int64 {
        follower.start(adjustsAudio: hasStartTime)
        nextReading = now
        lastReading = now
        hasReading = false
        startDeadline = nil
        guard let output, let device, isAudible else { return 0 }
        guard output.isConnecting, !hasStartTime else { return startWait(device) }
        startDeadline = now.advanced(by: Self.connectionTimeout)
        return Self.connectionTimeout
    }

    /// Returns false if the device has answered or has taken too long; the timeline then starts.
    private mutating func mustWait(
        until end: HostTime,
        _ output: AudioOutputLane,
        _ device: any AudioDeviceSink,
        _ timeline: inout Timeline,
        at now: HostTime
    ) -> Bool {
        guard !output.isConnecting || now >= end else { return true }
        startDeadline = nil
        lastReading = now
        let remaining = end.nanoseconds(since: now) - startWait(device)
        timeline.step(by: remaining, epoch: timeline.epoch, at: now)
        timeline.hold(for: -remaining, epoch: timeline.epoch, at: now)
        return false
    }

    /// Returns the time that video waits for its audio. A device that takes longer joins during playback.
    private func startWait(_ device: any AudioDeviceSink) -> Int64 {
        let delay = max(0, device.startDelay.nanoseconds)
        return delay.magnitude <= AudioClockFollower.maximumStartDelay ? delay : 0
    }

    // MARK: Rate

    /// Changes the rate during playback.
    ///
    /// A device plays the audio that it has received at the old rate, so the timeline changes its rate at the
    /// media time from which on the new rate is heard.
    ///
    /// - Parameters:
    ///   - new: The new rate.
    ///   - timeline: The timeline to change.
    ///   - isAudible: Whether audio is played.
    ///   - now: The current time.
    ///   - moved: Called on the audio lane if the change turns out to happen at another media time, with the
    ///     expected time, the actual time, and the epoch.
    mutating func changeRate(
        _ new: PlaybackRate,
        of timeline: inout Timeline,
        isAudible: Bool,
        at now: HostTime,
        moved: @escaping @Sendable (_ from: TimelineTime, _ to: TimelineTime, _ epoch: Epoch) -> Void
    ) {
        rate = new
        let epoch = timeline.epoch
        guard follower.isFollowing, isAudible, let output,
            let point = output.rateChangePoint(at: now, epoch: epoch)
        else {
            timeline.setRate(new, at: now)
            reprocess(timeline, at: now)
            return
        }
        timeline.changeRate(at: point.media, to: new, at: now)
        output.changeRate(with: timeline, at: point) { moved(point.media, $0, epoch) }
    }

    /// Prepares for a stop or another start of the timeline, which cancels rate changes that have not been heard yet,
    /// and a start that has not been reached.
    mutating func cancelRateChange(of timeline: Timeline, at now: HostTime) {
        writeTime = nil
        // The device has received audio for the former rate, and audio for the new one after it.
        if timeline.changesRate(after: now) { rate = nil }
    }

    /// Continues the audio after a pause. It is processed again if the rate has changed, or if the application has set
    /// the time of the start, before or after which the device would play what it has received.
    mutating func resume(_ timeline: Timeline, hasStartTime: Bool, at now: HostTime) {
        if hasStartTime, let lead, timeline.begin.advanced(by: -lead) > now {
            writeTime = timeline.begin.advanced(by: -lead)
            rate = timeline.rate
            output?.move(to: timeline.media(at: now))
            return
        }
        if timeline.rate != rate || hasStartTime {
            rate = timeline.rate
            reprocess(timeline, hasStartTime: hasStartTime, at: now)
        }
        output?.startInterruptedAudio(with: timeline)
    }

    private func reprocess(_ timeline: Timeline, hasStartTime: Bool = false, at now: HostTime) {
        let (media, isRunning) = Self.position(timeline, at: now)
        output?.reprocess(with: timeline, from: media, isLate: isRunning, hasStartTime: hasStartTime)
    }

    /// Returns the position of the timeline, and whether it is running. It is not running if it is stopped or
    /// about to start, so that no frame is ahead of what is heard next.
    private static func position(_ timeline: Timeline, at now: HostTime) -> (TimelineTime, isRunning: Bool) {
        let media = timeline.media(at: now)
        return (media, timeline.host(for: media).map { $0 <= now } ?? false)
    }

    /// Sets the volume from 0 to 1, after mute has been applied.
    func setVolume(_ volume: Float, _ timeline: Timeline, at now: HostTime) {
        let (media, isRunning) = Self.position(timeline, at: now)
        output?.setVolume(volume, with: timeline, from: media, isLate: isRunning)
    }

    /// The interval between readings: 50 ms, short enough to notice errors quickly.
    private static let readingInterval: Int64 = 50_000_000
    /// The longest time to wait for an audio server at a start: 0.5 s. After that, the beginning of the audio
    /// is not heard.
    private static let connectionTimeout: Int64 = 500_000_000
    /// The interval at which a waiting start is checked: 5 ms.
    private static let answerInterval: Int64 = 5_000_000
    /// The time without a reading after a start from which on there is considered to be no device: 700 ms.
    private static let startReadingTimeout: Int64 = 700_000_000
    /// The time without a reading from which on there is considered to be no device: 300 ms.
    private static let readingTimeout: Int64 = 300_000_000
}
