internal import CFFmpeg
package import MediaCore
package import PlayheadBackend

extension FFmpegDemuxer: SegmentedDemuxer {
    /// The track of another demuxer that packets of a stream continue.
    struct Takeover {
        var track: Int
        var timeBase: AVRational
        /// The extradata that the decoder does not have yet. It is nil once it has been delivered.
        var extradata: [UInt8]?
        /// The extradata that all packets need, or nil for that of the track that they continue.
        var packetExtradata: [UInt8]?
    }

    package func restart(at time: MediaTime) throws(MediaError) {
        guard let session else {
            throw MediaError(.invalidArgument, "the demuxer is not open", location: request.location)
        }
        queue.removeAll()
        failedReads = 0
        log.clear()
        startFingerprint.isReadingFromStart = false
        if let zero = description?.startTime { timestamps.expect(time + zero - shift) }
        try session.restart()
        needsSeek = false
    }

    package func setTimeline(zero: MediaTime, shift: MediaTime) {
        self.shift = shift
        description?.startTime = zero
        guard let session else { return }
        for stream in session.streams {
            let index = stream.pointee.index
            let timeBase = takeovers[index]?.timeBase ?? stream.pointee.time_base
            mappings[index] = TimeMapping(timeBase: timeBase, zero: zero)
        }
    }

    package func continueTracks(of other: any SegmentedDemuxer, enabled: Set<Int>) throws(MediaError) {
        guard let other = other as? FFmpegDemuxer, let before = other.session, let session else { return }
        var free = before.streams
        var own: Set<Int> = []
        for stream in session.streams {
            let parameters = stream.pointee.codecpar.pointee
            guard
                let index = free.firstIndex(where: {
                    $0.pointee.codecpar.pointee.codec_type == parameters.codec_type
                })
            else { continue }
            let target = free.remove(at: index)
            let old = target.pointee.codecpar.pointee
            let track = Int(target.pointee.index)
            guard old.codec_id == parameters.codec_id else {
                guard enabled.contains(track) else { continue }
                let names = [old.codec_id, parameters.codec_id].map { String(cString: avcodec_get_name($0)) }
                throw MediaError(
                    .decoderFailed,
                    "unsupported codec change at a discontinuity: \(names[1]) instead of \(names[0])",
                    location: request.location,
                    track: track
                )
            }
            if enabled.contains(track) { own.insert(Int(stream.pointee.index)) }
            let extradata = parameters.extradataBytes
            let isOther = extradata != old.extradataBytes
            // Once the decoder has received the extradata of another segment, it needs that of the first one again.
            if isOther { other.tracksWithOtherExtradata.insert(track) }
            takeovers[stream.pointee.index] = Takeover(
                track: track,
                timeBase: target.pointee.time_base,
                extradata: other.tracksWithOtherExtradata.contains(track) ? extradata : nil,
                packetExtradata: isOther ? extradata : nil
            )
        }
        setEnabledTracks(own)
    }

    /// Moves a packet to the presentation's timeline and returns the track that it belongs to.
    func adjustTimeline(_ owner: PacketOwner, _ track: Int) -> Int {
        let index = owner.pointer.pointee.stream_index
        var result = track
        if let takeover = takeovers[index],
            let stream = session?.streams.first(where: { $0.pointee.index == index })
        {
            av_packet_rescale_ts(owner.pointer, stream.pointee.time_base, takeover.timeBase)
            result = takeover.track
            if let extradata = takeover.extradata {
                takeovers[index]?.extradata = nil
                owner.attach(extradata, as: AV_PKT_DATA_NEW_EXTRADATA)
            }
        }
        if shift != .zero, let mapping = mappings[index] {
            let ticks = av_rescale_q(
                shift.value,
                AVRational(num: 1, den: shift.timescale),
                mapping.timeBase.avRational
            )
            owner.pointer.pointee.pts = owner.pointer.pointee.pts.shiftedTimestamp(by: ticks)
            owner.pointer.pointee.dts = owner.pointer.pointee.dts.shiftedTimestamp(by: ticks)
        }
        return result
    }
}
