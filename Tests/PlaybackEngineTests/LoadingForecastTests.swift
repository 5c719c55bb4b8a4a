import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: forecast
@Suite("Loading forecast and throughput")
struct LoadingForecastTests {
    private static let second: Int64 = 1_000_000_000

    private func forecast(_ marks: [(time: Int64, bytes: Int64)], of bytes: Int64 = 1000) throws
        -> LoadingForecast
    {
        var description = MediaDescription(formatName: "script")
        description.duration = .ms(10_000)
        description.byteCount = bytes
        description.byteMarks = marks.map { ByteMark(time: $0.time * Self.second, byteCount: $0.bytes) }
        return try #require(LoadingForecast(description))
    }

    private func wait(
        _ forecast: LoadingForecast,
        from time: Int64 = 0,
        to end: Int64? = nil,
        missing: Int64,
        bytesPerSecond: Double,
        rate: Double = 1
    ) -> Double {
        let delay = forecast.delay(
            from: time * Self.second,
            to: end.map { $0 * Self.second },
            missing: missing,
            speed: bytesPerSecond / 1e9,
            rate: rate
        )
        return (Double(delay) / 1e7).rounded() / 100
    }

    @Test("Without an index, playback is delayed so that the last byte arrives when it is played")
    func even() throws {
        let file = try forecast([])
        #expect(wait(file, missing: 1000, bytesPerSecond: 100) == 0)
        #expect(wait(file, missing: 1000, bytesPerSecond: 50) == 10)
        #expect(wait(file, missing: 500, bytesPerSecond: 50) == 0)
        #expect(wait(file, missing: 500, bytesPerSecond: 25) == 10)
        // Half of the file has been played.
        #expect(wait(file, from: 5, missing: 500, bytesPerSecond: 50) == 5)
        // The rate is doubled.
        #expect(wait(file, missing: 1000, bytesPerSecond: 100, rate: 2) == 5)
        #expect(wait(file, missing: 0, bytesPerSecond: 0) == 0)
    }

    @Test("With an index, playback is delayed so that each part arrives before it is played")
    func index() throws {
        let file = try forecast([(1, 600), (2, 700), (10, 1000)])
        // The first second needs 600 bytes, which arrive at 100 bytes per second.
        #expect(wait(file, missing: 1000, bytesPerSecond: 100) == 5)
        #expect(wait(file, missing: 400, bytesPerSecond: 100) == 0)
        #expect(wait(file, missing: 400, bytesPerSecond: 20) == 10)
        // Data after the end is not waited for.
        #expect(wait(file, to: 2, missing: 400, bytesPerSecond: 20) == 3)
        // Nor is data that has been played.
        #expect(wait(file, from: 1, missing: 400, bytesPerSecond: 50) == 1)
    }

    @Test("A file without a duration or a size has no forecast")
    func unknown() {
        var description = MediaDescription(formatName: "script")
        #expect(LoadingForecast(description) == nil)
        description.duration = .ms(10_000)
        #expect(LoadingForecast(description) == nil)
        description.byteCount = 10
        #expect(LoadingForecast(description) != nil)
    }

    @Test("Throughput is measured between arrivals, and not while reading is idle")
    func throughput() {
        var throughput = Throughput()
        func at(_ ms: Int64) -> HostTime { HostTime(nanoseconds: ms * 1_000_000) }
        func perSecond(_ ms: Int64) -> Double? { throughput.value(at: at(ms)).map { ($0 * 1e9).rounded() } }
        throughput.record(0, at: at(0), isIdle: false)
        #expect(perSecond(1000) == nil)
        // 100 bytes arrive every 100 ms.
        for step in 1...10 as ClosedRange<Int64> {
            throughput.record(step * 100, at: at(step * 100), isIdle: false)
            throughput.record(step * 100, at: at(step * 100 + 40), isIdle: false)
        }
        #expect(perSecond(1040) == 1000)
        // Without an arrival for one second the throughput is halved.
        #expect(perSecond(2000) == 500)
        throughput.record(1100, at: at(1100), isIdle: true)
        #expect(perSecond(9000) == 1000)
        throughput.record(1100, at: at(9000), isIdle: false)
        #expect(perSecond(9100) == 1000)
        // The throughput doubles; after 4 s the earlier samples are no longer used.
        for step in 1...90 as ClosedRange<Int64> {
            throughput.record(1100 + step * 200, at: at(9000 + step * 100), isIdle: false)
        }
        #expect(perSecond(18_000) == 2000)
    }

    @Test(
        "A silent connection has no throughput after the retention time, and sooner with a shorter window"
    )
    func silence() {
        var throughput = Throughput()
        func at(_ ms: Int64) -> HostTime { HostTime(nanoseconds: ms * 1_000_000) }
        func perSecond(_ ms: Int64, over seconds: Int64 = 4) -> Double? {
            throughput.current(at: at(ms), over: seconds * Self.second).map { ($0 * 1e9).rounded() }
        }
        // 1000 bytes per second arrive for four seconds, then none.
        for step in 0...40 as ClosedRange<Int64> {
            throughput.record(step * 100, at: at(step * 100), isIdle: false)
        }
        #expect([perSecond(4400), perSecond(5000), perSecond(6000), perSecond(8000)] == [1000, 750, 500, 0])
        #expect(
            [perSecond(4400, over: 2), perSecond(5000, over: 2), perSecond(6000, over: 2)] == [1000, 500, 0]
        )
        // The throughput before idle time is still known, but there is no current one.
        throughput.record(4000, at: at(4000), isIdle: true)
        #expect(perSecond(4100) == nil && throughput.value(at: at(4100)) != nil)
        // A smaller amount means that counting has started again.
        for step in 0...5 as ClosedRange<Int64> {
            throughput.record(step * 100, at: at(5000 + step * 100), isIdle: false)
        }
        throughput.record(50, at: at(5600), isIdle: false)
        #expect(perSecond(5600) == nil)
    }
}
