import Foundation
import Testing

/// Files derived from valid ones: truncated, shifted, damaged or segmented.
@Suite("Derived files", .enabled(if: Media.isMade))
struct DerivedTests {
    /// Runs a line of bash in a temporary folder, where `$ff` runs FFmpeg without messages, and returns the outcome.
    private func run(_ line: String) async throws -> Outcome {
        let script = """
            folder=$(mktemp -d)
            trap 'rm -rf "$folder"' EXIT
            cd "$folder"
            ff='ffmpeg -nostdin -v error -y'
            hashes='--untimed --quiet --audio none --video framemd5:-'
            \(line)
            """
        return try await Command.shell(script, Media.clip, Media.fixture("clip-vp9-opus.webm"))
    }

    @Test("A file whose timestamps start late is played completely", arguments: ["mkv", "webm", "ts", "mp4"])
    func beginsLate(_ ending: String) async throws {
        let source = ending == "webm" ? "$2" : "$1"
        let outcome = try await run(
            """
            $ff -i "\(source)" -c copy -output_ts_offset 5 late.\(ending)
            "$vplay" $hashes --repeat 2 late.\(ending)
            """
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.pictures.count == 180)
    }

    @Test(
        "Each pass equals the first for truncated files and files with timestamp discontinuities",
        arguments: [
            "$ff -ss 1.21 -i \"$1\" -c copy a.mp4", "$ff -ss 0.7 -i \"$2\" -vn -c copy a.webm",
            "$ff -i \"$1\" -c copy q.ts; cat q.ts q.ts > a.ts",
        ]
    )
    func laps(_ make: String) async throws {
        let outcome = try await run(
            """
            \(make)
            "$vplay" $hashes a.* > one || true
            "$vplay" $hashes --repeat 3 a.* > three || true
            "$vplay" --untimed --quiet --video none --audio wav:one.wav a.*
            "$vplay" --untimed --quiet --video none --audio wav:three.wav --repeat 3 a.*
            grep -v '^#' one | sed 's/.*, //' > one.h || true
            grep -v '^#' three | sed 's/.*, //' > three.h || true
            cat one.h one.h one.h | cmp - three.h && echo pictures
            tail -c +45 one.wav > one.s
            cat one.s one.s one.s | cmp - <(tail -c +45 three.wav) && echo sound
            """
        )
        #expect(outcome.lines == ["pictures", "sound"], "\(outcome.errors)")
    }

    @Test(
        "A damaged packet at the start is reported, and neither blocks playback nor repeats a frame",
        arguments: ["h264 libx264", "hevc libx265", "vp9 libvpx-vp9"],
        [0, 1, 2]
    )
    func damaged(codec: String, packet: Int) async throws {
        let encoder = codec.split(separator: " ")[1]
        let outcome = try await run(
            """
            $ff -f lavfi -i testsrc2=s=640x360:r=25:d=1 -c:v \(encoder) -g 25 good.mkv 2>&1 | grep -v x265 >&2
            $ff -i good.mkv -c copy -bsf:v "noise=amount='if(eq(n,\(packet)),1,0)'" bad.mkv
            timeout 60 "$vplay" $hashes bad.mkv > bad 2> words
            code=$?
            [ $code -le 1 ] && echo ended
            grep -v '^#' bad | cut -d, -f3 | sort -n | uniq -d | head -1
            """
        )
        #expect(outcome.lines == ["ended"], "\(outcome.errors)")
    }

    @Test(
        "A missing segment of a playlist is reported, and the others play",
        arguments: [0, 1, 2]
    )
    func missingSegment(_ number: Int) async throws {
        let outcome = try await run(
            """
            $ff -i "$1" -c copy -f hls -hls_time 1 -hls_list_size 0 list.m3u8
            rm list\(number).ts
            "$vplay" --untimed --quiet --events text list.m3u8 | grep -c errorLogEntry
            "$vplay" $hashes list.m3u8 | grep -vc '^#'
            """
        )
        #expect(outcome.lines == ["1", "60"], "\(outcome.errors)")
    }

    @Test("The duration of an elementary stream is known after it has been played")
    func bareStream() async throws {
        let outcome = try await run(
            """
            $ff -i "$1" -an -c copy -bsf:v h264_mp4toannexb bare.h264
            "$vplay" --untimed --quiet --events text bare.h264 | grep -E 'durationChanged|didPlay'
            """
        )
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.first?.contains("durationChanged") == true)
        #expect(outcome.lines.first?.contains("duration=2.9999") == true)
    }

    @Test(
        "The best variant of a playlist also plays from the middle",
        arguments: ["", "--start 0.5", "--start 1 --end 2"]
    )
    func variants(_ options: String) async throws {
        let outcome = try await run(
            """
            for size in 160x90 320x180; do
                mkdir $size
                $ff -i "$1" -an -s $size -c:v libx264 -g 30 -f hls -hls_time 1 -hls_list_size 0 $size/list.m3u8
            done
            printf '#EXTM3U\\n#EXT-X-STREAM-INF:BANDWIDTH=100000\\n160x90/list.m3u8\\n' > all.m3u8
            printf '#EXT-X-STREAM-INF:BANDWIDTH=400000\\n320x180/list.m3u8\\n' >> all.m3u8
            "$vplay" $hashes \(options) all.m3u8 | grep -v '^#' | cut -d, -f5 | sort -u
            """
        )
        #expect(
            outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["86400"],
            "\(outcome.errors)"
        )
    }

    @Test("Frames and sheets have the size of the track that is read, not of the first one")
    func sizes() async throws {
        let outcome = try await run(
            """
            for size in 120x90 320x180; do
                mkdir $size
                $ff -i "$1" -an -vf scale=$size,setsar=1 -c:v libx264 -f hls -hls_list_size 0 $size/list.m3u8
            done
            printf '#EXTM3U\\n#EXT-X-STREAM-INF:BANDWIDTH=100000\\n120x90/list.m3u8\\n' > all.m3u8
            printf '#EXT-X-STREAM-INF:BANDWIDTH=400000\\n320x180/list.m3u8\\n' >> all.m3u8
            $ff -i "$1" -map 0:v -map 0:v -t 1 -c:v:0 rawvideo -s:v:0 90x120 -c:v:1 mpeg4 two.avi
            LC_ALL=C sed -i 's/I420/ZZZZ/g' two.avi
            for input in all.m3u8 two.avi; do
                "$vplay" frames $input --at 0 --header -o a.raw
                head -n 1 a.raw | cut -d, -f2,3
                "$vplay" snapshot $input --sprite 1x1 -o a.png
                ffprobe -v error -show_entries stream=width,height -of csv=p=0 a.png
            done
            """
        )
        let expected = [#""width":320,"height":180"#, "160,90"]
        #expect(outcome.lines == expected + expected, "\(outcome.errors)")
    }
}
