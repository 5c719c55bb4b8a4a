// swift-format-ignore-file

import AVFoundation

/// Plays a film of a server twice: while it is downloaded, and from the cache.
final class CachePlayer: NSObject, CachingLoaderDelegate {
    private let player = AVPlayer()
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var loader: CachingLoader?
    private var statusObservation: NSKeyValueObservation?
    private var endObserver: NSObjectProtocol?
    private var url: URL!
    private var isDownloaded = false
    private var hasEnded = false

    override init() {
        super.init()
        player.isMuted = true
        player.automaticallyWaitsToMinimizeStalling = true
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func play(_ url: URL) {
        self.url = url
        let file = folder.appendingPathComponent(url.lastPathComponent)
        let isCached = FileManager.default.fileExists(atPath: file.path)
        print(isCached ? "from the cache" : "from the server")
        let item: AVPlayerItem
        if isCached {
            item = AVPlayerItem(url: file)
        } else {
            let cachingItem = CachingItem(loader: CachingLoader(url: url, file: file))
            cachingItem.loader.delegate = self
            loader = cachingItem.loader
            item = cachingItem
        }
        statusObservation = item.observe(\.status, options: [.new]) { [weak self] item, _ in
            DispatchQueue.main.async { self?.statusChanged(item) }
        }
        if let endObserver = endObserver { NotificationCenter.default.removeObserver(endObserver) }
        endObserver = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: .main
        ) { [weak self] _ in
            print("end")
            self?.hasEnded = true
            self?.continueIfPossible()
        }
        player.replaceCurrentItem(with: item)
        player.playImmediately(atRate: 1)
    }

    private func statusChanged(_ item: AVPlayerItem) {
        switch item.status {
        case .readyToPlay:
            print("ready, \(CMTimeGetSeconds(item.duration)) s")
            item.seek(to: CMTimeMakeWithSeconds(2.5, preferredTimescale: 600), completionHandler: nil)
        case .failed:
            print("failed: \(item.error?.localizedDescription ?? "-")")
            exit(1)
        default: break
        }
    }

    private func continueIfPossible() {
        guard isDownloaded, hasEnded else { return }
        if loader == nil {
            player.replaceCurrentItem(with: nil)
            try? FileManager.default.removeItem(at: folder)
            exit(0)
        }
        loader = nil
        hasEnded = false
        play(url)
    }

    func cachingLoader(_ loader: CachingLoader, didReceive count: Int, of total: Int64) {}

    func cachingLoader(_ loader: CachingLoader, didFinishDownloading file: URL) {
        isDownloaded = true
        continueIfPossible()
    }

    func cachingLoader(_ loader: CachingLoader, didFailWith error: Error) {
        print("download failed: \(error.localizedDescription)")
        exit(1)
    }
}

let player = CachePlayer()
player.play(URL(string: CommandLine.arguments[1])!)
RunLoop.main.run()
