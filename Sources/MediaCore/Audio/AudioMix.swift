/// How loud an item's audio tracks are, over item time. A value: change a copy and set it on the item.
public struct AudioMix: Hashable, Sendable {
    /// One for each track; those of tracks that are not played change nothing, and of two for the same track
    /// the last one counts. A track without any is as loud as it is.
    public var inputParameters: [AudioMixInputParameters]

    /// Without parameters all tracks are as loud as they are.
    public init(inputParameters: [AudioMixInputParameters] = []) { self.inputParameters = inputParameters }

    package func parameters(for track: Int?) -> AudioMixInputParameters? {
        inputParameters.last { $0.trackID == track }
    }
}

/// One track's volume: steps and straight ramps. It begins at 1, and after a ramp stays where that ended.
///
/// Ramps may overlap: from the moment where a later one begins, that one alone counts. Of two that begin at
/// the same time it is the one that was set last.
public struct AudioMixInputParameters: Hashable, Sendable {
    private struct Ramp: Hashable, Sendable {
        var start: MediaTime
        /// The same as `start`: a step.
        var end: MediaTime
        var from: Float
        var to: Float
    }

    /// `Track.id`.
    public var trackID: Int
    /// By start.
    private var ramps: [Ramp] = []

    /// A volume of 1 all the way, for the track with this `Track.id`.
    public init(trackID: Int) { self.trackID = trackID }

    /// From `time` on (item time). A volume is held within 0...1; a time that is none changes nothing.
    public mutating func setVolume(_ volume: Float, at time: MediaTime) {
        insert(Ramp(start: time, end: time, from: Self.clamped(volume), to: Self.clamped(volume)))
    }

    /// From one volume to another in a straight line over a range of item time. A range without length is a
    /// step to `end`.
    public mutating func setVolumeRamp(from start: Float, to end: Float, timeRange: MediaTimeRange) {
        let over = timeRange.end
        insert(
            Ramp(
                start: timeRange.start,
                end: over.isNumeric && over > timeRange.start ? over : timeRange.start,
                from: Self.clamped(start),
                to: Self.clamped(end)
            )
        )
    }

    /// The ramp that counts at `time`; nil: none has begun.
    public func volumeRamp(for time: MediaTime) -> (start: Float, end: Float, timeRange: MediaTimeRange)? {
        guard let ramp = ramps.last(where: { $0.start <= time }) else { return nil }
        return (ramp.from, ramp.to, MediaTimeRange(start: ramp.start, duration: ramp.end - ramp.start))
    }

    /// 0...1.
    public func volume(at time: MediaTime) -> Float {
        guard let ramp = ramps.last(where: { $0.start <= time }) else { return 1 }
        return Self.value(ramp, (time - ramp.start).seconds)
    }

    private mutating func insert(_ ramp: Ramp) {
        guard ramp.start.isNumeric else { return }
        ramps.removeAll { $0.start == ramp.start }
        ramps.insert(ramp, at: ramps.firstIndex { $0.start > ramp.start } ?? ramps.endIndex)
    }

    private static func clamped(_ volume: Float) -> Float { volume.isNaN ? 0 : max(0, min(1, volume)) }

    private static func value(_ ramp: Ramp, _ elapsed: Double) -> Float {
        let length = (ramp.end - ramp.start).seconds
        guard elapsed < length else { return ramp.to }
        return ramp.from + (ramp.to - ramp.from) * Float(elapsed / length)
    }

    /// For each of `count` samples from `time` on, its own volume; nil where all are 1.
    package func gains(from time: MediaTime, count: Int, sampleRate: Int) -> [Float]? {
        guard count > 0, sampleRate > 0, !ramps.isEmpty else { return nil }
        var next = ramps.firstIndex { $0.start > time } ?? ramps.endIndex
        var current = next > 0 ? ramps[next - 1] : nil
        var elapsed = current.map { (time - $0.start).seconds } ?? 0
        var untilNext = next < ramps.count ? (ramps[next].start - time).seconds : .infinity
        var gains = [Float](repeating: 1, count: count)
        var isUnity = true
        var first = 0
        for index in gains.indices {
            let passed = Double(index) / Double(sampleRate)
            while passed >= untilNext {
                current = ramps[next]
                first = index
                elapsed = passed - untilNext
                next += 1
                untilNext = next < ramps.count ? (ramps[next].start - time).seconds : .infinity
            }
            guard let current else { continue }
            gains[index] = Self.value(current, elapsed + Double(index - first) / Double(sampleRate))
            if gains[index] != 1 { isUnity = false }
        }
        return isUnity ? nil : gains
    }
}
