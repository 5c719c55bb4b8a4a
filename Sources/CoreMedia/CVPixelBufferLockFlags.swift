/// The way in which a program uses the pixels of a locked buffer.
public struct CVPixelBufferLockFlags: OptionSet, Hashable, Sendable {
    /// The bits of the flags.
    public let rawValue: UInt64
    /// Creates flags from their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The program only reads the pixels. It has no effect.
    public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}
