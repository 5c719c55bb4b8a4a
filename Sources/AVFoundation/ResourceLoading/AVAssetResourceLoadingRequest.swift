public import Foundation
public import FoundationNetworking
import MediaCore
import Playhead

/// A request for a part of a resource, which the delegate of an `AVAssetResourceLoader` answers.
///
/// Fill `contentInformationRequest` if it is not nil, pass the bytes to `dataRequest`, and call `finishLoading()`. All members
/// may be used from any thread.
///
/// `@unchecked Sendable`: `state` is guarded by its lock; the other stored properties are constants.
public class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
    private enum Phase {
        case waiting
        case asked
        case finished
        case cancelled
    }

    private struct State {
        var phase = Phase.waiting
        var wasAsked = false
        var response: URLResponse?
        var redirect: URLRequest?
    }

    /// The receiver of the answer.
    struct Answer: Sendable {
        /// Receives bytes that follow those before.
        let data: @Sendable (Data) -> Void
        /// Receives the end of the request.
        let finish: @Sendable (AVAssetResourceLoadingRequest, Result<Void, any Error>) -> Void
    }

    private let state = Locked(State())
    private let answer: Answer
    /// The URL of the asset, with the requested bytes in the field Range.
    public let request: URLRequest
    /// The request for the type and the length of the resource, which is made once, before any other; otherwise nil.
    public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
    /// The requested bytes.
    public let dataRequest: AVAssetResourceLoadingDataRequest?
    /// The object that needs the bytes.
    public let requestor = AVAssetResourceLoadingRequestor()

    init(
        _ url: URL,
        from offset: Int64,
        to end: Int64?,
        asksForContentInformation: Bool = false,
        isToEnd: Bool,
        _ answer: Answer
    ) {
        var request = URLRequest(url: url)
        request.setValue("bytes=\(offset)-\(end.map { "\($0 - 1)" } ?? "")", forHTTPHeaderField: "Range")
        self.request = request
        self.answer = answer
        contentInformationRequest =
            asksForContentInformation ? AVAssetResourceLoadingContentInformationRequest() : nil
        dataRequest = AVAssetResourceLoadingDataRequest(from: offset, to: end, isToEnd: isToEnd)
        super.init()
        dataRequest?.request = self
    }

    /// A Boolean value that indicates whether the request has been finished or cancelled.
    public var isFinished: Bool {
        state.withLock { [.finished, .cancelled].contains($0.phase) }
    }
    /// A Boolean value that indicates whether the request is not needed any more.
    public var isCancelled: Bool { state.withLock { $0.phase == .cancelled } }

    /// The response to the request. It has no effect.
    public var response: URLResponse? {
        get { state.withLock { $0.response } }
        set { state.withLock { $0.response = newValue } }
    }

    /// An http or https URL from which the resource is loaded instead. It takes effect in a request with a
    /// `contentInformationRequest`, when it is finished.
    public var redirect: URLRequest? {
        get { state.withLock { $0.redirect } }
        set { state.withLock { $0.redirect = newValue } }
    }

    /// Finishes the request, once what was requested has been delivered. Bytes that are missing are requested again.
    public func finishLoading() { end(.success(())) }

    /// Finishes the request with an error: the asset cannot be loaded, or playback fails.
    ///
    /// - Parameter error: The error. The error of the item contains its text.
    public func finishLoading(with error: (any Error)?) {
        end(.failure(error ?? AVError(PlaybackError(code: .unknown, message: "loading failed"))))
    }

    private func end(_ result: Result<Void, any Error>) {
        let isOpen = state.withLock { state in
            guard [.waiting, .asked].contains(state.phase) else { return false }
            state.phase = .finished
            return true
        }
        if isOpen { answer.finish(self, result) }
    }

    // MARK: For the loader

    /// Returns whether the delegate may be asked.
    func beginAsking() -> Bool {
        state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .asked
            state.wasAsked = true
            return true
        }
    }

    /// Whether the delegate has been asked.
    var wasAsked: Bool { state.withLock { $0.wasAsked } }

    /// Ends a request that the delegate does not load.
    func refuse() {
        let scheme = request.url?.scheme ?? ""
        end(.failure(MediaError(.forbidden, "unsupported URL scheme: \(scheme) (no delegate loads it)")))
    }

    /// Cancels the request. Returns false if it has ended.
    func cancel() -> Bool {
        state.withLock { state in
            guard [.waiting, .asked].contains(state.phase) else { return false }
            state.phase = .cancelled
            return true
        }
    }

    /// Forwards bytes of the data request.
    func receive(_ data: Data) {
        guard !isFinished else { return }
        answer.data(data)
    }
}

/// A request to renew a content key. None is made.
public class AVAssetResourceRenewalRequest: AVAssetResourceLoadingRequest, @unchecked Sendable {}
