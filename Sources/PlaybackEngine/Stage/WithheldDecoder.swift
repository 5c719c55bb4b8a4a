import MediaCore

/// A decoder whose track is played only to keep time: its audio is silence. Its video is held back by the loop.
final class WithheldDecoder: Decoder {
    private let inner: any Decoder

    init(_ inner: any Decoder) { self.inner = inner }

    func send(_ packet: Packet?) throws(MediaError) -> Bool { try inner.send(packet) }

    func receive() throws(MediaError) -> DecoderOutput {
        let output = try inner.receive()
        guard case .audio(let buffer) = output else { return output }
        let silence = [Float](repeating: 0, count: buffer.frameCount)
        return .audio(buffer.with(Array(repeating: silence, count: buffer.format.channelCount)))
    }

    func flush() { inner.flush() }
    var delaysPictures: Bool { inner.delaysPictures }
    func skip(_ skipping: DecodeSkipping) { inner.skip(skipping) }
}
