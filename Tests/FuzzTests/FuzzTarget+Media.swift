import FFmpeg
import MediaCore
import Playhead
import PlayheadBackend
import PlayheadTesting

extension FuzzTarget {
    /// A file: opened, read and decoded without a player.
    static let media = FuzzTarget("media", maximumLength: 64 << 10) { input in
        var request = OpenRequest(location: "input", source: DataByteSource(input, name: "input"))
        request.maximumPixelCount = 1 << 20
        request.probesFully = input.count % 2 == 1
        do throws(MediaError) {
            var run = DemuxerRun(FFmpegDemuxer(request))
            try run.run()
        } catch {
            return error.message.isEmpty ? "an error without a message" : nil
        }
        return nil
    }

    /// A file: played on a clock that the target moves, with seeks, steps and other rates.
    static let player = FuzzTarget("player", folder: "media", maximumLength: 64 << 10) { input in
        let bench = PlayerTestBench { configuration in
            configuration.backend = Player.Configuration().backend
            configuration.decoding.threadCount = 1
        }
        let item = PlayerItem(asset: Asset(DataByteSource(input, name: "input")))
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 0.3)
        bench.player.seek(to: .seconds(0.2))
        bench.driver.run(seconds: 0.1)
        bench.player.rate = -2
        bench.driver.run(seconds: 0.1)
        bench.player.pause()
        item.step(byCount: 2)
        bench.player.seek(to: item.duration)
        bench.driver.run(seconds: 0.1)
        guard item.status == .failed else { return nil }
        return item.error == nil ? "a failure without an error" : nil
    }
}
