import Glibc
import MediaCore
import Sinks
import Synchronization
import TestSupport
import Testing

/// The arrangement of a frame's rows in memory.
enum RowLayout: CaseIterable {
    case packed, padded, bottomUp
}

/// Returns a frame whose packed samples count up from `seed`, and those samples.
func makeStorage(
    _ sizes: [(width: Int, height: Int)],
    seed: UInt8 = 0,
    layout: RowLayout = .packed
) -> (storage: ByteFrameStorage, packed: [UInt8]) {
    var memory: [UInt8] = []
    var packed: [UInt8] = []
    var planes: [ByteFrameStorage.Plane] = []
    for (width, height) in sizes {
        let padding = layout == .packed ? 0 : 5
        let rows = (0..<height).map { row in
            (0..<width).map { UInt8(truncatingIfNeeded: packed.count + row * width + $0) &+ seed }
        }
        let start = memory.count
        for row in layout == .bottomUp ? rows.reversed() : rows {
            memory += row + [UInt8](repeating: 0xEE, count: padding)
        }
        let stride = width + padding
        planes.append(
            ByteFrameStorage.Plane(
                offset: layout == .bottomUp ? start + (height - 1) * stride : start,
                bytesPerRow: layout == .bottomUp ? -stride : stride,
                bytesUsedPerRow: width,
                rowCount: height
            )
        )
        packed += rows.flatMap { $0 }
    }
    return (ByteFrameStorage(memory, planes), packed)
}

func videoFrame(
    _ format: VideoFormat,
    _ storage: any VideoFrameStorage,
    ticks: Int64? = 0,
    timeBase: Rational = Rational(1, 90000),
    presentationTime: MediaTime = .zero,
    epoch: Epoch = Epoch(),
    pass: Int = 0
) -> VideoFrame {
    VideoFrame(
        format: format,
        presentationTime: presentationTime,
        duration: .invalid,
        isKeyFrame: true,
        sourceTime: SourceTime(ticks: ticks, timeBase: timeBase),
        storage: storage,
        epoch: epoch,
        pass: pass
    )
}

/// Interleaved samples.
final class BytesAudioStorage: AudioBufferStorage {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { try body($0.baseAddress.map { [$0] } ?? []) }
    }
}

func audioBuffer(_ format: AudioFormat, _ bytes: [UInt8]) -> AudioBuffer {
    AudioBuffer(
        format: format,
        presentationTime: .zero,
        frameCount: bytes.count / max(1, format.bytesPerFrame),
        storage: BytesAudioStorage(bytes)
    )
}

func contents(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    return drain(descriptor)
}

/// Reads everything up to the end.
func drain(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return all }
        all += chunk[..<count]
    }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

/// A lock that is held while descriptors are open that a new process would inherit.
private let spawning = Mutex(())

private func openPipe() -> (Int32, Int32)? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

/// Returns both ends of a pipe, the reading end first.
func makePipe() throws -> (Int32, Int32) {
    try #require(spawning.withLock { _ in openPipe() })
}

/// Runs a program found in PATH and returns what it prints; nil if it is missing or fails.
func run(_ program: String, _ arguments: [String]) -> String? {
    guard let (reader, writer) = spawning.withLock({ _ in openPipe() }) else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, writer, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var process = pid_t()
    let started = spawning.withLock { _ in
        posix_spawnp(&process, program, &actions, nil, &argv, environ) == 0
    }
    close(writer)
    let output = drain(reader)
    close(reader)
    guard started else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? text(output) : nil
}

/// A Boolean value that indicates whether FFmpeg's programs, which check the written files, are installed.
let hasFFmpeg = run("ffmpeg", ["-version"]) != nil && run("ffprobe", ["-version"]) != nil
