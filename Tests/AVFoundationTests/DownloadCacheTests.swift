import AVFoundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// The idiom of players that cache what they play: one download fills a buffer, from which all requests are answered; the
/// finished file is stored, and played from there the next time.
@Suite("Downloading while playing", .enabled(if: Fixture.areThere, "make fixtures"))
struct DownloadCacheTests {
    /// Written like code for Apple's player. Confined to its queue.
    private final class Cache: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
        let queue = DispatchQueue(label: "cache")
        private let origin: URL
        private let file: URL
        private var pendingRequests: [AVAssetResourceLoadingRequest] = []
        private var downloaded = Data()
        private var expected = 0
        private var download: FileHandle?
        private(set) var downloadCount = 0

        init(origin: URL, file: URL) {
            self.origin = origin
            self.file = file
        }

        func asset() -> AVURLAsset {
            if FileManager.default.fileExists(atPath: file.path) { return AVURLAsset(url: file) }
            var components = URLComponents(url: origin, resolvingAgainstBaseURL: false)!
            components.scheme = "streaming"
            let asset = AVURLAsset(url: components.url!)
            asset.resourceLoader.setDelegate(self, queue: queue)
            return asset
        }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader,
            shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
        ) -> Bool {
            if download == nil { startDownload() }
            pendingRequests.append(loadingRequest)
            processPendingRequests()
            return true
        }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader,
            didCancel loadingRequest: AVAssetResourceLoadingRequest
        ) {
            if let index = pendingRequests.firstIndex(of: loadingRequest) {
                pendingRequests.remove(at: index)
            }
        }

        private func startDownload() {
            downloadCount += 1
            download = FileHandle(forReadingAtPath: origin.path)
            expected = Int(download!.seekToEndOfFile())
            download!.seek(toFileOffset: 0)
            queue.async { self.receivePiece() }
        }

        private func receivePiece() {
            guard let piece = download?.readData(ofLength: 10_000) else { return }
            downloaded.append(piece)
            processPendingRequests()
            if downloaded.count == expected {
                #expect(throws: Never.self) { try downloaded.write(to: file, options: .atomic) }
            } else {
                queue.async { self.receivePiece() }
            }
        }

        private func processPendingRequests() {
            pendingRequests.removeAll { request in
                if let information = request.contentInformationRequest {
                    information.contentType = "public.mpeg-4"
                    information.contentLength = Int64(expected)
                    information.isByteRangeAccessSupported = true
                }
                guard let data = request.dataRequest, respond(to: data) else { return false }
                request.finishLoading()
                return true
            }
        }

        private func respond(to request: AVAssetResourceLoadingDataRequest) -> Bool {
            let start = Int(request.currentOffset)
            guard downloaded.count > start else { return false }
            let end = Int(request.requestedOffset) + request.requestedLength
            let count = min(downloaded.count, end) - start
            if count > 0 { request.respond(with: downloaded.subdata(in: start..<start + count)) }
            return downloaded.count >= end
        }
    }

    @Test(
        "The second play is from the stored file",
        arguments: ["clip-h264-aac.mp4", "clip-moov-at-end.mp4"]
    )
    func caching(_ name: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mp4")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let cache = Cache(origin: Fixture.url(name), file: file)
        for turn in 0..<2 {
            let player = AdapterConfiguration.$current.withValue(.offline()) {
                AVPlayer(playerItem: AVPlayerItem(asset: cache.asset()))
            }
            try await player.player.playToEnd()
            #expect((player.currentItem?.asset as? AVURLAsset)?.url.isFileURL == (turn == 1))
            while !FileManager.default.fileExists(atPath: file.path) { await Task.yield() }
            #expect(player.currentTime() == player.currentItem?.duration && player.currentItem?.error == nil)
        }
        #expect(cache.queue.sync { cache.downloadCount } == 1)
        #expect(try Data(contentsOf: file) == Data(contentsOf: Fixture.url(name)))
    }
}
