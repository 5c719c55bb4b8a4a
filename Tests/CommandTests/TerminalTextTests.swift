import Foundation
import Testing

@testable import vplay

/// Text from files is shown without terminal control characters.
@Suite("Terminal text")
struct TerminalTextTests {
    @Test(
        "Line breaks and control characters are replaced",
        arguments: [
            ("a\nb", "a b"), ("a\r\nb", "a b"), ("\u{1B}]0;x\u{7}", "\u{FFFD}]0;x\u{FFFD}"),
            ("\u{9B}31m", "\u{FFFD}31m"), ("\u{202E}gpj.exe", "\u{FFFD}gpj.exe"),
            ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"),
            ("a\u{85}b\u{2028}c\td", "a b c d"), ("é e\u{301} 🎬 名", "é e\u{301} 🎬 名"), ("\u{7F}", "\u{FFFD}"),
        ]
    )
    func oneLineOfText(text: String, shown: String) {
        #expect(Array(oneLine(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test("JSON escapes control characters")
    func json() {
        #expect(JSONValue.string("\u{1B}\u{9B}\u{202E}x").text == "\"\\u001b\\u009b\\u202ex\"")
    }

    @Test(
        "Titles, languages, chapters and file names are shown without control characters",
        .enabled(if: Media.isMade)
    )
    func everywhere() async throws {
        let script = """
            folder=$(mktemp -d)
            trap 'rm -rf "$folder"' EXIT
            cd "$folder"
            evil=$(printf '\\033]0;owned\\007\\302\\2331m\\342\\200\\256')
            printf ';FFMETADATA1\\n[CHAPTER]\\nTIMEBASE=1/1\\nSTART=0\\nEND=1\\ntitle=%s\\n' "$evil" > chapters
            printf '1\\n00:00:00,000 --> 00:00:01,000\\nword %s\\n' "$evil" > words.srt
            ffmpeg -nostdin -v error -i "$1" -i words.srt -f ffmetadata -i chapters -map 0 -map 1 -map_metadata 2 \\
                -c copy -c:s srt -metadata title="$evil" -metadata "$evil=$evil" \\
                -metadata:s:0 title="$evil" -metadata:s:0 language="$evil" "a$evil.mkv"
            exec 2>&1
            "$vplay" probe "a$evil.mkv"
            "$vplay" probe --json "a$evil.mkv"
            "$vplay" bench --json "a$evil.mkv"
            "$vplay" --untimed --events text --subtitle-track 2 "a$evil.mkv"
            "$vplay" --untimed --events json --subtitle-track 2 "a$evil.mkv"
            "$vplay" --untimed --audio-track "$evil" "a$evil.mkv" "$evil" "$evil://x"
            "$vplay" probe "$evil"; "$vplay" bench "$evil"; mkdir "d$evil"; "$vplay" "d$evil"
            "$vplay" --untimed --video raw:"no/such/$evil" "a$evil.mkv"
            "$vplay" --untimed --video raw:"a$evil.mkv" "a$evil.mkv"
            true
            """
        let outcome = try await Command.shell(script, Media.clip)
        #expect(outcome.text.contains("owned"))
        let steering = outcome.text.unicodeScalars.filter { $0.controlsTerminal && $0 != "\n" }
        #expect(steering.isEmpty, "\(steering.map(\.value)) in \(outcome.text.debugDescription)")
    }
}
