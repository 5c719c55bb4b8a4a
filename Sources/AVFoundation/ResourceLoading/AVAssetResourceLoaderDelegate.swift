public import Foundation

/// Loads the resources of assets whose URLs have schemes that the player does not load itself.
///
/// The methods are called on the queue that was passed to `AVAssetResourceLoader.setDelegate(_:queue:)`. Both are optional.
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    /// Asks the delegate to load a part of a resource. Several requests are made at the same time.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the asset.
    ///   - loadingRequest: The request. The delegate may keep it and answer it later, on any thread.
    /// - Returns: True if the delegate answers the request and finishes it. With false, loading fails.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool

    /// Is not called: content keys are not renewed.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the asset.
    ///   - renewalRequest: The request.
    /// - Returns: True if the delegate answers the request.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool

    /// Tells the delegate that a request is not needed any more: a seek continues elsewhere, the item was replaced or
    /// released, or the request has received more than 512 KiB after it was complete. What it receives afterwards is
    /// ignored.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the asset.
    ///   - loadingRequest: The request.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    )
}

extension AVAssetResourceLoaderDelegate {
    /// Returns false: the delegate loads nothing by default.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { false }

    /// Returns false: the delegate renews nothing by default.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { false }

    /// Does nothing.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {}
}
