internal import CFFmpeg
internal import DequeModule
internal import MediaCore
internal import PlayheadBackend

/// Streams whose time base changes; see `TimestampSections`.
extension FFmpegDemuxer {
    /// The bytes that are read before and after a jump of the clock, and before the end.
    private static let jumpMargin: Int64 = 2 << 20
    private static let endMargin: Int64 = 4 << 20
    /// The number of packets and bytes that are read at most at one place.
    private static let packetLimit = 1 << 16
    private static let byteLimit = 32 << 20
    /// The number of errors in a row after which the packets at one place are not searched any more.
    private static let errorLimit = 32
    /// The largest distance, in bytes, of the position that a seek selects from the last packet at or before its time.
    private static let seekAccuracy: Int64 = 128 << 10

    /// Returns the sections of a container, or nil if its time base is one. A playlist places its segments, and the programs of a
    /// broadcast have a time base each.
    static func makeSections(_ session: InputSession) throws(MediaError) -> TimestampSections? {
        guard ["mpegts", "mpeg"].contains(session.formatName), !session.request.isSegmented,
            try session.context.pointee.nb_programs <= 1
        else { return nil }
        // A source that can be read at any offset has a duration, and a gap is a part of it.
        return TimestampSections(
            acceptsLaterTimes: !session.isSeekable,
            hasAudio: session.streams.contains {
                $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
            }
        )
    }

    /// Returns the next packet that libav delivers, with the times of its section, or nil at the end.
    func readInSection(_ session: InputSession) throws(MediaError) -> PacketOwner? {
        guard sections != nil else { return try readFromLibrary(session) }
        var next = lookahead.popFirst()
        if next == nil { next = try readAfterLookahead(session) }
        guard let packet = next else { return nil }
        let stream = packet.pointer.pointee.stream_index
        let offset: Int64?
        if let stamp = try stamp(of: packet, session) {
            if sections?.isJump(stamp) == true { try beginSection(with: stamp, session) }
            offset = sections?.record(stamp)
        } else {
            offset = sections?.offset(of: stream, at: Self.position(of: packet))
        }
        if let offset, offset != 0 {
            packet.pointer.pointee.pts = packet.pointer.pointee.pts.shiftedTimestamp(by: offset)
            packet.pointer.pointee.dts = packet.pointer.pointee.dts.shiftedTimestamp(by: offset)
        }
        return packet
    }

    private func readAfterLookahead(_ session: InputSession) throws(MediaError) -> PacketOwner? {
        if let error = lookaheadError {
            lookaheadError = nil
            throw error
        }
        return try readFromLibrary(session)
    }

    private func beginSection(with stamp: TimestampSections.Stamp, _ session: InputSession) throws(MediaError)
    {
        var index = 0
        // A copy is used because the reads may be suspended and resume on another thread, while Swift tracks exclusive access to an
        // object's properties per thread.
        var changed = sections
        let isConfirmed = try changed?.resolve(stamp) { () throws(MediaError) in
            while true {
                if index == lookahead.count {
                    guard lookaheadError == nil, lookahead.byteCount < Self.byteLimit,
                        let next = try readForLookahead(session)
                    else { return nil }
                    lookahead.append(next)
                }
                let packet = lookahead.contents[index]
                index += 1
                if let next = try self.stamp(of: packet, session) { return next }
            }
        }
        // A timestamp before damaged bytes may be damaged, too.
        if isConfirmed == true || lookaheadError == nil { sections = changed }
    }

    /// Reads a packet that is returned later. An error is thrown when the packets before it have been returned.
    private func readForLookahead(_ session: InputSession) throws(MediaError) -> PacketOwner? {
        do throws(MediaError) {
            return try readFromLibrary(session)
        } catch {
            if error.code == .cancelled { throw error }
            lookaheadError = error
            return nil
        }
    }

    /// Returns the times of a packet of audio or video, or nil for others.
    private func stamp(of packet: PacketOwner, _ session: InputSession) throws(MediaError)
        -> TimestampSections.Stamp?
    {
        let raw = packet.pointer.pointee
        guard let stream = try session.context.pointee.streams[Int(raw.stream_index)],
            TimelineZero.definesTimeline(stream),
            let decode = ticks(raw.dts) ?? ticks(raw.pts)
        else { return nil }
        return TimestampSections.Stamp(
            stream: raw.stream_index,
            position: Self.position(of: packet),
            decode: decode,
            presentation: ticks(raw.pts),
            duration: raw.duration
        )
    }

    private static func position(of packet: PacketOwner) -> Int64? {
        packet.pointer.pointee.pos >= 0 ? packet.pointer.pointee.pos : nil
    }

    // MARK: - Sections of a file

    /// Finds the sections of a local file, and corrects its description.
    func findSections(_ session: InputSession) throws(MediaError) {
        guard sections != nil, session.isLocal, session.isSeekable, let size = session.byteCount else {
            return
        }
        let reader = session.reader
        var scan = ClockScan(isProgramStream: session.formatName == "mpeg", byteCount: size) {
            reader.bytes(at: $0, count: $1)
        }
        let jumps = scan.jumps()
        if interruption.isAborted { throw cancelled }
        guard !jumps.isEmpty else { return }
        try recordStart(session)
        sections?.acceptsLaterTimes = true
        var position: Int64 = 0
        for jump in jumps {
            if jump - Self.jumpMargin > position {
                _ = try seekLibrary(session, position: jump - Self.jumpMargin)
            }
            position = try read(session, to: jump + Self.jumpMargin)
        }
        sections?.acceptsLaterTimes = false
        if let count = sections?.count, count > 1 {
            if size - Self.endMargin > position {
                _ = try seekLibrary(session, position: size - Self.endMargin)
            }
            _ = try read(session, to: .max)
            describeEnd(size)
        }
        try seekToStart(session)
    }

    /// Reads until each stream has shown its first packet, by which a seek recognizes the start.
    private func recordStart(_ session: InputSession) throws(MediaError) {
        let streams = session.streams.filter { TimelineZero.definesTimeline($0) }.map { $0.pointee.index }
        for _ in 0..<StartFingerprint.packetLimit {
            if streams.allSatisfy({ startFingerprint.signatures[$0] != nil }) { return }
            guard try readIntact(session) != nil else { return }
        }
    }

    /// Returns the next packet, or nil at the end and where a local source fails. Damaged bytes are skipped; playback reports them when
    /// it reaches them.
    private func readIntact(_ session: InputSession) throws(MediaError) -> PacketOwner? {
        let failures = session.failureCount
        for _ in 0..<Self.errorLimit {
            do throws(MediaError) {
                return try readFromContainer(session)
            } catch {
                if error.code == .cancelled { throw error }
                guard session.failureCount != failures else { continue }
                // libav would request the same bytes again. The caller may repeat a request that failed in the network.
                if session.isLocal { return nil }
                throw error
            }
        }
        return nil
    }

    /// Reads the packets up to a position, and returns that of the last one.
    private func read(_ session: InputSession, to end: Int64) throws(MediaError) -> Int64 {
        var position: Int64 = 0
        var byteCount = 0
        for _ in 0..<Self.packetLimit where byteCount < Self.byteLimit {
            guard let packet = try readIntact(session) else { break }
            position = max(position, packet.pointer.pointee.pos)
            if position >= end { break }
            byteCount &+= Int(max(0, packet.pointer.pointee.size))
        }
        return position
    }

    /// Corrects the durations, which libav takes from the last timestamps, by the packets that have been read up to the end.
    private func describeEnd(_ size: Int64) {
        guard let ends = sections?.ends, var changed = description else { return }
        for index in changed.tracks.indices {
            let track = changed.tracks[index]
            let id = Int32(clamping: track.id)
            let end = ends[id].flatMap { end in mappings[id]?.itemTime(Optional(end)) }
            changed.tracks[index].timeRange.duration =
                end.map { $0 - track.timeRange.start }.flatMap { $0 > .zero ? $0 : nil } ?? .indefinite
        }
        guard let end = changed.tracks.map(\.timeRange.end).filter(\.isNumeric).max() else { return }
        changed.duration = end
        changed.durationIsEstimate = changed.formatName == "mpeg"
        changed.bitRate = end.seconds > 0 ? Int64(clamping: Double(size) * 8 / end.seconds) : nil
        description = changed
    }

    /// Makes libav seek to the last packet of a track at or before a time, in a file with several sections. libav itself would take the
    /// times of all sections for those of one.
    func seekInSections(_ session: InputSession, _ track: Track, to time: Int64) throws(MediaError) -> Int32 {
        guard let sections else { return PH_ERROR_EPERM }
        var (low, high) = (Int64(0), Int64(0))
        if time >= sections.start {
            let positions = sections.positions(of: time)
            (low, high) = (positions.lowerBound, min(positions.upperBound, session.byteCount ?? 0))
        }
        while high - low > Self.seekAccuracy {
            let middle = low + (high - low) / 2
            guard try seekLibrary(session, position: middle) >= 0 else { return PH_ERROR_EPERM }
            if let found = try nextDecodeTime(session, track), found <= time {
                low = middle
            } else {
                high = middle
            }
        }
        return try seekLibrary(session, position: low)
    }

    private func seekLibrary(_ session: InputSession, position: Int64) throws(MediaError) -> Int32 {
        prepareForSeek(session)
        sections?.noteSeek(to: position)
        // The times of a section may be in another cycle than those of the file's start.
        if let start = sections?.start(at: position) { timestamps.expect(ticks: start) }
        let context = try session.context
        return try call { av_seek_frame(context, -1, position, AVSEEK_FLAG_BYTE) }
    }

    /// Reads to the next packet of a track with a time, and returns its decode time. Returns nil if there is none.
    private func nextDecodeTime(_ session: InputSession, _ track: Track) throws(MediaError) -> Int64? {
        var byteCount = 0
        for _ in 0..<Self.packetLimit where byteCount < Self.byteLimit {
            guard let packet = try readIntact(session) else { return nil }
            byteCount &+= Int(max(0, packet.pointer.pointee.size))
            guard Int(packet.pointer.pointee.stream_index) == track.id else { continue }
            if let time = ticks(packet.pointer.pointee.dts) ?? ticks(packet.pointer.pointee.pts) {
                return time
            }
        }
        return nil
    }
}
