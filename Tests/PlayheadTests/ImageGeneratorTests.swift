import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import Testing

/// Scripted media that count what is done with them.
final class CountingBackend: MediaBackend, Sendable {
    struct Counts: Equatable {
        var opened = 0
        var seeks = 0
        var sent = 0
        var cancelled = 0
    }

    private let inner: ScriptedBackend
    private let state = Locked(Counts())
    var counts: Counts { state.withLock { $0 } }
    /// Called with the number of each packet that is read.
    private let didRead: @Sendable (Int) -> Void

    init(
        _ media: ScriptedMedia,
        _ clock: any HostClock,
        didRead: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        inner = ScriptedBackend(media, clock: clock)
        self.didRead = didRead
    }

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        state.withLock { $0.opened += 1 }
        return CountingDemuxer(inner.makeDemuxer(for: request), self)
    }
    func makeVideoConverter() -> any VideoConverter { inner.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        inner.makeAudioConverter(to: format)
    }

    private final class CountingDemuxer: Demuxer {
        let inner: any Demuxer
        let backend: CountingBackend
        let packets = Locked(0)

        init(_ inner: any Demuxer, _ backend: CountingBackend) {
            (self.inner, self.backend) = (inner, backend)
        }
        func open() throws(MediaError) -> MediaDescription { try inner.open() }
        func setEnabledTracks(_ ids: Set<Int>) { inner.setEnabledTracks(ids) }
        func read() throws(MediaError) -> Packet? {
            backend.didRead(
                packets.withLock { count in
                    count += 1
                    return count
                }
            )
            return try inner.read()
        }
        func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
            backend.state.withLock { $0.seeks += 1 }
            try inner.seek(to: target, preference: preference)
        }
        func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
            CountingDecoder(try inner.makeDecoder(for: track, options: options), backend)
        }
        func cancel() {
            backend.state.withLock { $0.cancelled += 1 }
            inner.cancel()
        }
    }

    private final class CountingDecoder: Decoder {
        let inner: any Decoder
        let backend: CountingBackend
        init(_ inner: any Decoder, _ backend: CountingBackend) {
            (self.inner, self.backend) = (inner, backend)
        }
        func send(_ packet: Packet?) throws(MediaError) -> Bool {
            let isTaken = try inner.send(packet)
            if isTaken, packet != nil { backend.state.withLock { $0.sent += 1 } }
            return isTaken
        }
        func receive() throws(MediaError) -> DecoderOutput { try inner.receive() }
        func flush() { inner.flush() }
    }
}

/// Scripts have one picture each 40 ms, whose number is in it; a key frame every ten.
@Suite("Stills, on the virtual clock")
struct ImageGeneratorTests {
    static let clip = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000)
    )

    private func make(_ media: ScriptedMedia = clip) -> (ImageGenerator, CountingBackend) {
        let backend = CountingBackend(media, ManualDriver().clock)
        let asset = Asset(url: URL(fileURLWithPath: "/script"), backend: backend)
        return (ImageGenerator(asset: asset, clock: .virtual), backend)
    }

    private func number(_ frame: VideoFrame) -> Int {
        frame.withPlanes { Int($0[0].baseAddress.loadUnaligned(as: UInt64.self).littleEndian) }
    }

    /// The number of the picture at each time; nil for a failure.
    private func numbers(_ generator: ImageGenerator, _ times: [MediaTime]) async -> [Int?] {
        var found: [Int?] = []
        for await result in generator.images(for: times) {
            #expect(result.requestedTime == times[found.count])
            guard case .success(_, let frame, let actual) = result else {
                found.append(nil)
                continue
            }
            #expect(actual == frame.presentationTime)
            #expect(actual == .ms(Int64(number(frame)) * 40))
            found.append(number(frame))
        }
        return found
    }

    private func exact(_ generator: ImageGenerator) {
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
    }

    @Test("Without tolerance: the picture due, at each time, in the order of the times, one result for each")
    func exactly() async throws {
        let (generator, _) = make()
        exact(generator)
        let times: [Int64] = [0, 40, 39, 41, 1999, 5000, -3, 800, 799, 400, 400, 1960, 440, 1200]
        let due = [0, 1, 0, 1, 49, 49, 0, 20, 19, 10, 10, 49, 11, 30]
        #expect(await numbers(generator, times.map { .ms($0) }) == due)
        let image = try await generator.image(at: .ms(1330))
        #expect(number(image.frame) == 33 && image.actualTime == .ms(1320))
        let last = try await generator.image(at: .positiveInfinity)
        #expect(number(last.frame) == 49)
        #expect(await numbers(generator, []).isEmpty)
        await #expect(throws: PlaybackError.self) { try await generator.image(at: .indefinite) }
    }

    @Test(
        "By default the nearest key frame; within finite tolerances one that is there, else what is in reach"
    )
    func tolerances() async {
        let (generator, _) = make()
        // Key frames are due at 0, 400, 800, 1200 and 1600 ms.
        let keys = await numbers(generator, [.ms(0), .ms(190), .ms(210), .ms(400), .ms(1990), .ms(630)])
        #expect(keys == [0, 0, 10, 10, 40, 20])
        generator.requestedTimeToleranceAfter = .zero
        #expect(await numbers(generator, [.ms(390), .ms(1999)]) == [0, 40])
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .positiveInfinity
        #expect(await numbers(generator, [.ms(390), .ms(10), .ms(400)]) == [10, 10, 10])
        generator.requestedTimeToleranceBefore = .ms(100)
        generator.requestedTimeToleranceAfter = .ms(100)
        #expect(
            await numbers(generator, [.ms(480), .ms(310), .ms(600), .ms(301), .ms(299)]) == [
                10, 10, 13, 10, 5,
            ]
        )
        // Nothing lies within: the one due.
        generator.requestedTimeToleranceBefore = .ms(5)
        generator.requestedTimeToleranceAfter = .ms(5)
        #expect(await numbers(generator, [.ms(620), .ms(637), .ms(603)]) == [15, 16, 15])
    }

    @Test("Ascending times in a group decode each picture once; a time that is still due decodes nothing")
    func shares() async {
        let (generator, backend) = make()
        exact(generator)
        let times = (0..<50).map { MediaTime.ms(Int64($0) * 40 + 7) }
        #expect(await numbers(generator, times) == Array(0..<50))
        #expect(backend.counts.opened == 1)
        // Each packet once, but that a decoder is at a key frame behind at most.
        #expect(backend.counts.sent <= 50 + 5 * 3)
        let before = backend.counts
        #expect(await numbers(generator, [.ms(1967), .ms(1970), .ms(1999)]) == [49, 49, 49])
        #expect(backend.counts == before)
        // Anywhere else it begins at a key frame, and reads no more than it must.
        #expect(await numbers(generator, [.ms(1210)]) == [30])
        #expect(backend.counts.sent <= before.sent + 4)
    }

    @Test("What is found does not hang on what was asked before", arguments: [3, 17, 88])
    func history(seed: Int) async throws {
        var random = SplitMix64(UInt64(seed))
        let (shared, _) = make()
        for _ in 0..<60 {
            let tolerances: [MediaTime] = [.zero, .ms(15), .ms(90), .positiveInfinity]
            let (before, after) = (
                tolerances.randomElement(using: &random) ?? .zero,
                tolerances.randomElement(using: &random) ?? .zero
            )
            let time = MediaTime.ms(Int64.random(in: 0...2100, using: &random))
            let (fresh, _) = make()
            for generator in [shared, fresh] {
                generator.requestedTimeToleranceBefore = before
                generator.requestedTimeToleranceAfter = after
            }
            let (a, b) = (try await shared.image(at: time), try await fresh.image(at: time))
            #expect(a.actualTime == b.actualTime, "\(time) within \(before) and \(after), seed \(seed)")
        }
    }

    @Test("An index that lands too late is mended; pictures that cannot be decoded are passed over")
    func faults() async {
        let (late, _) = make(ScriptedMedia(video: .init(frameCount: 50), faults: [.seeksLate(keyFrames: 1)]))
        exact(late)
        #expect(await numbers(late, [.ms(990), .ms(480)]) == [24, 12])
        let (damaged, _) = make(
            ScriptedMedia(
                video: .init(frameCount: 50),
                faults: [.undecodable(frame: 12), .unreadable(packet: 14)]
            )
        )
        exact(damaged)
        #expect(await numbers(damaged, [.ms(490), .ms(570)]) == [11, 13])
        let (begins, _) = make(ScriptedMedia(video: .init(frameCount: 5, start: .ms(80))))
        exact(begins)
        let first = await begins.images(for: [.zero]).first { _ in true }
        #expect((try? first?.actualTime) == .ms(80))
    }

    @Test("No pictures, no file, no decoder: an error in words for each time")
    func errors() async {
        for (media, code) in [
            (ScriptedMedia(audio: .init(sampleCount: 48_000)), PlaybackError.Code.noPlayableTracks),
            (ScriptedMedia(video: .init(frameCount: 5), faults: [.openFails(.notFound)]), .notFound),
            (ScriptedMedia(video: .init(frameCount: 5), faults: [.noDecoder(.video)]), .noPlayableTracks),
            (ScriptedMedia(video: .init(frameCount: 5), faults: [.lost(fromPacket: 0)]), .io),
        ] {
            let (generator, _) = make(media)
            var codes: [PlaybackError.Code] = []
            for await case .failure(_, let error) in generator.images(for: [.zero, .ms(40)]) {
                codes.append(error.code)
                #expect(error.message.hasPrefix("/script: ") && error.message.count > 20)
            }
            #expect(codes == [code, code])
        }
    }

    @Test("A thousand times hold no more pictures than one")
    func bounded() async {
        let made = Locked(0)
        let backend = CountingBackend(Self.clip, ManualDriver().clock)
        let generator = ImageGenerator(
            asset: Asset(url: URL(fileURLWithPath: "/script"), backend: backend),
            clock: .virtual
        )
        exact(generator)
        var random = SplitMix64(5)
        let times = (0..<1000).map { _ in MediaTime.ms(Int64.random(in: 0..<2000, using: &random)) }
        var images = generator.images(for: times).makeAsyncIterator()
        let sent = backend.counts.sent
        #expect(sent == 0)
        for index in 0..<1000 {
            guard case .success(_, let frame, _)? = await images.next() else { break }
            made.withLock { $0 += 1 }
            // Only what was asked for is made: from the key frame before to the picture, and the one behind it.
            if index == 0 { #expect(backend.counts.sent <= 13) }
            #expect(number(frame) == Int((times[index].nanoseconds ?? 0) / 40_000_000))
        }
        #expect(made.withLock { $0 } == 1000)
        #expect(await images.next() == nil)
    }
}

@Suite("Stills that are called off, at a known packet of a known request")
struct ImageCancelTests {
    /// A generator that does something when it has read so many packets.
    private final class Rig: Sendable {
        private let held = Locked<ImageGenerator?>(nil)
        private let action = Locked<Action?>(nil)
        private let backendBox = Locked<CountingBackend?>(nil)

        struct Action {
            let packet: Int
            let body: @Sendable () -> Void
        }

        init() {
            let backend = CountingBackend(ImageGeneratorTests.clip, ManualDriver().clock) {
                [weak self] packet in
                guard let self else { return }
                let due = action.withLock { action -> Action? in
                    guard let due = action, due.packet <= packet else { return nil }
                    action = nil
                    return due
                }
                due?.body()
            }
            backendBox.withLock { $0 = backend }
            let generator = ImageGenerator(
                asset: Asset(url: URL(fileURLWithPath: "/script"), backend: backend),
                clock: .virtual
            )
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
            held.withLock { $0 = generator }
        }

        var generator: ImageGenerator { held.withLock { $0! } }
        var counts: CountingBackend.Counts { backendBox.withLock { $0!.counts } }
        func release() { held.withLock { $0 = nil } }
        func at(packet: Int, _ body: @escaping @Sendable () -> Void) {
            action.withLock { $0 = Action(packet: packet, body: body) }
        }
    }

    static let times = [MediaTime.ms(100), .ms(900), .ms(300), .ms(1500)]

    private func outcome(_ images: AsyncStream<ImageResult>) async -> [String] {
        var lines: [String] = []
        for await result in images {
            switch result {
            case .success(_, _, let time): lines.append("\(time.seconds)")
            case .failure(_, let error): lines.append(error.code.rawValue)
            }
        }
        return lines
    }

    @Test("All of them: what is under way and what is to come fail, later requests do not")
    func all() async throws {
        let rig = Rig()
        rig.at(packet: 8) { rig.generator.cancelAllImageGeneration() }
        let lines = await outcome(rig.generator.images(for: Self.times))
        #expect(lines == ["0.08", "cancelled", "cancelled", "cancelled"])
        #expect(rig.counts.cancelled == 1)
        #expect(try await rig.generator.image(at: .ms(900)).actualTime == .ms(880))
        #expect(rig.counts.opened == 2)
        // With nothing under way nothing is closed.
        rig.generator.cancelAllImageGeneration()
        #expect(try await rig.generator.image(at: .ms(300)).actualTime == .ms(280))
        #expect(rig.counts.opened == 2)
    }

    @Test("Released in the middle: a result for each, the file is closed, and nothing is left")
    func released() async {
        let rig = Rig()
        rig.at(packet: 8) { rig.release() }
        let images = rig.generator.images(for: Self.times)
        #expect(await outcome(images) == ["0.08", "cancelled", "cancelled", "cancelled"])
        #expect(rig.counts.cancelled >= 1)
    }

    @Test("One task: it is told at once, and the others go on with the file that is open")
    func task() async throws {
        let rig = Rig()
        let box = Locked<Task<String, Never>?>(nil)
        rig.at(packet: 1) { box.withLock { $0 }?.cancel() }
        let generator = rig.generator
        // The lane cannot get to its first packet before the box holds the task.
        let task = box.withLock { box -> Task<String, Never> in
            let task = Task { () -> String in
                do throws(PlaybackError) {
                    return "\(try await generator.image(at: .ms(1900)).actualTime.seconds)"
                } catch {
                    return error.code.rawValue
                }
            }
            box = task
            return task
        }
        #expect(await task.value == "cancelled")
        #expect(try await generator.image(at: .ms(300)).actualTime == .ms(280))
        #expect(rig.counts.opened == 1 && rig.counts.cancelled == 0)
        let early = Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(PlaybackError) {
                _ = try await generator.image(at: .zero)
                return false
            } catch {
                return error.code == .cancelled
            }
        }
        #expect(await early.value)
    }

    @Test("Properties that are changed do not touch requests in flight")
    func properties() async {
        let rig = Rig()
        rig.at(packet: 2) {
            rig.generator.requestedTimeToleranceBefore = .positiveInfinity
            rig.generator.requestedTimeToleranceAfter = .positiveInfinity
        }
        let images = rig.generator.images(for: Self.times)
        #expect(await outcome(images) == ["0.08", "0.88", "0.28", "1.48"])
        #expect(await outcome(rig.generator.images(for: [.ms(900)])) == ["0.8"])
    }
}
