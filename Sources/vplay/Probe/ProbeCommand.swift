import ArgumentParser
import Playhead

/// `vplay probe`: what an input holds.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Tell what an input holds: tracks, duration, metadata, chapters.",
        discussion: """
            --json writes one object: path, format, start, duration, durationIsEstimate, byteCount, bitRate, \
            isSeekable, tracks, metadata, chapters. Times are seconds; start is the container's time that the \
            item's timeline calls zero. Each track has id, type, codec, profile, language, title, start, \
            duration, timeBase, bitRate, isDefault, isForced, isPlayable, unplayableReason and metadata; video \
            tracks also width, height, displayWidth, displayHeight, pixelAspectRatio, frameRate, frameCount, \
            pixelFormat, rotation, isMirrored, color, masteringDisplay, contentLightLevel (cd per square metre) and \
            isAttachedPicture; audio tracks also sampleRate, channels, channelLayout and sampleFormat. What is \
            not known is null.
            """
    )

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var input: String

    @Flag(help: "Write one JSON object, for programs.")
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
            Console.shared.printError("\(input.name): nothing is known about it")
            ExitStatus.failure.exitNow()
        }
        let report =
            json
            ? ProbeJSON.object(description, path: input.name).indentedText + "\n"
            : ProbeText.lines(description, name: input.name).joined(separator: "\n") + "\n"
        StandardOutput.writeOrExit(report)
        ExitStatus.success.exitNow()
    }
}
