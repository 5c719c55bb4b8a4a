import FFmpeg
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Draws the frames of several layers into one picture, and delivers it to sinks: a wall of players, a screen with a
/// banner and a clip, or a feed as its user sees it.
///
///     let wall = CompositeSink(size: PixelSize(width: 1280, height: 720))
///     wall.add(WindowSink(title: "wall"))
///     for (player, area) in zip(players, areas) {
///         player.add(wall.makeRegion(area), size: area.size)
///     }
///
/// A picture is drawn when a region has changed, at most once in `frameDuration`. While nothing changes, or without a
/// sink, nothing is drawn. Regions are drawn over each other with straight alpha.
///
/// The application retains the composite; its regions do not. When it is released, its sinks are finished.
///
/// All members may be used from any thread. Pictures are drawn on a lane of the clock's driver.
public final class CompositeSink: Sendable {
    private struct State {
        var size: PixelSize
        var backgroundColor: Color
        var regions: [CompositeRegion] = []
        var isScheduled = false
        var isFinished = false
        /// The number of the next picture: it is shown from this multiple of `frameDuration` on.
        var nextPicture: Int64 = 0

        /// Returns the number of a picture that is drawn now.
        mutating func beginPicture() -> Int64 {
            defer { nextPicture = nextPicture.addingClamped(1) }
            return nextPicture
        }
    }
    private let state: Locked<State>
    private let driver: any Driver
    private let lane: any Lane
    private let output: LayerOutput
    /// The clock's time at which the composite was created.
    private let beginning: HostTime

    /// The shortest time between two pictures. The presentation times of pictures are multiples of it, counted from the
    /// creation of the composite.
    public let frameDuration: MediaTime

    /// The largest width and height of a picture in pixels.
    public static let maximumSide = 16_384

    /// Creates a composite without regions and sinks.
    ///
    /// - Parameters:
    ///   - size: The size of the picture in pixels. Nothing is drawn while it is empty.
    ///   - frameDuration: The shortest time between two pictures. Values that are not numeric or below a millisecond
    ///     count as 1/30 s.
    ///   - backgroundColor: The color of the picture where no region covers it, blended over black.
    ///   - clock: The clock, which should be that of the players, such as `.virtual(_:)` with their `VirtualClock`. On
    ///     a clock that is not real time, every picture is delivered.
    public init(
        size: PixelSize,
        frameDuration: MediaTime = MediaTime(value: 1, timescale: 30),
        backgroundColor: Color = .black,
        clock: ClockMode = .host
    ) {
        let isUsable = frameDuration.isNumeric && frameDuration.seconds >= 0.001
        self.frameDuration = isUsable ? frameDuration : MediaTime(value: 1, timescale: 30)
        state = Locked(State(size: Self.limited(size), backgroundColor: backgroundColor))
        driver = clock.makeDriver()
        beginning = driver.clock.now
        lane = driver.makeLane(.output, label: "composite")
        let backend = FFmpegBackend()
        let conversions = FrameConversions(driver: driver) { backend.makeVideoConverter() }
        output = LayerOutput(driver: driver, label: "composite", conversions: conversions)
    }

    deinit { output.close() }

    private static func limited(_ size: PixelSize) -> PixelSize {
        PixelSize(width: min(size.width, maximumSide), height: min(size.height, maximumSide))
    }

    /// The size of the picture in pixels; each side is limited to `maximumSide`. The next picture has a new size.
    public var size: PixelSize {
        get { state.withLock { $0.size } }
        set { change { $0.size = Self.limited(newValue) } }
    }

    /// The color of the picture where no region covers it.
    public var backgroundColor: Color {
        get { state.withLock { $0.backgroundColor } }
        set { change { $0.backgroundColor = newValue } }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        setNeedsDisplay()
    }

    // MARK: Regions

    /// Creates a region. Add it to a layer of the same size as a sink; it leaves the picture when the layer removes it
    /// or is released.
    ///
    /// - Parameters:
    ///   - frame: The position and size of the region in pixels.
    ///   - zPosition: The order of drawing; see `CompositeRegion.zPosition`.
    /// - Returns: The region.
    public func makeRegion(_ frame: PixelRect, zPosition: Double = 0) -> CompositeRegion {
        let region = CompositeRegion(frame, zPosition: zPosition.isNaN ? 0 : zPosition, owner: self)
        change { $0.regions.append(region) }
        return region
    }

    /// Removes a region from the picture.
    ///
    /// - Parameter region: The region. One that has been removed is ignored.
    public func remove(_ region: CompositeRegion) { change { $0.regions.removeAll { $0 === region } } }

    // MARK: Pictures

    /// Adds a sink for the pictures, which receives the current one at once if one has been drawn.
    ///
    /// - Parameter sink: The sink to add. A sink that was added before is ignored.
    public func add(_ sink: any VideoSink) {
        output.add(sink)
        setNeedsDisplay()
    }

    /// Removes a sink and finishes it, after the pictures in flight.
    ///
    /// - Parameter sink: The sink to remove.
    public func remove(_ sink: any VideoSink) { output.remove(sink) }

    /// Sets a handler that is called when a sink has thrown an error and has been removed. Other sinks continue.
    ///
    /// - Parameter handler: A closure that is called on any thread and must not block, or nil.
    public func setFailureHandler(_ handler: (@Sendable (PlaybackError) -> Void)?) {
        output.setReport { report in
            if case .sinkFailed(let error, _) = report { handler?(PlaybackError(error, url: nil)) }
        }
    }

    /// Returns the picture as it is now, also without sinks.
    ///
    /// - Returns: The picture, or nil if the size is empty. Drawing it takes about a millisecond for 1280x720 pixels, on
    ///   the calling thread.
    public func makePicture() -> VideoFrame? { draw(pictureNumber(at: driver.clock.now)) }

    /// Delivers the last change and finishes the sinks. No picture is drawn afterwards.
    ///
    /// Returns when the sinks have received everything.
    public func finish() async {
        let isPending = state.withLock { state in
            defer { state.isFinished = true }
            return state.isScheduled && !state.isFinished
        }
        await withCheckedContinuation { continuation in
            lane.enqueue { [self] in
                if isPending { deliverPicture(state.withLock { $0.beginPicture() }) }
                output.close()
                output.afterPending { continuation.resume() }
            }
        }
    }

    /// Returns the number of the picture that is shown at a time.
    private func pictureNumber(at time: HostTime) -> Int64 {
        let elapsed = max(0, time.nanoseconds.subtractingClamped(beginning.nanoseconds))
        return Int64(clamping: Double(elapsed) / 1e9 / frameDuration.seconds)
    }

    /// Schedules a picture, unless one is scheduled already.
    ///
    /// A picture is drawn in the middle of the time for which it is shown. Frames of players that are due at its
    /// beginning are therefore in it, also on a clock without real time.
    func setNeedsDisplay() {
        guard output.hasSinks else { return }
        let now = driver.clock.now
        let number = state.withLock { state -> Int64? in
            guard !state.isScheduled, !state.isFinished else { return nil }
            state.isScheduled = true
            let middle = Int64(clamping: frameDuration.seconds / 2 * 1e9)
            let next = pictureNumber(at: now.advanced(by: middle))
            state.nextPicture = max(state.nextPicture, next)
            return state.nextPicture
        }
        guard let number else { return }
        let offset = (Double(number) + 0.5) * frameDuration.seconds * 1e9
        _ = driver.schedule(at: beginning.advanced(by: Int64(clamping: offset)), on: lane) { [weak self] in
            self?.deliverScheduled()
        }
    }

    private func deliverScheduled() {
        let number = state.withLock { state in
            state.isScheduled = false
            return state.isFinished ? nil : state.beginPicture()
        }
        if let number, output.hasSinks { deliverPicture(number) }
    }

    private func deliverPicture(_ number: Int64) {
        guard let picture = draw(number) else { return }
        output.present(picture, isEssential: false, done: nil)
    }

    private func draw(_ number: Int64) -> VideoFrame? {
        let (size, color, regions) = state.withLock { ($0.size, $0.backgroundColor, $0.regions) }
        guard !size.isEmpty else { return nil }
        var canvas = CompositeCanvas(size: size, color: color)
        let visible = regions.map(\.content).filter { !$0.isHidden }.enumerated()
        let ordered = visible.sorted { ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset) }
        for (_, content) in ordered {
            canvas.fill(content.frame, content.backgroundColor)
            if let image = content.image { canvas.draw(image, in: content.frame) }
        }
        return canvas.makeFrame(at: frameDuration * Int(number), duration: frameDuration)
    }
}
