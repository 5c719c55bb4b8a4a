import Foundation
import Testing

/// Still images as inputs.
@Suite("Still images", .enabled(if: Media.isMade))
struct StillImageTests {
    /// Runs a script in a folder with the images a.jpg, b.png, c.webp and d.gif of 320x180. `$1` is a clip of 3 s.
    private func run(_ line: String) async throws -> Outcome {
        let script = """
            folder=$(mktemp -d)
            trap 'rm -rf "$folder"' EXIT
            cd "$folder"
            for name in a.jpg b.png c.webp d.gif; do
                ffmpeg -nostdin -v error -f lavfi -i testsrc=s=320x180 -frames:v 1 $name
            done
            \(line)
            """
        return try await Command.shell(script, Media.clip)
    }

    private func ends(_ outcome: Outcome) -> [String] {
        outcome.lines.filter { $0.contains("didPlayToEndTime") }
    }

    @Test("An image of any format plays for --image-duration and is one frame")
    func durations() async throws {
        let outcome = try await run(
            """
            "$vplay" --untimed --events text a.jpg b.png c.webp d.gif
            "$vplay" --untimed --events text --image-duration 2.5 a.jpg b.png
            "$vplay" --untimed --video framemd5:- a.jpg b.png
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            ends(outcome)
                == (0..<4).map { "10 didPlayToEndTime item=\($0)" }
                + (0..<2).map { "2.5 didPlayToEndTime item=\($0)" }
        )
        #expect(outcome.lines.count { $0.hasPrefix("0, ") } == 2)
    }

    @Test("A JPEG with an index of the pictures after it is one frame; without an index they are a clip")
    func pictureIndex() async throws {
        // The index is an APP2 segment. libav takes the pictures after it for further frames.
        let outcome = try await run(
            """
            ffmpeg -nostdin -v error -f lavfi -i color=red:s=320x180 -frames:v 1 gain.jpg
            { printf '\\xff\\xd8\\xff\\xe2\\x00\\x06MPF\\x00'; tail -c +3 a.jpg; cat gain.jpg; } > index.jpg
            cat a.jpg gain.jpg > clip.jpg
            "$vplay" --untimed --events text --image-duration 2 index.jpg | grep didPlayToEndTime
            for name in a index clip; do
                "$vplay" frames $name.jpg --size 320x180 -o - | wc -c
            done
            "$vplay" snapshot a.jpg -o expected.png
            "$vplay" snapshot index.jpg --at 5 -o late.png 2>/dev/null
            "$vplay" snapshot index.jpg --at 5 --at 0 -o both-%d.png 2>/dev/null
            for name in late both-1 both-2; do cmp expected.png $name.png && echo $name; done
            """
        )
        let frame = 320 * 180 * 3
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(
            outcome.lines == [
                "2 didPlayToEndTime item=0", "\(frame)", "\(frame)", "\(2 * frame)", "late", "both-1",
                "both-2",
            ]
        )
    }

    @Test("A PNG with bytes after its end is one frame, without an error; concatenated ones are a clip")
    func trailingBytes() async throws {
        let outcome = try await run(
            """
            { cat b.png; echo trailing; } > trailing.png
            cat b.png trailing.png > clip.png
            "$vplay" --untimed --events text --image-duration 1 trailing.png | grep -E 'didPlayToEndTime|errorLog'
            "$vplay" snapshot b.png -o expected.png
            "$vplay" snapshot trailing.png --at 5 -o late.png 2>/dev/null
            cmp expected.png late.png && echo late
            "$vplay" frames clip.png --size 320x180 -o - | wc -c
            """
        )
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.lines == ["1 didPlayToEndTime item=0", "late", "\(2 * 320 * 180 * 3)"])
    }

    @Test("Time advances without a stop across images and clips, and through the laps of a list")
    func gapless() async throws {
        let outcome = try await run(
            """
            "$vplay" --untimed --events text --image-duration 1 --repeat 2 a.jpg b.png "$1" c.webp
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(ends(outcome).count == 8)
        #expect(outcome.lines.count { $0.contains(" rateChanged ") && $0.contains("to=0.0") } == 1)
        #expect(!outcome.text.contains("status=waitingToPlayAtSpecifiedRate reason=toMinimizeStalls"))
    }

    @Test("An image starts and ends within its duration, and a single one is looped")
    func parts() async throws {
        let outcome = try await run(
            """
            "$vplay" --untimed --events text --start 4 --end 7 a.jpg
            "$vplay" --untimed --events text --start 50% a.jpg
            "$vplay" --untimed --events text --loop --duration 25 a.jpg
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(ends(outcome).first?.hasPrefix("7") ?? false)
        #expect(ends(outcome).count == 4)
    }

    @Test(
        "A folder has its images among its clips, but not the covers beside audio; a playlist sets their durations"
    )
    func folders() async throws {
        let outcome = try await run(
            """
            mkdir films songs; cp "$1" films/b2.mp4; cp a.jpg films/b10.jpg; cp b.png films/b1.png
            "$vplay" --untimed --events json films | grep currentItemChanged | wc -l
            ffmpeg -nostdin -v error -i "$1" -vn -t 1 songs/a.wav; cp a.jpg songs/cover.jpg
            "$vplay" --untimed --events text songs | grep didPlayToEndTime
            printf '#EXTM3U\\n#EXTINF:3,A\\na.jpg\\nb.png\\n' > list.m3u
            "$vplay" --untimed --image-duration 2 --events text list.m3u | grep didPlayToEndTime
            """
        )
        #expect(outcome.errors.isEmpty)
        #expect(
            outcome.lines == [
                "3", "1 didPlayToEndTime item=0", "3 didPlayToEndTime item=0", "2 didPlayToEndTime item=1",
            ]
        )
    }

    @Test("A missing entry of a playlist is reported, and the others are played")
    func missing() async throws {
        let outcome = try await run(
            """
            printf 'a.jpg\\nnone.mp4\\nb.png\\n' > list.pls.m3u
            "$vplay" --untimed --events text list.pls.m3u
            """
        )
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(ends(outcome).count == 2)
    }

    @Test("A seed gives one order, and --recursive reads folders in natural order")
    func orders() async throws {
        let outcome = try await run(
            """
            mkdir -p x/p2 x/p10; cp a.jpg x/z.jpg; cp b.png x/p2/b.png; cp b.png x/p10/a.png
            "$vplay" --untimed --events text x | grep -c didPlayToEndTime
            "$vplay" --untimed --events text --recursive x | grep -c didPlayToEndTime
            for i in 1 2; do
                "$vplay" --untimed --events text --shuffle=5 --repeat 3 a.jpg b.png c.webp d.gif |
                    grep didPlayToEndTime | md5sum
            done
            """
        )
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.prefix(2) == ["1", "3"])
        #expect(outcome.lines.count == 4 && outcome.lines[2] == outcome.lines[3])
    }

    @Test("Events in random order have the index of the lap in which an input is played")
    func shuffledIndices() async throws {
        let outcome = try await run(
            """
            "$vplay" --untimed --events text --shuffle=5 --repeat 3 a.jpg b.png c.webp d.gif |
                grep -oE '(currentItemChanged|passEnded) item=[0-9]+'
            """
        )
        let lap = (0..<4).flatMap { ["currentItemChanged item=\($0)", "passEnded item=\($0)"] }
        #expect(outcome.lines == lap + lap + lap)
    }
}
