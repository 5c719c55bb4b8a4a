import MediaCore

/// A player's layers, and what they show.
struct LayerGroup {
    private var layers: [LayerOutput] = []
    /// Whether one of them deinterlaces.
    let deinterlacingDemand = DeinterlacingDemand()
    /// The frame being shown, for a layer that comes later.
    private(set) var lastFrame: VideoFrame?
    /// The item that it belongs to.
    private(set) var lastItem: ItemID?
    /// Of the frames of the current item; zero until known.
    private(set) var presentationSize = PixelSize.zero
    /// The first frame of the current item has reached the sinks.
    private(set) var isReadyForDisplay = false
    /// It is on its way.
    private var isBeginningDisplay = false
    /// Frames come due, and the layers get none: an output has it so.
    private(set) var isSuppressed = false

    /// The new layer gets the frame being shown.
    mutating func add(_ layer: LayerOutput) {
        layers.append(layer)
        updateDeinterlacingDemand()
        if let lastFrame, !isSuppressed { layer.present(lastFrame, isEssential: true, done: nil) }
    }

    mutating func remove(_ layer: LayerOutput) {
        layer.setReport(nil)
        layers.removeAll { $0 === layer }
        updateDeinterlacingDemand()
    }

    /// What a layer wants has changed.
    func updateDeinterlacingDemand() { deinterlacingDemand.set(layers.contains { $0.deinterlaces }) }

    /// `done` is called on some lane when every layer's sinks have had the frame. `isEssential`: the frame of
    /// a seek, which no layer skips.
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

    /// True: a frame had been shown, and is not any more.
    mutating func suppress(_ isSuppressed: Bool) -> Bool {
        self.isSuppressed = isSuppressed
        guard isSuppressed else { return false }
        flush()
        defer { isReadyForDisplay = false }
        return isReadyForDisplay
    }

    /// What is on its way to the sinks is of another place or another item.
    mutating func flush() {
        isBeginningDisplay = false
        for layer in layers { layer.flush() }
    }

    /// Another item follows: nothing is shown of it. True: a frame had been.
    mutating func clear() -> Bool {
        presentationSize = .zero
        return hide()
    }

    /// The item's video is switched off. True: a frame had been shown.
    mutating func hide() -> Bool {
        flush()
        lastFrame = nil
        defer { isReadyForDisplay = false }
        return isReadyForDisplay
    }

    /// True: it has changed.
    mutating func setPresentationSize(_ size: PixelSize) -> Bool {
        defer { presentationSize = size }
        return size != presentationSize
    }

    /// True, once: no frame has reached the sinks, and none is on its way.
    mutating func beginDisplay() -> Bool {
        guard !isReadyForDisplay, !isBeginningDisplay, !isSuppressed else { return false }
        isBeginningDisplay = true
        return true
    }

    /// True: it has changed.
    mutating func markReadyForDisplay() -> Bool {
        isBeginningDisplay = false
        guard !isSuppressed else { return false }
        defer { isReadyForDisplay = true }
        return !isReadyForDisplay
    }

    /// Finishes every sink and lets go of the layers. `done` is called on some lane after the last one.
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
