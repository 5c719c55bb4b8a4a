import PlayheadCore
import Synchronization

/// The methods of the interface `org.mpris.MediaPlayer2.Player`.
struct MPRISMethods {
    let session: PlaySession

    /// Performs a method.
    ///
    /// - Returns: The reply, or nil if there is no such method.
    func reply(to member: String, _ call: BusMessage) -> BusReply? {
        switch member {
        case "Play": play()
        case "Pause": session.setPaused(true)
        case "PlayPause": if isPlaying { session.setPaused(true) } else { play() }
        case "Stop": session.stopPlaying(keepsPlaylist: true)
        // Without such an entry a call has no effect.
        case "Next": _ = session.move(by: 1)
        case "Previous": _ = session.move(by: -1)
        case "Seek":
            guard let offset = call.readInt64() else { return .invalidArguments("expected an offset") }
            return seek { session throws(ControlError) in try session.seek(bySeconds: Double(offset) / 1e6) }
        case "SetPosition":
            guard let track = call.readObjectPath(), let position = call.readInt64() else {
                return .invalidArguments("expected a track and a position")
            }
            return setPosition(track, position)
        case "OpenUri":
            guard let uri = call.readString() else { return .invalidArguments("expected a URI") }
            return open(uri)
        default: return nil
        }
        return .done
    }

    private var isPlaying: Bool {
        !session.isInactive && !session.isPaused
    }

    /// Plays. After a stop, the playlist begins again.
    private func play() {
        let hasEntries = session.state.withLock { !$0.playlist.isEmpty }
        session.setPaused(false)
        if session.isInactive, hasEntries { session.play(at: 0) }
    }

    /// Seeks, if a track plays; otherwise the call has no effect, as the specification demands.
    private func seek(_ body: (PlaySession) throws(ControlError) -> Void) -> BusReply {
        do throws(ControlError) {
            try body(session)
        } catch {
            return .done
        }
        return .done
    }

    /// Seeks within a track. A call for another track, or with a position outside of it, has no effect: it is late.
    private func setPosition(_ track: String, _ position: Int64) -> BusReply {
        guard track == MPRISProperty.trackPath(session), position >= 0 else { return .done }
        if let duration = ControlProperty.value("duration", session)?.double,
            position > MPRISProperty.microseconds(duration)
        {
            return .done
        }
        return seek { session throws(ControlError) in try session.seek(toSeconds: Double(position) / 1e6) }
    }

    /// Plays a file or URL instead of the playlist.
    private func open(_ uri: String) -> BusReply {
        guard uri.contains(":"), Input(uri) != nil else { return .invalidArguments("not a valid URI") }
        session.readInputs([uri]) { [session] list in
            // What is paused stays so if there is nothing else to play.
            if !list.inputs.isEmpty { session.state.withLock { $0.isPausedByUser = false } }
            // A failure has been reported.
            session.load(list, .replace, at: nil, LoadOptions()) { _ in }
        }
        return .done
    }
}
