import Foundation
import FoundationNetworking
import MediaCore
import Network
import Playhead

/// The bytes of an asset that the delegate of an `AVAssetResourceLoader` loads.
///
/// The first read asks for the content information and two bytes, as Apple's player does. After that the bytes are read from
/// a `PushedByteSource`, whose requests become loading requests, or from the URL that the delegate redirects to.
final class ResourceLoaderSource: ByteSource {
    private enum Content {
        case unopened
        case opening(AVAssetResourceLoadingRequest)
        case pushed(PushedByteSource)
        case redirected(HTTPByteSource)
    }

    private struct State {
        var content = Content.unopened
        /// The readers that wait for the content information, or whose next read throws an error.
        var readers: [ObjectIdentifier: Reader] = [:]
    }

    private struct Reader {
        /// A later context may have the identity of a released one.
        weak var context: ReadContext?
        /// The error that the next read throws, once. The reader does not wait any more.
        var failure: MediaError?
    }

    let loader = AVAssetResourceLoader()
    private let url: URL
    private let options: NetworkOptions
    private let state = Locked(State())
    /// The loading requests of the pushed source.
    private let requests = Locked<[ObjectIdentifier: AVAssetResourceLoadingRequest]>([:])

    /// Returns a source for a URL with a scheme that the player does not load, or nil for any other URL.
    init?(_ url: URL, _ options: NetworkOptions) {
        guard let scheme = url.scheme?.lowercased(), !["file", "http", "https"].contains(scheme) else {
            return nil
        }
        self.url = url
        self.options = options
    }

    deinit {
        if case .opening(let request) = state.withLock({ $0.content }) { loader.cancel(request) }
        for request in requests.withLock({ Array($0.values) }) { loader.cancel(request) }
    }

    private var source: (any ByteSource)? {
        switch state.withLock({ $0.content }) {
        case .unopened, .opening: nil
        case .pushed(let source): source
        case .redirected(let source): source
        }
    }

    var byteCount: Int64? { source?.byteCount }
    var isSeekable: Bool { source?.isSeekable ?? true }
    var isLocal: Bool { source?.isLocal ?? false }
    func loadingState(for context: ReadContext) -> LoadingState? { source?.loadingState(for: context) }
    func cancel() {}

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.invalidArgument, "the bytes are read with a context only")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        if let source { return try source.read(at: offset, into: buffer, context: context) }
        try open(for: context)
        throw MediaError(.notReady, "waiting for the resource loader", location: name, isRetryable: true)
    }

    private var name: String { URL(fileURLWithPath: url.path).lastPathComponent }

    // MARK: Opening

    /// Requests the content information for a reader, unless another reader has done so.
    private func open(for context: ReadContext) throws(MediaError) {
        let key = ObjectIdentifier(context)
        let (failure, request, isNew) = state.withLock {
            state -> (MediaError?, AVAssetResourceLoadingRequest?, Bool) in
            let reader = state.readers[key].flatMap { $0.context === context ? $0 : nil }
            if let failure = reader?.failure {
                state.readers[key] = nil
                return (failure, nil, false)
            }
            let isNew = reader == nil
            state.readers[key] = Reader(context: context)
            guard case .unopened = state.content else { return (nil, nil, isNew) }
            let request = informationRequest()
            state.content = .opening(request)
            return (nil, request, isNew)
        }
        if let failure { throw failure }
        if isNew {
            context.onInterrupt(of: self) { [weak self] in self?.removeReader(key) }
        }
        if let request { loader.ask(request) }
        // The source may have been opened before the reader was added.
        if source != nil { context.wake() }
    }

    private func informationRequest() -> AVAssetResourceLoadingRequest {
        AVAssetResourceLoadingRequest(
            url,
            from: 0,
            to: 2,
            asksForContentInformation: true,
            isToEnd: false,
            // The two bytes are requested again with those that follow.
            AVAssetResourceLoadingRequest.Answer(data: { _ in }) { [weak self] request, result in
                self?.finish(request, result)
            }
        )
    }

    /// Removes a reader that was interrupted or closed. The last one cancels the request.
    private func removeReader(_ key: ObjectIdentifier) {
        let unneeded = state.withLock { state -> AVAssetResourceLoadingRequest? in
            state.readers[key] = nil
            guard state.readers.values.allSatisfy({ $0.failure != nil }),
                case .opening(let request) = state.content
            else { return nil }
            state.content = .unopened
            return request
        }
        if let unneeded { loader.cancel(unneeded) }
    }

    private func finish(_ request: AVAssetResourceLoadingRequest, _ result: Result<Void, any Error>) {
        let opened = result.flatMap { _ in Result { try content(request) } }
        let waiting = state.withLock { state -> [ReadContext] in
            guard case .opening(let current) = state.content, current === request else { return [] }
            let waiting = state.readers.filter { $0.value.failure == nil }
            switch opened {
            case .success(let content):
                state.content = content
                state.readers = [:]
            case .failure(let error):
                state.content = .unopened
                state.readers = state.readers.filter { $0.value.context != nil }
                for key in waiting.keys { state.readers[key]?.failure = mediaError(error) }
            }
            return waiting.values.compactMap(\.context)
        }
        for context in waiting {
            context.removeInterruptHandler(of: self)
            context.wake()
        }
    }

    private func content(_ request: AVAssetResourceLoadingRequest) throws(MediaError) -> Content {
        if let target = request.redirect?.url {
            return .redirected(try HTTPByteSource(url: target, options: options))
        }
        let information = request.contentInformationRequest
        let length = information?.contentLength ?? 0
        let isSeekable = information?.isByteRangeAccessSupported ?? false
        return .pushed(
            PushedByteSource(
                name: name,
                byteCount: length > 0 ? length : nil,
                isSeekable: isSeekable,
                isLocal: information?.isEntireLengthAvailableOnDemand ?? false,
                onRequest: { [weak self] in self?.load($0, isToEnd: !isSeekable) },
                onCancel: { [weak self] in self?.cancel($0) }
            )
        )
    }

    private func mediaError(_ error: any Error) -> MediaError {
        if let error = error as? MediaError { return error }
        let code = Int32(clamping: (error as NSError).code)
        return MediaError(.io, error.localizedDescription, location: name, underlyingCode: code)
    }

    // MARK: Parts

    private func load(_ part: PushedByteSource.Request, isToEnd: Bool) {
        let key = ObjectIdentifier(part)
        let request = AVAssetResourceLoadingRequest(
            url,
            from: part.offset,
            to: part.end,
            isToEnd: isToEnd,
            AVAssetResourceLoadingRequest.Answer { data in
                data.withUnsafeBytes { part.receive($0) }
            } finish: { [weak self] _, result in
                self?.requests.withLock { $0[key] = nil }
                switch result {
                case .success: part.finish()
                case .failure(let error):
                    part.fail(self?.mediaError(error) ?? MediaError(.io, "loading failed"))
                }
            }
        )
        // The dictionary retains the request, which retains the part, so no other part has its identity.
        requests.withLock { $0[key] = request }
        loader.ask(request)
    }

    private func cancel(_ part: PushedByteSource.Request) {
        let request = requests.withLock { $0.removeValue(forKey: ObjectIdentifier(part)) }
        if let request { loader.cancel(request) }
    }
}
