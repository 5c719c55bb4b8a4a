import MediaCore

/// Whether what is missing of an item will come in time: by its bytes, where it is known how many have come, else by how much of
/// its media was read.
struct StallPredictor {
    private var bytes = Throughput()
    /// It says less, for it sees what was read alone.
    private var media = Throughput()
    private var loading: LoadingState?
    private var forecast: LoadingForecast?
    private var hasForecast = false

    /// Another place is read, or it is waited there: what was read until now says nothing.
    mutating func restart() { media = Throughput() }

    /// `ahead`: nanoseconds of media that were read from the moment's time on. `isIdle`: nothing is read at present.
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
        // All of this pass is there, and reading is in the next one.
        guard ahead < .max else { return }
        media.record((situation.itemTime + ahead).nanoseconds, at: situation.host, isIdle: isIdle)
    }

    /// It is known how many bytes have come.
    var countsBytes: Bool { loading != nil }

    /// Whether nothing would be missing up to the end, if it came at so many times the speed that was measured; nil: nobody
    /// knows. `isCurrent`: by what has come in the last two seconds alone.
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
        // Of a film without an end nobody knows how much is left.
        guard let duration else { return isCurrent ? nil : false }
        guard speed > 0 else { return false }
        let left = max(0, ItemTime(nanoseconds: duration) - situation.itemTime)
        return Double(max(0, left - ahead)) / speed <= Double(left) / rate
    }

    /// Nanoseconds: two seconds.
    private static let currentSpeedWindow: Int64 = 2_000_000_000
}
