/// The volumes of an item's audio tracks over item time.
///
/// It is a value: change a copy, and set it on the item.
public struct AudioMix: Hashable, Sendable {
    /// The volume of each track.
    ///
    /// Parameters of tracks that are not played have no effect. If a track has several, the last ones apply. A track
    /// without parameters has a volume of 1.
    public var inputParameters: [AudioMixInputParameters]

    /// Creates a mix.
    ///
    /// - Parameter inputParameters: The volume of each track; by default, all tracks have a volume of 1.
    public init(inputParameters: [AudioMixInputParameters] = []) { self.inputParameters = inputParameters }

    package func parameters(for track: Int?) -> AudioMixInputParameters? {
        inputParameters.last { $0.trackID == track }
    }
}

/// The volume of one track over item time, as steps and linear ramps.
///
/// The volume starts at 1. After a ramp it keeps the ramp's final value. If ramps overlap, the one that starts later
/// applies from its start. If two start at the same time, the one that was set last applies.
public struct AudioMixInputParameters: Hashable, Sendable {
    private struct Ramp: Hashable, Sendable {
        var start: MediaTime
        /// The end of the ramp; equal to `start` for a step.
        var end: MediaTime
        var from: Float
        var to: Float
    }

    /// The `Track.id` of the track.
    public var trackID: Int
    /// The ramps, ordered by start.
    private var ramps: [Ramp] = []

    /// Creates parameters with a volume of 1.
    ///
    /// - Parameter trackID: The `Track.id` of the track.
    public init(trackID: Int) { self.trackID = trackID }

    /// Sets the volume from a time on.
    ///
    /// - Parameters:
    ///   - volume: The volume, clamped to 0...1.
    ///   - time: The item time. The call has no effect if it is not numeric.
    public mutating func setVolume(_ volume: Float, at time: MediaTime) {
        insert(Ramp(start: time, end: time, from: Self.clamped(volume), to: Self.clamped(volume)))
    }

    /// Sets a linear change of the volume over a range of item time.
    ///
    /// - Parameters:
    ///   - start: The volume at the start of the range, clamped to 0...1.
    ///   - end: The volume at the end of the range, clamped to 0...1.
    ///   - timeRange: The range, in item time. An empty range makes a step to `end`.
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

    /// Returns the ramp that applies at a time.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The volumes at the start and the end of the ramp and its range; nil if no ramp has started.
    public func volumeRamp(for time: MediaTime) -> (start: Float, end: Float, timeRange: MediaTimeRange)? {
        guard let ramp = ramps.last(where: { $0.start <= time }) else { return nil }
        return (ramp.from, ramp.to, MediaTimeRange(start: ramp.start, duration: ramp.end - ramp.start))
    }

    /// Returns the volume at a time.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The volume, from 0 to 1.
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

    /// Returns the volume of each of `count` samples starting at `time`, or nil if all are 1.
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
