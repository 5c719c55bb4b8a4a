import Playhead
import PlayheadTesting

/// Scripted media that count what is done with them.
final class CountingBackend: MediaBackend, Sendable {
    struct Counts: Equatable {
        var opened = 0
        var seeks = 0
        var sent = 0
        /// Demuxers that were cancelled, however often.
        var cancelled = 0
    }

    private let inner: ScriptedBackend
    private let state = Locked(Counts())
    var counts: Counts { state.withLock { $0 } }
    /// Called with the number of each packet that is read.
    private let didRead: @Sendable (Int) -> Void

    init(
        _ media: ScriptedMedia,
        _ clock: any HostClock,
        didRead: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        inner = ScriptedBackend(media, clock: clock)
        self.didRead = didRead
    }

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        state.withLock { $0.opened += 1 }
        return CountingDemuxer(inner.makeDemuxer(for: request), self)
    }
    func makeVideoConverter() -> any VideoConverter { inner.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        inner.makeAudioConverter(to: format)
    }

    private final class CountingDemuxer: Demuxer {
        let inner: any Demuxer
        let backend: CountingBackend
        let packets = Locked(0)
        let isCancelled = Locked(false)

        init(_ inner: any Demuxer, _ backend: CountingBackend) {
            (self.inner, self.backend) = (inner, backend)
        }
        func open() throws(MediaError) -> MediaDescription { try inner.open() }
        func setEnabledTracks(_ ids: Set<Int>) { inner.setEnabledTracks(ids) }
        func read() throws(MediaError) -> Packet? {
            backend.didRead(
                packets.withLock { count in
                    count += 1
                    return count
                }
            )
            return try inner.read()
        }
        func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
            backend.state.withLock { $0.seeks += 1 }
            try inner.seek(to: target, preference: preference)
        }
        func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
            CountingDecoder(try inner.makeDecoder(for: track, options: options), backend)
        }
        func cancel() {
            let isFirst = isCancelled.withLock { isCancelled in
                defer { isCancelled = true }
                return !isCancelled
            }
            if isFirst { backend.state.withLock { $0.cancelled += 1 } }
            inner.cancel()
        }
    }

    private final class CountingDecoder: Decoder {
        let inner: any Decoder
        let backend: CountingBackend
        init(_ inner: any Decoder, _ backend: CountingBackend) {
            (self.inner, self.backend) = (inner, backend)
        }
        func send(_ packet: Packet?) throws(MediaError) -> Bool {
            let isTaken = try inner.send(packet)
            if isTaken, packet != nil { backend.state.withLock { $0.sent += 1 } }
            return isTaken
        }
        func receive() throws(MediaError) -> DecoderOutput { try inner.receive() }
        func flush() { inner.flush() }
    }
}
