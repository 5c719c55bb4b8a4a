import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: interrupted-reads
/// Tests reads that hang, in real media through the FFmpeg demuxer. No test releases the bytes that it waits for
/// unless it says so: the expected results arrive although the read hangs.
@Suite("Contract: a read that hangs blocks nothing else", .enabled(if: Fixture.areThere, "make fixtures"))
struct InterruptedReadTests {
    static let files = [
        "clip-h264-aac.mp4", "clip-fragmented.mp4", "clip-h264-aac.ts", "clip-vp9-opus.webm",
        "clip-hevc-aac.mp4", "two-languages.mkv",
    ]
    /// Files with an index. Without one a seek reads at several positions to find its target, and may need withheld
    /// bytes.
    static let indexed = files.filter { !$0.hasSuffix(".ts") }
    static let clip = "clip-h264-aac.mp4"
    static let ways: [ScriptedByteSource.Waiting] = [.blocks, .throwsNotReady]

    @Test(
        "A seek goes to available data, and playback continues there with exact frames",
        arguments: indexed,
        ways
    )
    func seekAway(_ file: String, _ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(file)
        try #require(reference.count == 90)
        try await HangScene.play(file, way) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            scene.player.play()
            try await scene.untilReadHangs()
            let seek = try await scene.reachEnd { scene.beginSeek(to: 2100) }
            #expect(try await scene.answer(of: seek))
            // How much was played before depends on the speed of the machine; what is withheld begins before 2 s.
            #expect(Array(scene.takeFrames().drop { $0.time < .ms(2000) }) == reference.from(2100))
            // The next target is before the withheld part.
            #expect(try await scene.seek(to: 300))
            #expect(scene.takeFrames().last == reference.due(at: 300))
            #expect(scene.source.counts.cancels == 0)
        }
    }

    @Test(
        "A seek into withheld data, away, back into it and away again; after the release, all frames are shown",
        arguments: indexed,
        ways
    )
    func backAndForth(_ file: String, _ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(file)
        try await HangScene.play(file, way) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            for target in [2100, 300, 2500] as [Int64] {
                let waits = scene.source.counts.waits
                let hanging = scene.beginSeek(to: 1700)
                try await scene.untilReadHangs(after: waits)
                #expect(try await scene.seek(to: target))
                #expect(try await scene.answer(of: hanging) == false)
                #expect(scene.takeFrames().last == reference.due(at: target))
            }
            let waits = scene.source.counts.waits
            let hanging = scene.beginSeek(to: 1700)
            try await scene.untilReadHangs(after: waits)
            scene.source.release()
            #expect(try await scene.answer(of: hanging))
            #expect(scene.takeFrames().last == reference.due(at: 1700))
            try await scene.playToEnd()
            #expect(scene.takeFrames() == Array(reference.from(1700).dropFirst()))
        }
    }

    @Test(
        "The last of many rapid seeks is shown while others hang, and each is answered once",
        arguments: ways
    )
    func storm(_ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip, way) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            scene.player.play()
            try await scene.untilReadHangs()
            var random = SplitMix64(7)
            var seeks: [Task<Bool, Never>] = []
            for number in 0..<200 {
                let isHanging = number % 3 != 0
                seeks.append(scene.beginSeek(to: isHanging ? 1600 + Int64(number) : Int64(number)))
                for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
            }
            #expect(try await scene.seek(to: 2345))
            // Playback continues at the target meanwhile.
            let frames = scene.takeFrames()
            let sought = try #require(frames.lastIndex { $0 == reference.due(at: 2345) })
            #expect(frames[sought...].elementsEqual(reference.from(2345).prefix(frames.count - sought)))
            // Superseded seeks are answered as well.
            for seek in seeks { _ = try await scene.answer(of: seek) }
        }
    }

    @Test(
        "A pause while a read hangs is reported at once, and all frames are shown after playback resumes",
        arguments: files,
        ways
    )
    func pause(_ file: String, _ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(file)
        try await HangScene.play(file, way) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            scene.player.play()
            try await scene.untilReadHangs()
            try await scene.event("the pause", after: { scene.player.pause() }) { event in
                if case .timeControlStatusChanged(.paused, _) = event { true } else { false }
            }
            scene.source.release()
            try await scene.playToEnd()
            #expect(scene.takeFrames() == reference)
        }
    }

    @Test(
        "A hanging opening gives way to another item, and its source serves the next reader",
        arguments: ways
    )
    func replacedWhileOpening(_ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip, way) { scene in
            scene.source.hold(from: 0)
            scene.player.replaceCurrentItem(with: PlayerItem(asset: scene.asset))
            try await scene.untilReadHangs()
            try await scene.load(Asset(url: Fixture.url(Self.clip)))
            try await scene.playToEnd()
            #expect(scene.takeFrames() == reference)
            if way == .blocks { try await scene.until("the open's end") { $0.interrupts == 1 } }
            scene.source.release()
            scene.player.pause()
            try await scene.load()
            #expect(scene.takeFrames().last == reference.first)
            #expect(scene.source.counts.cancels == 0)
        }
    }

    @Test(
        "With a read hanging where a loop restarts, a seek is answered, and the pass continues at its target",
        arguments: ways
    )
    func loopWrap(_ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip, way, keepsPackets: false) { scene in
            // The first pass has been read beyond the bytes that are withheld.
            try await scene.event(
                "a full buffer",
                after: { scene.player.replaceCurrentItem(with: PlayerItem(asset: scene.asset)) },
                where: { if case .playbackBufferFullChanged(_, true) = $0 { true } else { false } }
            )
            scene.player.repeatMode = .loop
            // These are the first frames of the next pass.
            scene.hold(0.10..<0.30)
            let waits = scene.source.counts.waits
            try await scene.event("a stall", after: { scene.player.play() }) { event in
                if case .playbackStalled = event { true } else { false }
            }
            try await scene.untilReadHangs(after: waits)
            try await scene.event("the pass's end", after: { _ = scene.beginSeek(to: 2100) }) { event in
                if case .didPlayToEndTime = event { true } else { false }
            }
            let frames = scene.takeFrames()
            let second = frames.lastIndex { $0 == reference.due(at: 2100) } ?? 0
            let expected = reference.from(2100)
            #expect(Array(frames[second...].prefix(expected.count)) == expected)
        }
    }

    @Test(
        "Removing an item while a read hangs is reported at once, the next item plays, and the reader is released",
        arguments: files
    )
    func stop(_ file: String) async throws {
        try await HangScene.play(file) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            scene.player.play()
            try await scene.untilReadHangs()
            try await scene.event("no item", after: { scene.player.replaceCurrentItem(with: nil) }) { event in
                if case .currentItemChanged(nil) = event { true } else { false }
            }
            try await scene.until("the read's end") { $0.interrupts >= 1 }
            try await scene.load(Asset(url: Fixture.url(Self.clip)))
            #expect(scene.source.counts.cancels == 0)
        }
    }

    @Test(
        "A shutdown while a read hangs completes in every phase",
        arguments: ["open", "play", "seek"],
        files
    )
    func release(_ phase: String, _ file: String) async throws {
        try await HangScene.play(file) { scene in
            if phase == "open" {
                scene.source.hold(from: 0)
                scene.player.replaceCurrentItem(with: PlayerItem(asset: scene.asset))
            } else {
                try await scene.load()
                scene.hold(HangScene.middle)
            }
            if phase == "play" { scene.player.play() }
            let seek = phase == "seek" ? scene.beginSeek(to: 1700) : nil
            try await scene.untilReadHangs()
            try await within("the shutdown") { await scene.player.shutdown() }
            try await scene.until("the read's end") { $0.interrupts >= 1 }
            if let seek { #expect(try await scene.answer(of: seek) == false) }
        }
    }

    @Test("The arrival of bytes is signalled, and no reader polls for them", arguments: files)
    func wakes(_ file: String) async throws {
        let reference = try await HangScene.reference(file)
        try await HangScene.play(file, .throwsNotReady) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            try await scene.event("a stall", after: { scene.player.play() }) { event in
                if case .playbackStalled = event { true } else { false }
            }
            try await scene.untilReadHangs()
            try await scene.reachEnd { scene.source.release() }
            #expect(scene.takeFrames() == reference)
            #expect(scene.source.counts.waits <= 4)
        }
    }

    @Test(
        "An item plays to its end after a seek away from a hanging read and its release",
        arguments: files,
        ways
    )
    func end(_ file: String, _ way: ScriptedByteSource.Waiting) async throws {
        let reference = try await HangScene.reference(file)
        try await HangScene.play(file, way) { scene in
            try await scene.load()
            scene.hold(0.80..<0.99)
            scene.player.play()
            try await scene.untilReadHangs()
            #expect(try await scene.seek(to: 300))
            try await scene.reachEnd { scene.source.release() }
            let frames = scene.takeFrames()
            let sought = try #require(frames.lastIndex { $0 == reference.due(at: 300) })
            #expect(Array(frames[sought...]) == reference.from(300))
        }
    }
}
