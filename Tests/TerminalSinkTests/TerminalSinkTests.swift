import Dispatch
import Foundation
import Glibc
import MediaCore
import TestSupport
import Testing

@testable import TerminalSink

let hasChafa = if case .success = ChafaLibrary.shared { true } else { false }

/// Returns a frame whose pixels have the colors that `color` returns.
func frame(
    _ width: Int,
    _ height: Int,
    at seconds: Int64 = 0,
    bottomUp: Bool = false,
    color: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)
) -> VideoFrame {
    var bytes: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let (red, green, blue) = color(x, bottomUp ? height - 1 - y : y)
            bytes += [red, green, blue, 255]
        }
    }
    let stride = width * 4
    let plane = ByteFrameStorage.Plane(
        offset: bottomUp ? (height - 1) * stride : 0,
        bytesPerRow: bottomUp ? -stride : stride,
        bytesUsedPerRow: stride,
        rowCount: height
    )
    return VideoFrame(
        format: VideoFormat(pixelFormat: .rgba, size: PixelSize(width: width, height: height)),
        presentationTime: MediaTime(value: seconds, timescale: 1),
        duration: .invalid,
        isKeyFrame: true,
        sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
        storage: ByteFrameStorage(bytes, [plane])
    )
}

/// Returns a frame of random pixels, which hardly compresses.
func noise(_ width: Int, _ height: Int, seed: UInt64) -> VideoFrame {
    var random = SplitMix64(seed)
    return frame(width, height) { _, _ in
        let bits = random.next()
        return (
            UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
            UInt8(truncatingIfNeeded: bits >> 16)
        )
    }
}

func makeSink(
    _ terminal: PseudoTerminal,
    _ graphics: TerminalGraphics? = .symbols,
    status: Bool = false,
    resizeSettlingTime: DispatchTimeInterval = .never
) throws -> TerminalSink {
    try TerminalSink(
        terminal: terminal.terminal,
        graphics: graphics,
        hasStatusLine: status,
        environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
        resizeSettlingTime: resizeSettlingTime
    )
}

private let over = "\u{1B}[?2026l"
private let left = "\u{1B}[?1049l"

@Suite("Terminal sink", .enabled(if: hasChafa, "libchafa is not installed"))
struct TerminalSinkTests {
    static let red = [255, 0, 0]
    static let blue = [0, 0, 255]
    /// The number of cells of one half of 200x50 cells, without the column in which both halves meet.
    static let half = 4950...5000

    /// Returns a frame that is red on the left and blue on the right.
    static func halves(_ width: Int, _ height: Int, bottomUp: Bool = false) -> VideoFrame {
        frame(width, height, bottomUp: bottomUp) { x, _ in x < width / 2 ? (255, 0, 0) : (0, 0, 255) }
    }

    @Test("A frame is centered with its colors, and the normal screen is restored")
    func shown() throws {
        let terminal = try PseudoTerminal(columns: 40, rows: 12)
        let sink = try makeSink(terminal, status: true)
        #expect(sink.layerSize == PixelSize(width: 320, height: 176))
        // Eleven rows of 1:2 cells are as high as 22 columns are wide.
        let image = Self.halves(128, 128)
        try sink.start(image.format)
        sink.showStatus("before")
        try sink.present(image)
        sink.showStatus("after\u{1B}[2J")
        sink.finish()
        sink.finish()
        let text = terminal.read(until: left)
        #expect(text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"))
        let end = try #require(text.range(of: "\u{1B}\\"))
        var screen = ScreenModel(columns: 40, rows: 12)
        screen.apply(String(text[..<end.lowerBound]))
        #expect(screen.isOther && !screen.hasCursor && screen.updates == 2)
        for row in 0..<11 {
            #expect(screen.cells[row][..<9].allSatisfy { $0 == ScreenModel.Cell() }, "row \(row)")
            // The cells in which both halves meet contain both colors.
            #expect(screen.cells[row][9..<19].allSatisfy { $0.color == Self.red }, "row \(row)")
            #expect(screen.cells[row][21..<31].allSatisfy { $0.color == Self.blue }, "row \(row)")
            #expect(screen.cells[row][31...].allSatisfy { $0 == ScreenModel.Cell() }, "row \(row)")
        }
        #expect(screen.text(row: 11) == "after[2J")
        screen.apply(String(text[end.lowerBound...]))
        #expect(!screen.isOther && screen.hasCursor)
        #expect(sink.counters.framesDelivered == 1 && sink.counters.framesDropped == 0)
        #expect(throws: PlaybackError.self) { try sink.present(image) }
    }

    @Test("A frame that is stored bottom-up is shown upright")
    func bottomUp() throws {
        let terminal = try PseudoTerminal(columns: 16, rows: 8)
        let sink = try makeSink(terminal)
        try sink.present(frame(128, 128, bottomUp: true) { _, y in y < 64 ? (255, 0, 0) : (0, 0, 255) })
        var screen = ScreenModel(columns: 16, rows: 8)
        screen.apply(terminal.read(until: over))
        #expect(screen.cells[..<4].joined().allSatisfy { $0.color == Self.red })
        #expect(screen.cells[4...].joined().allSatisfy { $0.color == Self.blue })
        sink.finish()
    }

    @Test(
        "A terminal that is not read blocks no call; the current frame is completed, and only the newest follows"
    )
    func slow() throws {
        let terminal = try PseudoTerminal(columns: 200, rows: 50)
        let sink = try makeSink(terminal)
        for seed in 0..<9 { try sink.present(noise(400, 200, seed: UInt64(seed))) }
        try sink.present(Self.halves(400, 200))
        #expect(sink.counters.framesDelivered == 0 && sink.counters.framesDropped == 8)
        let text = terminal.read(until: over, times: 2)
        var screen = ScreenModel(columns: 200, rows: 50)
        screen.apply(text)
        #expect(screen.updates == 2)
        #expect(Self.half.contains(screen.count(Self.red)))
        #expect(Self.half.contains(screen.count(Self.blue)))
        sink.finish()
        // The second frame is counted when its last byte is written.
        _ = terminal.read(until: left)
        #expect(sink.counters.framesDropped == 8)
    }

    @Test(
        "The normal screen is restored on a terminal that is not read or stopped by ^S",
        arguments: [false, true]
    )
    func stuck(isHeld: Bool) throws {
        let terminal = try PseudoTerminal(columns: 200, rows: 50)
        let sink = try makeSink(terminal)
        let reported = Locked<[Bool]>([])
        sink.setScreenHandler { isShown in reported.withLock { $0.append(isShown) } }
        if isHeld { terminal.hold() }
        try sink.present(noise(400, 200, seed: 1))
        sink.suspend()
        sink.suspend()
        #expect(terminal.read(until: left).hasSuffix(left))
        // A frame that arrives meanwhile is shown later.
        try sink.present(Self.halves(400, 200))
        #expect(reported.withLock { $0 } == [true, false])
        sink.resume()
        var screen = ScreenModel(columns: 200, rows: 50)
        screen.apply(terminal.read(until: over))
        #expect(screen.isOther)
        #expect(Self.half.contains(screen.count(Self.red)))
        sink.finish()
        #expect(reported.withLock { $0 } == [true, false, true, false])
        _ = terminal.read(until: left)
    }

    @Test("A screen that one thread restores after another has entered it is entered for the next frame")
    func restoredLate() throws {
        let terminal = try PseudoTerminal(columns: 16, rows: 4)
        let sink = try makeSink(terminal)
        try sink.present(Self.halves(32, 16))
        _ = terminal.read(until: over)
        // `suspend` by one thread, and `resume` by another whose frame precedes the bytes of the first.
        sink.line.leave(ScreenBytes.leave(sink.graphics, rows: 4), isLast: false)
        _ = terminal.read(until: left)
        try sink.present(Self.halves(32, 16))
        #expect(terminal.read(until: over).hasPrefix("\u{1B}[?1049h"))
        #expect(sink.counters.framesDelivered == 2)
        sink.finish()
        _ = terminal.read(until: left)
    }

    @Test("A list that one thread restores after another has entered it is entered for the next change")
    func listRestoredLate() throws {
        let terminal = try PseudoTerminal(columns: 16, rows: 4)
        let screen = try PanelScreen(terminal: terminal.terminal, environment: ["TERM": "xterm-256color"])
        var content = PanelScreen.Content()
        screen.show(content, imageDidChange: false)
        _ = terminal.read(until: over)
        screen.line.leave(ScreenBytes.leave(.symbols, rows: 4), isLast: false)
        _ = terminal.read(until: left)
        content.lines = ["clip.mp4"]
        screen.show(content, imageDidChange: false)
        let text = terminal.read(until: over)
        #expect(text.hasPrefix("\u{1B}[?1049h"))
        #expect(text.contains("clip.mp4"))
        screen.finish()
        _ = terminal.read(until: left)
    }

    @Test(
        "After the last of several changes of the size everything is drawn once more, also without a new frame"
    )
    func settled() throws {
        let terminal = try PseudoTerminal(columns: 40, rows: 12)
        let sink = try makeSink(terminal, status: true, resizeSettlingTime: .milliseconds(500))
        try sink.present(Self.halves(320, 176))
        sink.showStatus("line")
        _ = terminal.read(until: over, times: 2)
        for (columns, rows) in [(30, 8), (25, 7), (20, 6)] {
            terminal.resize(columns: columns, rows: rows)
            sink.refresh()
        }
        // The update for the last change, and the one after it. Only these have their status line in row 6. If the
        // changes are late, one of the earlier sizes is drawn once more, too.
        let text = terminal.read(until: "\u{1B}[6;1H\u{1B}[0mline\u{1B}[K" + over, times: 2)
        let last = try #require(text.components(separatedBy: "\u{1B}[2J").last)
        var screen = ScreenModel(columns: 20, rows: 6)
        screen.apply(last)
        #expect(screen.cells[..<5].joined().filter { $0.color == Self.red }.count == 45)
        #expect(screen.text(row: 5) == "line")
        sink.finish()
        // Nothing follows the restored screen.
        #expect(terminal.read(until: left).components(separatedBy: "\u{1B}[2J").count == 1)
    }

    @Test("A new size is reported, and the newest frame is drawn again on a cleared screen")
    func resized() throws {
        let terminal = try PseudoTerminal(columns: 40, rows: 12)
        let sink = try makeSink(terminal, status: true)
        let sizes = Locked<[PixelSize]>([])
        sink.setSizeHandler { size in sizes.withLock { $0.append(size) } }
        sink.refresh()
        try sink.present(Self.halves(320, 176))
        sink.showStatus("line")
        _ = terminal.read(until: over, times: 2)
        terminal.resize(columns: 20, rows: 6)
        sink.refresh()
        sink.refresh()
        #expect(sizes.withLock { $0 } == [PixelSize(width: 160, height: 80)])
        let text = terminal.read(until: over)
        #expect(text.hasPrefix("\u{1B}[?2026h\u{1B}[0m\u{1B}[2J"))
        var screen = ScreenModel(columns: 20, rows: 6)
        screen.apply(text)
        #expect(screen.cells[..<5].joined().filter { $0.color == Self.red }.count == 45)
        #expect(screen.text(row: 5) == "line")
        // The cells are wider.
        terminal.resize(columns: 20, rows: 6, pixels: PixelSize(width: 200, height: 60))
        try sink.present(Self.halves(200, 50))
        #expect(sizes.withLock { $0 }.last == PixelSize(width: 200, height: 50))
        sink.finish()
        _ = terminal.read(until: left)
    }

    @Test("Each graphics protocol writes its sequences", arguments: TerminalGraphics.allCases)
    func protocols(graphics: TerminalGraphics) throws {
        let terminal = try PseudoTerminal(columns: 20, rows: 6, pixels: PixelSize(width: 200, height: 120))
        let sink = try makeSink(terminal, graphics)
        #expect(sink.graphics == graphics)
        // The cursor moves below the image with these two.
        let rows = graphics == .sixel || graphics == .iterm ? 5 : 6
        // Whole rows of sixels, which are six pixels high, so that libchafa does not scale.
        let height = graphics == .sixel ? 96 : rows * 20
        #expect(sink.layerSize == PixelSize(width: 200, height: height))
        try sink.present(Self.halves(200, height))
        let text = terminal.read(until: over)
        switch graphics {
        case .kitty:
            #expect(
                text.contains(
                    "\u{1B}[1;1H\u{1B}_Ga=T,f=32,s=200,v=120,c=20,r=6,i=7531,p=1,q=2,C=1,m=1\u{1B}\\"
                )
            )
            #expect(text.hasSuffix("\u{1B}_Gm=0\u{1B}\\" + over))
        case .iterm:
            #expect(text.contains("\u{1B}]1337;File=inline=1;width=20;height=5;preserveAspectRatio=0:"))
            #expect(text.hasSuffix("\u{7}" + over))
        case .sixel:
            #expect(text.contains("\u{1B}[1;1H\u{1B}P0;1;0q"))
            #expect(text.hasSuffix("\u{1B}\\" + over))
            #expect(Self.paintedSixelPixels(text) == 200 * height)
        case .symbols: #expect(!text.contains("\u{1B}_") && !text.contains("\u{1B}P"))
        }
        sink.finish()
        _ = terminal.read(until: left)
    }

    /// Returns the number of pixels that a sixel image paints; the others stay as they were.
    private static func paintedSixelPixels(_ text: String) -> Int {
        guard let begin = text.range(of: "\u{1B}P0;1;0q"),
            let end = text.range(of: "\u{1B}\\", range: begin.upperBound..<text.endIndex)
        else { return 0 }
        var painted: Set<SIMD2<Int>> = []
        var (column, top, count) = (0, 0, 1)
        var rest = text[begin.upperBound..<end.lowerBound].utf8[...]
        /// Removes a list of numbers with semicolons.
        func numbers() -> [Int] {
            let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
            rest = rest.dropFirst(digits.count)
            return String(decoding: digits, as: UTF8.self).split(separator: ";").compactMap { Int($0) }
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "#"): _ = numbers()
            case UInt8(ascii: "!"): count = numbers().first ?? 1
            case UInt8(ascii: "$"): column = 0
            case UInt8(ascii: "-"): (column, top) = (0, top + 6)
            case 63...126:
                for x in column..<column + count {
                    for row in 0..<6 where (byte - 63) >> row & 1 == 1 { painted.insert([x, top + row]) }
                }
                (column, count) = (column + count, 1)
            default: return 0
            }
        }
        return painted.count
    }

    @Test("Sixels are used only if the terminal reports its size in pixels")
    func sixelsNeedPixels() throws {
        for (pixels, graphics) in [
            (PixelSize.zero, TerminalGraphics.symbols), (PixelSize(width: 400, height: 240), .sixel),
        ] {
            let terminal = try PseudoTerminal(columns: 40, rows: 12, pixels: pixels)
            let sink = try TerminalSink(
                terminal: terminal.terminal,
                graphics: nil,
                hasStatusLine: false,
                environment: ["TERM": "foot"]
            )
            #expect(sink.graphics == graphics)
        }
    }

    @Test("Closing the terminal's window is an error of the next frame")
    func hungUp() throws {
        let terminal = try PseudoTerminal()
        let sink = try makeSink(terminal)
        let reported = Locked<[Bool]>([])
        sink.setScreenHandler { isShown in reported.withLock { $0.append(isShown) } }
        try sink.present(Self.halves(320, 176))
        _ = terminal.read(until: over)
        terminal.hangUp()
        let error = #expect(throws: PlaybackError.self) { try sink.present(Self.halves(320, 176)) }
        #expect(error?.message == "cannot write to the terminal: Input/output error")
        #expect(error?.code == .displayUnavailable && error?.systemCode == EIO)
        sink.finish()
        #expect(reported.withLock { $0 } == [true, false])
    }

    @Test("A sink needs a terminal that can position its cursor, and libchafa")
    func refused() throws {
        let pipe = try PseudoTerminal()
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        func message(
            _ terminal: Int32,
            _ type: String,
            library: Result<ChafaLibrary, PlaybackError> = ChafaLibrary.shared
        ) -> String? {
            #expect(throws: PlaybackError.self) {
                _ = try TerminalSink(
                    terminal: terminal,
                    graphics: nil,
                    hasStatusLine: false,
                    environment: ["TERM": type],
                    library: library
                )
            }?.message
        }
        #expect(message(file, "xterm") == "descriptor \(file) is not a terminal")
        #expect(message(pipe.terminal, "dumb") == "the terminal cannot position its cursor: TERM is dumb")
        let missing = Result { () throws(PlaybackError) in try ChafaLibrary(opening: "libnone.so.7") }
        #expect(
            message(pipe.terminal, "xterm", library: missing)
                == "terminal graphics need libchafa: libnone.so.7 is not installed (Debian: libchafa0)"
        )
        let other = Result { () throws(PlaybackError) in try ChafaLibrary(opening: "libm.so.6") }
        #expect(throws: PlaybackError.self) { _ = try other.get() }
    }
}
