import AVFoundation

/// Loads one film for `AVAssetResourceLoader` while it plays: a download fills a buffer, and each request is answered with what has
/// arrived.
///
/// `@unchecked Sendable`: its queue, on which the loader also calls its delegate, guards all variables.
final class FilmLoader: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    /// A film on a server: its pieces, and what its response said.
    struct Film: Sendable {
        let identifier: String
        let contentType: String
        let byteCount: Int64
        let pieces: AsyncThrowingStream<Data, any Error>
    }

    private let queue = DispatchQueue(label: "film loader")
    private let film: Film
    private let file: URL
    private var pending: [AVAssetResourceLoadingRequest] = []
    private var buffer = Data()
    private var download: Task<Void, Never>?
    private let didEnd: @Sendable (_ isComplete: Bool) -> Void

    /// Creates a loader that stores the complete film in a file.
    init(_ film: Film, storingAt file: URL, didEnd: @escaping @Sendable (_ isComplete: Bool) -> Void) {
        self.film = film
        self.file = file
        self.didEnd = didEnd
    }

    /// Creates an asset whose bytes come from this loader, because its scheme is unknown to the player.
    func makeAsset() -> AVURLAsset? {
        guard let url = URL(string: "film-cache://server/\(film.identifier)") else { return nil }
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(self, queue: queue)
        return asset
    }

    /// Starts the download.
    func start() {
        queue.async { [self] in
            guard download == nil else { return }
            download = Task { [weak self, film] in
                do {
                    for try await piece in film.pieces {
                        guard let self else { return }
                        queue.async { self.receive(piece) }
                    }
                    guard let self, !Task.isCancelled else { return }
                    queue.async { self.finish() }
                } catch {
                    guard let self else { return }
                    queue.async { self.fail(error) }
                }
            }
        }
    }

    /// Ends the download at once. What it has received is dropped.
    func cancel() {
        queue.async { [self] in
            guard download != nil || !pending.isEmpty else { return }
            download?.cancel()
            download = nil
            for request in pending where !request.isFinished {
                request.finishLoading(with: CancellationError())
            }
            pending = []
            didEnd(false)
        }
    }

    private func receive(_ piece: Data) {
        guard download != nil else { return }
        buffer.append(piece)
        processRequests()
    }

    private func finish() {
        guard download != nil else { return }
        download = nil
        do {
            try buffer.write(to: file, options: .atomic)
            didEnd(true)
        } catch {
            print("\(film.identifier) cannot be stored: \(error.localizedDescription)")
            didEnd(false)
        }
    }

    private func fail(_ error: any Error) {
        download = nil
        for request in pending { request.finishLoading(with: error) }
        pending = []
        didEnd(false)
    }

    // MARK: AVAssetResourceLoaderDelegate

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        pending.append(loadingRequest)
        processRequests()
        return true
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        pending.removeAll { $0 === loadingRequest }
    }

    private func processRequests() {
        pending.removeAll { request in
            if let information = request.contentInformationRequest {
                information.contentType = film.contentType
                information.contentLength = film.byteCount
                information.isByteRangeAccessSupported = true
            }
            guard let data = request.dataRequest else {
                request.finishLoading()
                return true
            }
            guard respond(to: data) else { return false }
            request.finishLoading()
            return true
        }
    }

    /// Answers a request with what has arrived from its current offset.
    ///
    /// - Returns: True if it is complete.
    private func respond(to request: AVAssetResourceLoadingDataRequest) -> Bool {
        let end =
            request.requestsAllDataToEndOfResource
            ? film.byteCount
            : min(film.byteCount, request.requestedOffset + Int64(request.requestedLength))
        let available = min(end, Int64(buffer.count))
        if request.currentOffset < available {
            request.respond(with: buffer.subdata(in: Int(request.currentOffset)..<Int(available)))
        }
        return request.currentOffset >= end
    }
}
