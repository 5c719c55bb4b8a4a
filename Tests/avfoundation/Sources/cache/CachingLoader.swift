// swift-format-ignore-file

import AVFoundation

/// A file of the cache, which a player item plays while it is downloaded.
protocol CachingLoaderDelegate: AnyObject {
    func cachingLoader(_ loader: CachingLoader, didReceive count: Int, of total: Int64)
    func cachingLoader(_ loader: CachingLoader, didFinishDownloading file: URL)
    func cachingLoader(_ loader: CachingLoader, didFailWith error: Error)
}

/// An item that plays while it is downloaded. In the language mode of Swift 5, its members are used outside the main actor.
class CachingItem: AVPlayerItem {
    let loader: CachingLoader

    init(loader: CachingLoader) {
        self.loader = loader
        super.init(asset: loader.makeAsset(), automaticallyLoadedAssetKeys: ["duration", "playable"])
        preferredForwardBufferDuration = 2
    }
}

class CachingLoader: NSObject {
    static let scheme = "caching"

    let url: URL
    let file: URL
    weak var delegate: CachingLoaderDelegate?

    private let queue = DispatchQueue(label: "caching-loader")
    private var session: URLSession?
    private var response: HTTPURLResponse?
    private var buffer = Data()
    private var pendingRequests: [AVAssetResourceLoadingRequest] = []
    private var isComplete = false

    init(url: URL, file: URL) {
        self.url = url
        self.file = file
        super.init()
    }

    /// An asset that asks this object for its bytes.
    func makeAsset() -> AVURLAsset {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)!
        components.scheme = CachingLoader.scheme
        let asset = AVURLAsset(url: components.url!)
        asset.resourceLoader.setDelegate(self, queue: queue)
        return asset
    }

    func cancel() {
        queue.async {
            self.session?.invalidateAndCancel()
            self.session = nil
            self.pendingRequests.forEach { if !$0.isFinished { $0.finishLoading() } }
            self.pendingRequests.removeAll()
        }
    }

    private func startDownload() {
        guard session == nil else { return }
        let operations = OperationQueue()
        operations.underlyingQueue = queue
        operations.maxConcurrentOperationCount = 1
        let configuration = URLSessionConfiguration.default
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: operations)
        session?.dataTask(with: url).resume()
    }

    private func processPendingRequests() {
        pendingRequests.removeAll { request in
            if request.isCancelled { return true }
            fill(request.contentInformationRequest)
            guard let dataRequest = request.dataRequest else { return false }
            if haveEnoughData(for: dataRequest) {
                request.finishLoading()
                return true
            }
            return false
        }
    }

    private func fill(_ information: AVAssetResourceLoadingContentInformationRequest?) {
        guard let information = information, let response = response else { return }
        information.contentType = response.mimeType == "video/mp4" ? "public.mpeg-4" : response.mimeType
        information.contentLength = response.expectedContentLength
        information.isByteRangeAccessSupported = true
    }

    /// Responds with what has arrived, and returns whether that is all.
    private func haveEnoughData(for request: AVAssetResourceLoadingDataRequest) -> Bool {
        guard response != nil else { return false }
        let requested = request.requestsAllDataToEndOfResource
            ? Int(response?.expectedContentLength ?? 0) - Int(request.requestedOffset) : request.requestedLength
        let start = Int(request.currentOffset)
        let end = min(buffer.count, Int(request.requestedOffset) + requested)
        if start < end { request.respond(with: buffer.subdata(in: start..<end)) }
        return buffer.count >= Int(request.requestedOffset) + requested || isComplete
    }
}

// MARK: - AVAssetResourceLoaderDelegate

extension CachingLoader: AVAssetResourceLoaderDelegate {
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        guard loadingRequest.request.url?.scheme == CachingLoader.scheme else { return false }
        pendingRequests.append(loadingRequest)
        startDownload()
        processPendingRequests()
        return true
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        if let index = pendingRequests.firstIndex(of: loadingRequest) { pendingRequests.remove(at: index) }
    }
}

// MARK: - URLSessionDataDelegate

extension CachingLoader: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        self.response = response as? HTTPURLResponse
        completionHandler(.allow)
        processPendingRequests()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        buffer.append(data)
        processPendingRequests()
        let (count, total) = (buffer.count, response?.expectedContentLength ?? -1)
        DispatchQueue.main.async { self.delegate?.cachingLoader(self, didReceive: count, of: total) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error {
            pendingRequests.forEach { $0.finishLoading(with: error) }
            pendingRequests.removeAll()
            DispatchQueue.main.async { self.delegate?.cachingLoader(self, didFailWith: error) }
            return
        }
        isComplete = true
        processPendingRequests()
        do {
            try buffer.write(to: file, options: .atomic)
            DispatchQueue.main.async { self.delegate?.cachingLoader(self, didFinishDownloading: self.file) }
        } catch {
            DispatchQueue.main.async { self.delegate?.cachingLoader(self, didFailWith: error) }
        }
        session.finishTasksAndInvalidate()
    }
}
