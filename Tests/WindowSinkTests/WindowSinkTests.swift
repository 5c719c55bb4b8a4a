import CSDL
import Dispatch
import Glibc
import MediaCore
import Testing

@testable import WindowSink

@Suite("Window sink on a dummy display", .enabled(if: WindowBench.isInstalled), .serialized)
struct WindowSinkTests {
    private let sink = WindowSink(title: "a film.mp4")
    private let events: Events

    init() { events = Events(sink) }

    private func shown() async throws -> Shown {
        let size = try #require(events.sizes.last)
        let bytes = try await WindowBench.inWindow(of: sink) { $0.pixels() }
        return Shown(bytes: try #require(bytes ?? nil), size: size)
    }

    private func show(_ frame: VideoFrame) throws {
        try sink.start(frame.format)
        try sink.present(frame)
    }

    /// Closes the window, as vplay does.
    private func close() async {
        sink.finish()
        await sink.closed()
    }

    @Test("The window opens in the size of the first frame and shows its exact pixels")
    func exact() async throws {
        func color(_ x: Int, _ y: Int) -> [UInt8] { [UInt8(x * 3), UInt8(y * 5), UInt8((x + y) % 256)] }
        try show(.painted(width: 80, height: 45, color))
        #expect(events.all == [.resized(PixelSize(width: 80, height: 45))])
        let shown = try await shown()
        for y in 0..<45 {
            for x in 0..<80 where shown.color(x, y) != color(x, y) { Issue.record("\(x) \(y)") }
        }
        try show(.painted(width: 80, height: 45, isBottomUp: true, color))
        let again = try await self.shown()
        #expect(again.bytes == shown.bytes)
        #expect(sink.counters.framesDelivered == 2)
        await close()
    }

    @Test("A frame larger than the display opens a window that fits, with the same aspect ratio")
    func large() async throws {
        try show(.plain([10, 20, 30], width: 1920, height: 1080))
        #expect(events.sizes == [PixelSize(width: 1024, height: 576)])
        let shown = try await shown()
        #expect(shown.color(0, 0) == [10, 20, 30])
        #expect(shown.color(1023, 575) == [10, 20, 30])
        await close()
    }

    @Test(
        "The size of a window is that of the frame, scaled down to the display",
        arguments: [
            (PixelSize(width: 320, height: 180), PixelSize(width: 320, height: 180)),
            (PixelSize(width: 1024, height: 768), PixelSize(width: 1024, height: 768)),
            (PixelSize(width: 1025, height: 768), PixelSize(width: 1024, height: 767)),
            (PixelSize(width: 600, height: 4000), PixelSize(width: 115, height: 768)),
            (PixelSize(width: 100_000, height: 10), PixelSize(width: 1024, height: 1)),
        ]
    )
    func size(of frame: PixelSize, window: PixelSize) {
        #expect(Window.size(for: frame, in: PixelSize(width: 1024, height: 768)) == window)
    }

    @Test("While the display is busy, the newest frame replaces the others, and no call waits")
    func newest() async throws {
        try show(.plain([1, 1, 1]))
        _ = try await shown()
        let gate = DispatchSemaphore(value: 0)
        try WindowThread.shared.get().perform { _ in gate.wait() }
        for value in UInt8(2)...6 { try sink.present(.plain([value, value, value])) }
        gate.signal()
        let shown = try await shown()
        #expect(shown.color(5, 5) == [6, 6, 6])
        #expect(sink.counters.framesDelivered == 2)
        #expect(sink.counters.framesDropped == 4)
        await close()
    }

    @Test(
        "A new size is reported once, and a frame of the old size is completely visible until a new one arrives"
    )
    func resized() async throws {
        try show(.plain([200, 100, 50], width: 64, height: 36))
        _ = try await WindowBench.inWindow(of: sink) { $0.resize(to: PixelSize(width: 128, height: 128)) }
        try await WindowBench.processPendingEvents()
        #expect(events.sizes == [PixelSize(width: 64, height: 36), PixelSize(width: 128, height: 128)])
        let old = try await shown()
        #expect(old.color(64, 27) == [0, 0, 0])
        #expect(old.color(64, 28) == [200, 100, 50])
        #expect(old.color(64, 99) == [200, 100, 50])
        #expect(old.color(64, 100) == [0, 0, 0])
        try show(.plain([5, 6, 7], width: 128, height: 128))
        let new = try await shown()
        #expect(new.color(0, 0) == [5, 6, 7])
        #expect(new.color(127, 127) == [5, 6, 7])
        await close()
    }

    @Test("A handler that is set late receives the size at once")
    func lateHandler() async throws {
        try show(.plain([0, 0, 0]))
        _ = try await shown()
        let late = Events(sink)
        #expect(late.all == [.resized(PixelSize(width: 64, height: 36))])
        await close()
    }

    @Test("Keys are reported by character or name; double clicks and close requests are reported")
    func keys() async throws {
        try show(.plain([0, 0, 0]))
        for text in ["q", "ä", "["] {
            try await WindowBench.send(
                { event in
                    event.text.type = UInt32(PH_SDL_TEXTINPUT)
                    withUnsafeMutableBytes(of: &event.text.text) {
                        $0.copyBytes(from: Array(text.utf8) + [0])
                    }
                },
                to: sink
            )
        }
        let named = [
            PH_SDLK_LEFT, PH_SDLK_RIGHT, PH_SDLK_UP, PH_SDLK_DOWN, PH_SDLK_PAGEUP, PH_SDLK_PAGEDOWN,
            PH_SDLK_HOME,
            PH_SDLK_END, PH_SDLK_ESCAPE, PH_SDLK_RETURN, PH_SDLK_TAB, PH_SDLK_BACKSPACE, 0x4000_0039,
        ]
        for key in named {
            try await WindowBench.send(
                { event in
                    event.key.type = UInt32(PH_SDL_KEYDOWN)
                    event.key.sym = Int32(key)
                },
                to: sink
            )
        }
        for clicks: UInt8 in 1...2 {
            try await WindowBench.send(
                { event in
                    event.button.type = UInt32(PH_SDL_MOUSEBUTTONDOWN)
                    event.button.button = UInt8(PH_SDL_BUTTON_LEFT)
                    event.button.clicks = clicks
                    (event.button.x, event.button.y) = (12, 7)
                },
                to: sink
            )
        }
        for (turned, precise): (Int32, Float) in [(-2, 0), (1, 0.25)] {
            try await WindowBench.send(
                { event in
                    event.wheel.type = UInt32(PH_SDL_MOUSEWHEEL)
                    event.wheel.y = turned
                    event.wheel.preciseY = precise
                },
                to: sink
            )
        }
        try await WindowBench.send(
            { event in
                event.window.type = UInt32(PH_SDL_WINDOWEVENT)
                event.window.event = UInt8(PH_SDL_WINDOWEVENT_CLOSE)
            },
            to: sink
        )
        let keys: [WindowKey] = [
            .character("q"), .character("ä"), .character("["), .left, .right, .up, .down, .pageUp, .pageDown,
            .home,
            .end, .escape, .enter, .tab, .backspace,
        ]
        let mouse: [WindowEvent] = [
            .clicked(x: 12, y: 7), .doubleClicked, .scrolled(x: 0, y: -2), .scrolled(x: 0, y: 0.25),
        ]
        let expected = keys.map { WindowEvent.keyPressed($0) } + mouse + [.closeRequested]
        for (event, wanted) in zip(events.all.dropFirst(), expected) { #expect(event == wanted) }
        #expect(events.all.count == expected.count + 1)
        await close()
    }

    @Test("A full-screen window fills the display", arguments: [false, true])
    func fullscreen(fromTheStart: Bool) async throws {
        let (display, own) = (PixelSize(width: 1024, height: 768), PixelSize(width: 64, height: 36))
        sink.isFullscreen = fromTheStart
        try show(.plain([9, 9, 9]))
        sink.isFullscreen = true
        try await WindowBench.processPendingEvents()
        #expect(events.sizes == (fromTheStart ? [display] : [own, display]))
        #expect(try await shown().color(512, 384) == [9, 9, 9])
        #expect(sink.isFullscreen)
        // This display keeps the size, but the property changes.
        sink.isFullscreen = false
        #expect(!sink.isFullscreen)
        await close()
    }

    /// Presents a frame, and returns what `examine` finds on the windows' thread before the thread does anything else.
    private func present(then examine: @escaping @Sendable (WindowSystem) -> [Bool]) async throws -> [Bool]? {
        let (results, continuation) = AsyncStream.makeStream(of: [Bool].self)
        let thread = try WindowThread.shared.get()
        let gate = DispatchSemaphore(value: 0)
        thread.perform { _ in gate.wait() }
        do {
            defer { gate.signal() }
            try sink.present(.plain([0, 0, 0]))
            thread.perform { continuation.yield(examine($0)) }
        }
        var iterator = results.makeAsyncIterator()
        return await iterator.next()
    }

    @Test("The screen saver is inhibited while frames arrive, and signal handlers are unchanged")
    func sideEffects() async throws {
        func isSaverOn() async throws -> Bool {
            try await WindowBench.onThread { $0.sdl.functions.pointee.IsScreenSaverEnabled() != 0 }
        }
        try sink.start(VideoFrame.plain([0, 0, 0]).format)
        #expect(try await isSaverOn())
        let start = DispatchTime.now()
        let states = try await present { system in
            [start, DispatchTime.now() + .seconds(4)].map { time in
                system.updateScreenSaver(at: time)
                return system.sdl.functions.pointee.IsScreenSaverEnabled() != 0
            }
        }
        #expect(states == [false, true])
        let later = try await present { [$0.sdl.functions.pointee.IsScreenSaverEnabled() != 0] }
        #expect(later == [false])
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            sigaction(number, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            #expect(handler == unsafeBitCast(SIG_DFL, to: Int.self))
        }
        await close()
        #expect(try await isSaverOn())
    }

    @Test("Several windows each receive their own keys, and closing one leaves the others")
    func several() async throws {
        let other = WindowSink(title: "another")
        let otherEvents = Events(other)
        try show(.plain([1, 2, 3]))
        try other.start(VideoFrame.plain([4, 5, 6]).format)
        try other.present(.plain([4, 5, 6]))
        try await WindowBench.send(
            { event in
                event.key.type = UInt32(PH_SDL_KEYDOWN)
                event.key.sym = Int32(PH_SDLK_LEFT)
            },
            to: other
        )
        #expect(otherEvents.all.last == .keyPressed(.left))
        #expect(!events.all.contains(.keyPressed(.left)))
        other.finish()
        await other.closed()
        #expect(try await WindowBench.inWindow(of: other) { _ in true } == nil)
        try other.present(.plain([7, 8, 9]))
        #expect(other.counters.framesDelivered == 1)
        #expect(try await shown().color(0, 0) == [1, 2, 3])
        await close()
    }

    @Test("Without a frame no window opens, and finishing has no effect")
    func unused() async throws {
        await close()
        #expect(events.all == [])
        #expect(sink.counters == VideoSinkCounters())
        try await WindowSink.checkDisplay()
    }

    @Test("A check of a display that does not respond ends with an error")
    func stuckDisplay() async throws {
        let gate = DispatchSemaphore(value: 0)
        let thread = try WindowThread.shared.get()
        try thread.start()
        thread.perform { _ in gate.wait() }
        defer { gate.signal() }
        let error = await #expect(throws: PlaybackError.self) {
            try await WindowSink.checkDisplay(within: .milliseconds(1))
        }
        #expect(error?.description == "cannot open a window: the display does not respond")
        #expect(error?.code == .displayUnavailable)
    }

    @Test("A missing library and a library other than SDL2 are reported")
    func missingLibrary() throws {
        let missing = #expect(throws: PlaybackError.self) { try SDLLibrary.load("libnothing-2.0.so.0").get() }
        #expect(
            missing?.description
                == "cannot open a window: SDL2 is required: libnothing-2.0.so.0 is not installed (Debian: libsdl2-2.0-0)"
        )
        let other = #expect(throws: PlaybackError.self) { try SDLLibrary.load("libm.so.6").get() }
        let message =
            "cannot open a window: SDL2 is too old: it has no SDL_InitSubSystem (2.0.12 or newer is required)"
        #expect(other?.description == message)
    }

    @Test("A sink throws the error of a display that refuses")
    func refused() async throws {
        try show(.plain([1, 2, 3]))
        _ = try await shown()
        sink.content.fail(.cannotShowFrames("no more"))
        let error = #expect(throws: PlaybackError.self) { try sink.present(.plain([1, 2, 3])) }
        #expect(error?.description == "cannot show frames in a window: no more")
        #expect(error?.code == .displayUnavailable)
        await close()
    }
}
