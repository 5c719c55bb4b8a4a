import MediaCore

/// Audio from after a seam that was delivered to its sink before the seam is reached. A device needs its samples
/// before they are due. Other sinks cannot take audio back, so they receive it when the seam is reached.
struct AudioPrefetch {
    /// The end mark of the current pass's audio, which was removed from the queue. It is nil if another item follows,
    /// because its frames are in queues of their own.
    var mark: Mark?
    /// The epoch of the frames after the seam.
    var epoch: Epoch
    /// The origin of their pass.
    var origin: PassOrigin
    /// The item time at which they begin.
    var first: ItemTime
    /// The item time up to which they were delivered.
    var until: ItemTime
    /// The frames of another item that were delivered. They are returned to its queue if the seam is not reached,
    /// because the item may begin later.
    var buffers: [AudioBuffer] = []

    struct Mark {
        var last: ItemTime?
        var error: MediaError?
    }
}

extension PresentationScheduler {
    /// A Boolean value that indicates whether audio is delivered before the seam that precedes it is reached.
    var prefetchesAudio: Bool { hasAudioDevice && audioLead > 0 }

    /// Delivers audio of the next pass of a loop, whose frames follow the end mark in the queue.
    mutating func prefetchAudio(
        _ pipeline: ItemPipeline,
        _ track: TrackPipeline,
        _ now: HostTime,
        _ outcome: inout DueOutput
    ) {
        guard !endWasReported else { return }
        if audioPrefetch == nil {
            guard let next = nextPass(pipeline, track) else { return }
            audioPrefetch = next
            track.advance()
        }
        guard audioPrefetch?.mark != nil else { return }
        dequeuePrefetch(track, pass: pass + 1, now, &outcome)
    }

    private func nextPass(_ pipeline: ItemPipeline, _ track: TrackPipeline) -> AudioPrefetch? {
        guard replacementTime == nil, case .endOfPass(pass, let last, nil)? = track.frames.peek(),
            case .audio(let next)? = track.frames.peek(1), next.pass == pass + 1
        else { return nil }
        let audioEnd = last.map(ItemTime.init(nanoseconds:))
        guard let end = expectedEnd(pipeline, audioEnd: audioEnd) else { return nil }
        return AudioPrefetch(
            mark: AudioPrefetch.Mark(last: audioEnd, error: nil),
            epoch: current.epoch,
            origin: PassOrigin(at: origin.timelineTime(of: end)),
            first: .zero,
            until: .zero
        )
    }

    /// Delivers audio of the next item, whose first frames are decoded.
    mutating func prefetchAudio(
        _ pipeline: ItemPipeline,
        into next: ItemPipeline,
        _ start: EpochStart,
        at now: HostTime,
        _ outcome: inout DueOutput
    ) {
        guard prefetchesAudio, timeline.isRunning, !isReverse, !endWasReported, replacementTime == nil,
            let track = next.audio
        else { return }
        if audioPrefetch == nil { audioPrefetch = nextItem(pipeline, next, start) }
        guard audioPrefetch?.epoch == start.epoch, audioPrefetch?.mark == nil else { return }
        dequeuePrefetch(track, pass: 0, now, &outcome)
    }

    private func nextItem(_ pipeline: ItemPipeline, _ next: ItemPipeline, _ start: EpochStart)
        -> AudioPrefetch?
    {
        var audioEnd: ItemTime?
        if let audio = pipeline.audio {
            guard case .endOfPass(pass, let last, nil)? = audio.frames.peek() else { return nil }
            audioEnd = last.map(ItemTime.init(nanoseconds:))
        }
        guard let end = expectedEnd(pipeline, audioEnd: audioEnd) else { return nil }
        let first = Self.begin(of: next, start)
        return AudioPrefetch(
            epoch: start.epoch,
            origin: PassOrigin(first, at: origin.timelineTime(of: end)),
            first: first,
            until: first
        )
    }

    /// Returns the expected end of the pass according to the packets that were read, because its last video frames
    /// need not be decoded yet.
    func expectedEnd(_ pipeline: ItemPipeline, audioEnd: ItemTime?) -> ItemTime? {
        var end = audioEnd ?? .zero
        if let video = pipeline.video {
            if case .endOfPass(pass, let last, let error)? = video.frames.peek() {
                guard error == nil else { return nil }
                if let last { end = max(end, ItemTime(nanoseconds: last)) }
            } else {
                guard let last = pipeline.withProgress({ $0.videoEnd(ofPass: pass) }) else { return nil }
                end = max(end, ItemTime(nanoseconds: last))
            }
        }
        return ends.forward.map { min($0, end) } ?? end
    }

    private mutating func dequeuePrefetch(
        _ track: TrackPipeline,
        pass: Int,
        _ now: HostTime,
        _ outcome: inout DueOutput
    ) {
        guard let origin = audioPrefetch?.origin, let epoch = audioPrefetch?.epoch else { return }
        var isFirst = outcome.audio.isEmpty
        while case .audio(pass, let time)? = track.frames.elementInfo() {
            let start = ItemTime(time) ?? .zero
            let due = (timeline.host(for: origin.timelineTime(of: start)) ?? now).advanced(by: -audioLead)
            guard due <= now, !(isFirst && canWaitForNextWakeup(track, due, outcome)) else {
                outcome.wake(at: due.advanced(by: audioSlack))
                return
            }
            isFirst = false
            guard let buffer = removeAudio(track, epoch) else { return }
            audioPrefetch?.until = start + (buffer.duration.nanoseconds ?? 0)
            let scheduled = ScheduledAudio(buffer: buffer, origin: origin)
            if audioPrefetch?.mark == nil {
                current.pass.audioPrefetch?.buffers.append(buffer)
                outcome.audioOfNext.append(scheduled)
            } else {
                outcome.audio.append(scheduled)
            }
        }
    }

    /// Returns whether prefetched audio was delivered for another time than the one at which it begins now. A
    /// difference below 1 ms is inaudible.
    func isMisplaced(_ audioPrefetch: AudioPrefetch?, origin: PassOrigin) -> Bool {
        guard let audioPrefetch else { return false }
        return (audioPrefetch.origin.itemZero - origin.itemZero).magnitude >= 1_000_000
    }

    /// Returns whether no more audio is to be delivered before the pass ends or changes.
    func audioHasEnded(_ pipeline: ItemPipeline) -> Bool {
        guard !isReverse, let track = pipeline.audio else { return true }
        if let audioPrefetch {
            guard audioPrefetch.until == audioPrefetch.first else { return false }
            if audioPrefetch.mark != nil { return true }
        }
        guard case .endOfPass(pass, _, _)? = track.frames.peek() else { return false }
        return true
    }
}
