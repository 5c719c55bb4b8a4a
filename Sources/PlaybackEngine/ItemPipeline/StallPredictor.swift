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
    mutating func startAnew() { media = Throughput() }

    /// `ahead`: nanoseconds of media that were read from the moment's time on. `isResting`: nothing is read at present.
    mutating func note(
        _ pipeline: ItemPipeline,
        _ moment: BufferMonitor.Situation,
        ahead: Int64,
        isResting: Bool
    ) {
        if !hasForecast { forecast = LoadingForecast(pipeline.description) }
        hasForecast = true
        loading = forecast == nil ? nil : pipeline.loadingState
        if let loading { bytes.note(loading.receivedBytes, at: moment.host, isResting: isResting) }
        // All of this pass is there, and reading is in the next one.
        guard ahead < .max else { return }
        media.note((moment.itemTime + ahead).nanoseconds, at: moment.host, isResting: isResting)
    }

    /// It is known how many bytes have come.
    var countsBytes: Bool { loading != nil }

    /// Whether nothing would be missing up to the end, if it came at so many times the speed that was measured; nil: nobody
    /// knows. `isCurrent`: by what has come in the last two seconds alone.
    func comesInTime(
        _ moment: BufferMonitor.Situation,
        ahead: Int64,
        of duration: Int64?,
        at part: Double,
        isCurrent: Bool = false
    ) -> Bool? {
        let rate = Double(max(moment.rate, 0.01))
        let measured = loading == nil ? media : bytes
        let current = isCurrent ? measured.current(at: moment.host, over: Self.window) : nil
        guard let value = isCurrent ? current : measured.value(at: moment.host) else { return nil }
        let speed = value * part
        if let loading, let forecast {
            let delay = forecast.delay(
                from: moment.itemTime.nanoseconds,
                to: moment.end?.nanoseconds,
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
        let left = max(0, ItemTime(nanoseconds: duration) - moment.itemTime)
        return Double(max(0, left - ahead)) / speed <= Double(left) / rate
    }

    /// Nanoseconds: two seconds.
    private static let window: Int64 = 2_000_000_000
}
