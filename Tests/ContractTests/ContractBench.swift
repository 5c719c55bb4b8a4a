import Foundation
import Playhead
import PlayheadTesting

extension ScriptedMedia {
    /// The first second is available at once, and the rest from second 5 on.
    static let haltingClip = silentClip([.stall(atPacket: 25, until: 5)])
}

extension PlayerTestBench {
    /// The state that a reader of the properties sees, in one line.
    var stateLine: String {
        let reason = player.reasonForWaitingToPlay.map { " \($0)" } ?? ""
        return "\(player.rate) \(player.timeControlStatus)\(reason)"
    }

    /// Adds the answer of a seek as a line to the lines of the events.
    func seek(_ name: String, to time: MediaTime, tolerance: MediaTime = .zero) {
        player.seek(to: time, toleranceBefore: tolerance, toleranceAfter: tolerance) {
            [lineWriter] finished in
            lineWriter("\(name) \(finished)")
        }
    }
}

extension PlayerTestBench where TestedPlayer == Player {
    /// Creates a bench for real files, which FFmpeg opens.
    static func forFiles(
        _ configure: (inout Player.Configuration) -> Void = { _ in }
    ) -> PlayerTestBench {
        PlayerTestBench {
            $0.backend = Player.Configuration().backend
            configure(&$0)
        }
    }

    /// Returns an item of a file after it has become current and has shown its first frame.
    @discardableResult
    func load(_ url: URL, _ prepare: (PlayerItem) -> Void = { _ in }) -> PlayerItem {
        let item = PlayerItem(url: url)
        prepare(item)
        return load(item)
    }
}
