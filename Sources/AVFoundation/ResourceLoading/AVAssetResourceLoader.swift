public import Foundation
import MediaCore

/// Asks a delegate for the bytes of an asset whose URL has a scheme that the player does not load itself.
///
/// The delegate is asked for all schemes except `file`, `http` and `https`. Set it before the asset is used.
///
/// `@unchecked Sendable`: `state` is guarded by its lock.
public class AVAssetResourceLoader: NSObject, @unchecked Sendable {
    /// A weak reference. The delegate is used on its queue only.
    private struct State: @unchecked Sendable {
        weak var delegate: (any AVAssetResourceLoaderDelegate)?
        var queue: DispatchQueue?
    }

    private let state = Locked(State())
    /// The queue for a delegate without a queue.
    private let ownQueue = DispatchQueue(label: "AVFoundation.resource-loader")
    /// Whether keys are loaded in advance. Kept without effect: the player has no content keys.
    private let preloadsKeys = Locked(false)

    override init() { super.init() }

    /// Sets the delegate, which is not retained.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, or nil.
    ///   - queue: The queue on which the delegate is called; it should be serial. Nil for a queue of the loader. If code on the
    ///     main queue blocks, as a getter of an asset does, it must not be the main queue.
    public func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue: DispatchQueue?) {
        state.withLock { state in
            state.delegate = delegate
            state.queue = queue
        }
    }

    /// The delegate, or nil.
    public var delegate: (any AVAssetResourceLoaderDelegate)? { state.withLock { $0.delegate } }
    /// The queue on which the delegate is called, as it was set.
    public var delegateQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Kept without effect: the player has no content keys.
    public var preloadsEligibleContentKeys: Bool {
        get { preloadsKeys.withLock { $0 } }
        set { preloadsKeys.withLock { $0 = newValue } }
    }

    private var queue: DispatchQueue { state.withLock { $0.queue } ?? ownQueue }

    /// Asks the delegate to load a request, unless it has been cancelled by then.
    func ask(_ request: AVAssetResourceLoadingRequest) {
        queue.async { [self] in
            guard request.beginAsking() else { return }
            let isAccepted = delegate?.resourceLoader(self, shouldWaitForLoadingOfRequestedResource: request)
            if isAccepted != true { request.refuse() }
        }
    }

    /// Cancels a request, and tells the delegate if it has been asked.
    func cancel(_ request: AVAssetResourceLoadingRequest) {
        guard request.cancel() else { return }
        queue.async { [self] in
            if request.wasAsked { delegate?.resourceLoader(self, didCancel: request) }
        }
    }
}
