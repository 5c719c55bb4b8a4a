import Foundation
import Glibc
import MediaCore
import TestSupport
import Testing

@testable import Sinks

@Suite struct WAVSinkTests {
    private func format(_ channels: Int, _ name: String, rate: Int = 48000) -> AudioFormat {
        AudioFormat(
            sampleRate: rate,
            channelLayout: ChannelLayout(channelCount: channels, name: name),
            sampleFormat: .s16
        )
    }

    private func little(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func file(_ format: AudioFormat, _ pieces: [[UInt8]]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let sink = try WAVSink(path: folder.path("a.wav"))
        let accepted = try sink.start(format)
        for piece in pieces { try sink.write(audioBuffer(accepted, piece)) }
        sink.finish()
        #expect(sink.error == nil)
        return try contents(folder.path("a.wav"))
    }

    @Test func stereoByteForByte() throws {
        let bytes = try file(format(2, "stereo", rate: 44100), [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10, 11, 12]])
        #expect(
            bytes
                == Array("RIFF".utf8) + [48, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0]
                + [1, 0, 2, 0, 0x44, 0xAC, 0, 0, 0x10, 0xB1, 2, 0, 4, 0, 16, 0]
                + Array("data".utf8) + [12, 0, 0, 0] + (1...12)
        )
    }

    @Test func surroundIsExtensible() throws {
        let bytes = try file(format(6, "5.1(side)"), [[UInt8](repeating: 7, count: 24)])
        #expect(
            Array(bytes[..<68])
                == Array("RIFF".utf8) + [84, 0, 0, 0] + Array("WAVEfmt ".utf8) + [40, 0, 0, 0]
                + [0xFE, 0xFF, 6, 0, 0x80, 0xBB, 0, 0, 0, 0xCA, 8, 0, 12, 0, 16, 0]
                + [22, 0, 16, 0, 0x0F, 0x06, 0, 0]
                + [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
                + Array("data".utf8) + [24, 0, 0, 0]
        )
        #expect(bytes.count == 92)
    }

    @Test(arguments: [
        (1, "mono", 0x4), (2, "stereo", 0x3), (3, "2.1", 0xB), (3, "3.0", 0x7), (4, "quad", 0x33),
        (4, "4.0", 0x107), (5, "5.0", 0x37), (6, "5.1", 0x3F), (6, "5.1(side)", 0x60F), (7, "6.1", 0x70F),
        (8, "7.1", 0x63F), (8, "8 channels", 0), (5, "5.1", 0), (2, "", 0), (16, "hexadecagonal", 0),
    ])
    func channelMasks(channels: Int, name: String, mask: Int) {
        #expect(WAVHeader.channelMask(layoutName: name, channelCount: channels) == UInt32(mask))
    }

    @Test func laterFormatsGetTheFirstAnswer() throws {
        let folder = try TemporaryFolder()
        let sink = try WAVSink(path: folder.path("a.wav"))
        var planar = format(2, "stereo")
        planar.sampleFormat = .floatPlanar
        let accepted = try sink.start(planar)
        #expect(accepted == format(2, "stereo"))
        #expect(try sink.start(format(6, "5.1", rate: 8000)) == accepted)
        try sink.write(audioBuffer(accepted, [1, 2, 3, 4]))
        #expect(throws: PlaybackError.self) {
            try sink.write(audioBuffer(format(1, "mono"), [1, 2]))
        }
        sink.finish()
        // The samples before the error form a complete file.
        let bytes = try contents(folder.path("a.wav"))
        #expect(bytes.count == 48 && little(bytes[40..<44]) == 4 && sink.error != nil)
    }

    @Test func pipesDeclareSamplesToTheEnd() async throws {
        let (reader, writer) = try makePipe()
        let sink = WAVSink(ByteOutput(owning: writer, name: "pipe"))
        let accepted = try sink.start(format(1, "mono"))
        try sink.write(audioBuffer(accepted, [1, 2, 3, 4]))
        sink.finish()
        let bytes = drain(reader)
        close(reader)
        #expect(sink.error == nil && bytes.count == 48 && Array(bytes[44...]) == [1, 2, 3, 4])
        #expect(little(bytes[4..<8]) == .max && little(bytes[40..<44]) == .max)
    }

    @Test func emptyFilesAndNoFileAtAll() throws {
        let bytes = try file(format(1, "mono"), [[]])
        #expect(bytes.count == 44 && little(bytes[40..<44]) == 0 && little(bytes[4..<8]) == 36)
        let folder = try TemporaryFolder()
        let unused = try WAVSink(path: folder.path("b.wav"))
        unused.finish()
        #expect(unused.error == nil)
        #expect(try contents(folder.path("b.wav")).isEmpty)
    }

    @Test func aFullFileIsCompleteAndRefusesMore() throws {
        let folder = try TemporaryFolder()
        let maximum = try #require(WAVHeader(sampleRate: 8000, channelCount: 2, layoutName: "stereo"))
            .maximumDataByteCount
        #expect(maximum == 0xFFFF_FFFF - 36 - 3)
        let sink = WAVSink(try ByteOutput(path: folder.path("a.wav")), alreadyWritten: maximum - 4)
        let accepted = try sink.start(format(2, "stereo", rate: 8000))
        try sink.write(audioBuffer(accepted, [1, 2, 3, 4]))
        let path = folder.path("a.wav")
        let full = #expect(throws: PlaybackError.self) {
            try sink.write(audioBuffer(accepted, [1, 2, 3, 4]))
        }
        #expect(full?.code == .maximumFileSizeReached)
        #expect(full?.message == "\(path): file size limit reached (4 GiB for WAV)")
        sink.finish()
        let bytes = try contents(path)
        #expect(bytes.count == 48 && little(bytes[40..<44]) == UInt32(maximum))
        #expect(little(bytes[4..<8]) == UInt32(maximum) + 36)
    }

    @Test(
        "A full file replaces an existing one, but not a file with another error",
        arguments: [true, false]
    )
    func aFullFileReplaces(isFull: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("a.wav", Data("content".utf8))
        let path = folder.path("a.wav")
        let maximum = try #require(WAVHeader(sampleRate: 8000, channelCount: 2, layoutName: "stereo"))
            .maximumDataByteCount
        let sink = WAVSink(try ByteOutput(replacing: path), alreadyWritten: maximum - 4)
        let accepted = try sink.start(format(2, "stereo", rate: 8000))
        try sink.write(audioBuffer(accepted, [1, 2, 3, 4]))
        let next = isFull ? accepted : format(1, "mono", rate: 8000)
        #expect(throws: PlaybackError.self) { try sink.write(audioBuffer(next, [1, 2, 3, 4])) }
        sink.finish()
        let bytes = try contents(path)
        if isFull {
            #expect(bytes.count == 48 && little(bytes[40..<44]) == UInt32(maximum))
        } else {
            #expect(text(bytes) == "content")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["a.wav"])
    }

    @Test(arguments: [
        (0, 48000), (-1, 48000), (2, 0), (2, -1), (70000, 8000), (2, 5_000_000_000), (60000, 48000),
    ])
    func formatsThatDoNotFit(channels: Int, rate: Int) throws {
        let folder = try TemporaryFolder()
        let sink = try WAVSink(path: folder.path("a.wav"))
        let path = folder.path("a.wav")
        let error = #expect(throws: PlaybackError.self) {
            try sink.start(format(channels, "?", rate: rate))
        }
        #expect(error?.code == .unsupportedFormat && error?.url?.path == path)
        #expect(error?.message == "\(path): WAV does not support \(channels) channels at \(rate) Hz")
    }

    @Test func samplesNeedAFormat() throws {
        let folder = try TemporaryFolder()
        let sink = try WAVSink(path: folder.path("a.wav"))
        let error = #expect(throws: PlaybackError.self) {
            try sink.write(audioBuffer(format(2, "stereo"), [1, 2, 3, 4]))
        }
        #expect(error?.code == .operationNotAllowed)
        #expect(error?.message == "\(folder.path("a.wav")): samples were written before start")
    }

    /// FFmpeg reads the same samples, sample rate and channel layout.
    @Test(
        .enabled(if: hasFFmpeg),
        arguments: [
            (1, "mono"), (2, "stereo"), (3, "2.1"), (4, "quad"), (5, "5.0"), (6, "5.1"), (6, "5.1(side)"),
            (7, "6.1"), (8, "7.1"),
        ]
    )
    func ffmpegReadsItBack(channels: Int, name: String) throws {
        let folder = try TemporaryFolder()
        let (path, back) = (folder.path("a.wav"), folder.path("b.raw"))
        let sink = try WAVSink(path: path)
        let accepted = try sink.start(format(channels, name, rate: 32000))
        let samples = (0..<channels * 2 * 500).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for start in stride(from: 0, to: samples.count, by: channels * 200) {
            let end = min(start + channels * 200, samples.count)
            try sink.write(audioBuffer(accepted, Array(samples[start..<end])))
        }
        sink.finish()
        try #require(run("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", back]) != nil)
        #expect(try contents(back) == samples)
        let entries = "stream=codec_name,sample_rate,channels,channel_layout,duration_ts"
        let probe = run("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0", path])
        let layout = channels > 2 ? name : "unknown"
        #expect(probe == "pcm_s16le,32000,\(channels),\(layout),500\n")
    }

    /// The file is identical to FFmpeg's own output.
    @Test(.enabled(if: hasFFmpeg), arguments: [(1, "mono"), (2, "stereo"), (6, "5.1"), (8, "7.1")])
    func sameFileAsFFmpeg(channels: Int, name: String) throws {
        let folder = try TemporaryFolder()
        let samples = (0..<channels * 2 * 50).map { UInt8(truncatingIfNeeded: $0 &* 11) }
        let raw = try ByteOutput(path: folder.path("a.raw"))
        try raw.write(samples)
        try raw.close()
        let options = [
            "-v", "error", "-f", "s16le", "-ar", "48000", "-ac", "\(channels)", "-channel_layout", name,
            "-i", folder.path("a.raw"), "-fflags", "+bitexact", "-flags", "+bitexact", folder.path("b.wav"),
        ]
        try #require(run("ffmpeg", options) != nil)
        #expect(try file(format(channels, name), [samples]) == contents(folder.path("b.wav")))
    }
}
