import Logging
public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// Adds a layer with a sink. The player owns the layer, so the result may be ignored; it serves to set gravity,
    /// background and the like.
    ///
    /// The layer is released with the player, or when it gets another player or none (`PlayerLayer.player`).
    ///
    /// - Parameters:
    ///   - sink: The sink. It gets the frame that is shown at present, if any, and all following ones.
    ///   - size: The size of its frames in pixels, or nil for the size of the video; see `PlayerLayer.size`.
    /// - Returns: The layer. It does not retain the player.
    @discardableResult
    public func add(_ sink: any VideoSink, size: PixelSize? = nil) -> PlayerLayer {
        let layer = PlayerLayer(ownedBy: self, size: size)
        layer.add(sink)
        core.retain(layer)
        return layer
    }
}

extension PlayerCore {
    func retain(_ layer: PlayerLayer) { state.withLock { if !$0.isReleased { $0.layers.append(layer) } } }

    /// Logs a warning if a layer with sinks was released by mistake: the player still exists, and plays, or the layer has
    /// never had a frame. An application that releases both is not warned.
    func warnAboutReleasedLayer(hadFrames: Bool) {
        callbacks.enqueue { [weak self] in
            guard let self, !setting(\.isEnding), dispatcher.player != nil,
                visibleFacts.rate != 0 || !hadFrames
            else { return }
            configuration.logger.warning(
                """
                a layer was released while its player exists: its sinks are finished and get no frames. Retain the \
                layer, or use Player.add(_:size:)
                """
            )
        }
    }

    /// Releases a layer that has another player.
    func release(_ layer: PlayerLayer) {
        let released = state.withLock { state in
            let index = state.layers.firstIndex { $0 === layer }
            return index.map { state.layers.remove(at: $0) }
        }
        withExtendedLifetime(released) {}
    }
}
