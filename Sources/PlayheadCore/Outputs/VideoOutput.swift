public import MediaCore
import PlaybackEngine

/// Provides the frames of an item on request, by item time.
///
/// The output keeps the newest four frames until it is added to another item, or the item starts to play in a player
/// again. Each output tracks which frame was copied last, so each client should have an output of its own. All members
/// may be used from any thread, and no call blocks.
public final class VideoOutput: PlayerItemOutput, FrameKeeping {
    private struct State {
        /// The kept frames in the order in which they became due.
        var frames: [VideoFrame] = []
        var lastCopiedTime: MediaTime = .invalid
        var suppressesRendering = false
        weak var item: PlayerItem?

        mutating func clear() {
            frames = []
            lastCopiedTime = .invalid
        }
    }
    private let state = Locked(State())
    /// The number of kept frames. A client that asks a little late still finds the frame that was due.
    private static let depth = 4
    private let readers = Fanout<VideoFrame>(depth: VideoOutput.depth)

    private let conversion: FrameConversion

    /// Creates an output for frames as they are decoded, without a copy.
    public convenience init() { self.init(pixelFormats: []) }

    /// Creates an output for frames of certain pixel formats.
    ///
    /// A frame of another format is converted when it is requested, on the thread that calls `copyFrame(forItemTime:)`
    /// or reads `frames`; frames that are not requested cost nothing. Size and rotation are those of the frame, and so
    /// are the colors, except that RGB of high dynamic range is tone mapped to standard dynamic range. Use a layer for
    /// frames of another size.
    ///
    /// - Parameter pixelFormats: The accepted formats, most preferred first. An empty array accepts frames as they are
    ///   decoded.
    public init(pixelFormats: [PixelFormat]) { conversion = FrameConversion(pixelFormats) }

    /// The error of the newest frame that was omitted because it could not be converted; nil if there was none.
    public var conversionError: MediaError? { conversion.error }

    /// The item that the output was added to, or nil. It is not retained. `PlayerItem` sets the property.
    public var item: PlayerItem? {
        get { state.withLock { $0.item } }
        set {
            state.withLock { state in
                guard let newValue else {
                    state.item = nil
                    return
                }
                // The kept frames have times of another timeline.
                if state.item !== newValue { state.clear() }
                state.item = newValue
            }
        }
    }

    /// A Boolean value that indicates whether the player's layers show nothing of the item, because the output's reader
    /// shows its frames. It may be changed at any time; when it becomes false, the layers show the frame that is due.
    /// The default is false.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesRendering } }
        set {
            let item = state.withLock { state in
                state.suppressesRendering = newValue
                return state.item
            }
            item?.reconsiderRendering()
        }
    }

    /// Receives a frame from the item.
    public func receive(_ frame: VideoFrame) {
        state.withLock { state in
            if Self.isJump(to: frame, state) { state.clear() }
            state.frames.append(frame)
            if state.frames.count > Self.depth { state.frames.removeFirst() }
        }
        readers.yield(frame)
    }

    /// Returns whether the frames that are kept are not due any more when `frame` is: after a seek, and with another pass
    /// or direction.
    ///
    /// - Parameter frame: The frame that becomes due.
    /// - Returns: True if there are such frames.
    package func isJump(to frame: VideoFrame) -> Bool { state.withLock { Self.isJump(to: frame, $0) } }

    private static func isJump(to frame: VideoFrame, _ state: State) -> Bool {
        state.frames.last.map { $0.epoch != frame.epoch || $0.pass != frame.pass } ?? false
    }

    /// Releases the frames.
    package func clear() {
        state.withLock { $0.clear() }
        conversion.removeCachedFrame()
    }

    /// Returns whether `copyFrame(forItemTime:)` would return a frame other than the last one.
    ///
    /// - Parameter time: The item time.
    /// - Returns: True if there is a new frame.
    public func hasNewFrame(forItemTime time: MediaTime) -> Bool {
        state.withLock { state in
            guard let frame = Self.due(time, state.frames) else { return false }
            return frame.presentationTime != state.lastCopiedTime
        }
    }

    /// Returns the frame that is due at an item time, without copying it unless it needs a conversion.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The frame and its presentation time, or nil if no such frame is known or its conversion failed.
    public func copyFrame(forItemTime time: MediaTime) -> (frame: VideoFrame, displayTime: MediaTime)? {
        let due = state.withLock { state -> (VideoFrame, PlayerItem?)? in
            guard let frame = Self.due(time, state.frames) else { return nil }
            state.lastCopiedTime = frame.presentationTime
            return (frame, state.item)
        }
        guard let (frame, item) = due, let converted = conversion(frame, of: item) else { return nil }
        return (converted, frame.presentationTime)
    }

    /// A stream of the frames from now on, as they become due. A reader that falls more than four frames behind loses
    /// the oldest ones, which `lostFrameCount` counts; on a virtual clock playback does not wait for the reader. Use a
    /// `VideoSink` to process every frame.
    public var frames: AsyncStream<VideoFrame> {
        guard conversion.isNeeded else { return readers.makeStream() }
        let reader = FrameReader(readers.makeStream())
        return AsyncStream { [weak self, conversion] in
            while let frame = await reader.next() {
                if let converted = conversion(frame, of: self?.item) { return converted }
            }
            return nil
        }
    }

    /// The number of frames that readers of `frames` have lost because they fell behind.
    public var lostFrameCount: Int { readers.lostCount }

    private static func due(_ time: MediaTime, _ frames: [VideoFrame]) -> VideoFrame? {
        // Both are later than all times when they are compared.
        guard time.isValid, !time.isIndefinite else { return nil }
        return frames.filter { $0.presentationTime <= time }.max { $0.presentationTime < $1.presentationTime }
    }
}

/// Reads the frames of a stream one by one, for one task at a time.
private actor FrameReader {
    private var frames: AsyncStream<VideoFrame>.Iterator
    init(_ stream: AsyncStream<VideoFrame>) { frames = stream.makeAsyncIterator() }

    func next() async -> VideoFrame? {
        var iterator = frames
        defer { frames = iterator }
        return await iterator.next(isolation: self)
    }
}

extension PlayerItem {
    /// Adds an output. It gets the frame that is shown at present, if any, and all following ones; an output for
    /// subtitles or metadata gets what is due. Adding it twice has no effect.
    ///
    /// - Parameter output: The output to add. The item retains it.
    public func add(_ output: any PlayerItemOutput) {
        if output.textOutput == nil { FrameListeners.markUsed() }
        let (isNew, attachment) = state.withLock { state in
            let isNew = !state.outputs.contains { $0 === output }
            if isNew {
                state.outputs.append(output)
                state.newOutputs.insert(ObjectIdentifier(output))
            }
            return (isNew, state.attachment)
        }
        output.item = self
        guard isNew else { return }
        if output.suppressesPlayerRendering { reconsiderRendering() }
        if let output = output.textOutput {
            // Once data is read for other outputs, a new output does not require the source to be reopened.
            let isFirst = listeners(of: output.kind).count == 1
            reloadCues(output.kind, reopens: output.isReadForOutputs && isFirst)
        } else if let attachment, let core = attachment.core {
            core.loop.perform { [weak self] loop in
                defer { loop.viewersChanged() }
                guard let self, let frame = loop.frameShown(of: attachment.id) else { return }
                deliverFirst(frame, to: output, of: attachment)
            }
        }
    }

    /// Removes an output, which receives nothing from then on. An output that was not added is ignored.
    ///
    /// - Parameter output: The output to remove.
    public func remove(_ output: any PlayerItemOutput) {
        state.withLock { state in
            state.outputs.removeAll { $0 === output }
            state.newOutputs.remove(ObjectIdentifier(output))
        }
        if output.item === self { output.item = nil }
        if output.suppressesPlayerRendering { reconsiderRendering() }
        if let output = output.textOutput { removeListener(of: output) }
    }

    /// The outputs in the order in which they were added.
    public var outputs: [any PlayerItemOutput] { state.withLock { $0.outputs } }

    /// Whether an output receives the frames of the item.
    var hasFrameOutputs: Bool { outputs.contains { $0.textOutput == nil } }

    /// Whether the layers show the item, that is, no frame output suppresses them.
    var isRendered: Bool {
        !outputs.contains { $0.textOutput == nil && $0.suppressesPlayerRendering }
    }

    fileprivate func reconsiderRendering() {
        guard let attachment = state.withLock({ $0.attachment }) else { return }
        attachment.core?.loop.reconsiderRendering(attachment.id)
    }

    /// Delivers a frame to all outputs, on the control lane.
    func deliver(_ frame: VideoFrame, of playing: Attachment) {
        let outputs = state.withLock { state -> [any PlayerItemOutput] in
            guard state.attachment?.isSame(as: playing) == true else { return [] }
            state.newOutputs = []
            return state.outputs
        }
        guard !outputs.isEmpty else { return }
        for output in outputs { output.receive(frame) }
        clearIfMoved(from: playing)
    }

    /// Delivers the frame that is shown at present to a new output, unless another frame has been delivered since it
    /// was added. On the control lane.
    private func deliverFirst(_ frame: VideoFrame, to output: any PlayerItemOutput, of playing: Attachment) {
        let isNew = state.withLock { state in
            guard state.attachment?.isSame(as: playing) == true else { return false }
            return state.newOutputs.remove(ObjectIdentifier(output)) != nil
        }
        guard isNew else { return }
        output.receive(frame)
        clearIfMoved(from: playing)
    }

    /// Clears the outputs if another playback of the item has started meanwhile.
    private func clearIfMoved(from playing: Attachment) {
        if state.withLock({ $0.attachment?.isSame(as: playing) == false }) { clearVideoOutputs() }
    }

    func clearVideoOutputs() {
        for output in outputs { (output as? any FrameKeeping)?.clear() }
    }
}
