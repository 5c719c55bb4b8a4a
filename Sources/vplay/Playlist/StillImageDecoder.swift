import MediaCore
import PlayheadBackend

/// A decoder of a still image, whose frame has the duration of the image.
///
/// `@unchecked Sendable`: the wrapped decoder is only used on the caller's lane, as `Decoder` requires.
final class StillImageDecoder: Decoder, @unchecked Sendable {
    private let inner: any Decoder
    private let duration: MediaTime

    init(_ inner: any Decoder, duration: MediaTime) {
        self.inner = inner
        self.duration = duration
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool { try inner.send(packet) }

    func receive() throws(MediaError) -> DecoderOutput {
        let output = try inner.receive()
        guard case .video(var frame) = output else { return output }
        frame.presentationTime = .zero
        frame.duration = duration
        frame.isKeyFrame = true
        frame.sourceTime.ticks = 0
        return .video(frame)
    }

    func flush() { inner.flush() }
    func restart() { inner.restart() }
    var hasOutputDelay: Bool { inner.hasOutputDelay }
    var isCatchingUp: Bool { inner.isCatchingUp }
    func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {
        inner.setFaultHandler(handler)
    }
}
