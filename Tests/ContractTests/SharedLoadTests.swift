import Dispatch
import Foundation
import Playhead
import PlayheadBackend
import PlayheadTesting
import Testing

/// Tests several callers that share one load, some of which are cancelled.
@Suite("Contract: loads that several callers share")
struct SharedLoadTests {
    enum Outcome: Equatable {
        case loaded
        case failed(PlaybackError.Code)
    }

    private func load(_ asset: Asset) -> Task<Outcome, Never> {
        Task { await outcome(of: asset) }
    }

    @Test("A cancelled task affects its own caller alone, and the other callers get their results")
    func oneOfMany() async {
        let gate = OpeningGate()
        let asset = gate.makeAsset()
        let tasks = (0..<8).map { _ in load(asset) }
        await gate.isWaiting(1)
        // All callers have made their request before the gate's count can be read again.
        while asset.waitingCallers < 8 { await Task.yield() }
        tasks[0].cancel()
        tasks[5].cancel()
        #expect(await tasks[0].value == .failed(.cancelled))
        #expect(await tasks[5].value == .failed(.cancelled))
        #expect(asset.status == .loading)
        gate.open()
        for index in [1, 2, 3, 4, 6, 7] { #expect(await tasks[index].value == .loaded) }
        #expect(asset.status == .loaded)
        #expect(gate.openings == 1)
    }

    @Test("Cancelling the task of the only caller cancels the opening, and another request loads the asset")
    func onlyOne() async {
        let gate = OpeningGate()
        let asset = gate.makeAsset()
        for round in 1...3 {
            let task = load(asset)
            await gate.isWaiting(round)
            task.cancel()
            #expect(await task.value == .failed(.cancelled))
            #expect(asset.status == .unknown)
            #expect(asset.error == nil)
            #expect(gate.cancels == round)
        }
        let task = load(asset)
        await gate.isWaiting(4)
        gate.open()
        #expect(await task.value == .loaded)
        #expect(asset.duration == .ms(2000))
    }

    @Test(
        "A task that is cancelled before its request opens nothing, and gets properties that are already loaded"
    )
    func cancelledBefore() async throws {
        let gate = OpeningGate()
        let asset = gate.makeAsset()
        func early() async -> Outcome {
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await outcome(of: asset)
            }.value
        }
        #expect(await early() == .failed(.cancelled))
        #expect(gate.openings == 0)
        #expect(asset.status == .unknown)
        gate.open()
        try await asset.load()
        #expect(await early() == .loaded)
        #expect(gate.openings == 1)
    }

    private func outcome(of asset: Asset) async -> Outcome {
        do throws(PlaybackError) {
            try await asset.load()
            return .loaded
        } catch {
            return .failed(error.code)
        }
    }

    @Test("Cancellation after the load changes nothing, and two assets of one URL are loaded twice")
    func after() async {
        let gate = OpeningGate()
        let (first, second) = (gate.makeAsset(), gate.makeAsset())
        let tasks = [load(first), load(second)]
        await gate.isWaiting(2)
        tasks[0].cancel()
        #expect(await tasks[0].value == .failed(.cancelled))
        gate.open()
        #expect(await tasks[1].value == .loaded)
        tasks[1].cancel()
        #expect(second.status == .loaded)
        #expect(first.status == .unknown)
        #expect(await load(first).value == .loaded)
    }

    @Test("cancelLoading() cancels all waiting callers, permanently")
    func all() async {
        let gate = OpeningGate()
        let asset = gate.makeAsset()
        let tasks = (0..<3).map { _ in load(asset) }
        await gate.isWaiting(1)
        while asset.waitingCallers < 3 { await Task.yield() }
        asset.cancelLoading()
        for task in tasks { #expect(await task.value == .failed(.cancelled)) }
        #expect(asset.status == .cancelled)
        #expect(gate.cancels == 1)
    }

    @Test("Releasing an item while it opens does not affect the status of its asset")
    func itemLetGo() async throws {
        let gate = OpeningGate()
        let asset = gate.makeAsset()
        var configuration = Player.Configuration()
        configuration.audio = .none
        configuration.backend = gate
        let player = Player(configuration: configuration)
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        await gate.isWaiting(1)
        let task = load(asset)
        await gate.isWaiting(2)
        player.replaceCurrentItem(with: nil)
        while gate.ended < 1 { await Task.yield() }
        #expect(asset.status == .loading)
        gate.open()
        #expect(await task.value == .loaded)
        await player.shutdown()
    }

    @Test(
        "An item that opens first provides the properties to all waiting callers, whose opening is cancelled"
    )
    func itemFirst() async throws {
        let gate = OpeningGate()
        let asset = gate.makeAsset()
        let task = load(asset)
        await gate.isWaiting(1)
        gate.openForOthers()
        let bench = PlayerTestBench(.silentClip())
        bench.load(PlayerItem(asset: asset))
        #expect(await task.value == .loaded)
        #expect(asset.status == .loaded)
        #expect(gate.cancels == 1)
    }

    @Test("A limit of one player does not prevent the asset from being loaded")
    func itemFails() async throws {
        let asset = Asset(url: URL(fileURLWithPath: "/script"), backend: LimitedBackend())
        let bench = PlayerTestBench(.silentClip()) { $0.decoding.maximumPixelCount = 1 }
        let item = bench.load(PlayerItem(asset: asset))
        #expect(item.status == .failed)
        #expect(asset.status == .unknown)
        try await asset.load()
        #expect(asset.status == .loaded)
    }

    @Test("If one of two requests for the same still image is cancelled, the other one gets its image")
    func stills() async throws {
        let gate = OpeningGate()
        let generator = ImageGenerator(asset: gate.makeAsset())
        func image() -> Task<Outcome, Never> {
            Task {
                do throws(PlaybackError) {
                    _ = try await generator.image(at: .ms(500))
                    return .loaded
                } catch {
                    return .failed(error.code)
                }
            }
        }
        let (first, second) = (image(), image())
        await gate.isWaiting(1)
        first.cancel()
        #expect(await first.value == .failed(.cancelled))
        gate.open()
        #expect(await second.value == .loaded)
        #expect(gate.openings == 1)
    }
}

/// Plays a script whose opening blocks until the gate is opened or the demuxer is cancelled.
final class OpeningGate: MediaBackend {
    private struct State {
        var isOpen = false
        var openings = 0
        var ended = 0
        var cancels = 0
        /// The semaphores of the waiting openings. The demuxers are not stored here, because they retain the gate.
        var signals: [DispatchSemaphore] = []
    }

    private let state = Locked(State())
    private let scripts = ScriptedBackend(.silentClip(), driver: ManualDriver())

    /// The number of openings that were started.
    var openings: Int { state.withLock { $0.openings } }
    /// The number of openings that have ended, successfully or not.
    var ended: Int { state.withLock { $0.ended } }
    /// The number of openings that were cancelled.
    var cancels: Int { state.withLock { $0.cancels } }

    func makeAsset() -> Asset { Asset(url: scripts.add(), backend: self) }
    /// Lets all later openings proceed without waiting.
    func openForOthers() { state.withLock { $0.isOpen = true } }

    func open() {
        let signals = state.withLock { state in
            state.isOpen = true
            return state.signals
        }
        for signal in signals { signal.signal() }
    }

    func isWaiting(_ count: Int) async { while openings < count { await Task.yield() } }

    fileprivate func begin() { state.withLock { $0.openings += 1 } }
    fileprivate func end() { state.withLock { $0.ended += 1 } }
    fileprivate func cancel() { state.withLock { $0.cancels += 1 } }

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        let demuxer = GatedDemuxer(scripts.makeDemuxer(for: request), self)
        let isOpen = state.withLock { state in
            state.signals.append(demuxer.signal)
            return state.isOpen
        }
        if isOpen { demuxer.signal.signal() }
        return demuxer
    }
    func makeVideoConverter() -> any VideoConverter { scripts.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        scripts.makeAudioConverter(to: format)
    }
    func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { nil }
}

/// A backend whose media is larger than one pixel, so that opening fails under a limit of one pixel.
private final class LimitedBackend: MediaBackend {
    private let whole = ScriptedBackend(.silentClip(), driver: ManualDriver())
    private let refused = ScriptedBackend(
        .silentClip([.openFails(.exceedsLimits)]),
        driver: ManualDriver()
    )

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        (request.maximumPixelCount > 1 ? whole : refused).makeDemuxer(for: request)
    }
    func makeVideoConverter() -> any VideoConverter { whole.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        whole.makeAudioConverter(to: format)
    }
}

private final class GatedDemuxer: Demuxer {
    private let inner: any Demuxer
    private let gate: OpeningGate
    let signal = DispatchSemaphore(value: 0)
    private let wasCancelled = Locked(false)

    init(_ inner: any Demuxer, _ gate: OpeningGate) {
        self.inner = inner
        self.gate = gate
    }

    func open() throws(MediaError) -> Poll<MediaDescription> {
        gate.begin()
        _ = signal.wait(timeout: .now() + 30)
        let isOff = wasCancelled.withLock { $0 }
        gate.end()
        if isOff { throw MediaError(.cancelled, "called off") }
        return try inner.open()
    }

    func setEnabledTracks(_ ids: Set<Int>) { inner.setEnabledTracks(ids) }
    func read() throws(MediaError) -> Poll<Packet?> { try inner.read() }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try inner.seek(to: target, preference: preference)
    }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try inner.makeDecoder(for: track, options: options)
    }
    func begin(_ epoch: Epoch) { inner.begin(epoch) }
    func interrupt(before epoch: Epoch) { inner.interrupt(before: epoch) }
    func cancel() {
        let isFirst = wasCancelled.withLock { wasCancelled in
            defer { wasCancelled = true }
            return !wasCancelled
        }
        if isFirst { gate.cancel() }
        signal.signal()
        inner.cancel()
    }
}
