import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import Testing

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("media-fixtures/generated")

// Rule: skipped-packets, scrubbing
/// A decoder skips only the frames that it was asked to skip, and the other frames are not affected.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: folder.path), "make fixtures"))
struct SkippingTests {
    private struct Decoded {
        /// The time and content of each frame, in the order of output.
        var frames: [(time: MediaTime, content: Int)] = []
        var keys: [MediaTime] = []
        var times: [MediaTime] { frames.map(\.time) }
    }

    private enum Step { case send, leaveOut, flushAndSend }

    private func decode(
        _ file: String,
        _ skipping: DecodeSkipping = .none,
        step: (Packet) -> Step = { _ in .send }
    ) throws -> Decoded {
        let demuxer = FFmpegDemuxer(OpenRequest(location: folder.appendingPathComponent(file).path))
        let description = try demuxer.open().get()
        let track = try #require(description.tracks.first { $0.mediaType == .video }).id
        demuxer.setEnabledTracks([track])
        let decoder = try demuxer.makeDecoder(for: track, options: DecoderOptions()).get()
        decoder.skip(skipping)
        var decoded = Decoded()
        var hasEnded = false
        var held: Packet?
        while !hasEnded {
            switch try decoder.receive() {
            case .video(let frame): decoded.frames.append((frame.presentationTime, Self.content(of: frame)))
            case .audio: break
            case .ended: hasEnded = true
            case .needsInput:
                if held == nil {
                    held = try demuxer.read().get()
                    if let packet = held {
                        if packet.isKeyFrame, let time = packet.presentationTime { decoded.keys.append(time) }
                        switch step(packet) {
                        case .send: break
                        case .flushAndSend: decoder.flush()
                        case .leaveOut:
                            held = nil
                            continue
                        }
                    }
                }
                if try decoder.send(held) { held = nil }
            }
        }
        return decoded
    }

    @Test(
        "A key frame that is decoded alone equals the one that is decoded with the others",
        arguments: ["clip-h264-aac.mp4", "open-groups-hevc.mp4", "layers-av1.mp4", "clip-vp9-opus.webm"]
    )
    func keyFrameAlone(file: String) throws {
        let all = try decode(file).frames
        let demuxer = FFmpegDemuxer(OpenRequest(location: folder.appendingPathComponent(file).path))
        let track = try #require(try demuxer.open().get().tracks.first { $0.mediaType == .video }).id
        demuxer.setEnabledTracks([track])
        var options = DecoderOptions()
        options.threadCount = 2
        let decoder = try demuxer.makeDecoder(for: track, options: options).get()
        let other = try #require(try decoder.makeKeyFrameDecoder())
        var keys = 0
        while let packet = try demuxer.read().get() {
            guard packet.isKeyFrame else { continue }
            keys += 1
            #expect(try other.send(packet) && other.send(nil))
            guard case .video(let frame) = try other.receive() else {
                Issue.record("no frame for the packet at \(String(describing: packet.presentationTime))")
                continue
            }
            #expect(frame.presentationTime == packet.presentationTime)
            let expected = all.first { $0.time == packet.presentationTime }
            #expect(Self.content(of: frame) == expected?.content)
            other.restart()
        }
        #expect(keys > 0)
    }

    private static func content(of frame: VideoFrame) -> Int {
        frame.withPlanes { planes in
            var hasher = Hasher()
            for plane in planes {
                for row in 0..<plane.rowCount {
                    let start = plane.baseAddress + row * plane.bytesPerRow
                    hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow))
                }
            }
            return hasher.finalize()
        }
    }

    @Test("A decoder skips no frames, unreferenced frames, or all but key frames")
    func levels() throws {
        let all = try decode("clip-h264-aac.mp4").times
        let some = try decode("clip-h264-aac.mp4", .nonReference).times
        let few = try decode("clip-h264-aac.mp4", .allButKeyFrames)
        #expect(few.times == few.keys)
        #expect(!few.keys.isEmpty)
        #expect(some.count < all.count && some.count > few.times.count)
    }

    @Test(
        "Skipping unreferenced frames leaves the other frames identical, bit by bit",
        arguments: ["clip-h264-aac.mp4", "open-groups-hevc.mp4", "layers-av1.mp4", "clip-vp9-opus.webm"]
    )
    func nonReference(file: String) throws {
        let all = try decode(file)
        let some = try decode(file, .nonReference)
        #expect(some.times == some.times.sorted())
        for frame in some.frames {
            #expect(all.frames.contains { $0.time == frame.time && $0.content == frame.content })
        }
        switch file {
        // Each frame passes its probabilities to the next one, so none can be skipped.
        case "clip-vp9-opus.webm": #expect(some.times == all.times)
        case "layers-av1.mp4": #expect(some.frames.count < all.frames.count)
        default: #expect(some.frames.count < all.frames.count * 4 / 5)
        }
    }

    @Test(
        "Frames from a key frame after a gap are identical, bit by bit, without those that precede it in time",
        arguments: ["clip-h264-aac.mp4", "open-groups-hevc.mp4", "layers-av1.mp4", "clip-vp9-opus.webm"]
    )
    func jump(file: String) throws {
        let all = try decode(file)
        let target = try #require(all.keys.dropFirst().first)
        var sent = 0
        var isBehind = false
        let rest = try decode(file) { packet in
            if isBehind { return packet.presentationTime ?? .zero < target ? .leaveOut : .send }
            if packet.isKeyFrame, packet.presentationTime == target {
                isBehind = true
                return .flushAndSend
            }
            sent += 1
            return sent <= 10 ? .send : .leaveOut
        }
        let behind = rest.frames.filter { $0.time >= target }
        #expect(behind.map(\.time) == all.times.filter { $0 >= target })
        #expect(behind.map(\.content) == all.frames.filter { $0.time >= target }.map(\.content))
    }
}
