import ArgumentParser
import PlayheadCore

/// The command `vplay bench`, which measures how fast the frames of an input are decoded.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Decode all frames as fast as possible and discard them.",
        discussion: """
            The time is measured from before the input is opened until the last frame is decoded. \
            --json writes one object: path, frames, seconds, fps, duration (of the media; null where unknown), \
            speed (duration divided by seconds), cpuSeconds, peakMemory (bytes), threads (null: automatic).
            """
    )

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var input: String

    @Flag(help: "Write one JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp("Decoder threads (default: chosen by the frame size).", valueName: "n")
    )
    var threads: Int?

    @OptionGroup
    var network: NetworkArguments

    func validate() throws {
        if let threads, !(1...64).contains(threads) {
            throw ValidationError("--threads \(threads): expected 1 to 64.")
        }
    }

    func run() async throws {
        guard let input = Input(input) else {
            throw ValidationError("\(Input.refusal(of: input)).")
        }
        let ending = Latch<BenchOutcome>()
        let signals = Signals { ending.open(.stopped($0)) }
        let network = network.options()
        let bench = Bench(input, threads: threads, network: network, ending)
        let outcome = await bench.run()
        await network.cache?.flush()
        withExtendedLifetime(signals) {}
        switch outcome {
        case .stopped(let status): status.exitNow()
        case .failed(let error, let result):
            if let result, result.frames > 0 { StandardOutput.writeOrExit(text(result, of: input)) }
            Console.shared.printError("\(input.name): \(reason(error))")
            ExitStatus.failure.exitNow()
        case .finished(let result):
            StandardOutput.writeOrExit(text(result, of: input))
            ExitStatus.success.exitNow()
        }
    }

    private func text(_ result: BenchResult, of input: Input) -> String {
        json ? result.json(path: input.publicArgument, threads: threads) : result.sentence(threads: threads)
    }
}
