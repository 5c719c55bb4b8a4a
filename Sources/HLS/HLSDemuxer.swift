package import MediaCore
package import PlayheadBackend

/// A demuxer for HLS. It loads the playlists, opens one variant stream with its renditions, and returns the packets
/// of all of them in the order of their times.
///
/// While it waits for bytes (`ReadContext.wait(after:)`), its `FiberDemuxer` suspends it.
///
/// `@unchecked Sendable`: all members except `demuxers` are confined to the caller's lane, as `Demuxer` requires. It is
/// thread-safe.
package final class HLSDemuxer: Demuxer, @unchecked Sendable {
    let request: OpenRequest
    let demuxers: DemuxerSet
    let timestampAdjuster: TimestampAdjuster
    let source: any ResourceByteSource
    let url: String
    /// The description, or nil before the demuxer is open.
    var description: MediaDescription?
    var presentation = HLSPresentation()
    /// Whether an interrupted call has left the renditions at different positions, so that a seek must follow.
    private var mustSeek = false
    /// The seek that waits for bytes.
    private var segmentSeek: SegmentSeek?
    /// The container time that corresponds to zero on the item's timeline.
    var zero = MediaTime.zero
    /// The item time at which reading begins if the presentation has a preferred start, or nil.
    var joinTime: MediaTime?
    /// Whether the other renditions must skip what precedes the first packet of the main one.
    var mustAlign = false
    /// Whether the presentation had no end when it was opened.
    private var isLive = false
    /// The rendition whose window has been published, and the version of its playlist.
    private var published: (rendition: Rendition, version: Int)?

    /// Creates a demuxer. `source` reads the playlist of `url`.
    package init(
        _ request: OpenRequest,
        _ source: any ResourceByteSource,
        url: String,
        backend: any SegmentBackend,
        resources: PresentationResources
    ) {
        self.request = request
        self.source = source
        self.url = url
        demuxers = DemuxerSet(request, backend: backend, resources: resources)
        timestampAdjuster = TimestampAdjuster(resources.shifts)
    }

    var resources: PresentationResources { demuxers.resources }
    /// The reader of playlists and subtitle segments. Other segments are read by the demuxers of their containers.
    var context: ReadContext { demuxers.control.context }
    /// The error of an interrupted call.
    var cancelled: MediaError {
        MediaError(.cancelled, "reading was interrupted", location: request.location)
    }

    package func open() throws(MediaError) -> Poll<MediaDescription> {
        if let description { return .ready(description) }
        do throws(MediaError) {
            guard try openPlaylists() else { return .pending }
        } catch {
            if error.location == nil { throw error.at(request.location) }
            throw error
        }
        zero = resources.zero(establishing: presentation.zero, of: presentation.mainURL)
        for entry in presentation.entries { entry.rendition?.setZero(zero) }
        var description = describe()
        // A file can be switched to anywhere: nothing is fetched in vain.
        if !resources.isLocal, resources.liveWindow == nil {
            description.segmentStarts = presentation.main?.playlist.segmentStarts ?? []
        }
        if let main = presentation.main, !main.playlist.hasEnded || main.wasLive {
            description.joinTime = main.joinTime
            isLive = true
            publishWindow()
        }
        try beginAtPreferredStart(&description)
        self.description = description
        enable(Set(description.tracks.map(\.id)))
        return .ready(description)
    }

    package func setEnabledTracks(_ ids: Set<Int>) { enable(ids) }

    private func enable(_ ids: Set<Int>) {
        for rendition in presentation.renditions { rendition.enable(ids) }
        for subtitles in presentation.subtitleRenditions {
            subtitles.isEnabled = ids.contains(subtitles.track)
        }
    }

    package func begin(_ epoch: Epoch) { demuxers.control.begin(epoch) }
    package func interrupt(before epoch: Epoch) { demuxers.control.interrupt(before: epoch) }
    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        demuxers.control.setNoticeHandler(handler)
    }

    package var receivedBytes: Int64? { resources.receivedBytes }
    package var awaitsMedia: Bool { resources.awaitsSegment }

    package func cancel() { demuxers.control.cancel() }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder>
    {
        let (rendition, own) = try self.rendition(of: track)
        return .ready(try rendition.makeDecoder(for: own, options))
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        if let entry = presentation.entry(of: track), entry.isSubtitles {
            return .ready(try openSubtitles(entry).makeDecoder())
        }
        let (rendition, own) = try self.rendition(of: track)
        return .ready(try rendition.makeTextDecoder(for: own))
    }

    /// Returns the rendition of a track and the track's ID in it. Opens the rendition on the first call.
    private func rendition(of track: Int) throws(MediaError) -> (Rendition, Int) {
        guard let entry = presentation.entry(of: track) else {
            throw MediaError(.invalidArgument, "no track with the ID \(track)", location: request.location)
        }
        if entry.rendition == nil {
            try open([entry])
            if let failure = entry.failure { throw failure }
            entry.rendition?.setZero(zero)
            entry.bind()
            if let rendition = entry.rendition { try join(rendition) }
        }
        guard let rendition = entry.rendition,
            let own = rendition.trackIDs.first(where: { $0.value == track })?.key
        else {
            throw MediaError(
                .decoderNotFound,
                "the master playlist declares a track that the segments do not contain",
                track: track
            )
        }
        return (rendition, own)
    }

    // MARK: Live presentations

    /// Publishes the window of a live presentation if its playlist has changed.
    private func publishWindow() {
        guard isLive, let main = presentation.main,
            published.map({ $0.rendition !== main || $0.version != main.playlistVersion }) ?? true
        else { return }
        published = (main, main.playlistVersion)
        resources.setLiveWindow(main.window)
    }

    /// Reloads the live playlists that a seek uses. Playlists are not reloaded while nothing is read, so they may be old.
    private func refreshPlaylists() throws(MediaError) {
        guard isLive else { return }
        for rendition in presentation.renditions where rendition.isEnabled {
            try context.retryUntilReady { () throws(MediaError) -> Void? in
                try rendition.refreshPlaylist(context) ? () : nil
            }
        }
        publishWindow()
    }

    // MARK: Reading

    package func read() throws(MediaError) -> Poll<Packet?> {
        if mustSeek { throw cancelled }
        defer { publishWindow() }
        do throws(MediaError) {
            return try next()
        } catch {
            if error.code == .cancelled { mustSeek = true }
            throw error
        }
    }

    /// Dequeues the earliest packet. Requests packets from all renditions before it waits for one.
    private func next() throws(MediaError) -> Poll<Packet?> {
        if mustAlign { guard try alignRenditions() else { return .pending } }
        var earliest: (packet: Packet, dequeue: () -> Void)?
        var isPending = false
        func consider(_ next: Poll<Packet?>, _ dequeue: @escaping () -> Void) {
            switch next {
            case .pending: isPending = true
            case .ready(let packet?) where earliest.map({ Self.time(packet) < Self.time($0.packet) }) ?? true:
                earliest = (packet, dequeue)
            case .ready: break
            }
        }
        for rendition in presentation.renditions where rendition.isEnabled {
            consider(try peek(rendition), rendition.dequeue)
        }
        for subtitles in presentation.subtitleRenditions where subtitles.isEnabled {
            consider(try peek(subtitles), subtitles.dequeue)
        }
        if isPending { return .pending }
        earliest?.dequeue()
        return .ready(earliest?.packet)
    }

    /// Lets the other renditions begin with the first packet of the main one. Its time may differ from that in the
    /// playlist. Returns false if bytes are not available yet.
    private func alignRenditions() throws(MediaError) -> Bool {
        let enabled = presentation.renditions.filter(\.isEnabled)
        if let main = enabled.first(where: { $0 === presentation.main }) {
            let others = enabled.filter { $0 !== main }
            for other in others { other.requestFirstBytes(context) }
            guard case .ready(let packet) = try peek(main) else { return false }
            for other in others { other.skip(until: packet?.presentationTime ?? packet?.decodeTime) }
        }
        mustAlign = false
        return true
    }

    /// Returns the next packet of a rendition. Its errors name one of its tracks, because other variants have others.
    private func peek(_ rendition: Rendition) throws(MediaError) -> Poll<Packet?> {
        do throws(MediaError) {
            return try rendition.peek()
        } catch {
            var error = error
            error.track = error.track ?? rendition.enabled.compactMap { rendition.trackIDs[$0] }.min()
            throw error
        }
    }

    private func peek(_ subtitles: SubtitleRendition) throws(MediaError) -> Poll<Packet?> {
        if context.hasNoticeHandler, !request.options.usesBlockingReads { return try subtitles.peek(context) }
        return .ready(
            try context.retryUntilReady { () throws(MediaError) in try subtitles.peek(context).value }
        )
    }

    private static func time(_ packet: Packet) -> MediaTime {
        packet.decodeTime ?? packet.presentationTime ?? .negativeInfinity
    }

    // MARK: Seeking

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        guard let description else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        mustAlign = false
        let main = presentation.renditions.filter(\.isEnabled).first { $0 === presentation.main }
        guard let rendition = main ?? presentation.renditions.first(where: \.isEnabled) else {
            seekSubtitles(to: target)
            mustSeek = false
            return .ready(())
        }
        do throws(MediaError) {
            try refreshPlaylists()
        } catch  where error.code == .cancelled {
            mustSeek = true
            throw error
        } catch {
            // The seek continues in the segments that are known. A server that stays unreachable fails the next read.
        }
        let track = seekTrack(description, of: rendition)
        // Continue a seek that was waiting for bytes.
        var segmentSeek =
            segmentSeek.flatMap { $0.isFor(target, preference, rendition) ? $0 : nil }
            ?? SegmentSeek(
                target,
                preference,
                rendition,
                track: track,
                tracks: description.tracks
            )
        self.segmentSeek = nil
        do throws(MediaError) {
            let others = presentation.renditions.filter { $0.isEnabled && $0 !== rendition }
            guard case .ready = try segmentSeek.resume(others: others, context) else {
                self.segmentSeek = segmentSeek
                return .pending
            }
            seekSubtitles(to: target)
            mustSeek = false
            return .ready(())
        } catch {
            if error.code == .cancelled { mustSeek = true }
            throw error
        }
    }

    private func seekSubtitles(to target: MediaTime) {
        for subtitles in presentation.subtitleRenditions { subtitles.begin(at: target) }
    }

    /// Returns the track whose sync points a seek uses: video, otherwise audio, otherwise any.
    private func seekTrack(_ description: MediaDescription, of rendition: Rendition) -> Track? {
        let ids = Set(rendition.enabled.compactMap { rendition.trackIDs[$0] })
        let tracks = description.tracks.filter { ids.contains($0.id) && !$0.isAttachedPicture }
        return tracks.first { $0.mediaType == .video } ?? tracks.first { $0.mediaType == .audio }
            ?? tracks.first
    }
}

extension MediaError {
    /// Returns the error with a location.
    func at(_ location: String) -> MediaError {
        var error = self
        error.location = location
        return error
    }
}
