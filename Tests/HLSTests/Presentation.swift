import Foundation
import MediaCore
import TestSupport
import Testing

/// Folders with segments of the fixture clip: 90 frames in three seconds, with a key frame every half second.
enum Presentation {
    private static let video =
        "-c:v libx264 -preset ultrafast -threads 1 -g 15 -keyint_min 15 -sc_threshold 0 "
    private static let list = "-f hls -hls_time 1 -hls_list_size 0 "
    private static let fragments = list + "-hls_segment_type fmp4 "
    private static let variants = [(64, 36), (160, 90), (240, 136), (320, 180), (640, 360)]

    /// The presentations that FFmpeg's muxer creates.
    private static let commands: [String: String] = [
        "ts": video + "-c:a copy " + list + "-hls_segment_filename %d.ts list.m3u8",
        "one ts by ranges": video + "-c:a copy " + list + "-hls_flags single_file list.m3u8",
        "fmp4": video + "-c:a copy " + fragments + "-hls_segment_filename %d.m4s list.m3u8",
        "one fmp4 by ranges": video + "-c:a copy " + fragments + "-hls_flags single_file list.m3u8",
        "AES-128": video + "-c:a copy " + list
            + "-hls_key_info_file info -hls_segment_filename %d.ts list.m3u8",
    ]
    static let kinds = commands.keys.sorted()

    /// Writes a file with the media of a presentation of this kind, without its playlist. Returns nil if no container
    /// holds them.
    static func writeMedia(of kind: String, in folder: TemporaryFolder) throws -> URL? {
        let parts: [String]
        switch kind {
        case "ts": parts = ["0.ts", "1.ts", "2.ts"]
        case "one ts by ranges": parts = ["list.ts"]
        case "fmp4": parts = ["init.mp4", "0.m4s", "1.m4s", "2.m4s"]
        case "one fmp4 by ranges": parts = ["list.m4s"]
        default: return nil
        }
        let bytes = try parts.flatMap { [UInt8](try Data(contentsOf: folder.file($0))) }
        try folder.write("media", bytes)
        return folder.file("media")
    }

    /// The files of the presentations by their names, each encoded once.
    private static let encoded = Locked<[String: [String: [UInt8]]]>([:])

    /// Returns the files of a presentation by their paths.
    static func files(_ name: String) throws -> [String: [UInt8]] {
        try encoded.withLock { encoded in
            if let files = encoded[name] { return files }
            let folder = try encode(name)
            let files = try ServedFolder.files(folder.url)
            encoded[name] = files
            return files
        }
    }

    /// Returns a folder with the files of a presentation, which the caller may change.
    static func folder(_ name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (path, bytes) in try files(name) { try folder.write(String(path.dropFirst()), bytes) }
        return folder
    }

    private static func encode(_ name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        switch name {
        case "separate audio":
            try encode("-an " + video + list + "-hls_segment_filename v%d.ts v.m3u8", in: folder)
            try encode("-vn -c:a copy " + list + "-hls_segment_filename a%d.ts a.m3u8", in: folder)
            try folder.write("master.m3u8", Array(separate.utf8))
        case "separate audio of fmp4":
            let maps = (video: "-hls_fmp4_init_filename v.mp4 ", audio: "-hls_fmp4_init_filename a.mp4 ")
            let video = "-an " + video + fragments + maps.video
            try encode(video + "-hls_segment_filename v%d.m4s v.m3u8", in: folder)
            let audio = "-vn -c:a copy " + fragments + maps.audio
            try encode(audio + "-hls_segment_filename a%d.m4s a.m3u8", in: folder)
            try folder.write("master.m3u8", Array(separate.utf8))
        case "packed audio":
            try encode("-an " + video + list + "-hls_segment_filename v%d.ts v.m3u8", in: folder)
            try pack(in: folder)
            try folder.write("master.m3u8", Array(separate.utf8))
        case "two segments far apart":
            // The second segment begins a hundred seconds after the first one.
            try encode(video + "-c:a copy -f mpegts 0.ts", in: folder)
            try encode(video + "-c:a copy -output_ts_offset 100 -f mpegts 1.ts", in: folder)
            let list = "#EXTM3U\n#EXT-X-TARGETDURATION:100\n#EXTINF:100,\n0.ts\n#EXTINF:3,\n1.ts\n"
            try folder.write("list.m3u8", Array((list + "#EXT-X-ENDLIST\n").utf8))
        case "segments up to the wrap":
            // The timestamps of the second segment wrap around 2.3 s after its start.
            try encode(video + "-c:a copy -f mpegts 0.ts", in: folder)
            try encode(video + "-c:a copy -output_ts_offset 95440 -f mpegts 1.ts", in: folder)
            let list = "#EXTM3U\n#EXT-X-TARGETDURATION:95440\n#EXTINF:95440,\n0.ts\n#EXTINF:3,\n1.ts\n"
            try folder.write("list.m3u8", Array((list + "#EXT-X-ENDLIST\n").utf8))
            try folder.write("live.m3u8", Array(list.utf8))
        case "twelve segments":
            // 360 frames in twelve seconds, with a key frame every half second.
            try encode(
                video + list + "-hls_segment_filename %d.ts list.m3u8",
                of: "-f lavfi -i testsrc2=size=160x90:rate=30:duration=12",
                in: folder
            )
        case "fifteen segments":
            // The same, in segments of 0.8 s that each begin with their only key frame.
            try encode(
                "-c:v libx264 -preset ultrafast -threads 1 -g 24 -keyint_min 24 -sc_threshold 0 -f hls "
                    + "-hls_time 0.8 -hls_list_size 0 -hls_segment_filename %d.ts list.m3u8",
                of: "-f lavfi -i testsrc2=size=160x90:rate=30:duration=12",
                in: folder
            )
        case "one key frame":
            // The same as the twelve, with a single key frame at the beginning.
            try encode(
                "-c:v libx264 -preset ultrafast -threads 1 -g 1000 -keyint_min 1000 -sc_threshold 0 " + list
                    + "-hls_flags split_by_time -hls_segment_filename %d.ts list.m3u8",
                of: "-f lavfi -i testsrc2=size=160x90:rate=30:duration=12",
                in: folder
            )
        case "five variants", "five variants of fmp4":
            let isTS = name == "five variants"
            var master = "#EXTM3U\n"
            for (index, size) in variants.enumerated() {
                let place = folder.file("v\(index)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                let scale = "-vf scale=\(size.0):\(size.1) "
                try encode(
                    scale + video + "-c:a copy " + (isTS ? list : fragments)
                        + "-hls_segment_filename v\(index)/%d.\(isTS ? "ts" : "m4s") v\(index)/list.m3u8",
                    in: folder
                )
                master +=
                    "#EXT-X-STREAM-INF:BANDWIDTH=\((index + 1) * 75_000),RESOLUTION=\(size.0)x\(size.1)\n"
                master += "v\(index)/list.m3u8\n"
            }
            try folder.write("master.m3u8", Array(master.utf8))
        default:
            try folder.write("enc.key", Array("0123456789abcdef".utf8))
            try folder.write("info", Array("enc.key\n\(folder.path("enc.key"))\n".utf8))
            try encode(try #require(commands[name]), in: folder)
        }
        return folder
    }

    private static let separate = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="sound",DEFAULT=YES,URI="a.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=900000,AUDIO="a",CODECS="avc1.42c01e,mp4a.40.2",RESOLUTION=640x360
        v.m3u8

        """

    /// Creates packed AAC segments of about a second, whose ID3 tags have the start times of the video segments.
    private static func pack(in folder: TemporaryFolder) throws {
        try encode("-vn -c:a copy -f adts all.aac", in: folder)
        let all = [UInt8](try Data(contentsOf: folder.file("all.aac")))
        var frames: [ArraySlice<UInt8>] = []
        var rest = all[...]
        while rest.count > 7 {
            let bytes = Array(rest.prefix(6))
            let size = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5]) >> 5
            frames.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        let step = 47
        for (index, start) in stride(from: 0, to: frames.count, by: step).enumerated() {
            let part = frames[start..<min(start + step, frames.count)]
            // The video segments begin at 1.4 s.
            let stamp = UInt64(126_000 + start * 1024 * 90_000 / 48_000)
            let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
            let body = owner + withUnsafeBytes(of: stamp.bigEndian) { Array($0) }
            let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
            let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
            try folder.write("a\(index).aac", tag + part.joined())
            list += "#EXTINF:\(Double(part.count) * 1024 / 48_000),\na\(index).aac\n"
        }
        try folder.write("a.m3u8", Array((list + "#EXT-X-ENDLIST\n").utf8))
    }

    private static func encode(
        _ arguments: String,
        of input: String? = nil,
        in folder: TemporaryFolder
    ) throws {
        let input = input ?? "-i " + Fixture.url("clip-h264-aac.mp4").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.arguments =
            ["ffmpeg", "-nostdin", "-v", "error"]
            + (input + " " + arguments).split(separator: " ").map(String.init)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
