import MediaCore

/// The layers of a player, and the frame that they show.
struct LayerGroup {
    private var layers: [LayerOutput] = []
    /// Whether a layer deinterlaces.
    let deinterlacingDemand = DeinterlacingDemand()
    /// The current frame, for layers that are added later.
    private(set) var lastFrame: VideoFrame?
    /// The item of the current frame.
    private(set) var lastItem: ItemID?
    /// The size of the current item's frames, or zero until it is known.
    private(set) var presentationSize = PixelSize.zero
    /// The item that has this presentation size.
    private var sizedItem: ItemID?
    /// True when the first frame of the current item has reached the sinks.
    private(set) var isReadyForDisplay = false
    /// True while that first frame is on its way to the sinks.
    private var isBeginningDisplay = false
    /// True while an output with `suppressesPlayerRendering` is attached, so that layers receive no frames.
    private(set) var isSuppressed = false
    /// The subtitles to draw, for layers that are added later.
    private var subtitles: DueSubtitles?

    var isEmpty: Bool { layers.isEmpty }

    /// Adds a layer, which receives the current frame.
    mutating func add(_ layer: LayerOutput) {
        layers.append(layer)
        layer.setSubtitles(subtitles)
        updateDeinterlacingDemand()
        if let lastFrame, !isSuppressed { layer.present(lastFrame, isEssential: true, done: nil) }
    }

    mutating func remove(_ layer: LayerOutput) {
        layer.setReport(nil)
        layers.removeAll { $0 === layer }
        updateDeinterlacingDemand()
    }

    /// Updates the demand for deinterlacing after a layer's settings have changed.
    func updateDeinterlacingDemand() { deinterlacingDemand.set(layers.contains { $0.deinterlaces }) }

    /// Sets the subtitles that are drawn into the frames that follow.
    mutating func setSubtitles(_ subtitles: DueSubtitles?) {
        self.subtitles = subtitles
        for layer in layers { layer.setSubtitles(subtitles) }
    }

    /// Shows the subtitles on layers whose current frame has others.
    func showSubtitles(isPlaying: Bool) { for layer in layers { layer.showSubtitles(isPlaying: isPlaying) } }

    /// Presents a frame on all layers.
    ///
    /// - Parameters:
    ///   - frame: The frame to show.
    ///   - item: The item of the frame.
    ///   - isEssential: Whether the frame is that of a seek, which no layer skips.
    ///   - done: Called on some lane when the sinks of all layers have received the frame.
    mutating func present(
        _ frame: VideoFrame,
        of item: ItemID?,
        isEssential: Bool,
        done: (@Sendable () -> Void)?
    ) {
        lastFrame = frame
        lastItem = item
        guard !layers.isEmpty, !isSuppressed else {
            done?()
            return
        }
        let each = done.map { done -> @Sendable () -> Void in
            let all = CompletionGroup(layers.count, done)
            return { all.leave() }
        }
        for layer in layers { layer.present(frame, isEssential: isEssential, done: each) }
    }

    /// Suppresses or resumes rendering. Returns true if a frame was shown and no longer is.
    mutating func suppress(_ isSuppressed: Bool) -> Bool {
        self.isSuppressed = isSuppressed
        guard isSuppressed else { return false }
        flush()
        defer { isReadyForDisplay = false }
        return isReadyForDisplay
    }

    /// Flushes all layers after a seek or before another item.
    mutating func flush() {
        isBeginningDisplay = false
        for layer in layers { layer.flush() }
    }

    /// Clears the layers before another item. Returns true if a frame was shown.
    mutating func clear() -> Bool {
        presentationSize = .zero
        return hide()
    }

    /// Hides the video of the item when its track is disabled. Returns true if a frame was shown.
    mutating func hide() -> Bool {
        flush()
        lastFrame = nil
        defer { isReadyForDisplay = false }
        return isReadyForDisplay
    }

    /// Forgets the current frame, because the one that follows it has no pixels.
    mutating func forgetFrame() { lastFrame = nil }

    /// Ends the display of the item until another frame has reached the sinks. Returns true if a frame was shown.
    mutating func endDisplay() -> Bool {
        isBeginningDisplay = false
        defer { isReadyForDisplay = false }
        return isReadyForDisplay
    }

    /// Sets the presentation size of the current item. Returns true if it has changed.
    mutating func setPresentationSize(_ size: PixelSize, of item: ItemID) -> Bool {
        // Nothing has been reported of an item that follows another one without a gap.
        let reported = sizedItem == item ? presentationSize : .zero
        sizedItem = item
        presentationSize = size
        return size != reported
    }

    /// Returns true once, for the first frame of an item: no frame has reached the sinks, and none is on its
    /// way.
    mutating func beginDisplay() -> Bool {
        guard !isReadyForDisplay, !isBeginningDisplay, !isSuppressed else { return false }
        isBeginningDisplay = true
        return true
    }

    /// Records that the first frame has reached the sinks. Returns true if `isReadyForDisplay` has changed.
    mutating func markReadyForDisplay() -> Bool {
        isBeginningDisplay = false
        guard !isSuppressed else { return false }
        defer { isReadyForDisplay = true }
        return !isReadyForDisplay
    }

    /// Calls `body` on some lane when the frames that are on their way to the sinks have reached them.
    func afterPending(_ body: @escaping @Sendable () -> Void) {
        let all = CompletionGroup(layers.count + 1, body)
        for layer in layers { layer.afterPending { all.leave() } }
        all.leave()
    }

    /// Finishes all sinks and removes the layers. `done` is called on some lane after the last sink has
    /// finished.
    mutating func close(done: (@Sendable () -> Void)?) {
        lastFrame = nil
        let all = done.map { CompletionGroup(layers.count + 1, $0) }
        for layer in layers {
            layer.setReport(nil)
            layer.close()
            layer.afterPending { all?.leave() }
        }
        layers = []
        all?.leave()
    }
}
