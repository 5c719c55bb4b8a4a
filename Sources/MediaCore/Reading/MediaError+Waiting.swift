/// Only this file throws and catches `.notReady`, which is the way in which a `ByteSource` reports that no bytes are
/// available. Elsewhere, the same fact is a value: nil, or `Poll.pending`.
extension MediaError {
    /// Returns the error of a byte source that has no bytes yet, and that will wake its reader.
    ///
    /// - Parameters:
    ///   - what: The object that the reader waits for, for the message.
    ///   - location: The name of the resource.
    package static func waiting(for what: String, location: String?) -> MediaError {
        MediaError(.notReady, "waiting for \(what)", location: location, isRetryable: true)
    }

    /// Returns the result of a read, or nil if no bytes are available.
    static func nilIfWaiting<Value>(_ read: () throws(MediaError) -> Value) throws(MediaError) -> Value? {
        do throws(MediaError) {
            return try read()
        } catch {
            guard error.code == .notReady else { throw error }
            return nil
        }
    }
}

extension ByteSource {
    /// Reads like `read(at:into:context:)`.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes before the first byte to read.
    ///   - buffer: The memory to fill.
    ///   - context: The reader. It is woken when the call is worth repeating.
    /// - Returns: The number of bytes read, 0 at the end, or nil if no bytes are available.
    /// - Throws: `MediaError`, but never with the code `.notReady`.
    package func readIfAvailable(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int? {
        try MediaError.nilIfWaiting { () throws(MediaError) in
            try read(at: offset, into: buffer, context: context)
        }
    }
}
