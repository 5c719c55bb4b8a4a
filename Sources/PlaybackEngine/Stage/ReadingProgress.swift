import MediaCore

/// How far the demuxer has come in an epoch.
struct ReadingProgress {
    private(set) var epoch: Epoch
    /// Bytes of all packets that were read for tracks that are played, over all epochs.
    private(set) var bytes = 0
    private var pass = 0
    /// Where the last packet ends, in item time: of the pass being read, and of the one before it.
    private var end: MediaTime?
    private var endBefore: MediaTime?

    init(epoch: Epoch) { self.epoch = epoch }

    mutating func begin(_ epoch: Epoch) {
        self.epoch = epoch
        pass = 0
        end = nil
        endBefore = nil
    }

    mutating func take(_ packet: Packet, pass: Int) {
        bytes += packet.byteCount
        if pass != self.pass {
            self.pass = pass
            endBefore = end
            end = nil
        }
        guard let time = packet.presentationTime ?? packet.decodeTime else { return }
        let over = time + (packet.duration ?? .zero)
        end = end.map { max($0, over) } ?? over
    }

    /// The end of what was read of `pass`; nil: nothing yet. Reading may be one pass ahead, or several where
    /// they are short, and then the pass is there as a whole.
    func end(ofPass pass: Int) -> MediaTime? { pass == self.pass ? end : endBefore }
}
