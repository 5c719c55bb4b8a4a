public import MediaCore
import Observation
import PlaybackEngine
import PlayheadBackend
import Sinks

/// The destination of a player's frames, with any number of sinks. A player may have several layers; a layer shows one
/// player and retains it.
///
/// With a `size`, every sink gets frames of exactly that size, upright and with square pixels, fitted by `videoGravity`
/// with bars in `backgroundColor`. Without a size, each sink determines the shape of its frames
/// (`VideoSink.appliesPreferredTrackTransform`): by default they are delivered as decoded and without a copy, and
/// `VideoFrame.format` says how to rotate them.
///
/// The player does not retain its layers, except those of `Player.add(_:size:)`. When a layer is released, its sinks are
/// finished. All members may be used from any thread.
public final class PlayerLayer: Sendable {
    /// The way in which a frame is fitted into the layer (AVLayerVideoGravity).
    public typealias VideoGravity = MediaCore.VideoGravity

    struct State {
        /// The player, unless it owns the layer.
        private var retainedPlayer: Player?
        /// The player that owns the layer, and therefore is not retained.
        private(set) weak var owner: Player?
        var player: Player? { retainedPlayer ?? owner }
        /// The number of times that the layer got another player.
        private(set) var assignment: UInt64 = 0
        /// The number of the notification that the layer shows its player: the sinks have received the frame that the
        /// player showed before, if any. Nil before.
        private(set) var shownSince: UInt64?

        mutating func setPlayer(_ player: Player?, isOwner: Bool) {
            retainedPlayer = isOwner ? nil : player
            owner = isOwner ? player : nil
            assignment += 1
            shownSince = nil
        }

        /// Records that the layer shows its player, unless it has got another one since. Returns whether it does.
        mutating func show(_ assignment: UInt64, since sequence: UInt64) -> Bool {
            guard assignment == self.assignment else { return false }
            shownSince = sequence
            return true
        }

        /// Whether the layer shows its player, for a reader on this thread.
        var showsPlayer: Bool {
            guard let shownSince else { return false }
            return ObservedSnapshot.current.map { $0.sequence >= shownSince } ?? true
        }

        var output: LayerOutput?
        /// Whether a thread is giving the layer the output of another player.
        var isAttaching = false
        var size: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var background = Color.clear
        var deinterlacing = Deinterlacing.auto
        var dynamicRange = DynamicRangePolicy.auto
        /// The sinks that have not been finished.
        var sinks: [any VideoSink] = []
        /// The frames of the last former player.
        var drain: LayerDrain?
        var filter: Filter?

        var fit: LayerOutput.Fit {
            LayerOutput.Fit(
                size: size,
                gravity: gravity,
                background: background,
                deinterlacing: deinterlacing,
                dynamicRange: dynamicRange
            )
        }
    }
    struct Filter {
        let call: @Sendable (VideoFrame) -> VideoFrame?
    }

    let state = Locked(State())
    /// The sinks that have failed or were finished with their player, and have not been added again. Frames of an
    /// earlier player may have been on their way to them.
    private let finished = Locked<Set<ObjectIdentifier>>([])
    let observers = ObserverList()
    let registrar = ObservationRegistrar()

    /// Creates a layer.
    ///
    /// - Parameters:
    ///   - player: The player to show, or nil.
    ///   - size: The size in pixels, or nil for the size of the video.
    public init(player: Player? = nil, size: PixelSize? = nil) {
        state.withLock { $0.size = size }
        self.player = player
    }

    /// Creates a layer that its player retains.
    init(ownedBy player: Player, size: PixelSize?) {
        state.withLock { $0.size = size }
        attach(player, isOwned: true)
    }

    deinit {
        let (player, output, sinks, drain) = state.withLock { ($0.player, $0.output, $0.sinks, $0.drain) }
        player?.core.dispatcher.remove(ObjectIdentifier(self))
        player?.core.reconsiderVariants()
        guard let output else { return Self.finish(sinks, after: drain, except: finished) }
        if !sinks.isEmpty {
            player?.core.warnAboutReleasedLayer(hadFrames: output.shownShape != nil)
        }
        player?.core.loop.perform { $0.removeLayer(output) }
        output.close()
    }

    /// The player that the layer shows. It may be changed at any time; nil shows nothing.
    public var player: Player? {
        get { state.withLock { $0.player } }
        set { attach(newValue, isOwned: false) }
    }

    var attachedCore: PlayerCore? { state.withLock { $0.player }?.core }

    private func attach(_ player: Player?, isOwned: Bool) {
        let (old, owner, isAttaching, former, shownSince) = state.withLock { state in
            let former = (state.player, state.owner, state.isAttaching, state.assignment, state.shownSince)
            if former.0 !== player {
                state.setPlayer(player, isOwner: isOwned)
                state.isAttaching = true
            }
            return former
        }
        guard old !== player else { return }
        defer { owner?.core.release(self) }
        ObservedSnapshot.discardCurrent()
        // Trackers may have read that it was ready, even if it no longer is: the layer may not get that event any more.
        if shownSince != nil { announce(\.isReadyForDisplay) }
        // Another thread, or a caller of this method, is following an earlier change, and follows this one afterwards.
        guard !isAttaching else { return }
        var attached = (player: old, assignment: former)
        while true {
            let next = state.withLock { state in
                state.isAttaching = state.assignment != attached.assignment
                return (player: state.player, assignment: state.assignment)
            }
            guard next.assignment != attached.assignment else { return }
            changeOutput(from: attached.player, to: next.player, next.assignment)
            attached = next
        }
    }

    /// Gives the layer the output of another player. One thread at a time does so.
    private func changeOutput(from old: Player?, to player: Player?, _ assignment: UInt64) {
        let oldOutput = state.withLock { $0.output }
        if let old, let oldOutput { old.core.loop.perform { $0.removeLayer(oldOutput) } }
        let output = player.map { player in
            LayerOutput(
                driver: player.core.driver,
                label: "layer",
                conversions: player.core.conversions,
                deinterlacer: player.core.deinterlacer
            )
        }
        let newDrain = oldOutput.map { LayerDrain($0, after: state.withLock { $0.drain }) }
        let (sinks, earlier, drain) = state.withLock { state in
            // An owner that is gone has finished the sinks.
            if old == nil, state.output != nil { state.sinks = [] }
            state.output = output
            let earlier = state.drain
            if let newDrain { state.drain = newDrain }
            return (state.sinks, earlier, state.drain)
        }
        output?.setFit(state.withLock { $0.fit })
        output?.setFilter(state.withLock { $0.filter }?.call)
        if let oldOutput { setFinishHandler(of: oldOutput, drain) }
        if let output {
            drain?.add(output)
            setFinishHandler(of: output, nil)
        }
        // The new player delivers frames once the old one has delivered the last frame in flight.
        if let output { for sink in sinks { connect(sink, to: output, after: drain) } }
        if let oldOutput, let drain {
            oldOutput.detach {
                // A sink that was removed before may still receive frames of an earlier player.
                guard let earlier else { return drain.complete() }
                earlier.whenComplete { drain.complete() }
            }
        }
        playerDidChange(from: old, to: player)
        guard let core = player?.core, let output else { return }
        core.loop.attach(output) { [weak self, weak core] in
            if let core { self?.playerWasShown(core, assignment) }
        }
    }

    /// Sets the handler of sinks that were finished. It acts also after the release of the layer, whose last output may
    /// have the sink.
    private func setFinishHandler(of output: LayerOutput, _ drain: LayerDrain?) {
        output.setFinishHandler { [weak self, finished] sink in
            finished.withLock { _ = $0.insert(ObjectIdentifier(sink)) }
            drain?.discard(sink)
            self?.didFinish(sink)
        }
    }

    /// Adds one of the layer's sinks to the output, unless it has been removed meanwhile.
    private func connect(_ sink: any VideoSink, to output: LayerOutput, after drain: LayerDrain?) {
        output.add(sink, after: drain?.whenComplete)
        // Another thread may have removed the sink before the output had it, or the sink may have failed.
        let isPresent = state.withLock { state in state.sinks.contains { $0 === sink } }
        guard !isPresent else { return }
        let isFinished = finished.withLock { $0.contains(ObjectIdentifier(sink)) }
        if isFinished { output.discard(sink) } else { output.remove(sink) }
    }

    /// Removes a sink that has failed, or that was finished with its player.
    private func didFinish(_ sink: any VideoSink) {
        let (output, drain) = state.withLock { state in
            state.sinks.removeAll { $0 === sink }
            return (state.output, state.drain)
        }
        // The layer may have had other players since.
        drain?.discard(sink)
        output?.discard(sink)
    }

    /// Finishes sinks of a layer without a player, after the frames of its last player that are still in flight. One of
    /// these may make a sink fail, which is finished then.
    private static func finish(
        _ sinks: [any VideoSink],
        after drain: LayerDrain?,
        except finished: Locked<Set<ObjectIdentifier>>
    ) {
        let finish: @Sendable () -> Void = {
            for sink in sinks where !finished.withLock({ $0.contains(ObjectIdentifier(sink)) }) {
                sink.finish()
            }
        }
        if let drain { drain.whenComplete(finish) } else { finish() }
    }

    /// The size of frames in pixels. Nil means the size of the video, and each sink then gets frames in the shape
    /// that it requests. An empty size shows nothing.
    ///
    /// If all layers of a player have a size, the smallest HLS variant plays that need not be enlarged for any of them.
    /// A change while paused is shown at once.
    public var size: PixelSize? {
        get { state.withLock { $0.size } }
        set { change { $0.size = newValue } }
    }

    /// The way in which a frame is fitted into `size`: complete with bars, cropped, or stretched. The default is
    /// `.resizeAspect`. It has no effect without a size. A change while paused is shown at once.
    public var videoGravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { change { $0.gravity = newValue } }
    }

    /// The color of the parts of the layer that the frame does not cover. In pixel formats without alpha it is blended
    /// over black.
    public var backgroundColor: Color {
        get { state.withLock { $0.background } }
        set { change { $0.background = newValue } }
    }

    /// Which interlaced frames are deinterlaced. The default is `.auto`.
    ///
    /// Deinterlacing uses FFmpeg's bwdif filter; libavfilter is loaded when the first such frame arrives. A frame is
    /// made of its own fields and those of its neighbors. The first frame after a seek, and a frame that was decoded
    /// before deinterlacing was requested, use only those of the three that are available. If deinterlacing is not
    /// possible, frames stay interlaced, and the log and the item's error log report it once.
    ///
    /// A change while paused is shown at once. Other layers and outputs get frames as decoded; a `videoFilter` gets
    /// deinterlaced frames if a sink of this layer does.
    public var deinterlacing: Deinterlacing {
        get { state.withLock { $0.deinterlacing } }
        set { change { $0.deinterlacing = newValue } }
    }

    /// Which frames of high dynamic range are tone mapped to standard dynamic range. The default, `.auto`, maps frames
    /// that are fitted for display and frames that are converted to RGB; other frames keep the colors of the file.
    /// `VideoFormat.color` describes the colors of a frame. A change while paused is shown at once.
    public var dynamicRangePolicy: DynamicRangePolicy {
        get { state.withLock { $0.dynamicRange } }
        set { change { $0.dynamicRange = newValue } }
    }

    /// A closure that processes every frame of the layer before it is fitted and delivered to the sinks.
    ///
    /// The closure is called on the layer's own queue and may take its time without delaying the clock. A frame for
    /// which it returns nil is omitted. A seek is complete when its frame has passed the filter. Other layers and
    /// outputs get frames as decoded.
    public var videoFilter: (@Sendable (VideoFrame) -> VideoFrame?)? {
        get { state.withLock { $0.filter }?.call }
        set {
            let (output, former) = state.withLock { state in
                defer { state.filter = newValue.map { Filter(call: $0) } }
                return (state.output, state.filter)
            }
            output?.setFilter(state.withLock { $0.filter }?.call)
            // The closure is released outside the lock, because what it retains may change the layer then.
            withExtendedLifetime(former) {}
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let (output, core) = state.withLock { state in
            body(&state)
            return (state.output, state.player?.core)
        }
        output?.setFit(state.withLock { $0.fit })
        guard let core else { return }
        if let output {
            // While time does not advance, no further frame would show the change.
            core.loop.perform { output.refresh(isPlaying: $0.snapshot.effectiveRate != 0) }
        }
        core.reconsiderVariants()
    }

    /// The size and gravity for the selection of a variant; nil if the layer has the size of the video.
    var display: VariantPreference.Display? {
        let (size, gravity) = state.withLock { ($0.size, $0.gravity) }
        guard let size, !size.isEmpty else { return nil }
        return VariantPreference.Display(size: size, gravity: gravity)
    }

    /// The sinks that write files.
    var fileSinks: [any FileSink] { state.withLock { $0.sinks }.compactMap { $0 as? any FileSink } }

    /// Whether every frame is filtered or converted before a sink gets it.
    var changesFrames: Bool {
        state.withLock { state in state.filter != nil || state.size.map { !$0.isEmpty } ?? false }
    }

    /// The rectangle of the frame in the layer; `.zero` until its size is known. With `.resizeAspectFill` it extends
    /// beyond the layer.
    public var videoRect: PixelRect {
        let (player, output) = state.withLock { ($0.player, $0.output) }
        guard let snapshot = player?.core.snapshot, !snapshot.presentationSize.isEmpty else { return .zero }
        let (size, gravity) = state.withLock { ($0.size, $0.gravity) }
        let shape = output?.shownShape ?? Self.shape(of: snapshot)
        return VideoGeometry(shape, gravity: gravity, target: size).videoRect
    }

    /// Returns the shape of the video track, which is more exact than the rounded presentation size, until a frame is
    /// shown.
    private static func shape(of snapshot: PlaybackSnapshot) -> VideoShape {
        let track = snapshot.description?.tracks.first { track in
            snapshot.enabledTracks.contains(track.id) && track.presentationSize == snapshot.presentationSize
        }
        return track?.shape ?? VideoShape(size: snapshot.presentationSize)
    }

    /// Returns the frame counts of one of the layer's sinks since it was added, or since the layer got its player.
    ///
    /// - Parameter sink: One of the layer's sinks.
    /// - Returns: The counts, or nil if the layer does not have the sink or has no player.
    public func counters(of sink: any VideoSink) -> VideoSinkCounters? {
        state.withLock { $0.output }?.counters(of: sink)
    }

    /// Adds a sink. It gets the frame that is shown at present, if any, and all following ones. Adding it twice has no
    /// effect.
    ///
    /// - Parameter sink: The sink to add. The layer retains it.
    public func add(_ sink: any VideoSink) {
        finished.withLock { _ = $0.remove(ObjectIdentifier(sink)) }
        let (output, drain) = state.withLock { state in
            if !state.sinks.contains(where: { $0 === sink }) { state.sinks.append(sink) }
            return (state.output, state.drain)
        }
        // The sink may have been removed while frames of the former player were on their way to it.
        let earlier = drain?.concerns(sink) == true ? drain : nil
        if let output { connect(sink, to: output, after: earlier) }
    }

    /// Removes a sink. It is finished once the frames in flight have been delivered.
    ///
    /// - Parameter sink: The sink to remove.
    public func remove(_ sink: any VideoSink) {
        let (output, drain, wasThere) = state.withLock { state in
            let count = state.sinks.count
            state.sinks.removeAll { $0 === sink }
            return (state.output, state.drain, state.sinks.count < count)
        }
        guard wasThere else { return }
        if let output { output.remove(sink) } else { Self.finish([sink], after: drain, except: finished) }
    }
}
