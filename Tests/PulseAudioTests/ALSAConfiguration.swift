import Foundation

/// A configuration of ALSA with a device `playhead` that plays on an audio server.
enum ALSAConfiguration {
    private static let result = Result {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("playhead-asound.conf")
        let text = """
            </usr/share/alsa/alsa.conf>
            pcm.playhead {
                @args [ SERVER ]
                @args.SERVER { type string }
                type pulse
                server $SERVER
                device "null"
            }
            """
        // Another run may read the same file now.
        try Data(text.utf8).write(to: url, options: .atomic)
        setenv("ALSA_CONFIG_PATH", url.path, 1)
    }

    /// Makes libasound read the configuration in this process.
    static func install() throws { try result.get() }
}
