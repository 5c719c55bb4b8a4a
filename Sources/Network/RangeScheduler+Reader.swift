internal import MediaCore

extension RangeScheduler {
    /// The positions of a reader and the byte that it waits for.
    struct Reader {
        let id: ReaderID
        /// The offset after the last read.
        var offset: Int64 = 0
        /// The number of bytes to fetch ahead of the reader.
        var window: Int64
        /// The upper bound of `window`.
        var aheadLimit = Int64.max
        /// The previous position, to which the reader may return: if audio and video are far apart in the file, it
        /// alternates between two positions.
        private var previous: (offset: Int64, window: Int64)?
        private var seekCount: UInt64 = 0
        /// The offset of the byte that the reader waits for.
        var waitingOffset: Int64?

        init(id: ReaderID, window: Int64) {
            self.id = id
            self.window = window
        }

        /// The number of bytes that are fetched ahead of the reader now.
        var readAhead: Int64 { min(window, aheadLimit) }

        /// The positions that the reader uses.
        var offsets: [Int64] { previous.map { [offset, $0.offset] } ?? [offset] }

        /// The lowest offset that the reader still needs.
        var lowestOffset: Int64 { min(offset, previous?.offset ?? offset) }

        /// Moves the reader. After a jump, reading ahead begins small again, unless the reader returns to its
        /// previous position.
        mutating func move(to newOffset: Int64, _ seeks: UInt64, _ policy: HTTPRepresentation.Policy) {
            if seeks != seekCount { previous = nil }
            seekCount = seeks
            defer { offset = newOffset }
            guard !Self.isNear(newOffset, offset, policy) else { return }
            let isReturn = previous.map { Self.isNear(newOffset, $0.offset, policy) } ?? false
            let next = isReturn ? previous?.window : nil
            previous = (offset, window)
            window = next ?? policy.initialWindow
        }

        /// Returns true if a move from `other` to `place` is a short step. A demuxer that returns reads some bytes
        /// again.
        private static func isNear(_ offset: Int64, _ other: Int64, _ policy: HTTPRepresentation.Policy)
            -> Bool
        {
            -policy.seekBackTolerance...policy.skipLimit ~= offset - other
        }
    }
}
