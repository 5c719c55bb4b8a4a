internal import CFFmpeg
internal import DequeModule
package import MediaCore
package import PlayheadBackend

extension FFmpegDemuxer {
    /// The seconds by which successive attempts seek earlier if an index is inaccurate.
    private static let seekBackoffs: [Int64] = [0, 1, 3, 10, 30, 100]
    /// The number of packets and bytes that are read at most to find the sync point after a seek. Key frames of screen
    /// recordings and of surveillance cameras may be a minute apart.
    private static let syncPointPacketLimit = 4096
    private static let syncPointByteLimit = 32 << 20
    /// The codecs whose packets in Ogg have no times of their own. If the last packet of a page continues on the next
    /// one, libav gives its time to the first packet of the page after a seek. The times of the next page are right.
    private static let codecsOfPages: Set = ["flac", "speex"]

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        guard let description else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        guard description.isSeekable else {
            throw MediaError(
                .notSeekable,
                "not seekable: a pipe cannot be read again",
                location: request.location
            )
        }
        if interruption.context.isInterrupted { throw cancelled }
        do throws(MediaError) {
            // The previous attempt to reopen the container was interrupted or failed.
            if session == nil { try reopen() }
            try move(description, to: target, preference: preference)
            interruption.context.noteSeek()
            needsSeek = false
            return .ready(())
        } catch {
            if error.code == .cancelled { needsSeek = true }
            throw error
        }
    }

    private func move(
        _ description: MediaDescription,
        to target: MediaTime,
        preference: SeekPreference
    ) throws(MediaError) {
        // libav would seek in the bytes after the frame.
        if pictures.hasOneFrame { return try reopen() }
        let (session, _) = try opened()
        // Within a page of Ogg, whose checksum libav computes while it reads, a direct seek would lose bytes of it.
        session.seeksDirectly =
            session.formatName != "ogg" && (interruption.context.hasWaited || session.reader.wasPending)
        defer { session.seeksDirectly = false }
        guard target > .zero, let track = seekTrack(description),
            let mapping = mappings[Int32(clamping: track.id)]
        else { return try seekToStart(session) }

        prepareForSeek(session)
        let goal = mapping.ticks(atOrBefore: target)
        if preference == .atOrAfter {
            let first = mapping.itemTime(goal) < target ? goal &+ 1 : goal
            // The index may be in decoding order: a sync point just after the target may be decoded before it.
            for flags in [AVSEEK_FLAG_BACKWARD, 0] {
                let code = try seekLibrary(session, track, to: first, flags)
                if code >= 0, let found = try readToSyncPoint(session, track: track),
                    flags == 0 || found.presentation >= first
                {
                    return
                }
                prepareForSeek(session)
            }
        }
        try seekBackward(session, track: track, mapping: mapping, goal: goal)
    }

    private func seekBackward(
        _ session: InputSession,
        track: Track,
        mapping: TimeMapping,
        goal: Int64
    ) throws(MediaError) {
        let first = mapping.ticks(atOrBefore: .zero)
        var latest = goal &- audioPreroll(track, mapping)
        for backoff in FFmpegDemuxer.seekBackoffs {
            let (asked, overflow) = latest.subtractingReportingOverflow(seconds(backoff, mapping))
            if overflow || asked <= first { break }
            prepareForSeek(session)
            let code = try seekLibrary(session, track, to: asked, AVSEEK_FLAG_BACKWARD)
            if code < 0 { break }
            guard let found = try readToSyncPoint(session, track: track) else { continue }
            if found.presentation <= goal { return }
            // Indexes are often in decoding order, so the entries before the packet that was found are earlier.
            latest = min(latest, found.decode &- 1)
        }
        try seekToStart(session)
    }

    /// Makes libav seek to a sync point of a track at or before a time, or at or after it if `flags` are 0.
    private func seekLibrary(
        _ session: InputSession,
        _ track: Track,
        to ticks: Int64,
        _ flags: Int32
    ) throws(MediaError) -> Int32 {
        let context = try session.context
        if let sections, sections.count > 1 {
            // Without a sync point after the time, the last one before it is used.
            return flags == AVSEEK_FLAG_BACKWARD
                ? try seekInSections(session, track, to: ticks) : PH_ERROR_EPERM
        }
        let request =
            blockTimes?.request(for: ticks, isForward: flags == 0) ?? adtsTimes?.request(for: ticks) ?? ticks
        return try call { av_seek_frame(context, Int32(clamping: track.id), request, flags) }
    }

    /// Seeks to the container's first packet, so that reading repeats exactly what it delivered the first time.
    func seekToStart(_ session: InputSession) throws(MediaError) {
        if let track = description.flatMap(seekTrack), let mapping = mappings[Int32(clamping: track.id)] {
            prepareForSeek(session)
            // The target is earlier than the start of every track, so that no index selects a packet too late.
            let before = mapping.ticks(atOrBefore: MediaTime(value: -10, timescale: 1))
            let code = try seekLibrary(session, track, to: before, AVSEEK_FLAG_BACKWARD)
            if code >= 0, try isAtStart(session) { return }
        }
        try reopen()
    }

    /// Returns whether every track begins with the same packet as before. Reads until each of them has shown it.
    private func isAtStart(_ session: InputSession) throws(MediaError) -> Bool {
        var missing = startFingerprint.signatures.filter { enabled?.contains(Int($0.key)) ?? true }
        guard !missing.isEmpty else { return false }
        for _ in 0..<StartFingerprint.packetLimit * 2 {
            if missing.isEmpty { return true }
            guard let packet = try readFromContainer(session) else { return false }
            queue.append(packet)
            guard let signature = missing.removeValue(forKey: packet.pointer.pointee.stream_index) else {
                continue
            }
            if signature != StartFingerprint.PacketSignature(packet.pointer) { return false }
        }
        return missing.isEmpty
    }

    private func reopen() throws(MediaError) {
        queue.removeAll()
        let wasProbed = session?.isProbed ?? true
        session = nil
        let opened = try makeSession()
        if wasProbed { try ContainerProbe.run(opened) }
        guard opened.codecs == codecs else {
            throw MediaError(.io, "the file changed during playback", location: request.location)
        }
        session = opened
        applyEnabledTracks()
        notePositionChange()
    }

    /// Records that the next packet that libav delivers does not follow the last one.
    private func notePositionChange() {
        timestamps = TimestampUnwrapper()
        sections?.noteSeek()
        lookahead.removeAll()
        lookaheadError = nil
        linkTimes?.noteSeek()
        adtsTimes?.noteSeek()
        startFingerprint.isReadingFromStart = false
    }

    func prepareForSeek(_ session: InputSession) {
        queue.removeAll()
        session.clearFailure()
        session.discardPosition()
        palettes.noteSeek()
        notePositionChange()
        failedReads = 0
        log.clear()
    }

    /// Reads to the first sync point of the track that was sought in, and drops that track's packets before it. Returns
    /// nil if there is none.
    private func readToSyncPoint(
        _ session: InputSession,
        track: Track
    ) throws(MediaError) -> (presentation: Int64, decode: Int64)? {
        var others: [PacketOwner] = []
        var skipped: [PacketOwner] = []
        var bytes = 0
        var firstPage: Int64?
        let isOggAudio = session.formatName == "ogg" && track.mediaType == .audio
        var skipsFirstPage = isOggAudio && FFmpegDemuxer.codecsOfPages.contains(track.codec)
        while others.count + skipped.count < FFmpegDemuxer.syncPointPacketLimit
            && bytes < FFmpegDemuxer.syncPointByteLimit
        {
            guard let packet = try readFromContainer(session) else { return nil }
            bytes &+= Int(max(0, packet.pointer.pointee.size))
            guard Int(packet.pointer.pointee.stream_index) == track.id else {
                others.append(packet)
                continue
            }
            let raw = packet.pointer.pointee
            if isOggAudio, firstPage == nil {
                firstPage = raw.pos
                // libav derives the times of a page from its end, except those of the last page: to the first packet
                // after a seek it then gives the time of the seek.
                skipsFirstPage = skipsFirstPage || OggPageScan.endsStream(session.reader, at: raw.pos)
            }
            if skipsFirstPage, raw.pos == firstPage {
                skipped.append(packet)
                continue
            }
            guard raw.flags & AV_PKT_FLAG_KEY != 0, let time = ticks(raw.pts) ?? ticks(raw.dts) else {
                skipped.append(packet)
                continue
            }
            for other in others { queue.append(other) }
            queue.append(packet)
            guard try correctFirstPages(session, besides: track) else { return nil }
            return (time, ticks(raw.dts) ?? time)
        }
        return nil
    }

    /// Corrects the times of the first page of other tracks whose packets have no times of their own. libav counts them
    /// from the time of the seek, which may be a second later than the page. The times of the next page are right, so
    /// this reads up to it.
    ///
    /// - Returns: False if the next page of a track was not found.
    private func correctFirstPages(_ session: InputSession, besides track: Track) throws(MediaError) -> Bool {
        guard session.formatName == "ogg", let description else { return true }
        let others = description.tracks.filter {
            $0.id != track.id && FFmpegDemuxer.codecsOfPages.contains($0.codec)
                && (enabled?.contains($0.id) ?? true)
        }
        var missing = Set(others.map(\.id))
        var pages: [Int: [PacketOwner]] = [:]
        func record(_ packet: PacketOwner) {
            let id = Int(packet.pointer.pointee.stream_index)
            guard missing.contains(id) else { return }
            if let first = pages[id]?.first, first.pointer.pointee.pos != packet.pointer.pointee.pos {
                missing.remove(id)
                FFmpegDemuxer.setTimes(of: pages[id, default: []], before: packet)
            } else {
                pages[id, default: []].append(packet)
            }
        }
        for packet in queue.contents { record(packet) }
        while !missing.isEmpty, queue.count < FFmpegDemuxer.syncPointPacketLimit,
            queue.byteCount < FFmpegDemuxer.syncPointByteLimit,
            let packet = try readFromContainer(session)
        {
            queue.append(packet)
            record(packet)
        }
        // A track that has ended has no page.
        return missing.allSatisfy { pages[$0] == nil }
    }

    /// Sets the times of consecutive packets from that of the next one.
    private static func setTimes(of packets: [PacketOwner], before next: PacketOwner) {
        guard var time = ticks(next.pointer.pointee.pts) else { return }
        for packet in packets.reversed() {
            guard packet.pointer.pointee.duration > 0 else { return }
            time &-= packet.pointer.pointee.duration
            packet.pointer.pointee.pts = time
            packet.pointer.pointee.dts = time
        }
    }

    /// Returns the track whose sync points matter: an enabled video track, else an audio track, else any track.
    private func seekTrack(_ description: MediaDescription) -> Track? {
        let candidates = description.tracks.filter {
            !$0.isAttachedPicture && (enabled?.contains($0.id) ?? $0.isPlayable)
        }
        return candidates.first { $0.mediaType == .video } ?? candidates.first { $0.mediaType == .audio }
            ?? candidates.first
    }

    /// Returns the preroll of an audio track in ticks. Decoded audio depends on previous packets because of overlapping
    /// windows and bit reservoirs.
    private func audioPreroll(_ track: Track, _ mapping: TimeMapping) -> Int64 {
        guard track.mediaType == .audio, !track.codec.hasPrefix("pcm") else { return 0 }
        let preroll = track.preroll(usual: MediaTime(value: 150, timescale: 1000))
        return av_rescale_q(
            preroll.value,
            AVRational(num: 1, den: preroll.timescale),
            mapping.timeBase.avRational
        )
    }

    private func seconds(_ count: Int64, _ mapping: TimeMapping) -> Int64 {
        av_rescale_q(count, AVRational(num: 1, den: 1), mapping.timeBase.avRational)
    }
}
