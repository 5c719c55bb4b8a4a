import MediaCore
import PlayheadBackend

/// The player's audio output, kept in step with the timeline.
///
/// A device is the clock: the timeline follows what is heard. Any other sink gets its buffers ahead of time,
/// and the timeline follows the host's clock.
struct AudioSync {
    private(set) var output: AudioOutputLane?
    private var follower = AudioClockFollower()
    private var nextReading = HostTime.zero
    private var lastReading = HostTime.zero
    /// The timeline's start waits for the device until then at most; nil: it does not wait.
    private var startDeadline: HostTime?
    /// The device has answered since the start.
    private var hasReading = false
    /// What the device has in hand was made for this rate.
    private var rate = PlaybackRate.normal
    /// All audio of the pass was handed over, and the device knows.
    private var hasEnded = false

    var device: (any AudioDeviceSink)? { output?.device }
    /// How long before it is due audio goes to the sink, in nanoseconds; nil: the sink does not say.
    var lead: Int64? { device?.lead }

    var facts: AudioDeviceFacts {
        var facts = follower.facts
        facts.device = device?.deviceName
        return facts
    }

    /// The old output is finished.
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

    /// Compares what is heard with where the timeline is, and corrects it. The result says when to do so
    /// again; nil: there is nothing to compare.
    mutating func update(_ timeline: inout Timeline, isAudible: Bool, at now: HostTime) -> HostTime? {
        guard let output, let device = output.device else { return nil }
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

    /// The timeline goes on from where it is, at the pace of the host's clock.
    private mutating func followHost(_ timeline: inout Timeline, at now: HostTime) {
        guard follower.stopFollowing() else { return }
        timeline.correct(by: 0, epoch: timeline.epoch, at: now)
    }

    /// A device that runs out of samples at the end of a track is told that it was to be so.
    mutating func noteEnd(_ hasEnded: Bool) {
        if hasEnded, !self.hasEnded { output?.expectPause() }
        self.hasEnded = hasEnded
    }

    // MARK: Starting

    /// The timeline starts. The result is how long it waits for its first audio to be heard, in nanoseconds.
    /// `isAppointed`: somebody has said when to start, so nothing is waited for.
    mutating func start(isAudible: Bool, hasStartTime: Bool, at now: HostTime) -> Int64 {
        follower.start()
        nextReading = now
        lastReading = now
        hasReading = false
        startDeadline = nil
        guard let output, let device, isAudible else { return 0 }
        guard output.isConnecting, !hasStartTime else { return startWait(device) }
        startDeadline = now.advanced(by: Self.connectionTimeout)
        return Self.connectionTimeout
    }

    /// False: the device has answered, or took too long, and the timeline starts.
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

    /// Video waits so long for its audio. A device that takes longer joins in the middle.
    private func startWait(_ device: any AudioDeviceSink) -> Int64 {
        let delay = max(0, device.startDelay)
        return delay.magnitude <= AudioClockFollower.maximumStartDelay ? delay : 0
    }

    // MARK: Rate

    /// Another rate while playing. A device plays what it has in hand at the old rate, so the timeline takes
    /// up the new one at the media time from which on it is heard. `moved` is called on the audio lane where
    /// that turns out to be another time: with the old time, the new one and the epoch.
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

    /// Playing on after a pause, maybe at another rate.
    mutating func resume(_ timeline: Timeline, at now: HostTime) {
        guard timeline.rate != rate else { return }
        rate = timeline.rate
        reprocess(timeline, at: now)
    }

    private func reprocess(_ timeline: Timeline, at now: HostTime) {
        let (media, isRunning) = Self.position(timeline, at: now)
        output?.reprocess(with: timeline, from: media, isLate: isRunning)
    }

    /// Where it is. False: it stands there, or begins only, so that no frame is ahead of what is heard next.
    private static func position(_ timeline: Timeline, at now: HostTime) -> (TimelineTime, isRunning: Bool) {
        let media = timeline.media(at: now)
        return (media, timeline.host(for: media).map { $0 <= now } ?? false)
    }

    /// 0...1, after mute is applied.
    func setVolume(_ volume: Float, _ timeline: Timeline, at now: HostTime) {
        let (media, isRunning) = Self.position(timeline, at: now)
        output?.setVolume(volume, with: timeline, from: media, isLate: isRunning)
    }

    /// 50 ms: often enough to notice at once that something is wrong.
    private static let readingInterval: Int64 = 50_000_000
    /// Half a second for a server to answer; then the beginning is not heard.
    private static let connectionTimeout: Int64 = 500_000_000
    private static let answerInterval: Int64 = 5_000_000
    private static let startReadingTimeout: Int64 = 700_000_000
    /// 300 ms without a reading: there is no device.
    private static let readingTimeout: Int64 = 300_000_000
}
