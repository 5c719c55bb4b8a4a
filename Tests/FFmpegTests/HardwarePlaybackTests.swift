import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

@testable import FFmpeg

// Rule: hardware
/// A whole player uses a device (`MemoryDevice`) that works, fails, or does not exist.
@Suite("Playback with a hardware device", .enabled(if: Fixture.areThere, "make fixtures"))
struct HardwarePlaybackTests {
    private struct Shown: Equatable {
        let time: MediaTime
        let hash: String
    }

    /// Returns the frames that three passes and some seeks show.
    private func play(
        _ clip: String,
        _ policy: HardwareDecoding,
        _ source: any HardwareSource = HardwareDevices.shared
    ) async throws -> (shown: [Shown], log: [ErrorLog.Event], faults: Int) {
        let frames = Locked<[Shown]>([])
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        configuration.decoding.hardware = policy
        configuration.backend = FFmpegBackend(hardware: source)
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        layer.add(
            CallbackVideoSink { frame in
                let shown = Shown(time: frame.presentationTime, hash: FrameDigest.digest(of: frame))
                frames.withLock { $0.append(shown) }
            }
        )
        let item = PlayerItem(url: Fixture.url(clip))
        player.actionAtItemEnd = .pause
        for _ in 0..<3 {
            try await player.playToEnd(item)
            for seconds in [1.48, 0.3, 2.2, 0] {
                let time = MediaTime(seconds: seconds, preferredTimescale: 1000)
                #expect(await player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero))
            }
        }
        let result = (frames.withLock { $0 }, item.errorLog().events, player.counters.faults)
        await player.shutdown()
        return result
    }

    @Test(
        "Passes and seeks show the frames of the software decoder, wherever the device fails",
        arguments: ["clip-h264-aac.mp4", "open-groups-hevc.mp4"],
        ([nil, .packet(0), .packet(31), .frame(5), .frame(60), .packet(100), .drain] as [DeviceFault?])
            .samples
    )
    func lapsAndSeeks(clip: String, fault: DeviceFault?) async throws {
        let plain = try await play(clip, .none)
        #expect(plain.log.isEmpty && plain.shown.count > 100)
        let source = MemoryDeviceSource(try MemoryDevice(), fault: fault)
        let played = try await play(clip, .automatic, source)
        #expect(played.shown == plain.shown)
        #expect(played.faults == 0)
        // One item uses one decoder and one device, which outlives the flushes of seeks and ends.
        #expect(source.made.withLock { $0 } == 1)
        #expect(played.log.count <= 1)
        if fault == nil { #expect(played.log.isEmpty) }
        if fault == .packet(0) || fault == .frame(5) {
            let entry = try #require(played.log.first)
            #expect(entry.isRecovered && entry.error.code == .hardwareUnavailable)
            #expect(entry.error.message.contains("using software decoding: the device hangs"))
        }
    }

    @Test("Frames whose pixels are not read stay on the device; others are read back once")
    func lazily() async throws {
        let memory = try MemoryDevice()
        let source = MemoryDeviceSource(memory)
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        configuration.decoding.hardware = .automatic
        configuration.backend = FFmpegBackend(hardware: source)
        let player = Player(configuration: configuration)
        let (unseen, seen) = (PlayerLayer(player: player), PlayerLayer())
        unseen.add(NullVideoSink())
        let count = Locked(0)
        for _ in 0..<2 {
            seen.add(
                CallbackVideoSink { frame in
                    frame.withPlanes { if !$0.isEmpty { count.withLock { $0 += 1 } } }
                }
            )
        }
        let limit = Player.frameCacheByteLimit
        try await player.playToEnd(PlayerItem(url: Fixture.url("video-only.mp4")))
        let unread = memory.readCount.withLock { $0 }
        seen.player = player
        try await player.playToEnd(PlayerItem(url: Fixture.url("video-only.mp4")))
        await player.shutdown()
        #expect(limit > 0)
        // The frames of a pass that the cache keeps are copied to memory, because there are too many for the device.
        #expect(unread <= count.withLock { $0 } / 2)
        #expect(memory.readCount.withLock { $0 } - unread == count.withLock { $0 } / 2)
    }

    @Test("A missing device adds one entry to the log, and software decodes the frames")
    func missing() async throws {
        let plain = try await play("clip-h264-aac.mp4", .none)
        let played = try await play("clip-h264-aac.mp4", .device("magic"))
        #expect(played.shown == plain.shown && played.faults == 0)
        #expect(played.log.map(\.error.code) == [.hardwareUnavailable])
        let message = "hardware decoding unavailable, using software: unknown hardware decoder magic"
        #expect(played.log.first?.error.message.contains(message) == true)
    }

    @Test("none requests no device")
    func none() async throws {
        let source = MemoryDeviceSource(try MemoryDevice())
        let played = try await play("clip-h264-aac.mp4", .none, source)
        #expect(!played.shown.isEmpty)
        #expect(source.made.withLock { $0 } == 0)
    }
}
