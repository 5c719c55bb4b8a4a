import MediaCore

/// The common parts of all test benches: scripted media, a clock that the test moves, and outputs that record what they
/// receive.
///
/// Tests create a `PlayerTestBench`. When a bench is released, it runs the driver until everything that was played on
/// it has been released, so a test does not have to clean up.
public class PlaybackTestBench {
    /// The driver, which runs the player on the calling thread. No time passes unless the test advances it.
    public let driver: ManualDriver
    /// The backend, which holds the scripts and counts how they are used.
    public let backend: ScriptedBackend
    /// The sink that receives the video frames.
    public let videoSink: CapturingVideoSink
    /// The sink that receives the audio if the bench was created with `TestAudio.captured`.
    public let audioSink: CapturingAudioSink
    /// The device that plays the audio if the bench was created with `TestAudio.device(_:)`.
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

    /// Work that stays queued would retain the player, its items and the sinks.
    deinit { driver.settle() }

    /// All lines so far: the events of the player and the lines of the test, in one order.
    public var lines: [String] { journal.withLock { $0.lines } }

    /// Returns the lines that have been added since the last call.
    ///
    /// - Returns: The new lines, in order.
    public func takeLines() -> [String] {
        journal.withLock { journal in
            defer { journal.takenCount = journal.lines.count }
            return Array(journal.lines[journal.takenCount...])
        }
    }

    /// Returns the lines that have been added since the last call and begin with one of the given words. All other new
    /// lines are discarded.
    ///
    /// - Parameter words: The words that a line may begin with.
    /// - Returns: The matching lines, in order.
    public func takeLines(of words: String...) -> [String] {
        takeLines().filter { line in words.contains { line.hasPrefix($0) } }
    }

    /// Adds a line. Lines of the test and of the player share one order.
    ///
    /// - Parameter line: The line to add.
    public func addLine(_ line: String) { lineWriter(line) }

    /// A closure that adds a line, for use in handlers. It does not retain the bench.
    public var lineWriter: @Sendable (String) -> Void { TestJournal.writer(journal) }
}
