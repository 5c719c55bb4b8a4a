internal import MediaCore

extension PlainText {
    /// The styles of text without a script, in the form and with the values that libavcodec gives to all text formats
    /// without styles.
    static let script = ASSScript(
        header: Array(
            """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: 384
            PlayResY: 288
            ScaledBorderAndShadow: yes

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
            Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, \
            MarginR, MarginV, Encoding
            Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1

            \(fields)

            """.utf8
        )
    )

    /// Returns a cue of plain text as an event in the default style, or nil if it has no text.
    static func event(of cue: TextCue) -> TextCue? {
        guard !cue.text.isEmpty else { return nil }
        // An opening brace begins markup unless it is escaped.
        let text = cue.text.replacing("{", with: "\\{").replacing("\n", with: "\\N")
        var result = cue
        result.drawing = .event(
            ASSEvent(fields: "0,Default,,0,0,0,,\(text)", readOrder: 0, script: script)
        )
        return result
    }
}
