import Glibc
import Playhead
import Synchronization

extension PlaySession {
    /// Saves the picture being shown, while playing goes on: as large as it is seen, whatever the sinks make of it.
    func saveSnapshot() {
        let (turn, isBusy) = state.withLock { ($0.current, $0.snapshot != nil) }
        guard !isBusy else { return notice("the last picture is still being saved") }
        guard let turn, layers.contains(where: \.isReadyForDisplay), !turn.item.presentationSize.isEmpty
        else {
            return notice("there is no picture to save")
        }
        guard let names = SnapshotNames(for: options.inputs[turn.index]) else {
            return notice("it has no name")
        }
        let sink = SnapshotSink(names) { [weak self] result in
            guard let self else { return }
            state.withLock { $0.snapshot = nil }
            switch result {
            case .success(let path): notice(path)
            case .failure(let error): notice("not saved: \(oneLine("\(error)"))")
            }
        }
        // With a size, so that a layer without one does not ask for the largest variant.
        let layer = PlayerLayer(size: turn.item.presentationSize)
        layer.deinterlacing = options.deinterlacing
        layer.dynamicRangePolicy = options.dynamicRange
        layer.add(sink)
        state.withLock { $0.snapshot = layer }
        layer.player = player
    }
}

/// Names beside which no file is: "clip-0001.png", "clip-0002.png", ...
struct SnapshotNames: Sendable {
    private let path: NumberedPath

    /// nil never: every percent sign is doubled.
    init?(for input: Input) {
        let name = input.isStandardInput ? "stdin" : input.shortName
        let stem = name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) } ?? name
        // A name holds 255 bytes.
        var short = stem.replacing("/", with: "_")
        while short.utf8.count > 240 { short.removeLast() }
        guard let path = NumberedPath(short.replacing("%", with: "%%") + "-%04d.png") else { return nil }
        self.path = path
    }

    /// Writes the bytes to a file that was not there. Where they cannot be written none is left.
    func write(_ bytes: [UInt8]) throws(SinkError) -> String {
        var number = 1
        while true {
            let name = path.path(number)
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor < 0, errno == EEXIST {
                number += 1
                continue
            }
            guard descriptor >= 0 else { throw .system(operation: "create", path: name, code: errno) }
            let output = ByteOutput(owning: descriptor, name: name)
            do throws(SinkError) {
                try output.write(bytes)
                try output.close()
            } catch {
                unlink(name)
                throw error
            }
            return name
        }
    }
}

/// Saves one picture: the first that comes.
private final class SnapshotSink: VideoSink {
    typealias Answer = @Sendable (Result<String, any Error>) -> Void

    private let names: SnapshotNames
    private let answer: Answer
    private let isDone = Once()

    init(_ names: SnapshotNames, answer: @escaping Answer) {
        self.names = names
        self.answer = answer
    }

    var appliesPreferredTrackTransform: Bool { true }

    func start(_ format: VideoFormat) {}

    func present(_ frame: VideoFrame) {
        guard isDone.take() else { return }
        answer(Result { try names.write(ImageEncoder(.png).encode(frame)) })
    }

    func finish() {}
}
