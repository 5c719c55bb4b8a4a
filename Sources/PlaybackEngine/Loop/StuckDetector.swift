package import MediaCore

/// Notices that playing gets nowhere. A plain value: what is seen, and the time, are handed in.
package struct StuckDetector: Hashable, Sendable {
    /// For how long playing may get nowhere, in nanoseconds; nil: for ever.
    package struct Limits: Hashable, Sendable {
        package var loading: Int64?
        package var playing: Int64?
        package var ending: Int64?

        package init(loading: Int64?, playing: Int64?, ending: Int64?) {
            self.loading = loading
            self.playing = playing
            self.ending = ending
        }

        /// 600, 10 and 60 seconds.
        package static let standard = Limits(
            loading: 600_000_000_000,
            playing: 10_000_000_000,
            ending: 60_000_000_000
        )

        package subscript(_ stuckReason: StuckReason) -> Int64? {
            switch stuckReason {
            case .loading: loading
            case .playing: playing
            case .ending: ending
            }
        }
    }

    /// What is seen of a player that is to play. Another sight than before: it gets on.
    package enum ProgressSample: Hashable, Sendable {
        /// It waits. So many bytes have come.
        case waiting(Epoch, isOpen: Bool, hasFirstFrame: Bool, byteCount: Int64)
        /// Time runs, and has come there. `backlog`: bytes that wait for the decoders.
        case playing(Epoch, pass: Int, at: ItemTime, backlog: Int, isPastEnd: Bool)

        package var stuckReason: StuckReason {
            switch self {
            case .waiting: .loading
            case .playing(_, _, _, _, let isPastEnd): isPastEnd ? .ending : .playing
            }
        }
    }

    package var limits: Limits
    private var seen: ProgressSample?
    /// Since when nothing else has been seen.
    private var since = HostTime.zero
    private var lastLook = HostTime.zero

    package init(limits: Limits = .standard) { self.limits = limits }

    /// How it is stuck, and for how many nanoseconds; told once, and then it is counted anew.
    ///
    /// - Parameters:
    ///   - sight: nil: nothing has to get on.
    ///   - begin: before that, time stands still as it was asked to.
    ///   - now: it must look at `nextLook` at the latest.
    package mutating func look(_ sight: ProgressSample?, from begin: HostTime, at now: HostTime) -> (
        StuckReason, Int64
    )? {
        guard let sight, let limit = limits[sight.stuckReason] else {
            seen = nil
            return nil
        }
        // Where nobody has looked for long, the machine or the process has slept.
        let hasSlept = now.nanoseconds(since: lastLook) > limit / 2
        lastLook = now
        guard sight == seen, !hasSlept else {
            seen = sight
            since = max(now, begin)
            return nil
        }
        let time = now.nanoseconds(since: since)
        guard time >= limit else { return nil }
        since = now
        return (sight.stuckReason, time)
    }

    /// nil: there is nothing to look for.
    package var nextLook: HostTime? {
        guard let seen, let limit = limits[seen.stuckReason] else { return nil }
        return min(since.advanced(by: limit), lastLook.advanced(by: max(1, limit / 4)))
    }
}
