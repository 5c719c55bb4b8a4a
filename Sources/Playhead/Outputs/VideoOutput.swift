public import MediaCore
import PlaybackEngine

/// Frames to be asked for rather than to be handed over: the one that is due at an item time.
///
/// It knows the frames that have come due so far; the newest few are kept until it is added to
/// another item, or another playing of this one begins. What is new is counted for each
/// output by itself, so each client takes one of its own. Any thread; nothing waits.
public final class VideoOutput: PlayerItemOutput {
    private struct State {
        /// By presentation time.
        var frames: [VideoFrame] = []
        var taken: MediaTime = .invalid
        var suppressesRendering = false
        weak var item: PlayerItem?

        mutating func clear() {
            frames = []
            taken = .invalid
        }
    }
    private let state = Locked(State())
    /// A renderer that asks a little late must still find the frame that was due.
    private static let depth = 4
    private let readers = Fanout<VideoFrame>(depth: VideoOutput.depth)

    private let conversion: FrameConversion

    /// Frames as the decoder makes them, not copied.
    public convenience init() { self.init(pixelFormats: []) }

    /// Frames of one of these pixel formats, the most wanted first; empty: as the decoder makes them. A frame of another
    /// one is converted when it is asked for, by the thread that asks (`copyFrame`) or reads (`frames`): what nobody
    /// wants costs nothing. Size, rotation and colour are the frame's own, but RGB of high dynamic range is mapped to the
    /// standard one; a layer fits frames into a size.
    public init(pixelFormats: [PixelFormat]) { conversion = FrameConversion(pixelFormats) }

    /// Why the newest frame that could not be converted was left out; nil: none was.
    public var conversionError: MediaError? { conversion.error }

    public var item: PlayerItem? {
        get { state.withLock { $0.item } }
        set {
            state.withLock { state in
                guard let newValue else {
                    state.item = nil
                    return
                }
                // Item times of another item are other times.
                if state.item !== newValue { state.clear() }
                state.item = newValue
            }
        }
    }

    /// True: whoever reads the output shows its frames, and the player's layers show nothing of the item. May be set at any
    /// moment; set back, the layers show the frame that is due. False by default.
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

    public func take(_ frame: VideoFrame) {
        state.withLock { state in
            // A seek, another pass or another direction: earlier frames are not due any more.
            let isJump = state.frames.last.map {
                $0.epoch != frame.epoch || $0.pass != frame.pass
            }
            if isJump == true { state.clear() }
            state.frames.append(frame)
            if state.frames.count > Self.depth { state.frames.removeFirst() }
        }
        readers.yield(frame)
    }

    func clear() {
        state.withLock { $0.clear() }
        conversion.forget()
    }

    /// Whether `copyFrame(forItemTime:)` would give another frame than it gave last.
    public func hasNewFrame(forItemTime time: MediaTime) -> Bool {
        state.withLock { state in
            guard let frame = Self.due(time, state.frames) else { return false }
            return frame.presentationTime != state.taken
        }
    }

    /// The frame due at `time`, not copied, and from when on it is due; nil: none is known.
    public func copyFrame(forItemTime time: MediaTime) -> (frame: VideoFrame, displayTime: MediaTime)? {
        let due = state.withLock { state -> (VideoFrame, PlayerItem?)? in
            guard let frame = Self.due(time, state.frames) else { return nil }
            state.taken = frame.presentationTime
            return (frame, state.item)
        }
        guard let (frame, item) = due, let converted = conversion(frame, of: item) else { return nil }
        return (converted, frame.presentationTime)
    }

    /// Every frame as it comes due, from now on; a reader that lags gets the newest ones.
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

    private static func due(_ time: MediaTime, _ frames: [VideoFrame]) -> VideoFrame? {
        frames.filter { $0.presentationTime <= time }.max { $0.presentationTime < $1.presentationTime }
    }
}

/// The frames of a stream, one by one, for one task at a time.
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
    /// The output gets the frame being shown, if there is one, and every one from then on; one of cues or metadata gets
    /// those that are due. Twice the same is once.
    public func add(_ output: any PlayerItemOutput) {
        if !(output is any TextOutput) { FrameListeners.expect() }
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
        if let output = output as? any TextOutput {
            // Where others are read for already, they hear nothing of the new one.
            let isFirst = listeners(of: output.kind).count == 1
            reloadText(output.kind, reopens: output.isReadForOutputs && isFirst)
        } else if let attachment, let core = attachment.core {
            core.loop.perform { [weak self] loop in
                guard let self, let frame = loop.frameShown(of: attachment.id) else { return }
                deliverFirst(frame, to: output, of: attachment)
            }
        }
    }

    /// The output gets nothing any more. One that is not there is ignored.
    public func remove(_ output: any PlayerItemOutput) {
        state.withLock { state in
            state.outputs.removeAll { $0 === output }
            state.newOutputs.remove(ObjectIdentifier(output))
        }
        if output.item === self { output.item = nil }
        if output.suppressesPlayerRendering { reconsiderRendering() }
        if let output = output as? any TextOutput { forgetListener(of: output) }
    }

    /// In the order in which they were added.
    public var outputs: [any PlayerItemOutput] { state.withLock { $0.outputs } }

    /// No output for frames has the layers show nothing.
    var isRendered: Bool {
        !outputs.contains { !($0 is any TextOutput) && $0.suppressesPlayerRendering }
    }

    fileprivate func reconsiderRendering() {
        guard let attachment = state.withLock({ $0.attachment }) else { return }
        attachment.core?.loop.reconsiderRendering(attachment.id)
    }

    /// On the control lane.
    func deliver(_ frame: VideoFrame, of playing: Attachment) {
        let outputs = state.withLock { state -> [any PlayerItemOutput] in
            guard state.attachment?.isSame(as: playing) == true else { return [] }
            state.newOutputs = []
            return state.outputs
        }
        guard !outputs.isEmpty else { return }
        for output in outputs { output.take(frame) }
        clearIfMoved(from: playing)
    }

    /// On the control lane: the frame being shown, unless another one has come since the output was added.
    private func deliverFirst(_ frame: VideoFrame, to output: any PlayerItemOutput, of playing: Attachment) {
        let isNew = state.withLock { state in
            guard state.attachment?.isSame(as: playing) == true else { return false }
            return state.newOutputs.remove(ObjectIdentifier(output)) != nil
        }
        guard isNew else { return }
        output.take(frame)
        clearIfMoved(from: playing)
    }

    /// Another playing has begun meanwhile.
    private func clearIfMoved(from playing: Attachment) {
        if state.withLock({ $0.attachment?.isSame(as: playing) == false }) { clearVideoOutputs() }
    }

    func clearVideoOutputs() {
        for output in outputs { (output as? VideoOutput)?.clear() }
    }
}
