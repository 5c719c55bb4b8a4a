public import CoreMedia
public import Foundation

/// A part of the media that an `AVAssetReader` reads.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type. Subclasses must be safe too.
open class AVAssetReaderOutput: NSObject, @unchecked Sendable {
    override init() { super.init() }

    /// The kind of media.
    open var mediaType: AVMediaType { .video }

    /// A Boolean value that indicates whether samples are copied. It has no effect: what a program receives is never
    /// changed by the reader.
    open var alwaysCopiesSampleData: Bool {
        get { true }
        set {}
    }

    /// A Boolean value that indicates whether other ranges can be read later: false.
    open var supportsRandomAccess: Bool {
        get { false }
        set {
            if newValue { Misuse.report("AVAssetReaderOutput.supportsRandomAccess is not supported") }
        }
    }

    /// Returns the next sample buffer, or nil at the end, after an error and after `AVAssetReader.cancelReading()`. Blocks its
    /// thread until there is one. One thread may call it at a time.
    ///
    /// - Returns: The buffer.
    open func copyNextSampleBuffer() -> CMSampleBuffer? { nil }

    /// Prepares for reading. Returns false if the output cannot be read.
    func start(_ reader: AVAssetReader) -> Bool { false }
    /// Ends reading: a call that waits returns.
    func cancel() {}
    /// Returns whether the reader can read the output.
    func canBeRead(by reader: AVAssetReader) -> Bool { false }
}
