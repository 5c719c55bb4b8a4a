extension TextCue {
    /// Whether the cue consists of pixels. The next cue of its track replaces it.
    package var isBitmap: Bool { if case .bitmap = drawing { true } else { false } }
    /// The memory that the drawing needs, in bytes.
    package var drawingByteCount: Int { drawing?.byteCount ?? 0 }
}
