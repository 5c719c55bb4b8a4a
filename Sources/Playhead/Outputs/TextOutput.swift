import PlaybackEngine

/// An output that gets what is read beside frame and audio.
protocol TextOutput: PlayerItemOutput {
    var kind: TextKind { get }
    /// Whether it is read for the outputs alone, so that the first of them has it opened.
    var isReadForOutputs: Bool { get }
    var listener: TextListener { get }
}

extension PlayerItem {
    /// Added again, it is told anew of what is due then.
    func forgetListener(of output: any TextOutput) {
        guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core else { return }
        core.loop.forgetListener(ObjectIdentifier(output), output.kind, of: attachment.id)
    }

    func listeners(of kind: TextKind) -> [TextListener] {
        outputs.compactMap { $0 as? any TextOutput }.filter { $0.kind == kind }.map(\.listener)
    }
}
