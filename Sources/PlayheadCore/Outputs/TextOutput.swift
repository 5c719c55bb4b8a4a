import PlaybackEngine

/// An output for subtitles or timed metadata.
protocol TextOutput: PlayerItemOutput {
    /// The kind of data that the output delivers.
    var kind: CueKind { get }
    /// Whether the data is read for outputs only, so that the first output opens its source.
    var isReadForOutputs: Bool { get }
    /// The receiver of cues for the engine.
    var listener: CueListener { get }
}

extension PlayerItemOutput {
    /// The output for subtitles or metadata, or nil for an output for frames.
    var textOutput: (any TextOutput)? {
        self as? any TextOutput ?? (self as? any TextOutputRelay)?.output as? any TextOutput
    }
}

extension PlayerItem {
    /// Forgets what was delivered to an output. If it is added again, what is due then is delivered again.
    func removeListener(of output: any TextOutput) {
        guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core else { return }
        core.loop.removeListener(ObjectIdentifier(output), output.kind, of: attachment.id)
    }

    /// Ends the streams of the outputs for subtitles.
    func endNotices() {
        for output in outputs { (output.textOutput as? LegibleOutput)?.endNotices() }
    }

    func listeners(of kind: CueKind) -> [CueListener] {
        outputs.compactMap(\.textOutput).filter { $0.kind == kind }.map(\.listener)
    }
}
