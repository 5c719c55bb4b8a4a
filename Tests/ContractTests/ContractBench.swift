import Foundation
import Playhead
import PlayheadTesting

extension ScriptedMedia {
    /// The first second is there, the rest from second 5 on.
    static let haltingClip = silentClip([.stall(atPacket: 25, until: 5)])
}

extension PlayerTestBench {
    /// What a reader sees, in one line.
    var sight: String {
        let reason = player.reasonForWaitingToPlay.map { " \($0)" } ?? ""
        return "\(player.rate) \(player.timeControlStatus)\(reason)"
    }

    /// Its answer becomes a line, among those of the events.
    func seek(_ name: String, to time: MediaTime, tolerance: MediaTime = .zero) {
        player.seek(to: time, toleranceBefore: tolerance, toleranceAfter: tolerance) {
            [lineWriter] finished in
            lineWriter("\(name) \(finished)")
        }
    }
}

extension PlayerTestBench where TestedPlayer == Player {
    /// For real files, which FFmpeg opens.
    static func forFiles(
        _ configure: (inout Player.Configuration) -> Void = { _ in }
    ) -> PlayerTestBench {
        PlayerTestBench {
            $0.backend = Player.Configuration().backend
            configure(&$0)
        }
    }

    /// An item of a file that is current and has shown its first frame.
    @discardableResult
    func load(_ url: URL, _ prepare: (PlayerItem) -> Void = { _ in }) -> PlayerItem {
        let item = PlayerItem(url: url)
        prepare(item)
        return load(item)
    }
}
