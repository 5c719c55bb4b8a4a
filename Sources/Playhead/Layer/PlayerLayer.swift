public import MediaCore
import Observation
import PlaybackEngine
import PlayheadBackend

/// Where the frames go. A player may feed several layers; a layer shows one player and keeps it alive.
///
/// With a `size` every sink gets frames of exactly that size, upright and with square pixels, laid in by
/// `videoGravity` with bars in `backgroundColor`. Without one a sink says how it wants them
/// (`VideoSink.appliesPreferredTrackTransform`): as a rule as the decoder made them, untouched and uncopied, where
/// `VideoFrame.format` says how to turn them. Set while standing still, either shows at once.
public final class PlayerLayer: Sendable {
    private struct State {
        var player: Player?
        var output: LayerOutput?
        var size: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var background = Color.clear
        var deinterlacing = Deinterlacing.auto
        var dynamicRange = DynamicRangePolicy.auto
        var sinks: [any VideoSink] = []
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
    private struct Filter {
        let call: @Sendable (VideoFrame) -> VideoFrame?
    }

    private let state = Locked(State())
    private let resting = RestingSinks()
    let observers = ObserverList()
    let registrar = ObservationRegistrar()

    /// `size` nil: the video's own.
    public init(player: Player? = nil, size: PixelSize? = nil) {
        state.withLock { $0.size = size }
        self.player = player
    }

    deinit {
        let (player, output) = state.withLock { ($0.player, $0.output) }
        player?.core.watchers.remove(ObjectIdentifier(self))
        player?.core.reconsiderVariants()
        guard let output else { return resting.end(state.withLock { $0.sinks }) }
        player?.core.loop.perform { $0.removeLayer(output) }
        output.close()
    }

    /// Settable at any moment; nil shows nothing more.
    public var player: Player? {
        get { state.withLock { $0.player } }
        set { attach(newValue) }
    }

    var attachedCore: PlayerCore? { state.withLock { $0.player }?.core }

    private func attach(_ player: Player?) {
        let (old, oldOutput, isSame) = state.withLock { ($0.player, $0.output, $0.player === player) }
        guard !isSame else { return }
        ObservedSnapshot.leave()
        let wasReady = isReady
        defer { moved(from: old, to: player, wasReady: wasReady) }
        if let old, let oldOutput { old.core.loop.perform { $0.removeLayer(oldOutput) } }
        let output = player.map { player in
            LayerOutput(
                driver: player.core.driver,
                label: "layer",
                conversions: player.core.conversions,
                deinterlacer: player.core.deinterlacer
            )
        }
        let (sinks, fit, filter) = state.withLock { state in
            state.player = player
            state.output = output
            return (state.sinks, state.fit, state.filter)
        }
        output?.setFit(fit)
        output?.setFilter(filter?.call)
        // The sinks move when the old player has given the last frame that was under way.
        let join: @Sendable () -> Void = { [resting] in
            guard let output else { return resting.begin() }
            for sink in sinks { output.add(sink) }
        }
        if oldOutput != nil, output == nil { resting.wait() }
        if let oldOutput { oldOutput.detach(then: join) } else { join() }
        if let player, let output { player.core.loop.attach(output) }
    }

    /// Pixels; nil: the video's own, and frames come as each sink wants them. One without extent shows nothing. Where an item has variants, the smallest that need not be enlarged for any
    /// layer of the player is played, once all its layers have a size.
    public var size: PixelSize? {
        get { state.withLock { $0.size } }
        set { change { $0.size = newValue } }
    }

    /// How a frame of another shape is laid into `size`: whole with bars, cut, or stretched. `resizeAspect`
    /// by default; means nothing without a size.
    public var videoGravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { change { $0.gravity = newValue } }
    }

    /// Seen where the frame leaves the layer free. Where a sink's pixel format has no alpha, it lies over black.
    public var backgroundColor: Color {
        get { state.withLock { $0.background } }
        set { change { $0.background = newValue } }
    }

    /// Which interlaced frames are made whole; `.auto` by default. libavfilter is opened when the first of them comes (its
    /// bwdif). A frame is made of those before and behind it; the first one behind a seek, and one that was decoded before
    /// anybody wanted it, of what is there of the three. Where it cannot be done, frames stay interlaced, and the log and the
    /// item's error log say so once.
    ///
    /// Set while standing still, it shows at once. Other layers and outputs get frames as they are; a `videoFilter` gets
    /// whole ones where a sink of this layer does.
    public var deinterlacing: Deinterlacing {
        get { state.withLock { $0.deinterlacing } }
        set { change { $0.deinterlacing = newValue } }
    }

    /// Which frames of high dynamic range are mapped to the standard one; `.auto` by default: those that are laid out to be looked
    /// at, and those that become RGB. The others keep the colours of the file. `VideoFormat.color` says which they are.
    /// Set while standing still, it shows at once.
    public var dynamicRangePolicy: DynamicRangePolicy {
        get { state.withLock { $0.dynamicRange } }
        set { change { $0.dynamicRange = newValue } }
    }

    /// What every frame of the layer goes through before it is fitted and handed to the sinks, on the layer's
    /// own queue: it may take its time without holding up the clock. nil from it leaves a frame out. A seek
    /// is complete when its frame has been through. Other layers and outputs get frames as they are.
    public var videoFilter: (@Sendable (VideoFrame) -> VideoFrame?)? {
        get { state.withLock { $0.filter }?.call }
        set {
            let output = state.withLock { state in
                state.filter = newValue.map { Filter(call: $0) }
                return state.output
            }
            output?.setFilter(newValue)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let (output, fit, core) = state.withLock { state in
            body(&state)
            return (state.output, state.fit, state.player?.core)
        }
        output?.setFit(fit)
        guard let core else { return }
        if let output {
            // Where time stands once what was asked before is done, no other frame follows.
            core.loop.perform { output.refresh(isPlaying: $0.snapshot.effectiveRate != 0) }
        }
        core.reconsiderVariants()
    }

    /// nil: as large as the video.
    var display: VariantPreference.Display? {
        let (size, gravity) = state.withLock { ($0.size, $0.gravity) }
        guard let size, !size.isEmpty else { return nil }
        return VariantPreference.Display(size: size, gravity: gravity)
    }

    /// Another frame is made of each one before a sink gets it.
    var changesFrames: Bool {
        state.withLock { state in state.filter != nil || state.size.map { !$0.isEmpty } ?? false }
    }

    /// The first frame of the current item has reached the sinks.
    public var isReadyForDisplay: Bool { tracked(\.isReadyForDisplay) { isReady } }

    private var isReady: Bool { attachedCore?.snapshot.isReadyForDisplay ?? false }

    /// Another player may have something to show where the last one had not.
    private func moved(from old: Player?, to new: Player?, wasReady: Bool) {
        old?.core.watchers.remove(ObjectIdentifier(self))
        old?.core.reconsiderVariants()
        new?.core.watchers.add(self)
        new?.core.reconsiderVariants()
        if isReady != wasReady { announce(\.isReadyForDisplay) }
        guard let lane = (new ?? old)?.core.callbacks else { return }
        let moment = ObservedSnapshot(
            sequence: ObservedSnapshot.nextSequence(),
            player: new?.core.newestMoment.player
        )
        let telling = ChangeNotification(event: nil, moment: moment)
        lane.enqueue { [weak self] in self?.observers.tell(telling) }
    }

    /// Where the frame lies in the layer; `.zero` until its size is known. With `.resizeAspectFill` it reaches
    /// beyond the layer.
    public var videoRect: PixelRect {
        let (player, output) = state.withLock { ($0.player, $0.output) }
        guard let snapshot = player?.core.snapshot, !snapshot.presentationSize.isEmpty else { return .zero }
        let (size, gravity) = state.withLock { ($0.size, $0.gravity) }
        let shape = output?.shownShape ?? Self.shape(of: snapshot)
        return VideoGeometry(shape, gravity: gravity, target: size).videoRect
    }

    /// Until a frame is shown its track tells, more exactly than the rounded size.
    private static func shape(of snapshot: PlaybackSnapshot) -> VideoShape {
        let track = snapshot.description?.tracks.first { track in
            snapshot.enabledTracks.contains(track.id) && track.presentationSize == snapshot.presentationSize
        }
        return track?.shape ?? VideoShape(size: snapshot.presentationSize)
    }

    /// What became of the frames at one of the layer's sinks, since it was added or the layer got its player; nil: it
    /// is not one of its sinks, or there is no player.
    public func counters(of sink: any VideoSink) -> VideoSinkCounters? {
        state.withLock { $0.output }?.counters(of: sink)
    }

    /// The sink gets the frame being shown, if there is one, and every one from then on.
    public func add(_ sink: any VideoSink) {
        let output = state.withLock { state in
            guard !state.sinks.contains(where: { $0 === sink }) else { return state.output }
            state.sinks.append(sink)
            return state.output
        }
        output?.add(sink)
    }

    /// The sink is finished after what is under way to it.
    public func remove(_ sink: any VideoSink) {
        let (output, wasThere) = state.withLock { state in
            let count = state.sinks.count
            state.sinks.removeAll { $0 === sink }
            return (state.output, state.sinks.count < count)
        }
        guard wasThere else { return }
        if let output { output.remove(sink) } else { sink.finish() }
    }
}
