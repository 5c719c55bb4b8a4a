import FFmpeg
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

// Rule: deinterlacing
/// Compares deinterlaced frames with the output of FFmpeg's own bwdif for the same file (created by `make fixtures`).
@Suite("Contract: deinterlacing", .enabled(if: Fixture.areThere, "make fixtures"))
struct DeinterlacingTests {
    private static let clips = ["interlaced-mpeg2.ts", "interlaced-h264.mp4"]
    private static let length = MediaTime.ms(2000)

    private struct Shown: Sendable {
        let number: Int?
        let hash: String
        let isInterlaced: Bool
        let time: MediaTime

        init(_ frame: VideoFrame) {
            number = frame.markedNumber
            hash = FrameDigest.digest(of: frame)
            isInterlaced = frame.isInterlaced
            time = frame.presentationTime
        }
    }

    /// Stores the frames that a layer delivers.
    private final class Watch: Sendable {
        private let shown = Locked<[Shown]>([])
        var all: [Shown] { shown.withLock { $0 } }
        var hashes: [String] { all.map(\.hash) }
        func drain() -> [Shown] {
            shown.withLock { shown in
                defer { shown = [] }
                return shown
            }
        }
        var sink: CallbackVideoSink { CallbackVideoSink { [self] in keep($0) } }
        var uprightSink: CallbackVideoSink {
            CallbackVideoSink(appliesPreferredTrackTransform: true) { [self] in keep($0) }
        }
        private func keep(_ frame: VideoFrame) {
            let one = Shown(frame)
            shown.withLock { $0.append(one) }
        }
    }

    /// The frames as the decoder outputs them, with one hash per frame.
    private static func decoded(_ clip: String) throws -> [String] {
        let demuxer = FFmpegDemuxer(OpenRequest(location: Fixture.path(clip)))
        let track = try #require(try demuxer.open().get().tracks.first { $0.mediaType == .video })
        let decoder = try demuxer.makeDecoder(for: track.id, options: DecoderOptions()).get()
        var decoded: [String] = []
        var isAtEnd = false
        decoding: while true {
            switch try decoder.receive() {
            case .video(let frame):
                #expect(frame.isInterlaced && frame.isTopFieldFirst)
                decoded.append(FrameDigest.digest(of: frame))
            case .needsInput:
                let packet = isAtEnd ? nil : try demuxer.read().get()
                if packet?.track ?? track.id == track.id { _ = try decoder.send(packet) }
                isAtEnd = packet == nil
            case .audio: break
            case .ended: break decoding
            }
        }
        return decoded
    }

    private func bench(
        _ deinterlacing: Deinterlacing = .always,
        _ configure: (inout Player.Configuration) -> Void = { _ in }
    ) -> (PlayerTestBench<Player>, Watch) {
        let bench = PlayerTestBench.forFiles(configure)
        let watch = Watch()
        bench.layer.deinterlacing = deinterlacing
        bench.layer.add(watch.sink)
        return (bench, watch)
    }

    private static func time(_ number: Int) -> MediaTime { MediaTime(value: Int64(number), timescale: 25) }

    @Test("From start to end each frame matches FFmpeg's output, at its own time", arguments: clips)
    func whole(clip: String) throws {
        let reference = try Fixture.deinterlaced(clip)
        try #require(reference.count == 50)
        let (bench, watch) = bench()
        bench.load(Fixture.url(clip))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(watch.hashes == reference)
        #expect(watch.all.map(\.number) == Array(0..<50))
        #expect(watch.all.map(\.time) == (0..<50).map(Self.time))
        #expect(watch.all.allSatisfy { !$0.isInterlaced })
        #expect(bench.takeLines(of: "end").count == 1)
    }

    @Test(
        "By default a sink that accepts unprocessed frames gets them as they were decoded",
        arguments: clips
    )
    func untouched(clip: String) throws {
        let reference = try Fixture.deinterlaced(clip)
        let decoded = try Self.decoded(clip)
        let (bench, watch) = bench(PlayerLayer().deinterlacing)
        bench.load(Fixture.url(clip))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(watch.hashes == decoded)
        #expect(watch.all.allSatisfy { $0.isInterlaced })
        #expect(zip(decoded, reference).allSatisfy { $0 != $1 })
    }

    @Test("Each pass of a loop matches the first one, also if frames are cached", arguments: clips)
    func loops(clip: String) throws {
        let reference = try Fixture.deinterlaced(clip)
        let (bench, watch) = bench()
        bench.player.repeatMode = .loop
        bench.load(Fixture.url(clip))
        bench.player.play()
        bench.driver.run(seconds: 7.99)
        #expect(watch.hashes == reference + reference + reference + reference)
    }

    @Test(
        "After an exact seek the first frame is progressive, and the following ones match FFmpeg's output",
        arguments: clips
    )
    func seeks(clip: String) throws {
        let decoded = try Self.decoded(clip)
        let reference = try Fixture.deinterlaced(clip)
        let (bench, watch) = bench()
        bench.load(Fixture.url(clip))
        var random = SplitMix64(7)
        for _ in 0..<12 {
            let number = Int.random(in: 0..<50, using: &random)
            bench.player.pause()
            bench.driver.settle()
            _ = watch.drain()
            bench.seek("seek", to: Self.time(number))
            bench.driver.settle()
            let first = watch.drain()
            #expect(first.map(\.number) == [number])
            #expect(first.allSatisfy { !$0.isInterlaced && $0.hash != decoded[number] })
            bench.player.play()
            bench.driver.run(seconds: 0.5)
            let rest = watch.drain()
            #expect(rest.first?.number == (number < 49 ? number + 1 : nil))
            #expect(rest.map(\.hash) == rest.compactMap { $0.number.map { reference[$0] } })
        }
    }

    @Test(
        "Steps forward show the frames of playback; steps back and reverse playback show progressive frames",
        arguments: clips
    )
    func steps(clip: String) throws {
        let reference = try Fixture.deinterlaced(clip)
        let (bench, watch) = bench()
        let item = bench.load(Fixture.url(clip))
        for _ in 0..<20 {
            item.step(byCount: 1)
            bench.driver.settle()
        }
        #expect(watch.drain().map(\.hash) == Array(reference[...20]))
        for _ in 0..<5 {
            item.step(byCount: -1)
            bench.driver.settle()
        }
        let back = watch.drain()
        #expect(back.map(\.number) == [19, 18, 17, 16, 15])
        #expect(back.allSatisfy { !$0.isInterlaced })
        bench.player.rate = -1
        bench.driver.run(atMost: 60)
        let reversed = watch.drain()
        #expect(reversed.map(\.number).suffix(14) == (0..<14).reversed().map { $0 })
        #expect(reversed.allSatisfy { !$0.isInterlaced })
    }

    @Test(
        "A layer that deinterlaces and one that does not get their own frames, and outputs get decoded frames"
    )
    func several() throws {
        let clip = Self.clips[0]
        let reference = try Fixture.deinterlaced(clip)
        let counter = CountingBackend()
        let (bench, whole) = bench { $0.backend = counter }
        let (other, plain) = (Watch(), Watch())
        let layers = [PlayerLayer(player: bench.player), PlayerLayer(player: bench.player)]
        layers[0].deinterlacing = .always
        layers[0].add(other.sink)
        layers[1].add(plain.sink)
        let item = bench.load(Fixture.url(clip))
        let output = VideoOutput()
        item.add(output)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(whole.hashes == reference)
        #expect(other.hashes == reference)
        #expect(plain.all.map(\.number) == Array(0..<50))
        #expect(plain.all.allSatisfy { $0.isInterlaced })
        #expect(output.copyFrame(forItemTime: Self.time(49))?.frame.isInterlaced == true)
        // The frame is converted once for both layers.
        #expect(counter.count == 50)
        withExtendedLifetime(layers) {}
    }

    @Test(
        "By default layers with a size and sinks that request upright frames get deinterlaced frames"
    )
    func automatic() throws {
        let clip = Self.clips[0]
        let (reference, decoded) = (try Fixture.deinterlaced(clip), try Self.decoded(clip))
        let (bench, plain) = bench(.auto)
        let (upright, sized, none) = (Watch(), Watch(), Watch())
        bench.layer.add(upright.uprightSink)
        let layers = [PlayerLayer(player: bench.player), PlayerLayer(player: bench.player)]
        for layer in layers { layer.size = PixelSize(width: 320, height: 180) }
        layers[0].add(sized.sink)
        layers[1].deinterlacing = .none
        layers[1].add(none.sink)
        bench.load(Fixture.url(clip))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(upright.hashes == reference)
        #expect(sized.hashes == reference)
        #expect(plain.hashes == decoded)
        #expect(none.hashes == decoded)
        // Once these layers are removed, the player no longer waits for the following frame.
        bench.layer.deinterlacing = .none
        layers[0].deinterlacing = .none
        bench.seek("seek", to: .zero)
        bench.driver.settle()
        #expect([upright, sized].map { $0.all.last?.hash } == [decoded[0], decoded[0]])
        withExtendedLifetime(layers) {}
    }

    @Test("Deinterlacing that is set or reset while paused applies to the visible frame at once")
    func whilePaused() throws {
        let clip = Self.clips[1]
        let reference = try Fixture.deinterlaced(clip)
        let (bench, watch) = bench(.none)
        bench.load(Fixture.url(clip))
        bench.seek("seek", to: Self.time(30))
        bench.driver.settle()
        let decoded = watch.drain().last
        #expect(decoded?.isInterlaced == true)
        bench.layer.deinterlacing = .always
        bench.driver.settle()
        let shown = watch.drain()
        #expect(shown.map(\.number) == [30])
        #expect(shown.allSatisfy { !$0.isInterlaced && $0.hash != decoded?.hash })
        bench.layer.deinterlacing = .none
        bench.driver.settle()
        #expect(watch.drain().map(\.hash) == [decoded?.hash])
        bench.layer.deinterlacing = .always
        bench.player.play()
        bench.driver.run(atMost: 60)
        let rest = watch.drain()
        #expect(rest.last?.number == 49 && rest.allSatisfy { !$0.isInterlaced })
        // Frames are deinterlaced from the first one that was decoded after the request.
        #expect(rest.suffix(10).map(\.hash) == Array(reference.suffix(10)))
    }

    @Test("The last frame before an end time is interpolated with the frame that follows the end time")
    func endTime() throws {
        let reference = try Fixture.deinterlaced(Self.clips[1])
        let (bench, watch) = bench()
        bench.load(Fixture.url(Self.clips[1])) { $0.forwardPlaybackEndTime = .ms(1000) }
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(watch.hashes == Array(reference[..<25]))
    }

    @Test("Without libavfilter frames stay as they were decoded, and one log line says so")
    func missing() {
        let name = "libavfilter-that-is-not-there.so"
        let backend = FFmpegBackend {
            Result { () throws(MediaError) in try FilterLibrary(opening: name) }
        }
        let (bench, watch) = bench { $0.backend = backend }
        let item = bench.load(Fixture.url(Self.clips[0]))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(watch.all.map(\.number) == Array(0..<50))
        #expect(watch.all.allSatisfy { $0.isInterlaced })
        #expect(bench.takeLines(of: "end").count == 1)
        // Each entry is a line of the log.
        let reported = item.errorLog().events
        #expect(
            reported.count == 1
                && reported.allSatisfy { $0.isRecovered && $0.error.code == .conversionFailed }
        )
        #expect(reported.allSatisfy { $0.error.message.contains("\(name) is not installed") })
    }

    @Test("libavfilter is not opened for progressive video")
    func progressive() {
        let opened = Locked(0)
        let backend = FFmpegBackend {
            opened.withLock { $0 += 1 }
            return FilterLibrary.shared
        }
        let (bench, watch) = bench { $0.backend = backend }
        bench.load(Fixture.url("clip-h264-aac.mp4"))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(watch.all.count == 90)
        #expect(opened.withLock { $0 } == 0)
    }

    @Test(
        "Still images are deinterlaced whatever was requested before, or stay as decoded on request",
        arguments: clips
    )
    func stills(clip: String) async throws {
        let times = [0, 20, 21, 20, 49, 5].map(Self.time)
        func images(_ deinterlacing: Deinterlacing?) async throws -> [Shown] {
            let generator = ImageGenerator(asset: Asset(url: Fixture.url(clip)))
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
            if let deinterlacing { generator.deinterlacing = deinterlacing }
            var images: [Shown] = []
            for await result in generator.images(for: times) { images.append(Shown(try result.frame)) }
            return images
        }
        let whole = try await images(nil)
        #expect(whole.map(\.number) == [0, 20, 21, 20, 49, 5])
        #expect(whole.allSatisfy { !$0.isInterlaced })
        #expect(whole[1].hash == whole[3].hash)
        let plain = try await images(Deinterlacing.none)
        #expect(plain.map(\.number) == whole.map(\.number))
        #expect(zip(plain, whole).allSatisfy { $0.hash != $1.hash })
        #expect(plain.allSatisfy { $0.isInterlaced })
    }

    /// FFmpeg's deinterlacer, with a count of the frames that it creates.
    private final class CountingBackend: MediaBackend {
        private let base = FFmpegBackend()
        private let made = Locked(0)
        var count: Int { made.withLock { $0 } }

        func makeDemuxer(for request: OpenRequest) -> any Demuxer { base.makeDemuxer(for: request) }
        func makeVideoConverter() -> any VideoConverter { base.makeVideoConverter() }
        func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
            base.makeAudioConverter(to: format)
        }
        func makeDeinterlacer() -> (any Deinterlacer)? {
            base.makeDeinterlacer().map { base in
                CountingDeinterlacer(base) { [made] in made.withLock { $0 += 1 } }
            }
        }
    }

    private final class CountingDeinterlacer: Deinterlacer {
        private let base: any Deinterlacer
        private let count: @Sendable () -> Void

        init(_ base: any Deinterlacer, _ count: @escaping @Sendable () -> Void) {
            self.base = base
            self.count = count
        }

        func deinterlace(
            _ frame: VideoFrame,
            previous: VideoFrame?,
            next: VideoFrame?
        ) throws(MediaError) -> VideoFrame {
            count()
            return try base.deinterlace(frame, previous: previous, next: next)
        }
    }
}
