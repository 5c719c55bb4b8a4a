import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

/// Transport and program streams that were joined, so that their timestamps begin again within the file.
@Suite("Joined streams", .enabled(if: Fixture.areThere))
struct JoinedStreamTests {
    /// The seconds that are added to the timestamps of each part.
    static let joins: [[Int64]] = [
        [0, 0], [0, 300, 0], [300, 0, 60_000, 2, 2], [300, 0, 300], [90_000, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    private static let name = "clip-h264-aac.ts"

    private static func bytes(_ offsets: [Int64]) throws -> [UInt8] {
        let part = try [UInt8](Data(contentsOf: Fixture.url(name)))
        return offsets.flatMap { TransportStream.shifted(part, by: $0 * 90_000) }
    }

    /// Checks that a joined stream has the frames of each part one after another, and returns its frames.
    @discardableResult
    private func check(_ session: Playthrough.Session, partCount: Int, from part: Playthrough) throws
        -> Playthrough
    {
        let whole = session.play()
        #expect(whole.errors.isEmpty)
        #expect(whole.sampleCount == part.sampleCount * partCount)
        let expected = (0..<partCount).flatMap { _ in part.frames.map(\.hash) }
        #expect(whole.frames.map(\.hash) == expected)
        guard expected.count == whole.frames.count, let count = part.frames.isEmpty ? nil : part.frames.count
        else { return whole }
        let step = part.frames[1].time - part.frames[0].time
        for number in 0..<partCount {
            let zero = whole.frames[number * count].time
            let times = whole.frames[(number * count)..<((number + 1) * count)].map { $0.time - zero }
            #expect(times == part.frames.map { $0.time - part.frames[0].time })
            guard number > 0 else { continue }
            // Audio may be longer than video by less than a frame of each.
            let gap = zero - whole.frames[number * count - 1].time
            #expect(gap >= step && gap < step * 3, "\(gap) after part \(number)")
        }
        return whole
    }

    @Test(
        "Each part of a file follows the one before it, and the duration is that of all parts",
        arguments: joins
    )
    func file(offsets: [Int64]) throws {
        let folder = try TemporaryFolder()
        try folder.write("joined.ts", try Self.bytes(offsets))
        let request = OpenRequest(location: folder.path("joined.ts"))
        for type in [MediaType.video, .audio] {
            let part = try #require(try Playthrough.play(Fixture.path(Self.name), type))
            let session = try #require(try Playthrough.Session(request, type))
            try check(session, partCount: offsets.count, from: part)
            let end = session.track.timeRange.end
            if type == .video, let last = session.play().frames.last { #expect(end > last.time) }
            #expect(session.description.duration >= end)
            #expect(!session.description.durationIsEstimate)
        }
    }

    @Test("A seek reaches each frame of each part, and the start again", arguments: joins)
    func seeks(offsets: [Int64]) throws {
        let folder = try TemporaryFolder()
        try folder.write("joined.ts", try Self.bytes(offsets))
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: folder.path("joined.ts")), .video)
        )
        let part = try #require(try Playthrough.play(Fixture.path(Self.name), .video))
        let whole = try check(session, partCount: offsets.count, from: part)
        var random = SplitMix(seed: 5)
        for _ in 0..<12 {
            let target = try #require(whole.frames.randomElement(using: &random))
            session.decoder.flush()
            try session.demuxer.seek(to: target.time, preference: .atOrBefore).get()
            let found = session.play(upTo: target.time).frames.first
            #expect(found?.hash == target.hash, "\(target.time) of seed 5")
        }
        try session.rewind()
        #expect(session.play().frames == whole.frames)
    }

    static let files = [
        "timing/mpegts-starts-at-3600s.ts", "timing/mpegts-pcr-rollover.ts",
        "timing/h264-resolution-change-remux.ts",
        "mpeg/bbb-2.5s-mpeg2-1080-mp2.ts", "mpeg/hevc-in-ts.ts", "mpeg/mpeg2-576i-tff-sar64x45-derived.ts",
    ]

    @Test(
        "A real stream that is joined with itself has each frame twice, in order, and a seek reaches each of them",
        .enabled(if: Corpus.isPresent, Corpus.hint),
        arguments: files
    )
    func corpus(_ path: String) throws {
        let location = try Corpus.entry(path).location
        let part = try #require(try Playthrough.play(location, .video, probesFully: false))
        let folder = try TemporaryFolder()
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: location)))
        try folder.write("joined", bytes + bytes)
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: folder.path("joined")), .video)
        )
        let whole = session.play()
        #expect(whole.frames.map(\.hash) == (part.frames + part.frames).map(\.hash))
        #expect(zip(whole.frames, whole.frames.dropFirst()).allSatisfy { $0.time < $1.time })
        var random = SplitMix(seed: 9)
        for _ in 0..<8 {
            let target = try #require(whole.frames.randomElement(using: &random))
            session.decoder.flush()
            try session.demuxer.seek(to: target.time, preference: .atOrBefore).get()
            #expect(
                session.play(upTo: target.time).frames.first?.hash == target.hash,
                "\(target.time) of seed 9"
            )
        }
    }

    @Test("The parts of a program stream follow each other")
    func programStream() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = folder.appendingPathComponent("FuzzTests/Inputs/media/joined.mpg").path
        let session = try #require(try Playthrough.Session(OpenRequest(location: path), .video))
        let frames = session.play().frames
        // Two parts of 15 frames, 25 a second. Audio is a little longer. Most frames have no timestamps, so the time between the parts may
        // be before the last frame of the first one.
        #expect(frames.count == 30)
        let steps = zip(frames, frames.dropFirst()).map { $1.time - $0.time }
        let frame = MediaTime(value: 1, timescale: 25)
        let longer = steps.filter { $0 != frame }
        #expect(longer.count <= 1 && longer.allSatisfy { $0 > frame && $0 < frame * 2 }, "\(longer)")
        #expect(session.description.duration > frames[29].time)
        #expect(session.description.durationIsEstimate)
        session.decoder.flush()
        try session.demuxer.seek(to: frames[20].time, preference: .atOrBefore).get()
        #expect(session.play(upTo: frames[20].time).frames.first?.hash == frames[20].hash)
    }

    @Test("Each part of a pipe follows the one before it", arguments: joins)
    func pipe(offsets: [Int64]) throws {
        for type in [MediaType.video, .audio] {
            let part = try #require(try Playthrough.play(Fixture.path(Self.name), type))
            let source = ScriptedByteSource(try Self.bytes(offsets), isSeekable: false)
            let session = try #require(
                try Playthrough.Session(OpenRequest(location: "joined", source: source), type)
            )
            try check(session, partCount: offsets.count, from: part)
        }
    }

    @Test(
        "Bytes between two parts that are no stream prevent neither opening nor seeks",
        arguments: [true, false]
    )
    func damage(isReadable: Bool) throws {
        let part = try Self.bytes([0])
        // libav reports an error after 64 KB without a packet.
        let noise = [UInt8](repeating: 0, count: 300_000)
        let source = ScriptedByteSource(part + noise + part)
        if !isReadable {
            let end = Int64(part.count + noise.count)
            source.fail((end - 4096)..<end, with: MediaError(.io, "a bad sector"))
        }
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: "joined", source: source), .video)
        )
        let single = try #require(try Playthrough.play(Fixture.path(Self.name), .video)).frames
        let target = single[single.count / 2]
        if isReadable {
            let last = try #require(single.last).time
            #expect(session.description.duration > last + target.time)
        }
        try session.demuxer.seek(to: target.time, preference: .atOrBefore).get()
        #expect(session.play(upTo: target.time).frames.first?.hash == target.hash)
    }

    /// Returns whether a packet of a transport stream begins a packet of MPEG audio or AAC.
    private static func beginsAudio(_ bytes: [UInt8], at start: Int) -> Bool {
        let field = bytes[start + 3] & 0x20 != 0 ? 1 + Int(bytes[start + 4]) : 0
        let payload = start + 4 + field
        return bytes[start + 1] & 0x40 != 0 && payload + 4 <= start + 188
            && bytes[payload..<(payload + 4)] == [0, 0, 1, 0xC0]
    }

    @Test("A damaged timestamp before damaged bytes does not move the times that follow")
    func damagedTimestamp() throws {
        let part = try Self.bytes([0])
        // The damage is in the last of four parts of three seconds that continue each other.
        let first = (0..<Int64(3)).flatMap { TransportStream.shifted(part, by: (7200 + $0 * 3) * 90_000) }
        var last = TransportStream.shifted(part, by: 7209 * 90_000)
        let starts = stride(from: 0, to: part.count, by: 188).filter { Self.beginsAudio(part, at: $0) }
        try #require(starts.count > 5)
        let header = starts[3]..<(starts[3] + 188)
        last.replaceSubrange(
            header,
            with: TransportStream.shifted(Array(last[header]), by: -3600 * 90_000)
        )
        // libav reports an error after 64 KB without a packet.
        let noise = [UInt8](repeating: 0, count: 300_000)
        let bytes = first + last[..<starts[4]] + noise + last[starts[4]...]
        let source = ScriptedByteSource(bytes, isLocal: false)
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: "damaged", source: source), .audio)
        )
        var errorCount = 0
        var end: MediaTime?
        while errorCount < 32 {
            do {
                guard let packet = try session.demuxer.read().get() else { break }
                end = packet.presentationTime
            } catch {
                errorCount += 1
            }
        }
        #expect(errorCount > 0)
        let found = try #require(end)
        #expect(found > MediaTime(value: 11, timescale: 1) && found < MediaTime(value: 13, timescale: 1))
    }

    @Test("Each part of a network resource whose timestamps return follows the one before it")
    func network() throws {
        let part = try #require(try Playthrough.play(Fixture.path(Self.name), .video))
        let source = ScriptedByteSource(try Self.bytes([20, 0, 0]), isLocal: false)
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: "joined", source: source), .video)
        )
        let whole = try check(session, partCount: 3, from: part)
        let target = whole.frames[part.frames.count * 3 / 2]
        session.decoder.flush()
        try session.demuxer.seek(to: target.time, preference: .atOrBefore).get()
        #expect(session.play(upTo: target.time).frames.first?.hash == target.hash)
    }

    @Test("A frame that lasts for five minutes in a file without audio stays as long")
    func longFrame() throws {
        let part = try [UInt8](Data(contentsOf: Fixture.url("interlaced-mpeg2.ts")))
        let source = ScriptedByteSource(part + TransportStream.shifted(part, by: 300 * 90_000))
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: "long frame", source: source), .video)
        )
        #expect(session.description.duration > MediaTime(value: 300, timescale: 1))
        let times = session.play(hashes: false).frames.map(\.time)
        #expect(times.last.map { $0 > MediaTime(value: 300, timescale: 1) } == true)
    }

    @Test("A gap in the timestamps of a network resource stays, because its duration includes it")
    func gap() throws {
        let source = ScriptedByteSource(try Self.bytes([0, 300]), isLocal: false)
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: "joined", source: source), .video)
        )
        let whole = session.play()
        #expect(whole.frames.last.map { $0.time > MediaTime(value: 300, timescale: 1) } == true)
        #expect(session.description.duration > MediaTime(value: 300, timescale: 1))
    }
}
