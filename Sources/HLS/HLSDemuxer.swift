package import MediaCore
package import PlayheadBackend

/// Plays a presentation of segments (HLS): reads its playlists, opens one variant and what belongs to it, and hands out the
/// packets of all its renditions in the order of their times.
///
/// Unchecked: all members but `context` and `demuxers` are used on the caller's one lane only, as `Demuxer` demands; those
/// two guard themselves.
package final class HLSDemuxer: Demuxer, @unchecked Sendable {
    let request: OpenRequest
    /// For playlists; segments are read by the demuxers of their containers.
    let context = ReadContext()
    let demuxers: DemuxerSet
    let breaks: TimestampAdjuster
    let url: String
    var choose: (@Sendable (MediaDescription) -> Variant?)?
    /// See `setReadsSubtitlesAlone`, `setWaitsInCalls`.
    var readsSubtitlesAlone = false
    private var waitsInCalls = false
    /// See `setOpeningTime`.
    var openingTime: MediaTime?
    /// nil until open.
    var description: MediaDescription?
    var programme = HLSPresentation()
    /// A call was interrupted in the middle.
    private var mustSeek = false
    private var landing: SegmentSeek?
    /// The containers' time that is zero on the item's timeline.
    var zero = MediaTime.zero

    /// `request.source` holds the playlist that is at `url`.
    package init(
        _ request: OpenRequest,
        url: String,
        backend: any SegmentBackend,
        library: PresentationResources
    ) {
        self.request = request
        self.url = url
        demuxers = DemuxerSet(request, backend: backend, library: library)
        breaks = TimestampAdjuster(library.measuredShifts)
    }

    var library: PresentationResources { demuxers.library }
    var cancelled: MediaError {
        MediaError(.cancelled, "reading was interrupted", location: request.location)
    }

    /// Calls `body` until it has what it needs, and waits in between: on no thread, where the call can stand still.
    func waiting<Result>(_ body: () throws(MediaError) -> Result) throws(MediaError) -> Result {
        while true {
            // A wake-up counts from here on.
            let wakes = context.wakeCount
            do throws(MediaError) {
                return try body()
            } catch {
                guard error.code == .notReady else { throw error }
            }
            if demuxers.backend.wait(context, after: wakes) || context.isInterrupted { throw cancelled }
        }
    }

    package func open() throws(MediaError) -> MediaDescription {
        if let description { return description }
        do throws(MediaError) {
            try openPlaylists()
        } catch {
            if error.location == nil { throw error.at(request.location) }
            throw error
        }
        zero = library.zero(programme.zero)
        for entry in programme.entries { entry.rendition?.setZero(zero) }
        var description = describe()
        description.segmentStarts = programme.main?.playlist.segmentStarts ?? []
        self.description = description
        enable(Set(description.tracks.map(\.id)))
        return description
    }

    package func setVariantChoice(_ choose: @escaping @Sendable (MediaDescription) -> Variant?) {
        self.choose = choose
    }

    package func setOpeningTime(_ time: MediaTime) { openingTime = time }

    package func setReadsSubtitlesAlone() { readsSubtitlesAlone = true }

    package func setEnabledTracks(_ ids: Set<Int>) { enable(ids) }

    private func enable(_ ids: Set<Int>) {
        for rendition in programme.renditions { rendition.enable(ids) }
        for text in programme.texts { text.isEnabled = ids.contains(text.track) }
    }

    package func begin(_ epoch: Epoch) {
        context.begin(epoch)
        demuxers.begin(epoch)
    }

    package func interrupt(before epoch: Epoch) {
        context.interrupt(before: epoch)
        demuxers.interrupt(before: epoch)
    }

    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool {
        context.setNoticeHandler(handler)
        demuxers.setNoticeHandler(handler)
        return true
    }

    package func setWaitsInCalls(_ waits: Bool) {
        waitsInCalls = waits
        demuxers.setWaitsInCalls(waits)
    }

    package var receivedBytes: Int64? { library.receivedBytes }

    package func cancel() {
        context.cancel()
        demuxers.cancel()
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        let (rendition, own) = try holder(of: track)
        return try rendition.makeDecoder(for: own, options)
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        if let entry = programme.entry(of: track), entry.isText {
            return try openSubtitles(entry).makeDecoder()
        }
        let (rendition, own) = try holder(of: track)
        return try rendition.makeTextDecoder(for: own)
    }

    /// What was not opened at first is opened now.
    private func holder(of track: Int) throws(MediaError) -> (Rendition, Int) {
        guard let entry = programme.entry(of: track) else {
            throw MediaError(.invalidArgument, "there is no track \(track)", location: request.location)
        }
        if entry.rendition == nil {
            try open([entry])
            if let failure = entry.failure { throw failure }
            entry.rendition?.setZero(zero)
            entry.bind()
        }
        guard let rendition = entry.rendition,
            let own = rendition.trackIDs.first(where: { $0.value == track })?.key
        else {
            throw MediaError(.decoderNotFound, "the playlist names a track that is not there", track: track)
        }
        return (rendition, own)
    }

    // MARK: Reading

    package func read() throws(MediaError) -> Packet? {
        if mustSeek { throw cancelled }
        do throws(MediaError) {
            guard let (packet, take) = try next() else { return nil }
            take()
            return packet
        } catch {
            if error.code == .cancelled { mustSeek = true }
            throw error
        }
    }

    /// The earliest packet, and what takes it. All renditions are asked before one is waited for.
    private func next() throws(MediaError) -> (packet: Packet, take: () -> Void)? {
        var earliest: (packet: Packet, take: () -> Void)?
        var waiting: MediaError?
        func look(_ take: @escaping () -> Void, _ peek: () throws(MediaError) -> Packet?) throws(MediaError) {
            do throws(MediaError) {
                guard let packet = try peek() else { return }
                if earliest.map({ Self.time(packet) < Self.time($0.packet) }) ?? true {
                    earliest = (packet, take)
                }
            } catch {
                guard error.code == .notReady else { throw error }
                waiting = error
            }
        }
        for rendition in programme.renditions where rendition.isEnabled {
            try look(rendition.take) { () throws(MediaError) in try rendition.peek() }
        }
        for text in programme.texts where text.isEnabled {
            try look(text.take) { () throws(MediaError) in
                guard waitsInCalls else { return try text.peek(context) }
                return try self.waiting { () throws(MediaError) in try text.peek(context) }
            }
        }
        if let waiting { throw waiting }
        return earliest
    }

    private static func time(_ packet: Packet) -> MediaTime {
        packet.decodeTime ?? packet.presentationTime ?? .negativeInfinity
    }

    // MARK: Seeking

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
        guard let description else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        let main = programme.renditions.filter(\.isEnabled).first { $0 === programme.main }
        guard let rendition = main ?? programme.renditions.first(where: \.isEnabled) else {
            seekTexts(to: target)
            mustSeek = false
            return
        }
        let track = seekTrack(description, of: rendition)
        // A seek that found nothing at hand goes on where it was.
        var landing =
            landing.flatMap { $0.isFor(target, preference, rendition) ? $0 : nil }
            ?? SegmentSeek(
                target,
                preference,
                rendition,
                track: track?.id,
                isSound: track?.mediaType == .audio
            )
        self.landing = nil
        do throws(MediaError) {
            try landing.go(others: programme.renditions.filter { $0.isEnabled && $0 !== rendition }, context)
            seekTexts(to: target)
            mustSeek = false
        } catch {
            if error.code == .notReady { self.landing = landing }
            if error.code == .cancelled { mustSeek = true }
            throw error
        }
    }

    private func seekTexts(to target: MediaTime) { for text in programme.texts { text.begin(at: target) } }

    /// The track whose sync points matter: the picture, else sound, else whatever there is.
    private func seekTrack(_ description: MediaDescription, of rendition: Rendition) -> Track? {
        let ids = Set(rendition.enabled.compactMap { rendition.trackIDs[$0] })
        let tracks = description.tracks.filter { ids.contains($0.id) && !$0.isAttachedPicture }
        return tracks.first { $0.mediaType == .video } ?? tracks.first { $0.mediaType == .audio }
            ?? tracks.first
    }
}

extension MediaError {
    func at(_ location: String) -> MediaError {
        var error = self
        error.location = location
        return error
    }
}
