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
    let timestampAdjuster: TimestampAdjuster
    let url: String
    var chooseVariant: (@Sendable (MediaDescription) -> Variant?)?
    /// See `setReadsSubtitlesAlone`, `setWaitsInCalls`.
    var readsSubtitlesAlone = false
    private var waitsInCalls = false
    /// See `setOpeningTime`.
    var openingTime: MediaTime?
    /// nil until open.
    var description: MediaDescription?
    var presentation = HLSPresentation()
    /// A call was interrupted in the middle.
    private var mustSeek = false
    private var segmentSeek: SegmentSeek?
    /// The containers' time that is zero on the item's timeline.
    var zero = MediaTime.zero

    /// `request.source` holds the playlist that is at `url`.
    package init(
        _ request: OpenRequest,
        url: String,
        backend: any SegmentBackend,
        resources: PresentationResources
    ) {
        self.request = request
        self.url = url
        demuxers = DemuxerSet(request, backend: backend, resources: resources)
        timestampAdjuster = TimestampAdjuster(resources.measuredShifts)
    }

    var resources: PresentationResources { demuxers.resources }
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
        zero = resources.zero(establishing: presentation.zero)
        for entry in presentation.entries { entry.rendition?.setZero(zero) }
        var description = describe()
        description.segmentStarts = presentation.main?.playlist.segmentStarts ?? []
        self.description = description
        enable(Set(description.tracks.map(\.id)))
        return description
    }

    package func setVariantChoice(_ chooseVariant: @escaping @Sendable (MediaDescription) -> Variant?) {
        self.chooseVariant = chooseVariant
    }

    package func setOpeningTime(_ time: MediaTime) { openingTime = time }

    package func setReadsOnlySubtitles() { readsSubtitlesAlone = true }

    package func setEnabledTracks(_ ids: Set<Int>) { enable(ids) }

    private func enable(_ ids: Set<Int>) {
        for rendition in presentation.renditions { rendition.enable(ids) }
        for subtitles in presentation.subtitleRenditions {
            subtitles.isEnabled = ids.contains(subtitles.track)
        }
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

    package func setUsesBlockingReads(_ waits: Bool) {
        waitsInCalls = waits
        demuxers.setUsesBlockingReads(waits)
    }

    package var receivedBytes: Int64? { resources.receivedBytes }

    package func cancel() {
        context.cancel()
        demuxers.cancel()
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        let (rendition, own) = try self.rendition(of: track)
        return try rendition.makeDecoder(for: own, options)
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        if let entry = presentation.entry(of: track), entry.isSubtitles {
            return try openSubtitles(entry).makeDecoder()
        }
        let (rendition, own) = try self.rendition(of: track)
        return try rendition.makeTextDecoder(for: own)
    }

    /// What was not opened at first is opened now.
    private func rendition(of track: Int) throws(MediaError) -> (Rendition, Int) {
        guard let entry = presentation.entry(of: track) else {
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
            guard let (packet, dequeue) = try next() else { return nil }
            dequeue()
            return packet
        } catch {
            if error.code == .cancelled { mustSeek = true }
            throw error
        }
    }

    /// The earliest packet, and what takes it. All renditions are asked before one is waited for.
    private func next() throws(MediaError) -> (packet: Packet, dequeue: () -> Void)? {
        var earliest: (packet: Packet, dequeue: () -> Void)?
        var waiting: MediaError?
        func consider(_ dequeue: @escaping () -> Void, _ peek: () throws(MediaError) -> Packet?)
            throws(MediaError)
        {
            do throws(MediaError) {
                guard let packet = try peek() else { return }
                if earliest.map({ Self.time(packet) < Self.time($0.packet) }) ?? true {
                    earliest = (packet, dequeue)
                }
            } catch {
                guard error.code == .notReady else { throw error }
                waiting = error
            }
        }
        for rendition in presentation.renditions where rendition.isEnabled {
            try consider(rendition.dequeue) { () throws(MediaError) in try rendition.peek() }
        }
        for subtitles in presentation.subtitleRenditions where subtitles.isEnabled {
            try consider(subtitles.dequeue) { () throws(MediaError) in
                guard waitsInCalls else { return try subtitles.peek(context) }
                return try self.waiting { () throws(MediaError) in try subtitles.peek(context) }
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
        let main = presentation.renditions.filter(\.isEnabled).first { $0 === presentation.main }
        guard let rendition = main ?? presentation.renditions.first(where: \.isEnabled) else {
            seekSubtitles(to: target)
            mustSeek = false
            return
        }
        let track = seekTrack(description, of: rendition)
        // A seek that found nothing at hand goes on where it was.
        var segmentSeek =
            segmentSeek.flatMap { $0.isFor(target, preference, rendition) ? $0 : nil }
            ?? SegmentSeek(
                target,
                preference,
                rendition,
                track: track?.id,
                isAudio: track?.mediaType == .audio
            )
        self.segmentSeek = nil
        do throws(MediaError) {
            try segmentSeek.resume(
                others: presentation.renditions.filter { $0.isEnabled && $0 !== rendition },
                context
            )
            seekSubtitles(to: target)
            mustSeek = false
        } catch {
            if error.code == .notReady { self.segmentSeek = segmentSeek }
            if error.code == .cancelled { mustSeek = true }
            throw error
        }
    }

    private func seekSubtitles(to target: MediaTime) {
        for subtitles in presentation.subtitleRenditions { subtitles.begin(at: target) }
    }

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
