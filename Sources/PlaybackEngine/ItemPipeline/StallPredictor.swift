import MediaCore

/// Predicts whether the missing data of an item will arrive in time. It uses the bytes received if they are known,
/// and otherwise the media that were read.
struct StallPredictor {
    private var bytes = Throughput()
    /// The throughput in media time. It is less exact than `bytes`, because it covers only what was read.
    private var media = Throughput()
    private var loading: LoadingState?
    private var forecast: LoadingForecast?
    private var hasForecast = false

    /// Starts again after a seek or a stall: earlier measurements no longer apply.
    mutating func restart() { media = Throughput() }

    /// Records a measurement.
    ///
    /// - Parameters:
    ///   - pipeline: The item's pipeline.
    ///   - situation: The position and the state of playback.
    ///   - ahead: The duration that has been read after the playback position, in nanoseconds.
    ///   - isIdle: Whether nothing is being read.
    mutating func record(
        _ pipeline: ItemPipeline,
        _ situation: BufferMonitor.Situation,
        ahead: Int64,
        isIdle: Bool
    ) {
        if !hasForecast { forecast = LoadingForecast(pipeline.description) }
        hasForecast = true
        loading = forecast == nil ? nil : pipeline.loadingState
        if let loading { bytes.record(loading.receivedBytes, at: situation.host, isIdle: isIdle) }
        // All of this pass has been read, and reading is in the next one.
        guard ahead < .max else { return }
        media.record((situation.itemTime + ahead).nanoseconds, at: situation.host, isIdle: isIdle)
    }

    /// A Boolean value that indicates whether the number of bytes received is known.
    var countsBytes: Bool { loading != nil }

    /// Returns whether all data up to the end would arrive in time, or nil if that is unknown.
    ///
    /// - Parameters:
    ///   - situation: The position and the state of playback.
    ///   - ahead: The duration that has been read after the playback position, in nanoseconds.
    ///   - duration: The duration of the item in nanoseconds, or nil if it is unknown.
    ///   - speedFactor: The multiple of the measured throughput that is assumed.
    ///   - isCurrent: Whether only the last two seconds are measured.
    func arrivesInTime(
        _ situation: BufferMonitor.Situation,
        ahead: Int64,
        of duration: Int64?,
        speedFactor: Double,
        isCurrent: Bool = false
    ) -> Bool? {
        let rate = Double(max(situation.rate, 0.01))
        let measured = loading == nil ? media : bytes
        let current = isCurrent ? measured.current(at: situation.host, over: Self.currentSpeedWindow) : nil
        guard let value = isCurrent ? current : measured.value(at: situation.host) else { return nil }
        let speed = value * speedFactor
        if let loading, let forecast {
            let delay = forecast.delay(
                from: situation.itemTime.nanoseconds,
                to: situation.end?.nanoseconds,
                missing: loading.missingBytes,
                speed: speed,
                rate: rate
            )
            return delay == 0
        }
        if speed >= rate { return true }
        // Without a duration it is unknown how much is left.
        guard let duration else { return isCurrent ? nil : false }
        guard speed > 0 else { return false }
        let left = max(0, ItemTime(nanoseconds: duration) - situation.itemTime)
        return max(0, Double(left) - Double(ahead)) / speed <= Double(left) / rate
    }

    /// The window for measuring the current throughput: 2 s.
    private static let currentSpeedWindow: Int64 = 2_000_000_000
}
