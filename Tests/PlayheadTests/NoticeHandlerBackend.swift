import MediaCore
import PlayheadBackend
import PlayheadTesting

/// A backend that plays scripts, and calls a closure whenever the notice handler of a demuxer is set.
struct NoticeHandlerBackend: MediaBackend {
    let inner: ScriptedBackend
    let onNoticeHandler: @Sendable () -> Void

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        NoticeHandlerDemuxer(inner.makeDemuxer(for: request), onNoticeHandler)
    }
    func makeVideoConverter() -> any VideoConverter { inner.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        inner.makeAudioConverter(to: format)
    }
}

private final class NoticeHandlerDemuxer: Demuxer {
    private let inner: any Demuxer
    private let onNoticeHandler: @Sendable () -> Void

    init(_ inner: any Demuxer, _ onNoticeHandler: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.onNoticeHandler = onNoticeHandler
    }

    func open() throws(MediaError) -> Poll<MediaDescription> { try inner.open() }
    func setEnabledTracks(_ ids: Set<Int>) { inner.setEnabledTracks(ids) }
    func read() throws(MediaError) -> Poll<Packet?> { try inner.read() }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try inner.seek(to: target, preference: preference)
    }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try inner.makeDecoder(for: track, options: options)
    }
    func begin(_ epoch: Epoch) { inner.begin(epoch) }
    func interrupt(before epoch: Epoch) { inner.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        inner.setNoticeHandler(handler)
        onNoticeHandler()
    }
    func cancel() { inner.cancel() }
}
