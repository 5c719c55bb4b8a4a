import MediaCore
import Network
import Playhead
import TestSupport
import Testing

@testable import AVFoundation

@Suite("AVAssetResourceLoader", .enabled(if: Fixture.areThere, "make fixtures"))
struct AVAssetResourceLoaderTests {
    private let url = URL(string: "cache://host/clip.mp4?token=1")!

    private func data(_ name: String) throws -> Data { try Data(contentsOf: Fixture.url(name)) }

    /// The frames of an asset: their times and the sums of their bytes.
    private func frames(_ asset: AVAsset) async throws -> [String] {
        var lines: [String] = []
        for try await frame in asset.asset.frames(.all) {
            let sum = try frame.packedBytes().reduce(into: UInt64(0)) { $0 = $0 &* 31 &+ UInt64($1) }
            lines.append("\(frame.presentationTime.seconds) \(sum)")
        }
        return lines
    }

    private func offline<Result>(_ body: () throws -> Result) rethrows -> Result {
        try AdapterConfiguration.$current.withValue(.offline(), operation: body)
    }

    @Test(
        "A file whose bytes come late, in pieces and out of order plays like the file",
        arguments: ["clip-h264-aac.mp4", "clip-moov-at-end.mp4", "clip-vp9-opus.webm"],
        [UInt64(1), 2, 3]
    )
    func pieces(_ name: String, _ seed: UInt64) async throws {
        let delegate = LoaderDelegate(try data(name), seed: seed)
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(delegate, queue: delegate.queue)
        #expect(asset.resourceLoader.delegate === delegate)
        #expect(asset.resourceLoader.delegateQueue === delegate.queue)
        let expected = try await frames(AVURLAsset(url: Fixture.url(name)))
        #expect(try await frames(asset) == expected && expected.count > 80)
        #expect(delegate.log.first == "info 0" && delegate.log.filter { $0.hasPrefix("info") }.count == 1)
        #expect(try await asset.load(.isPlayable))
    }

    @Test("An item plays to its end over a delegate, with and without parts", arguments: [true, false])
    func playing(_ hasRanges: Bool) async throws {
        let delegate = LoaderDelegate(try data("clip-h264-aac.mp4"), hasRanges ? .pieces : .withoutRanges)
        let (player, item) = offline {
            let asset = AVURLAsset(url: url)
            asset.resourceLoader.setDelegate(delegate, queue: delegate.queue)
            let item = AVPlayerItem(asset: asset)
            return (AVPlayer(playerItem: item), item)
        }
        try await player.player.playToEnd()
        #expect(item.status == .readyToPlay && item.currentTime() == item.duration)
        #expect(item.duration.seconds > 2.9)
        player.replaceCurrentItem(with: nil)
        await delegate.queue.run {}
        #expect(delegate.pending.isEmpty)
    }

    @Test("The failure of a released reader is not that of another one at the same address")
    func reusedAddress() throws {
        let delegate = LoaderDelegate(Data(), .fails(URLError(.timedOut)))
        let source = try #require(ResourceLoaderSource(url, NetworkOptions()))
        source.loader.setDelegate(delegate, queue: delegate.queue)
        func read(_ context: ReadContext) throws(MediaError) {
            var byte: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &byte) { bytes throws(MediaError) in
                try source.read(at: 0, into: bytes, context: context)
            }
        }
        func code(_ context: ReadContext) -> MediaError.Code? {
            do throws(MediaError) { try read(context) } catch { return error.code }
            return nil
        }
        var first: ReadContext? = ReadContext()
        let address = ObjectIdentifier(try #require(first))
        #expect(code(try #require(first)) == .notReady)
        delegate.queue.sync {}
        first = nil
        // Memory that was released is usually used again soon by the same thread. Where it is not, because another thread
        // has released it, the rest must hold as well.
        var others: [ReadContext] = []
        while others.count < 100_000, others.last.map({ ObjectIdentifier($0) }) != address {
            others.append(ReadContext())
        }
        let second = try #require(others.last)
        #expect(code(second) == .notReady)
        delegate.queue.sync {}
        // Its own failure is reported once.
        #expect(code(second) == .io)
        #expect(code(second) == .notReady)
    }

    @Test("A request that receives more than it asked for is not cancelled")
    func surplus() throws {
        let delegate = LoaderDelegate(Data(count: 10 << 20), .surplus)
        let source = try #require(ResourceLoaderSource(url, NetworkOptions()))
        source.loader.setDelegate(delegate, queue: delegate.queue)
        let context = ReadContext()
        var buffer = [UInt8](repeating: 1, count: 100)
        for _ in 0..<2 {
            let count = try buffer.withUnsafeMutableBytes {
                try source.readIfAvailable(at: 0, into: $0, context: context)
            }
            #expect(count == nil)
            // The delegate is asked, answers, and would be informed of a cancellation.
            for _ in 0..<3 { delegate.queue.sync {} }
        }
        #expect(delegate.log == ["info 0", "response 0 to 10485760", "load 0", "response 0 to 10485760"])
        let count = try buffer.withUnsafeMutableBytes {
            try source.readIfAvailable(at: 0, into: $0, context: context)
        }
        #expect(count == 100 && buffer.allSatisfy { $0 == 0 })
    }

    @Test("A replaced or released item cancels its requests at once")
    func cancelled() async throws {
        let delegate = LoaderDelegate(try data("clip-h264-aac.mp4"), .withholds(from: 2))
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(delegate, queue: delegate.queue)
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        // The first two bytes are delivered before the cancellation, so they are not requested again.
        await delegate.until { $0.drop { $0 != "load 0" }.contains("response 0 to 2") }
        player.replaceCurrentItem(with: nil)
        await delegate.until { $0.contains("cancel 0") }
        #expect(delegate.pending.isEmpty)
        // The next item asks for what is missing. The content information is known.
        var second: AVPlayer? = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        await delegate.until { $0.contains("load 2") }
        second = nil
        await delegate.until { $0.contains("cancel 2") }
        #expect(second == nil && delegate.pending.isEmpty && delegate.log.first == "info 0")
        let third = AVURLAsset(url: url)
        third.resourceLoader.setDelegate(delegate, queue: delegate.queue)
        delegate.set(.withholds(from: 0))
        let loading = Task { try await third.load(.duration) }
        await delegate.until { $0.filter { $0 == "info 0" }.count == 2 }
        third.cancelLoading()
        await delegate.until { $0.last == "cancel 0" }
        await #expect(throws: AVError.self) { try await loading.value }
    }

    @Test("A seek cancels the requests that it supersedes, and continues with others")
    func seeking() async throws {
        let bytes = try data("clip-h264-aac.mp4")
        let delegate = LoaderDelegate(bytes, .withholds(from: bytes.count / 3))
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(delegate, queue: delegate.queue)
        var frames = asset.asset.frames(.all).makeAsyncIterator()
        #expect(try await frames.next() != nil)
        let request = try #require(delegate.pending.last)
        #expect(!request.isFinished && request.dataRequest!.currentOffset > 0)
        #expect(request.request.url == url)
        let range = request.request.value(forHTTPHeaderField: "Range")
        #expect(range == "bytes=\(request.dataRequest!.requestedOffset)-\(bytes.count - 1)")
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let ready = player.currentItem!.item
        while ready.status == .unknown { await Task.yield() }
        #expect(ready.status == .readyToPlay)
        async let finished = player.seek(
            to: CMTime(value: 25, timescale: 10),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        delegate.set(.pieces)
        #expect(await finished)
        #expect(player.currentTime().seconds == 2.5)
    }

    @Test("Errors, refusals and a delegate that is gone fail the item")
    func failures() async throws {
        func error(_ delegate: LoaderDelegate?) async -> AVError? {
            let asset = AVURLAsset(url: url)
            asset.resourceLoader.setDelegate(delegate, queue: nil)
            if let delegate { asset.resourceLoader.setDelegate(delegate, queue: delegate.queue) }
            do {
                _ = try await asset.load(.tracks)
                return nil
            } catch {
                return error as? AVError
            }
        }
        let reason = NSError(domain: "app", code: 42, userInfo: [NSLocalizedDescriptionKey: "no such film"])
        let failed = await error(LoaderDelegate(Data(), .fails(reason)))
        #expect(failed?.code == .failedToLoadMediaData)
        #expect(failed?.localizedDescription.contains("no such film") == true)
        #expect(failed?.localizedDescription.contains("token") == false)
        #expect(await error(LoaderDelegate(Data(), .refuses))?.code == .referenceForbiddenByReferencePolicy)
        #expect(await error(nil)?.code == .referenceForbiddenByReferencePolicy)
        // A delegate is not retained.
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(LoaderDelegate(Data()), queue: nil)
        #expect(asset.resourceLoader.delegate == nil)
        // Files are never asked for.
        let file = AVURLAsset(url: Fixture.url("clip-h264-aac.mp4"))
        let delegate = LoaderDelegate(Data())
        file.resourceLoader.setDelegate(delegate, queue: delegate.queue)
        #expect(try await file.load(.isPlayable))
        #expect(delegate.log.isEmpty)
    }

    @Test("Blocking getters of an asset wait for the delegate, from tasks too")
    func blocking() async throws {
        let bytes = try data("clip-h264-aac.mp4")
        let url = url
        let durations = await withTaskGroup(of: Double.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    let delegate = LoaderDelegate(bytes, seed: UInt64(seed))
                    let asset = AVURLAsset(url: url)
                    asset.resourceLoader.setDelegate(delegate, queue: delegate.queue)
                    return withExtendedLifetime(delegate) { asset.duration.seconds }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(durations.count == 8 && durations.allSatisfy { $0 > 2.9 })
    }

    @Test("A request for content information can redirect to another URL")
    func redirected() async throws {
        final class Redirecting: NSObject, AVAssetResourceLoaderDelegate {
            func resourceLoader(
                _ resourceLoader: AVAssetResourceLoader,
                shouldWaitForLoadingOfRequestedResource request: AVAssetResourceLoadingRequest
            ) -> Bool {
                // Port 9 of this machine answers nothing.
                request.redirect = URLRequest(url: URL(string: "http://127.0.0.1:9/clip.mp4")!)
                request.finishLoading()
                return true
            }
        }
        let delegate = Redirecting()
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(delegate, queue: nil)
        let error = await #expect(throws: AVError.self) { try await asset.load(.tracks) }
        #expect(error?.localizedDescription.contains("connection to the server failed") == true)
        withExtendedLifetime(delegate) {}
    }
}

extension DispatchQueue {
    /// Runs a closure on the queue, after everything that was enqueued before.
    fileprivate func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            async {
                body()
                continuation.resume()
            }
        }
    }
}
