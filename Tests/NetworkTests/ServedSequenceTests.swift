import Foundation
import Network
import Playhead
import TestSupport
import Testing

@Suite("Frames and audio over HTTP without a player", .enabled(if: Fixture.areThere, "make fixtures"))
struct ServedSequenceTests {
    private func asset(_ server: FaultServer) throws -> Asset {
        Asset(url: try #require(URL(string: server.url("/film.mp4"))))
    }

    @Test(
        "Frames, samples and samplings equal those of the local file, and the film is fetched once",
        arguments: ["clip-h264-aac.mp4", "clip-moov-at-end.mp4", "clip-vp9-opus.webm", "clip-h264-aac.ts"]
    )
    func same(_ name: String) async throws {
        let film = [UInt8](try Data(contentsOf: Fixture.url(name)))
        let server = try FaultServer(film)
        defer { server.stop() }
        let remote = try asset(server)
        let local = Asset(url: Fixture.url(name))
        let samplings = [FrameSampling.all, .times([.zero, MediaTime(value: 2, timescale: 1)]), .keyFrames]
        #expect(await PulledMedia.frames(of: remote) == PulledMedia.frames(of: local))
        let requests = server.log.count
        for sampling in samplings {
            #expect(await PulledMedia.frames(of: remote, sampling) == PulledMedia.frames(of: local, sampling))
        }
        #expect(await PulledMedia.audio(of: remote) == PulledMedia.audio(of: local))
        // The received bytes are shared.
        #expect(server.log.count == requests)
    }

    @Test("Leaving the loop, and cancelling the task, end a request that hangs", .timeLimit(.minutes(10)))
    func hanging() async throws {
        let film = [UInt8](try Data(contentsOf: Fixture.url("clip-h264-aac.mp4")))
        for sampling in [FrameSampling.all, .uniform(count: 4)] {
            let server = try FaultServer(film) { _, answer in answer.hang = .beforeBody }
            defer { server.stop() }
            let asset = try asset(server)
            let task = Task { () -> PlaybackError.Code? in
                do throws(PlaybackError) {
                    for try await _ in asset.frames(sampling) {}
                    return nil
                } catch {
                    return error.code
                }
            }
            while server.log.isEmpty { await Task.yield() }
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }
}
