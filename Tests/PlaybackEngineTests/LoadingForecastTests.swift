import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: forecast
@Suite("How long what is still to come of a file is waited for")
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

    @Test("Without an index: until the last byte comes when it is played")
    func even() throws {
        let film = try forecast([])
        #expect(wait(film, missing: 1000, bytesPerSecond: 100) == 0)
        #expect(wait(film, missing: 1000, bytesPerSecond: 50) == 10)
        #expect(wait(film, missing: 500, bytesPerSecond: 50) == 0)
        #expect(wait(film, missing: 500, bytesPerSecond: 25) == 10)
        // Half of it has been played.
        #expect(wait(film, from: 5, missing: 500, bytesPerSecond: 50) == 5)
        // Twice as fast.
        #expect(wait(film, missing: 1000, bytesPerSecond: 100, rate: 2) == 5)
        #expect(wait(film, missing: 0, bytesPerSecond: 0) == 0)
    }

    @Test("With an index: until each part comes before it is played")
    func index() throws {
        let film = try forecast([(1, 600), (2, 700), (10, 1000)])
        // 600 bytes at 100 a second for the first second.
        #expect(wait(film, missing: 1000, bytesPerSecond: 100) == 5)
        #expect(wait(film, missing: 400, bytesPerSecond: 100) == 0)
        #expect(wait(film, missing: 400, bytesPerSecond: 20) == 10)
        // What lies behind the end is not waited for.
        #expect(wait(film, to: 2, missing: 400, bytesPerSecond: 20) == 3)
        // What has been played neither.
        #expect(wait(film, from: 1, missing: 400, bytesPerSecond: 50) == 1)
    }

    @Test("Nothing is known of a film without length or size")
    func unknown() {
        var description = MediaDescription(formatName: "script")
        #expect(LoadingForecast(description) == nil)
        description.duration = .ms(10_000)
        #expect(LoadingForecast(description) == nil)
        description.byteCount = 10
        #expect(LoadingForecast(description) != nil)
    }

    @Test("Throughput is measured from arrival to arrival, and not while reading rests")
    func throughput() {
        var throughput = Throughput()
        func at(_ ms: Int64) -> HostTime { HostTime(nanoseconds: ms * 1_000_000) }
        func perSecond(_ ms: Int64) -> Double? { throughput.value(at: at(ms)).map { ($0 * 1e9).rounded() } }
        throughput.record(0, at: at(0), isIdle: false)
        #expect(perSecond(1000) == nil)
        // 100 bytes each 100 ms.
        for step in 1...10 as ClosedRange<Int64> {
            throughput.record(step * 100, at: at(step * 100), isIdle: false)
            throughput.record(step * 100, at: at(step * 100 + 40), isIdle: false)
        }
        #expect(perSecond(1040) == 1000)
        // Nothing for a second: half as fast.
        #expect(perSecond(2000) == 500)
        throughput.record(1100, at: at(1100), isIdle: true)
        #expect(perSecond(9000) == 1000)
        throughput.record(1100, at: at(9000), isIdle: false)
        #expect(perSecond(9100) == 1000)
        // Twice as fast from here on: 4 s later nothing else is known.
        for step in 1...90 as ClosedRange<Int64> {
            throughput.record(1100 + step * 200, at: at(9000 + step * 100), isIdle: false)
        }
        #expect(perSecond(18_000) == 2000)
    }

    @Test(
        "What came longer ago than is remembered says nothing of a line that is silent; a shorter look sees it sooner"
    )
    func silence() {
        var throughput = Throughput()
        func at(_ ms: Int64) -> HostTime { HostTime(nanoseconds: ms * 1_000_000) }
        func perSecond(_ ms: Int64, over seconds: Int64 = 4) -> Double? {
            throughput.current(at: at(ms), over: seconds * Self.second).map { ($0 * 1e9).rounded() }
        }
        // 1000 a second for four seconds, then nothing.
        for step in 0...40 as ClosedRange<Int64> {
            throughput.record(step * 100, at: at(step * 100), isIdle: false)
        }
        #expect([perSecond(4400), perSecond(5000), perSecond(6000), perSecond(8000)] == [1000, 750, 500, 0])
        #expect(
            [perSecond(4400, over: 2), perSecond(5000, over: 2), perSecond(6000, over: 2)] == [1000, 500, 0]
        )
        // What came before a rest is known still, but it does not come now.
        throughput.record(4000, at: at(4000), isIdle: true)
        #expect(perSecond(4100) == nil && throughput.value(at: at(4100)) != nil)
        // Counted from elsewhere.
        for step in 0...5 as ClosedRange<Int64> {
            throughput.record(step * 100, at: at(5000 + step * 100), isIdle: false)
        }
        throughput.record(50, at: at(5600), isIdle: false)
        #expect(perSecond(5600) == nil)
    }
}
