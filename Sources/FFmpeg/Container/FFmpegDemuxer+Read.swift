internal import CFFmpeg
package import MediaCore
package import PlayheadBackend

extension FFmpegDemuxer {
    /// The number of packets and bytes that are read at most to find the start times of the tracks.
    private static let startPacketLimit = 128
    private static let startByteLimit = 2 << 20
    /// The number of consecutive reads that may fail.
    private static let failedReadLimit = 32
    /// The size above which attached pictures (cover art) are dropped.
    static let attachedPictureLimit = 16 << 20

    package func read() throws(MediaError) -> Poll<Packet?> {
        if interruption.isCancelled || needsSeek { throw cancelled }
        let (session, _) = try opened()
        while true {
            if let queued = queue.popFirst() {
                if let result = makePacket(queued) { return .ready(result) }
                continue
            }
            guard case .ready(let next) = try readNext(session) else { return .pending }
            guard let packet = next else { return .ready(nil) }
            if let result = makePacket(packet) { return .ready(result) }
        }
    }

    private func readNext(_ session: InputSession) throws(MediaError) -> Poll<PacketOwner?> {
        // Nothing has been requested from libav, so the next call continues as if this one had not been made.
        if interruption.context.isInterrupted {
            // The demuxer may have been cancelled since the check in `read`.
            if interruption.isCancelled { throw cancelled }
            return .pending
        }
        guard session.readAhead() else { return .pending }
        do throws(MediaError) {
            return .ready(try readFromContainer(session))
        } catch {
            if error.code == .cancelled { needsSeek = true }
            throw error
        }
    }

    /// Returns the next packet of any stream, or nil at the end.
    func readFromContainer(_ session: InputSession) throws(MediaError) -> PacketOwner? {
        while !pictures.isComplete, let packet = try readInSection(session) {
            if pictures.accepts(packet.pointer.pointee) { return packet }
        }
        return nil
    }

    /// Returns the next packet that libav delivers, or nil at the end.
    func readFromLibrary(_ session: InputSession) throws(MediaError) -> PacketOwner? {
        let packet = try PacketOwner()
        let context = try session.context
        let failures = session.failureCount
        let code = try call {
            let code = av_read_frame(context, packet.pointer)
            // libav reports a change only once, also if its packet is dropped because the read was interrupted.
            if code >= 0, let stream = context.pointee.streams[Int(packet.pointer.pointee.stream_index)] {
                extradata.update(packet, stream, formatName: session.formatName)
            }
            return code
        }
        if code >= 0 {
            // libav treats a failed read as the end of the file and returns the incomplete packet.
            if session.failureCount != failures, let failure = session.hiddenFailure {
                session.clearFailure()
                throw failure
            }
            failedReads = 0
            hasReadPacket = true
            blockTimes?.setTime(of: packet.pointer)
            linkTimes?.setTime(of: packet.pointer)
            adtsTimes?.setTime(of: packet.pointer)
            if let stream = context.pointee.streams[Int(packet.pointer.pointee.stream_index)] {
                H263PictureHeader.correctKeyFlag(of: packet.pointer, stream)
                H261PictureHeader.correctKeyFlag(of: packet.pointer, stream, formatName: session.formatName)
                GXFFrameDuration.correct(packet.pointer, stream, context, formatName: session.formatName)
                timestamps.correct(packet.pointer, stream)
                fields.update(packet, stream)
            }
            startFingerprint.record(packet)
            palettes.update(packet)
            return packet
        }
        // libav reports a failed read as the end of the file, so the source's error takes precedence.
        if let failure = session.hiddenFailure {
            session.clearFailure()
            throw failure
        }
        if !hasReadPacket, let error = session.passedMediaError { throw error }
        // A container with too many consecutive errors is treated as ended.
        failedReads += 1
        // Some of libav's demuxers, such as that of GXF, return -1 at the end of the file.
        let hasEnded = code == PH_ERROR_EOF || code == PH_ERROR_EPERM && session.hasReachedEnd
        if hasEnded || failedReads > FFmpegDemuxer.failedReadLimit { return nil }
        throw session.error(code, "cannot continue reading the file", fallback: .io)
    }

    /// Returns nil for packets of disabled tracks.
    private func makePacket(_ owner: PacketOwner) -> Packet? {
        let track = Int(owner.pointer.pointee.stream_index)
        if let enabled, !enabled.contains(track) { return nil }
        // A stream that appears during reading was never described, so it cannot have been enabled.
        guard let mapping = mappings[owner.pointer.pointee.stream_index] else { return nil }
        if isOversizedPicture(owner.pointer.pointee) { return nil }
        let presentedTrack = adjustTimeline(owner, track)
        let packet = owner.pointer.pointee
        let hasDecodeTime = !streamsWithoutDecodeTimes.contains(packet.stream_index)
        var result = Packet(
            track: presentedTrack,
            presentationTime: mapping.itemTime(ticks(packet.pts)),
            decodeTime: hasDecodeTime ? mapping.itemTime(ticks(packet.dts)) : nil,
            duration: mapping.duration(packet.duration),
            byteCount: Int(max(0, packet.size)),
            isKeyFrame: packet.flags & AV_PKT_FLAG_KEY != 0,
            payload: FFmpegPacketPayload(
                owner,
                extradata: owner.extradata ?? takeovers[packet.stream_index]?.packetExtradata
            )
        )
        result.hasNewParameters = Self.hasNewParameters(owner)
        result.isDiscarded = packet.flags & AV_PKT_FLAG_DISCARD != 0
        result.isField = owner.isField
        return result
    }

    private static func hasNewParameters(_ owner: PacketOwner) -> Bool {
        guard owner.pointer.pointee.side_data_elems > 0 else { return false }
        return [AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE].contains {
            av_packet_get_side_data(owner.pointer, $0, nil) != nil
        }
    }

    private func isOversizedPicture(_ packet: AVPacket) -> Bool {
        guard Int(packet.size) > FFmpegDemuxer.attachedPictureLimit else { return false }
        return description?.tracks.first { $0.id == Int(packet.stream_index) }?.isAttachedPicture ?? false
    }

    /// Reads until every track has shown its start time, and what a seek depends on is known. The packets are kept in
    /// the queue.
    func readStart(_ session: InputSession) throws(MediaError) -> TimelineZero {
        var timeline = TimelineZero(formatName: session.formatName)
        startFingerprint = StartFingerprint()
        if isStartKnown(session, timeline) { return timeline }
        while queue.count < FFmpegDemuxer.startPacketLimit && queue.byteCount < FFmpegDemuxer.startByteLimit {
            guard let packet = try readFromContainer(session) else { break }
            queue.append(packet)
            if let stream = session.streams.first(where: {
                $0.pointee.index == packet.pointer.pointee.stream_index
            }) {
                timeline.record(packet.pointer, of: stream)
            }
            if isStartKnown(session, timeline) { return timeline }
        }
        return timeline
    }

    /// Returns whether every track has shown its start time, an image file its first frame, paletted video its first
    /// packet, which has the palette, and a file of audio blocks the position of its first one.
    private func isStartKnown(_ session: InputSession, _ timeline: TimelineZero) -> Bool {
        guard !pictures.needsFirstPacket, timeline.isComplete(session.streams) else { return false }
        let formatName = session.formatName
        return session.streams.allSatisfy { stream in
            let parameters = stream.pointee.codecpar.pointee
            let isPaletted =
                parameters.codec_type == AVMEDIA_TYPE_VIDEO && TimelineZero.definesTimeline(stream)
                && PixelFormats.hasPalette(AVPixelFormat(parameters.format))
            return !(isPaletted || AudioBlockTimes.areNeeded(for: stream, formatName: formatName))
                || startFingerprint.signatures[stream.pointee.index] != nil
        }
    }
}
