import ArgumentParser
import FoundationEssentials
import Glibc

/// The arguments for commands that run unattended: the play log, the HTTP interface and MPRIS.
struct ServiceArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append a line of JSON to this file for each pass of an input; see docs/deployment.md.",
            valueName: "file"
        ),
        completion: .file()
    )
    var playLog: String?

    @Flag(
        help:
            "Let desktops, media keys and playerctl control playback over the session bus (MPRIS); see docs/remote-control.md."
    )
    var mpris = false

    @Option(
        help: ArgumentHelp(
            "Serve status, frames, events and playback over HTTP; see docs/remote-control.md. The address is 127.0.0.1 unless a token is given.",
            valueName: "[address:]port"
        )
    )
    var http: String?

    @Option(
        help: ArgumentHelp(
            "The secret that clients of --http must send. It is visible in the list of processes; --http-token-file and the variable VPLAY_HTTP_TOKEN are not.",
            valueName: "token"
        )
    )
    var httpToken: String?

    @Option(
        help: ArgumentHelp("A file with the token in its first line.", valueName: "file"),
        completion: .file()
    )
    var httpTokenFile: String?

    @Option(
        help: ArgumentHelp("The folder of the files that clients of --http can play.", valueName: "folder"),
        completion: .directory
    )
    var mediaFolder: String?

    /// Returns the validated options.
    ///
    /// - Throws: `ValidationError` for values that are not valid, and for an address in a network without a token.
    func options() throws(ValidationError) -> ServiceOptions {
        if playLog == "" { throw ValidationError("--play-log: the path is empty.") }
        var options = ServiceOptions(playLog: playLog, hasMPRIS: mpris)
        guard let http else {
            if httpToken != nil || httpTokenFile != nil || mediaFolder != nil {
                throw ValidationError("--http-token, --http-token-file and --media-folder need --http.")
            }
            return options
        }
        guard let endpoint = HTTPEndpoint(http) else {
            throw ValidationError(
                oneLine("--http \(http): expected a port, or a numeric address and a port.")
            )
        }
        options.http = endpoint
        options.httpToken = try token()
        guard options.httpToken != nil || endpoint.isLoopback else {
            throw ValidationError(
                "--http \(http): an address in a network needs --http-token-file or VPLAY_HTTP_TOKEN."
            )
        }
        if let mediaFolder {
            guard let folder = MediaFolder(mediaFolder) else {
                throw ValidationError(oneLine("--media-folder \(mediaFolder): not a folder."))
            }
            options.mediaFolder = folder
        }
        return options
    }

    private func token() throws(ValidationError) -> String? {
        var token = httpToken ?? getenv("VPLAY_HTTP_TOKEN").map { String(cString: $0) }
        if let httpTokenFile {
            guard httpToken == nil else {
                throw ValidationError("--http-token and --http-token-file exclude each other.")
            }
            guard let data = FileManager.default.contents(atPath: httpTokenFile), data.count <= 4096 else {
                throw ValidationError(oneLine("--http-token-file \(httpTokenFile): cannot be read."))
            }
            token =
                String(decoding: data, as: UTF8.self).split(whereSeparator: \.endsLine).first.map(
                    String.init
                ) ?? ""
        }
        guard let token else { return nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ValidationError("The token of --http must have visible ASCII characters and no spaces.")
        }
        return token
    }
}
