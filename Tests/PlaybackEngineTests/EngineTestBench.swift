import Foundation
import MediaCore
import PlaybackEngine
import PlayheadBackend

@testable import PlayheadTesting

/// A test bench for the engine without a player. Tests of `PlaybackEngine` use it as other tests use `PlayerTestBench`.
final class EngineTestBench: PlaybackTestBench {
    let loop: PlaybackLoop
    let layer: LayerOutput

    /// Creates a bench. The parameters are those of `PlayerTestBench`, plus a driver that several benches can share.
    init(
        driver given: ManualDriver? = nil,
        audio: TestAudio = .captured,
        seed: UInt64? = nil,
        isRealTime: Bool = false,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil }
    ) {
        let equipment = TestEquipment(
            ScriptedMedia(),
            driver: given,
            audio: audio,
            seed: seed,
            isRealTime: isRealTime,
            makeStretcher: makeStretcher
        )
        let (driver, backend) = (equipment.driver, equipment.backend)
        let addLine = TestJournal.writer(equipment.journal)
        loop = PlaybackLoop(driver: driver) { report, _ in report.line.map(addLine) }
        let conversions = FrameConversions(driver: driver) { backend.makeVideoConverter() }
        layer = LayerOutput(driver: driver, label: "layer", conversions: conversions)
        layer.add(equipment.videoSink)
        loop.attach(layer)
        if let sink = equipment.audioOutput {
            let output = AudioOutputLane(
                driver: driver,
                sink: sink,
                makeConverter: { backend.makeAudioConverter(to: $0) },
                makeStretcher: { backend.makeAudioTimeStretcher() },
                report: { _ in }
            )
            loop.perform { $0.setAudio(output) }
        }
        super.init(equipment)
    }

    deinit { loop.release() }

    /// Returns an item that plays `media`. It can be changed before it is used.
    func makeItem(_ media: ScriptedMedia) -> MediaItem {
        let location = backend.add(media).path
        return MediaItem(makeDemuxer: { [backend] _ in
            backend.makeDemuxer(for: OpenRequest(location: location))
        })
    }

    func load(
        _ media: ScriptedMedia,
        id: UInt64 = 1,
        configure: (inout MediaItem) -> Void = { _ in }
    ) {
        var item = makeItem(media)
        configure(&item)
        let source = MediaItemSource(item)
        loop.perform { $0.setItem(ItemID(id), source) }
    }

    func insert(
        _ media: ScriptedMedia,
        id: UInt64,
        after other: UInt64? = nil,
        configure: (inout MediaItem) -> Void = { _ in }
    ) {
        var item = makeItem(media)
        configure(&item)
        let source = MediaItemSource(item)
        loop.perform { $0.insert(ItemID(id), source, after: other.map { ItemID($0) }) }
    }

    func play(_ rate: Float = 1) { loop.send(.setRate(rate)) }

    func seek(_ id: UInt64, to time: MediaTime, tolerance: MediaTime = .zero) {
        loop.send(.seek(SeekRequest(id: SeekID(id), target: time, toleranceBefore: tolerance)))
    }

    /// Returns the lines that contain `word`.
    func lines(_ word: String) -> [String] { lines.filter { $0.contains(word) } }
}
