package import MediaCore
package import PlayheadBackend

/// Delivers every buffer, converted to one format.
///
/// `@unchecked Sendable`: confined to the reader's lane.
package final class AudioProcess: TrackProcess, @unchecked Sendable {
    private let converter: (any AudioConverter)?
    private var pending: AudioBuffer?

    /// Creates a process.
    ///
    /// - Parameter converter: Converts the samples to the output format. Nil keeps the format of the track.
    package init(_ converter: (any AudioConverter)?) { self.converter = converter }

    package func receive(_ element: FrameElement) throws(MediaError) -> Bool {
        switch element {
        case .audio(let buffer): pending = converter == nil ? buffer : try converter?.convert(buffer)
        case .endOfPass: pending = try converter?.drain()
        case .video: return false
        }
        return pending != nil
    }

    package func next() -> AudioBuffer? {
        defer { pending = nil }
        return pending
    }

    package func byteCount(of element: AudioBuffer) -> Int {
        element.frameCount.multipliedReportingOverflow(by: element.format.bytesPerFrame).partialValue
    }

    package var isFinished: Bool { false }
}
