import MediaCore
import PlaybackEngine
import PlayheadTesting

/// A loop with a scripted item, one layer and captured sound, on a driver that the test moves.
final class Rig {
    let driver: ManualDriver
    let loop: PlaybackLoop
    let dump = ReportDump()
    let sink: CapturingVideoSink
    let sound = CapturingAudioSink()
    let layer: LayerOutput

    convenience init(seed: UInt64? = nil, isRealTime: Bool = false) {
        self.init(driver: ManualDriver(seed: seed, isRealTime: isRealTime))
    }

    /// One of several on the same driver.
    init(driver: ManualDriver) {
        self.driver = driver
        loop = PlaybackLoop(driver: driver, observer: dump.observer)
        sink = CapturingVideoSink(clock: driver.clock)
        layer = LayerOutput(driver: driver, label: "layer") { Self.backend.makeVideoConverter() }
        layer.add(sink)
        let output = makeAudio()
        loop.attach(layer)
        loop.perform { $0.setAudio(output) }
    }

    /// The driver is stepped until the loop is taken down: work that is left queued would hold everything.
    deinit {
        loop.release()
        driver.settle()
    }

    private static let backend = ScriptedBackend(ScriptedMedia(), clock: ManualClock())

    private func makeAudio() -> AudioOutputLane {
        AudioOutputLane(
            driver: driver,
            sink: sound,
            makeConverter: { Self.backend.makeAudioConverter(to: $0) },
            report: { _ in }
        )
    }

    func load(
        _ media: ScriptedMedia,
        id: UInt64 = 1,
        forwardEnd: MediaTime? = nil,
        reverseEnd: MediaTime = .zero
    ) {
        let clock = driver.clock
        loop.setItem(
            ItemID(id),
            MediaItemSource(
                MediaItem(
                    makeDemuxer: { ScriptedDemuxer(media, clock: clock) },
                    forwardEnd: forwardEnd,
                    reverseEnd: reverseEnd
                )
            )
        )
    }

    func insert(
        _ media: ScriptedMedia,
        id: UInt64,
        after other: UInt64? = nil,
        start: MediaTime? = nil,
        forwardEnd: MediaTime? = nil
    ) {
        let clock = driver.clock
        let item = MediaItem(
            makeDemuxer: { ScriptedDemuxer(media, clock: clock) },
            forwardEnd: forwardEnd,
            start: start
        )
        loop.insert(ItemID(id), MediaItemSource(item), after: other.map { ItemID($0) })
    }

    func seek(_ id: UInt64, to time: MediaTime, tolerance: MediaTime = .zero) {
        loop.send(
            .seek(
                SeekRequest(
                    id: SeekID(id),
                    target: time,
                    toleranceBefore: tolerance
                )
            )
        )
    }

    /// Lines of the dump that hold `word`.
    func lines(_ word: String) -> [String] { dump.lines.filter { $0.contains(word) } }
}

extension MediaTime {
    static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}
