import FFmpeg
import Foundation
import MediaCore
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

/// The durations and the sample times of an MP4 file are whatever its author wrote.
@Suite(
    "Files with absurd durations",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct ByteMarksTests {
    enum Lie: CaseIterable, Sendable {
        /// The file says that it lasts longer than nanoseconds can count.
        case long
        /// One track says that it lasts a nanosecond, and the other one has samples decades apart.
        case short
    }

    /// The file whose boxes are `lie`. Its index comes last, so that no offset depends on the length of a box.
    private static func bytes(_ lie: Lie) throws -> [UInt8] {
        var trackCount = 0
        return changed([UInt8](try Data(contentsOf: Fixture.url("clip-moov-at-end.mp4"))), lie, &trackCount)
    }

    private static func changed(_ bytes: [UInt8], _ lie: Lie, _ trackCount: inout Int) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while rest.count >= 8 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            var name = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            var body = [UInt8](rest.prefix(size).dropFirst(8))
            rest = rest.dropFirst(size)
            switch name {
            case "moov", "trak", "mdia", "minf", "stbl": body = changed(body, lie, &trackCount)
            case "edts": name = "free"
            case "mdhd":
                trackCount += 1
                body = header(body, lie, isFirst: trackCount == 1)
            case "stts" where lie == .long || trackCount == 1:
                // Each sample lasts 68 years.
                for entry in stride(from: 8, to: body.count, by: 8) {
                    body.replaceSubrange(entry + 4..<entry + 8, with: [0x7F, 0xFF, 0xFF, 0xFF])
                }
            default: break
            }
            result += number(body.count + 8, 4) + Array(name.utf8) + body
        }
        return result
    }

    /// The timescale and the duration of a track.
    private static func header(_ body: [UInt8], _ lie: Lie, isFirst: Bool) -> [UInt8] {
        let language = body.suffix(4)
        return switch (lie, isFirst) {
        case (.long, _): [1, 0, 0, 0] + number(0, 16) + number(1, 4) + number(1 << 40, 8) + language
        case (.short, true): [0, 0, 0, 0] + number(0, 8) + number(1, 4) + number(0, 4) + language
        case (.short, false):
            [0, 0, 0, 0] + number(0, 8) + number(1_000_000_000, 4) + number(1, 4) + language
        }
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    @Test("The index gives byte marks in the order of time, and none traps", arguments: Lie.allCases)
    func marks(_ lie: Lie) throws {
        let bytes = try Self.bytes(lie)
        var request = OpenRequest(location: "film.mp4")
        request.source = ScriptedByteSource(bytes, isLocal: false)
        let marks = try FFmpegDemuxer(request).open().get().byteMarks
        #expect(marks.count == 513)
        #expect(marks.last?.byteCount == Int64(bytes.count))
        #expect(
            zip(marks, marks.dropFirst()).allSatisfy { $0.time <= $1.time && $0.byteCount <= $1.byteCount }
        )
    }

    @Test(
        "On the virtual clock they are played to their end at once",
        arguments: Lie.allCases,
        [true, false]
    )
    func play(_ lie: Lie, hasAudio: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("film.mp4", try Self.bytes(lie))
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = hasAudio ? .sink(NullAudioSink()) : .none
        let player = Player(configuration: configuration)
        let sink = NullVideoSink()
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        let events = player.events
        player.play()
        player.replaceCurrentItem(with: PlayerItem(url: folder.file("film.mp4")))
        var hasEnded = false
        listening: for await event in events {
            switch event {
            case .didPlayToEndTime:
                hasEnded = true
                break listening
            case .failedToPlayToEndTime, .itemStatusChanged(_, .failed): break listening
            default: break
            }
        }
        await player.shutdown()
        withExtendedLifetime(layer) { #expect(hasEnded && sink.frameCount > 0) }
    }
}
