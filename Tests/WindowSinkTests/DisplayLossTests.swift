import CSDL
import Dispatch
import Foundation
import MediaCore
import Testing

@testable import WindowSink

/// The results that SDL is to report instead of its own, in the tests of one window system at a time.
private enum ScriptedSDL {
    nonisolated(unsafe) static var displayCount: Int32 = 1
    nonisolated(unsafe) static var flushResult: Int32 = 0
    nonisolated(unsafe) static var isDirect = false
    nonisolated(unsafe) static var hasWindowSystem = true
    nonisolated(unsafe) static var quitCount = 0
    // These are the functions of SDL, and are never changed after the library has been opened.
    nonisolated(unsafe) static var real = ph_sdl()

    /// SDL with the results above. A library keeps its table for the life of the process, so there is one.
    nonisolated(unsafe) private static var scripted: SDLLibrary?

    /// SDL on its dummy display, with the usual results at first.
    static func library() -> SDLLibrary? {
        guard WindowBench.isInstalled, case .success(let sdl) = SDLLibrary.shared else { return nil }
        (displayCount, flushResult, isDirect, hasWindowSystem, quitCount) = (1, 0, false, true, 0)
        if let scripted { return scripted }
        real = sdl.functions.pointee
        var table = real
        table.GetNumVideoDisplays = { ScriptedSDL.displayCount }
        table.RenderFlush = { renderer in
            ScriptedSDL.flushResult == 0 ? ScriptedSDL.real.RenderFlush(renderer) : ScriptedSDL.flushResult
        }
        table.GetCurrentVideoDriver = {
            ScriptedSDL.isDirect ? ScriptedSDL.directName : ScriptedSDL.real.GetCurrentVideoDriver()
        }
        table.InitSubSystem = { flags in
            ScriptedSDL.hasWindowSystem ? ScriptedSDL.real.InitSubSystem(flags) : -1
        }
        table.QuitSubSystem = { flags in
            ScriptedSDL.quitCount += 1
            ScriptedSDL.real.QuitSubSystem(flags)
        }
        let made = SDLLibrary(table)
        scripted = made
        return made
    }

    // Never changed.
    private nonisolated(unsafe) static let directName: UnsafePointer<CChar> = {
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: 7)
        for (index, byte) in "KMSDRM\0".utf8.enumerated() { name[index] = CChar(byte) }
        return UnsafePointer(name)
    }()
}

/// Displays that come and go. Time is passed in; SDL is real, on its dummy display, apart from the scripted results.
@Suite("Lost display", .enabled(if: WindowBench.isInstalled), .serialized)
struct DisplayLossTests {
    /// A window system on the windows' thread, and the window of one sink.
    private final class Bench: @unchecked Sendable {
        // Confined to the windows' thread.
        let system: WindowSystem
        let content: WindowContent
        let start = DispatchTime.now()
        private let events = Locked([WindowEvent]())

        init?(display: Int? = nil, connectors: DisplayConnectors = DisplayConnectors(path: "/nonexistent")) {
            guard let library = ScriptedSDL.library() else { return nil }
            system = WindowSystem(library, connectors: connectors)
            content = WindowContent(title: "film", applicationName: nil, display: display)
            content.setHandler { [events] event in events.withLock { $0.append(event) } }
        }

        func time(_ seconds: Double) -> DispatchTime { start + seconds }
        /// The events apart from sizes.
        var faults: [WindowEvent] {
            events.withLock { $0 }.filter { if case .resized = $0 { false } else { true } }
        }

        func open() throws { try system.open(content, for: PixelSize(width: 64, height: 36), at: start) }

        func present(_ value: UInt8, at seconds: Double) throws {
            _ = try content.enqueue(.plain([value, value, value]))
            system.show(content, at: time(seconds))
        }

        /// Performs the steps of the thread between events.
        func turn(at seconds: Double) {
            if system.mustCloseDisplay { system.closeDisplay(at: time(seconds)) }
            system.finishClosing()
            _ = system.recover(at: time(seconds))
        }

        /// The blue of the pixel in the middle.
        var color: UInt8? {
            guard let window = system.window(of: content), let pixels = window.pixels() else { return nil }
            return pixels[(window.size.height / 2 * window.size.width + window.size.width / 2) * 4]
        }

        func send(_ change: (inout ph_sdl_event) -> Void) {
            push(change)
            system.processPendingEvents(at: start)
        }

        /// Appends an event to those that are pending.
        func push(_ change: (inout ph_sdl_event) -> Void) {
            var event = ph_sdl_event()
            change(&event)
            _ = ph_sdl_push(system.sdl.functions, &event)
        }

        func sendDisplayEvent(_ kind: Int) {
            send { event in
                event.display.type = UInt32(PH_SDL_DISPLAYEVENT)
                event.display.event = UInt8(kind)
            }
        }

        func end() {
            ScriptedSDL.hasWindowSystem = true
            system.close(content)
            system.finishClosing()
            system.shutDown()
        }
    }

    private func run(
        display: Int? = nil,
        connectors: DisplayConnectors = DisplayConnectors(path: "/nonexistent"),
        _ body: @escaping @Sendable (Bench) throws -> Void
    ) async throws {
        let failure = try await WindowBench.onThread { shared -> (any Error)? in
            // SDL has one display, which the windows of other tests have closed.
            shared.shutDown()
            guard let bench = Bench(display: display, connectors: connectors) else { return nil }
            defer { bench.end() }
            do { try body(bench) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    @Test("A window that cannot be drawn to is opened again, and reports it once")
    func drawing() async throws {
        try await run { bench in
            try bench.open()
            try bench.present(10, at: 0)
            #expect(bench.faults == [])
            ScriptedSDL.flushResult = -1
            try bench.present(20, at: 1)
            #expect(bench.system.window(of: bench.content) == nil)
            guard case .displayLost? = bench.faults.last else {
                Issue.record("\(bench.faults)")
                return
            }
            bench.turn(at: 1)
            // The first attempt, after a second, fails at the first frame; the next ones follow after 2, 4, 8, 10 and 10.
            for second in 1...36 {
                try bench.present(30, at: Double(second))
                bench.turn(at: Double(second))
            }
            #expect(bench.faults.count == 1)
            #expect(bench.content.counters.framesDelivered == 1)
            let attempts = ScriptedSDL.quitCount
            #expect(attempts == 6)
            ScriptedSDL.flushResult = 0
            try bench.present(40, at: 37)
            bench.turn(at: 50)
            #expect(bench.faults.count == 2)
            #expect(bench.faults.last == .displayRestored)
            #expect(bench.color == 40)
            try bench.present(50, at: 51)
            #expect(bench.color == 50)
        }
    }

    @Test("A window system that ends is used again when it returns, with the last frame")
    func windowSystem() async throws {
        try await run { bench in
            try bench.open()
            try bench.present(10, at: 0)
            bench.send { $0.type = UInt32(PH_SDL_QUIT) }
            ScriptedSDL.hasWindowSystem = false
            bench.turn(at: 0)
            #expect(bench.faults == [.displayLost("the window system has ended")])
            #expect(ScriptedSDL.quitCount == 1)
            for second in 0..<5 { bench.turn(at: Double(second)) }
            #expect(bench.system.window(of: bench.content) == nil)
            ScriptedSDL.hasWindowSystem = true
            // Playback is paused: no frame arrives.
            bench.turn(at: 60)
            #expect(bench.color == 10)
            #expect(bench.faults.last == .displayRestored)
        }
    }

    @Test("The last frame is shown when the display returns, also after attempts that failed")
    func failedAttempt() async throws {
        try await run { bench in
            try bench.open()
            try bench.present(10, at: 0)
            ScriptedSDL.flushResult = -1
            try bench.present(20, at: 1)
            // Playback is paused: no frame arrives.
            for second in 1...5 { bench.turn(at: Double(second)) }
            #expect(ScriptedSDL.quitCount == 3)
            ScriptedSDL.flushResult = 0
            bench.turn(at: 20)
            #expect(bench.color == 20)
            #expect(bench.faults.count == 2)
            #expect(bench.faults.last == .displayRestored)
        }
    }

    @Test("A request to close the only window is no end of the window system, with any SDL")
    func closeRequest() async throws {
        try await run { bench in
            try bench.open()
            try bench.present(10, at: 0)
            let window = try #require(bench.system.window(of: bench.content)).identifier
            let requestClose = { (event: inout ph_sdl_event) in
                event.window.type = UInt32(PH_SDL_WINDOWEVENT)
                event.window.event = UInt8(PH_SDL_WINDOWEVENT_CLOSE)
                event.window.windowID = window
            }
            bench.push(requestClose)
            // The thread is woken by a frame, and SDL before 2.0.22 reports the end of the last window.
            bench.push { $0.type = UInt32(PH_SDL_USEREVENT) }
            bench.send { $0.type = UInt32(PH_SDL_QUIT) }
            bench.turn(at: 1)
            #expect(bench.faults == [.closeRequested])
            #expect(bench.color == 10)
            // A newer SDL does not, so that the window system ends later.
            bench.send(requestClose)
            #expect(bench.system.lossReason == nil)
            bench.send { $0.type = UInt32(PH_SDL_QUIT) }
            #expect(bench.system.lossReason != nil)
        }
    }

    @Test("A display that is disconnected is used again when one is connected")
    func displayEvents() async throws {
        try await run(display: 1) { bench in
            ScriptedSDL.displayCount = 2
            try bench.open()
            try bench.present(10, at: 0)
            bench.sendDisplayEvent(PH_SDL_DISPLAYEVENT_CONNECTED)
            #expect(bench.faults == [])
            ScriptedSDL.displayCount = 1
            bench.sendDisplayEvent(PH_SDL_DISPLAYEVENT_DISCONNECTED)
            let reason = "cannot open a window: display 1 does not exist: there is 1 display, number 0"
            #expect(bench.faults == [.displayLost(reason)])
            bench.turn(at: 0)
            bench.turn(at: 2)
            #expect(bench.system.window(of: bench.content) == nil)
            ScriptedSDL.displayCount = 2
            bench.turn(at: 10)
            #expect(bench.color == 10)
            #expect(bench.faults.last == .displayRestored)
        }
    }

    @Test("Without a window system, a screen that is unplugged is used again when it is plugged in")
    func connectors() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drm-\(UUID().uuidString)")
        let connector = folder.appendingPathComponent("card0-HDMI-A-1")
        try FileManager.default.createDirectory(at: connector, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record("\(error)") }
        }
        let status = connector.appendingPathComponent("status")
        let set = { @Sendable (text: String) in try Data((text + "\n").utf8).write(to: status) }
        try set("connected")
        let connectors = DisplayConnectors(path: folder.path)
        #expect(connectors.connected == ["card0-HDMI-A-1"])
        try await run(connectors: connectors) { bench in
            ScriptedSDL.isDirect = true
            try bench.open()
            try bench.present(10, at: 0)
            bench.system.checkConnectors(at: bench.time(3))
            bench.turn(at: 3)
            #expect(bench.faults == [])
            try set("disconnected")
            // The kernel is asked every two seconds.
            bench.system.checkConnectors(at: bench.time(4))
            #expect(!bench.system.mustCloseDisplay)
            bench.system.checkConnectors(at: bench.time(5.5))
            bench.turn(at: 5.5)
            #expect(bench.faults == [.displayLost("a screen was disconnected")])
            // The console has its screen back.
            #expect(ScriptedSDL.quitCount == 1)
            try set("connected")
            bench.turn(at: 7)
            #expect(bench.color == 10)
            #expect(bench.faults.last == .displayRestored)
            bench.system.close(bench.content)
            #expect(bench.system.mustCloseDisplay)
        }
    }

    @Test("A window that never showed a frame is not opened again: the sink fails")
    func firstFrame() async throws {
        try await run { bench in
            ScriptedSDL.flushResult = -1
            try bench.open()
            #expect(throws: PlaybackError.self) { try bench.present(10, at: 0) }
            #expect(bench.faults == [])
        }
    }

    @Test(
        "A display that does not exist is reported with the number of those that do",
        arguments: [
            (0, 1, nil), (1, 2, nil), (nil, 1, nil),
            (1, 1, "cannot open a window: display 1 does not exist: there is 1 display, number 0"),
            (7, 3, "cannot open a window: display 7 does not exist: there are 3 displays, numbered 0 to 2"),
            (0, 0, "cannot open a window: no screen is connected"),
            (nil, 0, "cannot open a window: no screen is connected"),
        ] as [(Int?, Int, String?)]
    )
    func numbers(display: Int?, count: Int, message: String?) {
        do throws(PlaybackError) {
            try Window.checkDisplay(display, count: count)
            #expect(message == nil)
        } catch {
            #expect(error.description == message)
        }
    }

    @Test(
        "The driver is that of the environment, or the screen's own without a window system",
        arguments: [
            (["DISPLAY": ":0"], "x11"), (["WAYLAND_DISPLAY": "wayland-0"], "wayland"),
            (["DISPLAY": ":0", "WAYLAND_DISPLAY": "w"], "x11,wayland"), (["DISPLAY": ""], ""), ([:], ""),
            (["SDL_VIDEODRIVER": "kmsdrm", "DISPLAY": ":0"], "kmsdrm"),
        ]
    )
    func drivers(environment: [String: String], expected: String) {
        #expect(
            DisplayDrivers.names({ environment[$0] }, DisplayConnectors(path: "/nonexistent")) == expected
        )
    }

    @Test("Attempts become rarer, and frequent again after the display has worked for a while")
    func retries() {
        var retry = DisplayRetry()
        let start = DispatchTime.now()
        func seconds() -> Double? {
            retry.due.map { Double($0.uptimeNanoseconds - start.uptimeNanoseconds) / 1e9 }
        }
        var now = 0.0
        var intervals: [Double] = []
        for _ in 0..<6 {
            retry.succeed()
            retry.fail(at: start + now)
            // A second window of the same display.
            retry.fail(at: start + now)
            intervals.append((seconds() ?? 0) - now)
            now = seconds() ?? 0
        }
        #expect(intervals == [1, 2, 4, 8, 10, 10])
        retry.succeed()
        #expect(retry.due == nil)
        retry.fail(at: start + now + 30)
        #expect(seconds() == now + 31)
        retry.hasten(at: start + now + 30)
        #expect(seconds() == now + 30)
    }
}
