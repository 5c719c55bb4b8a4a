import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Cancelling image requests")
struct ImageCancelTests {
    /// A generator that performs an action after a number of packets.
    private final class Interrupted: Sendable {
        private struct Action {
            let packet: Int
            let body: @Sendable () -> Void
        }

        private let held = Locked<ImageGenerator?>(nil)
        private let action = Locked<Action?>(nil)
        private let readCount = Locked(0)
        private let backendBox = Locked<ScriptedBackend?>(nil)

        init(_ media: ScriptedMedia = .clip()) {
            let backend = ScriptedBackend(
                media,
                driver: ManualDriver(),
                onCall: { [weak self] call in if call == .read { self?.countRead() } }
            )
            backendBox.withLock { $0 = backend }
            let generator = ImageGenerator(asset: backend.makeAsset(), clock: .virtual)
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
            held.withLock { $0 = generator }
        }

        private func countRead() {
            let packet = readCount.withLock { count in
                count += 1
                return count
            }
            let due = action.withLock { action -> Action? in
                guard let due = action, due.packet <= packet else { return nil }
                action = nil
                return due
            }
            due?.body()
        }

        var generator: ImageGenerator { held.withLock { $0! } }
        var backend: ScriptedBackend { backendBox.withLock { $0! } }
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

    @Test("Cancelling all requests fails those in flight and those that wait, and no later ones")
    func all() async throws {
        let stills = Interrupted()
        stills.at(packet: 8) { stills.generator.cancelAllImageGeneration() }
        let lines = await outcome(stills.generator.images(for: Self.times))
        #expect(lines == ["0.08", "cancelled", "cancelled", "cancelled"])
        #expect(stills.backend.counts.cancelled == 1)
        #expect(try await stills.generator.image(at: .ms(900)).actualTime == .ms(880))
        #expect(stills.backend.opened.count == 2)
        // Without a request in flight, nothing is closed.
        stills.generator.cancelAllImageGeneration()
        #expect(try await stills.generator.image(at: .ms(300)).actualTime == .ms(280))
        #expect(stills.backend.opened.count == 2)
    }

    @Test(
        "A search that was cancelled on its way does not change the next image",
        arguments: Array(1...12).samples
    )
    func afterCancelledSearch(step: Int) async throws {
        var media = ScriptedMedia.clip()
        media.video?.keyInterval = 50
        for frame in 0..<49 {
            let stills = Interrupted(media)
            let token = Locked<ObservationToken?>(nil)
            stills.at(packet: 4 * step) { token.withLock { $0 }?.invalidate() }
            await withCheckedContinuation { continuation in
                // The lane cannot reach the packet before the box contains the token.
                token.withLock {
                    $0 = stills.generator.requestImage(at: .ms(1960)) { _ in continuation.resume() }
                }
            }
            let image = try await stills.generator.image(at: .ms(Int64(frame) * 40))
            #expect(image.actualTime == .ms(Int64(frame) * 40))
        }
    }

    @Test("Releasing the generator answers each request, closes the file and leaves nothing behind")
    func released() async {
        let stills = Interrupted()
        stills.at(packet: 8) { stills.release() }
        let images = stills.generator.images(for: Self.times)
        #expect(await outcome(images) == ["0.08", "cancelled", "cancelled", "cancelled"])
        #expect(stills.backend.counts.cancelled >= 1)
    }

    @Test("Cancelling one task answers it at once, and the other requests continue with the open file")
    func task() async throws {
        let stills = Interrupted()
        let box = Locked<Task<String, Never>?>(nil)
        stills.at(packet: 1) { box.withLock { $0 }?.cancel() }
        let generator = stills.generator
        // The lane cannot reach its first packet before the box contains the task.
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
        #expect(stills.backend.opened.count == 1 && stills.backend.counts.cancelled == 0)
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

    @Test("Changing properties does not affect requests in flight")
    func properties() async {
        let stills = Interrupted()
        stills.at(packet: 2) {
            stills.generator.requestedTimeToleranceBefore = .positiveInfinity
            stills.generator.requestedTimeToleranceAfter = .positiveInfinity
        }
        let images = stills.generator.images(for: Self.times)
        #expect(await outcome(images) == ["0.08", "0.88", "0.28", "1.48"])
        #expect(await outcome(stills.generator.images(for: [.ms(900)])) == ["0.8"])
    }
}
