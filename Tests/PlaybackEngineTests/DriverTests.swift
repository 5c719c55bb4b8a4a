import Dispatch
import Glibc
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting
import Testing

@Suite("Stepped driver")
struct DriverTests {
    @Test("Control and output precede decoding ahead, older work precedes newer, and a lane keeps its order")
    func order() {
        let driver = SteppedDriver()
        let loading = driver.makeLane(.blockingIO, label: "load")
        let control = driver.makeLane(.control, label: "control")
        let decoding = driver.makeLane(.decoding, label: "decode")
        let presenting = driver.makeLane(.output, label: "layer")
        let seen = Locked([String]())
        func enqueue(_ name: String, _ lane: any Lane) {
            lane.enqueue { seen.withLock { $0.append(name) } }
        }
        enqueue("load 1", loading)
        enqueue("decode 1", decoding)
        enqueue("layer 1", presenting)
        enqueue("load 2", loading)
        enqueue("control 1", control)
        enqueue("layer 2", presenting)
        driver.step()
        enqueue("control 2", control)
        while driver.step() {}
        #expect(
            seen.withLock { $0 } == [
                "layer 1", "control 1", "layer 2", "control 2", "load 1", "decode 1", "load 2",
            ]
        )
    }

    @Test(
        "The cost of a step does not depend on the number of lanes, so that many players can share a driver"
    )
    func manyLanes() {
        // Inspecting every lane would cost 8,000 times as much.
        let few = Self.cost(lanes: 1)
        let many = Self.cost(lanes: 8000)
        #expect(many < few * 100)
    }

    /// Returns the CPU time of this thread in seconds, which does not depend on the load of the machine.
    private static func cost(lanes count: Int) -> Double {
        let driver = SteppedDriver()
        let lanes = (0..<count).map { driver.makeLane(.control, label: "lane \($0)") }
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        for number in 0..<2000 {
            lanes[number % count].enqueue {}
            driver.step()
            driver.advance()
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
    }

    @Test("On a virtual clock the result of a parallel computation arrives at the same step in every run")
    func computed() {
        for _ in 0..<20 {
            let driver = VirtualDriver()
            let lane = driver.makeLane(.output, label: "show")
            let ahead = driver.makeLane(.decoding, label: "ahead")
            let seen = Locked([String]())
            let done = DispatchSemaphore(value: 0)
            lane.enqueue {
                for number in 0..<3 {
                    driver.compute({}, on: lane, then: { seen.withLock { $0.append("next \(number)") } })
                }
                for _ in 0..<20 { ahead.enqueue { seen.withLock { $0.append("ahead") } } }
                _ = driver.schedule(at: driver.clock.now.advanced(by: 1_000_000), on: lane) { done.signal() }
            }
            #expect(done.wait(timeout: .now() + 30) == .success)
            let run = [String](repeating: "ahead", count: 8)
            let expected = run + ["next 0"] + run + ["next 1"] + run.prefix(4) + ["next 2"]
            #expect(seen.withLock { $0 } == expected)
        }
    }

    @Test("A script that withholds data does not retain its driver")
    func heldBack() throws {
        weak var left: ManualDriver?
        do {
            let driver = ManualDriver()
            left = driver
            let demuxer = ScriptedDemuxer(.silentClip([.stall(atPacket: 0, until: 60)]), driver: driver)
            _ = try demuxer.open()
            for _ in 0..<3 { #expect(try demuxer.read().value == nil) }
        }
        #expect(left == nil)
    }
}
