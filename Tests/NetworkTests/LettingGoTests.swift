import Foundation
import MediaCore
import Network
import Playhead
import TestSupport
import Testing

/// Whatever a server is doing, and at whatever moment: who lets go goes on at once, and all of it comes down.
@Suite(
    "Network: let go of at any moment",
    .serialized,
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(5))
)
struct LettingGoTests {
    enum Fault: String, CaseIterable {
        case tls, head, body, someBody, backOff, retryAfter, nothing, drops
    }

    enum Way: String, CaseIterable {
        case release, replace, stop, load, still
    }

    private struct Draw: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 ^ state << 31
        }
    }

    private static let film = Result { [UInt8](try Data(contentsOf: Fixture.url("clip-h264-aac.mp4"))) }

    private static func server(_ fault: Fault, _ place: Int) throws -> FaultServer {
        try FaultServer(try film.get()) { request, answer in
            switch fault {
            case .head: answer.hang = .beforeHead
            case .body: answer.hang = .beforeBody
            case .someBody: answer.hang = .inBody(place)
            case .backOff: answer = FaultServer.Answer(500)
            case .retryAfter: answer = FaultServer.Answer(503, headers: [("Retry-After", "20")])
            case .nothing: answer.isNothing = true
            case .drops:
                answer.cut = min(answer.body.count, 2000)
                answer.end = .close
            case .tls: break
            }
        }
    }

    /// What the caller waits, and what it takes until nothing is left.
    private static func letGo(seed: UInt64) async throws -> (caller: Duration, down: Duration) {
        var draw = Draw(state: seed &* 7919 &+ 1)
        for _ in 0..<4 { _ = draw.next() }
        let fault = Fault.allCases.randomElement(using: &draw) ?? .head
        let way = Way.allCases.randomElement(using: &draw) ?? .release
        let server = try server(fault, Int.random(in: 0..<80_000, using: &draw))
        defer { server.stop() }
        let scheme = fault == .tls ? "https" : "http"
        let source = try HTTPByteSource(url: "\(scheme)://127.0.0.1:\(server.port)/film.mp4")
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/film.mp4"))
        let asset = Asset(url: url, options: AssetOptions(byteSource: source))
        var configuration = Player.Configuration()
        configuration.audio = .none
        let clock = ContinuousClock()
        let moment = clock.now.advanced(by: .microseconds(Int.random(in: 0..<60_000, using: &draw)))
        var begun: ContinuousClock.Instant
        var caller: Duration
        switch way {
        case .load, .still:
            let generator = ImageGenerator(asset: asset)
            let work = Task {
                if way == .load { try await asset.load() } else { _ = try await generator.image(at: .zero) }
            }
            while clock.now < moment { await Task.yield() }
            begun = clock.now
            work.cancel()
            caller = clock.now - begun
            _ = await work.result
        case .release, .replace, .stop:
            let player = Player(configuration: configuration)
            player.play()
            player.replaceCurrentItem(with: PlayerItem(asset: asset))
            while clock.now < moment { await Task.yield() }
            begun = clock.now
            switch way {
            case .replace: player.replaceCurrentItem(with: nil)
            case .stop:
                player.pause()
                player.replaceCurrentItem(with: PlayerItem(url: Fixture.url("clip-h264-aac.mp4")))
            default: player.shutdown {}
            }
            caller = clock.now - begun
            if way == .release { await player.shutdown() }
            while source.fetchCount > 0 || server.openConnections > 0 { await Task.yield() }
            let down = clock.now - begun
            await player.shutdown()
            return (caller, down)
        }
        while source.fetchCount > 0 || server.openConnections > 0 { await Task.yield() }
        return (caller, clock.now - begun)
    }

    /// PLAYHEAD_MOMENTS: how many, and what they took is printed.
    @Test("All goes down: connections, requests, players")
    func anyMoment() async throws {
        let wanted = ProcessInfo.processInfo.environment["PLAYHEAD_MOMENTS"].flatMap(Int.init)
        var callers: [Duration] = []
        var downs: [Duration] = []
        for seed in 0..<UInt64(wanted ?? 40) {
            let (caller, down) = try await Self.letGo(seed: seed)
            callers.append(caller)
            downs.append(down)
        }
        guard wanted != nil else { return }
        func line(_ name: String, _ times: [Duration]) -> String {
            let sorted = times.sorted()
            let parts = [0.5, 0.99, 1].map { part in
                let index = min(sorted.count - 1, Int(Double(sorted.count) * part))
                return String(format: "%.1f ms", sorted[index] / .milliseconds(1))
            }
            return "\(name): median \(parts[0]), 99 % \(parts[1]), worst \(parts[2])"
        }
        print(line("caller", callers))
        print(line("all down", downs))
    }
}
