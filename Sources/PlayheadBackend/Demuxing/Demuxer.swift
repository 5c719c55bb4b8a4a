public import MediaCore

/// Takes a container apart.
///
/// Calls come one at a time, on one lane of the caller's, and may block on I/O; only `interrupt(before:)` and
/// `cancel()` may come from any thread at any time. All times are item times: zero is
/// `MediaDescription.startTime`.
///
/// Calls belong to epochs, so that a seek need not wait for a read that waits for bytes. The caller says with
/// `begin(_:)` which epoch its next calls belong to, and `interrupt(before:)` ends those of older epochs.
public protocol Demuxer: AnyObject, Sendable {
    /// Opens the source and reads what is needed to describe it. Called first, and once, but for one case:
    ///
    /// `.notReady`: not all of that is at hand at present; the next call goes on with it. Thrown only where somebody
    /// listens (`setNoticeHandler`); without, the call waits.
    func open() throws(MediaError) -> MediaDescription
    /// Packets of other tracks are not returned, and not read where the container allows it.
    func setEnabledTracks(_ ids: Set<Int>)
    /// The next packet of an enabled track; nil at the end. After an error reading may be tried again unless
    /// the error says otherwise; after the end, `seek` makes it readable again.
    ///
    /// `.notReady`: not all of it is at hand at present, or the call was interrupted before it had begun; the next
    /// call goes on with it. `.cancelled`: the call was interrupted in the middle; `seek` must
    /// come before the next `read`.
    func read() throws(MediaError) -> Packet?
    /// Moves to a sync point of the enabled video track (else of any). Where none fits, the nearest on the
    /// other side is taken. The next `read` is the first packet from there. `.notReady`: the same seek may be
    /// tried again, and goes on where it was; `.cancelled`: the call was interrupted, and any seek may follow.
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError)
    /// A decoder for one of the tracks. It may be used on another queue than the demuxer. `.notReady`: what it takes is not at
    /// hand at present; the next call goes on with it. Thrown only where somebody listens (`setNoticeHandler`).
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder
    /// A decoder for one of the tracks of text or of timed metadata. It may be used on another queue than the demuxer.
    /// `.notReady` as of `makeDecoder(for:options:)`.
    func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder
    /// The calls that follow belong to `epoch`. On the caller's lane, between calls; never an older epoch than
    /// before.
    func begin(_ epoch: Epoch)
    /// Any thread, any time: what blocks now of an epoch before `epoch` returns soon, with `.notReady` or
    /// `.cancelled`, and so do later calls of such an epoch. Calls of `epoch` and later ones are not touched.
    /// By default nothing is interrupted.
    func interrupt(before epoch: Epoch)
    /// Who is told that a call waits for bytes, and that a call which ended with `.notReady` is worth trying
    /// again. The handler is called on any thread; it must not block and not call the demuxer. nil takes it off.
    ///
    /// True: `.ready` follows each `.notReady`. False, the default: the caller must ask again by itself.
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool
    /// Before `open()`: which of the variants that a description lists is to be opened, where not all of them are. By default
    /// the demuxer decides.
    func setVariantChoice(_ choose: @escaping @Sendable (MediaDescription) -> Variant?)
    /// Before `open()`: where the caller will seek to first, so that nothing is fetched that lies elsewhere. By default it
    /// changes nothing.
    func setOpeningTime(_ time: MediaTime)
    /// Before `open()`: nothing but subtitles will be read. Where those have resources of their own, no others are fetched. By
    /// default it changes nothing.
    func setReadsOnlySubtitles()
    /// True: a call that finds no bytes waits for them where it could end with `.notReady`, so that a clock that is
    /// computed stands still meanwhile. Nobody is told of waits and bytes then, so that nothing hangs on how long those are
    /// in coming. Before `setNoticeHandler` and `open()`. By default nothing changes.
    func setUsesBlockingReads(_ usesBlockingReads: Bool)
    /// How loading of the bytes that it reads stands; nil, the default: not known. Any thread, any time; it does not block.
    var loadingState: LoadingState? { get }
    /// Bytes that have come over a network for the presentation that it reads, whoever asked for them; nil: nobody counts them.
    /// How fast this grows is the throughput. By default that of `loadingState`. Any thread, any time; it does not block.
    var receivedBytes: Int64? { get }
    /// Any thread, any time, any number of times: what blocks now returns soon with `.cancelled`, and so does
    /// every later call. Other readers of the same bytes go on.
    func cancel()
}

extension Demuxer {
    public func begin(_ epoch: Epoch) {}
    public func interrupt(before epoch: Epoch) {}
    public func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool { false }
    public func setVariantChoice(_ choose: @escaping @Sendable (MediaDescription) -> Variant?) {}
    public func setOpeningTime(_ time: MediaTime) {}
    public func setReadsOnlySubtitles() {}
    public func setUsesBlockingReads(_ usesBlockingReads: Bool) {}
    public var loadingState: LoadingState? { nil }
    public var receivedBytes: Int64? { loadingState?.receivedBytes }

    public func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        throw MediaError(.decoderNotFound, "this backend decodes no text", track: track)
    }
}
