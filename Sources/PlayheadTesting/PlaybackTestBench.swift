import MediaCore

/// What every test bench has: scripted media, a time that the test moves, and outputs that remember.
///
/// Tests make a `PlayerTestBench`. When a bench is released it runs the driver until all that was played on it is
/// taken down, so no test has to.
public class PlaybackTestBench {
    /// Runs everything, on the thread that calls it: no time passes unless the test says so.
    public let driver: ManualDriver
    /// The media, and what was asked of them.
    public let backend: ScriptedBackend
    /// Gets the video frames.
    public let videoSink: CapturingVideoSink
    /// Gets the audio where the bench was made with `.captured`.
    public let audioSink: CapturingAudioSink
    /// Plays the audio where the bench was made with `.device`.
    public let audioDevice: SimulatedAudioDevice

    private let journal: Locked<TestJournal>

    init(_ equipment: TestEquipment) {
        journal = equipment.journal
        driver = equipment.driver
        backend = equipment.backend
        videoSink = equipment.videoSink
        audioSink = equipment.audioSink
        audioDevice = equipment.audioDevice
    }

    /// Work that is left queued would hold everything: the player, its items and the sinks.
    deinit { driver.settle() }

    /// What has happened, a line each, from the beginning.
    public var lines: [String] { journal.withLock { $0.lines } }

    /// The lines since the last call.
    public func takeLines() -> [String] {
        journal.withLock { journal in
            defer { journal.takenCount = journal.lines.count }
            return Array(journal.lines[journal.takenCount...])
        }
    }

    /// As above, but only those that begin with one of `words`; the others are not told again either.
    public func takeLines(of words: String...) -> [String] {
        takeLines().filter { line in words.contains { line.hasPrefix($0) } }
    }

    /// Adds a line of the test's own, so that what the player tells and what a test's handlers get stand in one
    /// order.
    public func addLine(_ line: String) { lineWriter(line) }

    /// As `addLine`, for handlers: it does not hold the bench.
    public var lineWriter: @Sendable (String) -> Void { TestJournal.writer(journal) }
}
