import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: reasons for waiting before the buffer can be evaluated")
struct WaitReasonTests {
    private static let evaluating = "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate"
    private static let spinner = "1.0 waitingToPlayAtSpecifiedRate toMinimizeStalls"

    enum Lack: CaseIterable, Sendable { case firstPacket, later }

    @Test(
        "A start without data evaluates the buffering rate for a moment, and then waits to minimize stalls",
        arguments: Lack.allCases
    )
    func start(lack: Lack) {
        let bench = PlayerTestBench(.silentClip())
        bench.player.play()
        let fault: ScriptedMedia.Fault =
            switch lack {
            case .firstPacket: .stall(atPacket: 0, until: 5)
            case .later: .stall(atPacket: 1, until: 5)
            }
        bench.load(.silentClip([fault]))
        #expect(bench.stateLine == (lack == .later ? Self.spinner : Self.evaluating))
        bench.driver.run(until: .ms(90))
        #expect(bench.stateLine == (lack == .later ? Self.spinner : Self.evaluating))
        bench.driver.run(until: .ms(110))
        #expect(bench.stateLine == Self.spinner)
        bench.driver.run(until: .ms(4900))
        #expect(bench.stateLine == Self.spinner)
        bench.driver.run(until: .ms(5200))
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.takeLines(of: "stalled").isEmpty)
    }

    @Test(
        "Without automatic waiting the reason is never minimizing stalls, and it follows changes of the setting"
    )
    func waitingOff() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.load(.silentClip([.stall(atPacket: 0, until: 5)]))
        bench.player.play()
        bench.driver.run(seconds: 2)
        #expect(bench.stateLine == Self.evaluating)
        bench.player.automaticallyWaitsToMinimizeStalling = true
        bench.driver.run(seconds: 0.2)
        #expect(bench.stateLine == Self.spinner)
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.driver.run(seconds: 0.2)
        #expect(bench.stateLine == Self.evaluating)
        bench.driver.run(until: .ms(5100))
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("A seek to missing data has the same reasons, also with another seek, until playback begins")
    func seek() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(ScriptedMedia(video: .init(frameCount: 500), faults: [.stall(atPacket: 200, until: 5)]))
        bench.player.play()
        bench.driver.run(until: .ms(500))
        bench.player.seek(to: .ms(8000), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.settle()
        #expect(bench.stateLine == Self.evaluating)
        bench.driver.run(until: .ms(700))
        #expect(bench.stateLine == Self.spinner)
        bench.player.seek(to: .ms(8100), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.settle()
        #expect(bench.stateLine == Self.spinner)
        bench.player.pause()
        bench.driver.run(until: .ms(1500))
        #expect(bench.stateLine == "0.0 paused")
        bench.player.play()
        bench.driver.settle()
        #expect(bench.stateLine == Self.evaluating)
        bench.driver.run(until: .ms(6000))
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("A new item is evaluated again, and a start with data reports no wait to minimize stalls")
    func brief() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.play()
        bench.load(.silentClip([.stall(atPacket: 0, until: 5)]))
        bench.driver.run(until: .ms(500))
        #expect(bench.stateLine == Self.spinner)
        bench.load(.silentClip([.stall(atPacket: 0, until: 5)]))
        #expect(bench.stateLine == Self.evaluating)
        bench.driver.run(until: .ms(580))
        #expect(bench.stateLine == Self.evaluating)
        bench.driver.run(until: .ms(700))
        #expect(bench.stateLine == Self.spinner)
        _ = bench.takeLines()
        bench.load()
        bench.driver.run(seconds: 1)
        #expect(!bench.takeLines(of: "status").contains { $0.contains("toMinimizeStalls") })
    }
}
