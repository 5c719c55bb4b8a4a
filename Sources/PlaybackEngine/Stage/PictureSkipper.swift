import MediaCore

/// What the loop asks a picture's decoding stage to leave out.
struct SkipWish: Hashable, Sendable {
    var level = DecodeSkipping.none
    /// Where playing stands, in nanoseconds of item time: at `allButKeyFrames` what lies before is left out.
    var position: Int64 = 0
    var pass = 0
}

/// Leaves packets out that nobody has time to decode, and counts the pictures that are lost by it.
struct PictureSkipper {
    private(set) var wish = SkipWish()
    /// Pictures between key frames were left out: what follows refers to them.
    private var needsKey = false
    /// When the pictures are due that the decoder may leave out.
    private var uncertain: [Int64] = []
    private(set) var lost = 0

    /// True: the decoder must be told.
    mutating func take(_ wish: SkipWish) -> Bool {
        defer { self.wish = wish }
        if self.wish.level == .allButKeyFrames, wish.level < .allButKeyFrames { needsKey = true }
        return self.wish.level != wish.level
    }

    /// A new epoch or pass: what is sent next can be decoded by itself.
    mutating func begin() {
        needsKey = false
        lost += uncertain.count
        uncertain = []
    }

    /// Whether to hand the packet to the decoder.
    mutating func wants(_ packet: Packet, pass: Int, isReverse: Bool) -> Bool {
        if packet.isKeyFrame { needsKey = false }
        let time = packet.presentationTime?.nanoseconds
        if wish.level == .allButKeyFrames {
            let isPast = !isReverse && pass == wish.pass && (time ?? .max) < wish.position
            if !packet.isKeyFrame || isPast {
                lost += 1
                needsKey = needsKey || isPast
                return false
            }
        } else if needsKey {
            lost += 1
            return false
        }
        if wish.level == .nonReference, let time { uncertain.append(time) }
        return true
    }

    /// A picture came out: those due before it were left out.
    mutating func came(_ time: MediaTime) {
        guard !uncertain.isEmpty, let time = time.nanoseconds else { return }
        let before = uncertain.count
        uncertain.removeAll { $0 < time }
        lost += before - uncertain.count
        uncertain.removeAll { $0 == time }
    }

    mutating func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }
}
