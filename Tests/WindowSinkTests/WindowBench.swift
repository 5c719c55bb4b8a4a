import CSDL
import Glibc
import MediaCore

@testable import WindowSink

/// Windows on SDL's dummy display of 1024x768 pixels, which is not visible.
enum WindowBench {
    /// A Boolean value that indicates whether SDL2 is installed. The first access selects the dummy display.
    static let isInstalled: Bool = {
        setenv("SDL_VIDEODRIVER", "dummy", 1)
        if case .success = SDLLibrary.shared { return true }
        print("SDL2 is not installed: tests of windows are skipped")
        return false
    }()

    /// Runs `body` on the windows' thread, after earlier commands.
    static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (WindowSystem) -> Value
    ) async throws -> Value {
        let thread = try WindowThread.shared.get()
        try thread.start()
        return await withCheckedContinuation { answer in
            thread.perform { answer.resume(returning: body($0)) }
        }
    }

    /// Runs `body` with the sink's window.
    static func inWindow<Value: Sendable>(
        of sink: WindowSink,
        _ body: @escaping @Sendable (Window) -> Value
    ) async throws -> Value? {
        let content = sink.content
        return try await onThread { system in system.window(of: content).map(body) }
    }

    /// Sends an event of the user, and returns after it was handled.
    static func send(_ change: @escaping @Sendable (inout ph_sdl_event) -> Void, to sink: WindowSink)
        async throws
    {
        _ = try await inWindow(of: sink) { window in
            var event = ph_sdl_event()
            event.window.windowID = window.identifier
            change(&event)
            let library = SDLLibrary.shared
            if case .success(let sdl) = library { _ = ph_sdl_push(sdl.functions, &event) }
        }
        try await processPendingEvents()
    }

    /// Handles all pending events.
    static func processPendingEvents() async throws { try await onThread { $0.processPendingEvents() } }
}

/// The events of a window, in order.
final class Events: Sendable {
    private let events = Locked([WindowEvent]())
    var all: [WindowEvent] { events.withLock { $0 } }
    var sizes: [PixelSize] {
        all.compactMap { if case .resized(let size) = $0 { size } else { nil } }
    }

    init(_ sink: WindowSink) {
        sink.setEventHandler { [events] event in events.withLock { $0.append(event) } }
    }
}

/// A storage with four bytes per pixel.
final class Pixels: VideoFrameStorage {
    private let bytes: [UInt8]
    private let width: Int
    private let isBottomUp: Bool

    init(_ bytes: [UInt8], width: Int, isBottomUp: Bool = false) {
        self.bytes = bytes
        self.width = width
        self.isBottomUp = isBottomUp
    }

    var byteCount: Int { bytes.count }

    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { memory in
            guard let start = memory.baseAddress else { return try body([]) }
            let (row, count) = (width * 4, bytes.count / width / 4)
            let plane = VideoPlane(
                baseAddress: isBottomUp ? start + (count - 1) * row : start,
                bytesPerRow: isBottomUp ? -row : row,
                bytesUsedPerRow: row,
                rowCount: count
            )
            return try body([plane])
        }
    }
}

extension VideoFrame {
    /// Returns a frame with the blue, green and red values that `color` returns for each pixel.
    static func painted(
        width: Int,
        height: Int,
        isBottomUp: Bool = false,
        _ color: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> VideoFrame {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for x in 0..<width { bytes += color(x, isBottomUp ? height - 1 - row : row) + [0] }
        }
        return VideoFrame(
            format: VideoFormat(
                pixelFormat: PixelFormat(rawValue: "bgr0"),
                size: PixelSize(width: width, height: height)
            ),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: Pixels(bytes, width: width, isBottomUp: isBottomUp)
        )
    }

    static func plain(_ color: [UInt8], width: Int = 64, height: Int = 36) -> VideoFrame {
        painted(width: width, height: height) { _, _ in color }
    }
}

/// The pixels that a window shows.
struct Shown: Sendable {
    let bytes: [UInt8]
    let size: PixelSize

    /// Returns the blue, green and red values of a pixel.
    func color(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * size.width + x) * 4
        return Array(bytes[start..<start + 3])
    }
}
