import ArgumentParser
import PlayheadCore

/// The command `vplay probe`, which describes an input.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Describe an input: tracks, duration, metadata, chapters.",
        discussion: """
            --json writes one object: path, format, start, duration, durationIsEstimate, byteCount, bitRate, \
            isSeekable, tracks, metadata, chapters. Times are seconds; start is the container time of zero on the \
            item's timeline. Each track has id, type, codec, profile, language, title, start, \
            duration, timeBase, bitRate, isDefault, isForced, isPlayable, unplayableReason and metadata; video \
            tracks also width, height, displayWidth, displayHeight, pixelAspectRatio, frameRate, frameCount, \
            pixelFormat, rotation, isMirrored, color, masteringDisplay, contentLightLevel (cd per square metre) and \
            isAttachedPicture; audio tracks also sampleRate, channels, channelLayout and sampleFormat. Unknown \
            values are null.
            """
    )

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var input: String

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup
    var network: NetworkArguments

    func run() async throws {
        guard let input = Input(input) else {
            throw ValidationError("\(Input.refusal(of: input)).")
        }
        let network = network.options()
        let asset = input.asset(preciseTiming: true, network: network)
        let signals = Signals { $0.exitAtOnce() }
        do {
            try await asset.load()
            await network.cache?.flush()
        } catch {
            Console.shared.printError("\(input.name): \(reason(error))")
            ExitStatus.failure.exitNow()
        }
        withExtendedLifetime(signals) {}
        guard let description = asset.media else {
            Console.shared.printError("\(input.name): no description available")
            ExitStatus.failure.exitNow()
        }
        let report =
            json
            ? ProbeJSON.object(description, path: input.publicArgument).indentedText + "\n"
            : ProbeText.lines(description, name: input.name).joined(separator: "\n") + "\n"
        StandardOutput.writeOrExit(report)
        ExitStatus.success.exitNow()
    }
}
