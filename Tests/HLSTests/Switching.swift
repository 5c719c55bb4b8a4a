import FFmpeg
import Foundation
import MediaCore
import Playhead
import TestSupport

/// The output of a player on the virtual clock while a test changes something.
struct Switching {
    struct Frame: Hashable, Sendable {
        var time: MediaTime
        var width: Int
    }

    var frames: [Frame] = []
    /// The hash of all samples in the decoder's format.
    var audio = ""
    var stalls = 0
    /// The time of the clock at the end. It begins at zero.
    var end = HostTime.zero
    var failure: PlaybackError?
    /// The messages of errors from which the item has recovered.
    var faults: [String] = []

    var times: [MediaTime] { frames.map(\.time) }
    var widths: [Int] { frames.map(\.width) }

    /// An action at an item time, while the clock is stopped.
    struct Act: Sendable {
        var milliseconds: Int64
        var body: @Sendable (Player, PlayerItem, PlayerLayer) -> Void

        init(
            _ milliseconds: Int64,
            _ body: @escaping @Sendable (Player, PlayerItem, PlayerLayer) -> Void
        ) {
            self.milliseconds = milliseconds
            self.body = body
        }
    }

    /// Plays an asset. `resume` is called when the player is paused, and playback continues after it.
    static func play(
        _ asset: Asset,
        peakBitRate: Double = 0,
        size: PixelSize? = nil,
        acts: [Act] = [],
        prepare: (PlayerItem) -> Void = { _ in },
        resume: @escaping @Sendable (PlayerItem) async -> Void = { _ in }
    ) async -> Switching {
        let audioSink = MemoryAudioSink()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .sink(audioSink)
        let player = Player(configuration: configuration)
        let item = PlayerItem(asset: asset)
        item.preferredPeakBitRate = peakBitRate
        prepare(item)
        let frames = Locked([Frame]())
        let layer = PlayerLayer(player: player, size: size)
        layer.add(
            CallbackVideoSink { frame in
                let shown = Frame(time: frame.presentationTime, width: frame.format.size.width)
                frames.withLock { $0.append(shown) }
            }
        )
        let observers = acts.map { act in
            let time = MediaTime(value: act.milliseconds, timescale: 1000)
            return player.addBoundaryTimeObserver(forTimes: [time]) { [weak player, weak layer] in
                if let player, let layer { act.body(player, item, layer) }
            }
        }
        var result = Switching()
        let events = player.timedEvents
        player.play()
        player.replaceCurrentItem(with: item)
        listening: for await timed in events {
            switch timed.event {
            case .didPlayToEndTime:
                result.end = timed.hostTime
                break listening
            case .failedToPlayToEndTime(_, let error):
                result.failure = error
                break listening
            case .itemStatusChanged(let item, .failed):
                result.failure = item.error
                break listening
            case .errorLogEntry(_, let entry) where entry.isRecovered:
                result.faults.append(entry.error.message)
            case .playbackStalled: result.stalls += 1
            case .rateChanged(_, 0, _) where timed.itemTime < item.duration:
                await resume(item)
                player.play()
            default: break
            }
        }
        await player.shutdown()
        result.frames = withExtendedLifetime((layer, observers)) { frames.withLock { $0 } }
        result.audio = audioSink.output
        return result
    }

    /// A sink that keeps all samples.
    private final class MemoryAudioSink: AudioSink {
        private let bytes = Locked([UInt8]())

        var output: String {
            bytes.withLock { bytes in
                let digest = FrameDigest()
                bytes.withUnsafeBytes { digest.update($0) }
                return "\(bytes.count) \(digest.finish())"
            }
        }

        func start(_ format: AudioFormat) -> AudioFormat { format }

        func write(_ buffer: AudioBuffer) {
            bytes.withLock { bytes in
                buffer.withPlanes { for plane in $0 { bytes += Array(plane) } }
            }
        }

        func finish() {}
    }
}
