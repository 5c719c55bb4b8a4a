public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// Reads the decoded media of an asset in order, as fast as it is requested, without a player.
///
/// `@unchecked Sendable`: `state` is guarded by its lock; the other stored property is a constant.
open class AVAssetReader: NSObject, @unchecked Sendable {
    /// The state of a reader.
    public enum Status: Int, Sendable {
        /// `startReading()` has not been called.
        case unknown = 0
        /// Samples can be read.
        case reading = 1
        /// All samples of all outputs have been read.
        case completed = 2
        /// Reading failed; `error` says why.
        case failed = 3
        /// `cancelReading()` was called.
        case cancelled = 4
    }

    private struct State {
        var status = Status.unknown
        var error: AVError?
        var timeRange = CMTimeRange(start: .zero, duration: .positiveInfinity)
        var outputs: [AVAssetReaderOutput] = []
        var endedOutputs: Set<ObjectIdentifier> = []
    }

    private let state = Locked(State())
    /// The asset.
    public let asset: AVAsset

    /// Creates a reader.
    ///
    /// - Parameter asset: The asset. Errors of opening it are reported by `status` and `error`.
    /// - Throws: This implementation does not throw.
    public init(asset: AVAsset) throws {
        self.asset = asset
        super.init()
    }

    /// The state of the reader.
    open var status: Status { state.withLock { $0.status } }
    /// The reason why `status` is `.failed`: an `AVError`; otherwise nil.
    open var error: (any Error)? { state.withLock { $0.error } }

    /// The range of item time to read: everything by default. It can be set before reading starts.
    open var timeRange: CMTimeRange {
        get { state.withLock { $0.timeRange } }
        set {
            change("timeRange cannot be changed after reading has started") { $0.timeRange = newValue }
        }
    }

    /// The outputs in the order in which they were added.
    open var outputs: [AVAssetReaderOutput] { state.withLock { $0.outputs } }

    /// Returns whether an output can be added: it has a track of this asset and settings that are supported.
    ///
    /// - Parameter output: The output.
    /// - Returns: True if it can be added.
    open func canAdd(_ output: AVAssetReaderOutput) -> Bool {
        output.canBeRead(by: self)
            && state.withLock { state in
                state.status == .unknown && !state.outputs.contains { $0 === output }
            }
    }

    /// Adds an output. One that cannot be added is logged.
    ///
    /// - Parameter output: The output.
    open func add(_ output: AVAssetReaderOutput) {
        guard canAdd(output) else {
            return Misuse.report("AVAssetReader.add(_:): the output cannot be added; see canAdd(_:)")
        }
        change("an output cannot be added after reading has started") { $0.outputs.append(output) }
    }

    private func change(_ message: String, _ body: (inout State) -> Void) {
        let isPossible = state.withLock { state in
            guard state.status == .unknown else { return false }
            body(&state)
            return true
        }
        if !isPossible { Misuse.report("AVAssetReader: \(message)") }
    }

    /// Starts to read.
    ///
    /// - Returns: False if the reader has been started before, or has no outputs.
    @discardableResult
    open func startReading() -> Bool {
        let outputs = state.withLock { state -> [AVAssetReaderOutput]? in
            guard state.status == .unknown, !state.outputs.isEmpty else { return nil }
            state.status = .reading
            return state.outputs
        }
        guard let outputs else {
            Misuse.report("AVAssetReader.startReading(): it has been called before, or there are no outputs")
            return false
        }
        for output in outputs where !output.start(self) {
            fail(AVError(PlaybackError(code: .invalidArgument, message: "an output cannot be read")))
            return false
        }
        return true
    }

    /// Stops reading: calls of `copyNextSampleBuffer()` that wait return nil.
    open func cancelReading() {
        let outputs = state.withLock { state -> [AVAssetReaderOutput] in
            guard state.status == .reading else { return [] }
            state.status = .cancelled
            return state.outputs
        }
        for output in outputs { output.cancel() }
    }

    /// Ends reading with an error, unless it has ended.
    func fail(_ error: AVError) {
        let outputs = state.withLock { state -> [AVAssetReaderOutput] in
            guard state.status == .reading else { return [] }
            state.status = .failed
            state.error = error
            return state.outputs
        }
        for output in outputs { output.cancel() }
    }

    /// Records that an output has delivered all its samples.
    func outputDidEnd(_ output: AVAssetReaderOutput) {
        state.withLock { state in
            state.endedOutputs.insert(ObjectIdentifier(output))
            if state.status == .reading, state.endedOutputs.count == state.outputs.count {
                state.status = .completed
            }
        }
    }
}
