public import Foundation

/// An object whose properties are loaded on request.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {
    /// Returns the loading status of a property. Does not block.
    ///
    /// - Parameters:
    ///   - key: The name of the property.
    ///   - outError: Receives the error if the status is `.failed` or `.cancelled`.
    /// - Returns: The status.
    func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?)
        -> AVKeyValueStatus

    /// Loads properties and calls a handler.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties.
    ///   - handler: Called once on an arbitrary thread when all have been loaded, or before the method returns.
    func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?)
}

extension AVAsynchronousKeyValueLoading {
    /// Loads a property if necessary, and returns its value.
    ///
    /// - Parameter property: The property.
    /// - Returns: The value.
    /// - Throws: `AVError` if loading fails or is cancelled.
    public func load<Value: Sendable>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
        try await loadAllProperties()
        return property.read(self)
    }

    /// Loads properties if necessary, and returns their values in order.
    ///
    /// - Parameters:
    ///   - first: The first property.
    ///   - second: The second property.
    ///   - rest: Further properties.
    /// - Returns: The values.
    /// - Throws: `AVError` if loading fails or is cancelled.
    public func load<First: Sendable, Second: Sendable, each Rest: Sendable>(
        _ first: AVAsyncProperty<Self, First>,
        _ second: AVAsyncProperty<Self, Second>,
        _ rest: repeat AVAsyncProperty<Self, each Rest>
    ) async throws -> (First, Second, repeat each Rest) {
        try await loadAllProperties()
        return (first.read(self), second.read(self), repeat (each rest).read(self))
    }

    /// Loads an asset. A track exists only in a loaded asset.
    private func loadAllProperties() async throws {
        guard let asset = self as? AVAsset else { return }
        try await asset.loadAllProperties()
    }

    /// Returns the loading status of a property. Does not start loading.
    ///
    /// - Parameter property: The property.
    /// - Returns: The status.
    public func status<Value: Sendable>(
        of property: AVAsyncProperty<Self, Value>
    ) -> AVAsyncProperty<Self, Value>.Status {
        var error: NSError?
        switch statusOfValue(forKey: property.key, error: &error) {
        case .unknown: return .notYetLoaded
        case .loading: return .loading
        case .loaded: return .loaded(property.read(self))
        case .failed, .cancelled:
            return .failed(
                error ?? NSError(domain: AVFoundationErrorDomain, code: AVError.Code.unknown.rawValue)
            )
        }
    }
}
