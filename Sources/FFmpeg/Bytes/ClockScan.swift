internal import PlayheadBackend

/// Finds where the clock of an MPEG-2 stream (ISO/IEC 13818-1) jumps, by a few of its clock references: those of transport streams (PCR,
/// 2.4.3.5) and program streams (SCR, 2.5.3.4, also as in MPEG-1).
///
/// A clock that runs on shows nothing else. A section that is shorter than the distance of the samples may be missed.
struct ClockScan {
    /// The number of references that are read in every file, and in one whose clock jumps.
    private static let sampleCount: Int64 = 16
    private static let fineSampleCount: Int64 = 1024
    /// The size up to which all references of a file are read.
    private static let shortFileSize: Int64 = 4 << 20
    /// The bytes that are read at once, and between two positions without a clock reference at most.
    private static let partSize = 64 << 10
    private static let gapLimit: Int64 = 1 << 20
    /// The bytes that are read in all at most.
    private static let byteLimit: Int64 = 512 << 20
    /// The bytes that two parts share, so that each packet is whole in one of them.
    private static let overlap = 2048
    /// The distance below which all references are read.
    private static let leafSize: Int64 = 256 << 10
    private static let jumpLimit = 256
    /// The size that is examined of a sparse file at most, so that no sum of offsets overflows.
    private static let sizeLimit: Int64 = 1 << 60

    private let isProgramStream: Bool
    private let byteCount: Int64
    /// Returns up to a number of bytes at an offset, fewer only at the end of the file.
    private let read: (_ offset: Int64, _ count: Int) -> [UInt8]
    private var bytesRead: Int64 = 0

    init(
        isProgramStream: Bool,
        byteCount: Int64,
        read: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]
    ) {
        self.isProgramStream = isProgramStream
        self.byteCount = min(byteCount, Self.sizeLimit)
        self.read = read
    }

    /// Returns the positions of the first clock references after jumps, in ascending order.
    mutating func jumps() -> [Int64] {
        if byteCount <= Self.shortFileSize {
            return Array(jumps(in: references(from: 0, to: byteCount)).prefix(Self.jumpLimit))
        }
        guard !jumps(sampleCount: Self.sampleCount).isEmpty else { return [] }
        return Array(jumps(sampleCount: Self.fineSampleCount).prefix(Self.jumpLimit))
    }

    private mutating func jumps(sampleCount: Int64) -> [Int64] {
        let distance = max(Self.leafSize, byteCount / sampleCount)
        var samples: [ClockReference] = []
        for place in stride(from: 0, to: byteCount, by: Int(distance)) {
            guard
                let next = reference(
                    from: max(place, samples.last.map { $0.position + 1 } ?? 0),
                    to: byteCount,
                    of: samples.last?.stream
                )
            else {
                // Bytes of another format.
                if samples.isEmpty { return [] }
                continue
            }
            samples.append(next)
        }
        let ending = references(from: byteCount - Self.leafSize, to: byteCount)
        let stream = samples.last?.stream
        if let last = ending.last(where: { $0.stream == stream }) ?? ending.last { samples.append(last) }
        let pairs = zip(samples, samples.dropFirst()).filter { $0.position < $1.position }
        let rates = pairs.map { Double(Self.step($0, $1)) / Double($1.position - $0.position) }
            .filter { $0 > 0 }
        let rate = rates.isEmpty ? 0 : rates.sorted()[rates.count / 2]
        var result: [Int64] = []
        for (first, second) in pairs { find(first, second, rate: rate, into: &result) }
        return result
    }

    /// Returns the positions of references that do not continue the one before, of the same stream if it has one.
    private func jumps(in references: [ClockReference]) -> [Int64] {
        var result: [Int64] = []
        var previous: ClockReference?
        var latest: [Int: ClockReference] = [:]
        for next in references {
            // The streams of joined parts may differ.
            let own = latest[next.stream].flatMap { next.position - $0.position <= Self.gapLimit ? $0 : nil }
            if let former = own ?? previous, Self.isJump(Self.step(former, next), expected: 0) {
                result.append(next.position)
            }
            previous = next
            latest[next.stream] = next
        }
        return result
    }

    /// Appends the jumps between two references.
    ///
    /// - Parameter rate: The usual ticks per byte.
    private mutating func find(
        _ first: ClockReference,
        _ second: ClockReference,
        rate: Double,
        into result: inout [Int64]
    ) {
        let distance = second.position - first.position
        guard Self.isJump(Self.step(first, second), expected: rate * Double(distance)) else { return }
        if distance > Self.leafSize,
            let middle = reference(
                from: first.position + distance / 2,
                to: second.position,
                of: first.stream
            )
        {
            find(first, middle, rate: rate, into: &result)
            find(middle, second, rate: rate, into: &result)
            return
        }
        result += jumps(in: references(from: first.position, to: second.position + 1))
    }

    private static func isJump(_ step: Int64, expected: Double) -> Bool {
        Double(step) - expected > Double(TimestampSections.threshold)
            || step <= -TimestampSections.restartThreshold
    }

    /// Returns the ticks from one reference to another, of which one may be after a wrap.
    private static func step(_ first: ClockReference, _ second: ClockReference) -> Int64 {
        second.ticks + TimestampCycle.offset(of: second.ticks, near: first.ticks) - first.ticks
    }

    /// Returns the first reference in a range of positions, of a stream if that has one near it, or nil if there is none near the start
    /// of the range.
    private mutating func reference(from position: Int64, to end: Int64, of stream: Int?) -> ClockReference? {
        var place = position
        var limit = min(end, position + Self.gapLimit)
        var other: ClockReference?
        while place < limit {
            let found = part(at: place).filter { position..<end ~= $0.position }
            if let own = found.first(where: { stream == nil || $0.stream == stream }) { return own }
            if other == nil, let first = found.first {
                other = first
                limit = min(limit, place + Self.leafSize)
            }
            place += Int64(Self.partSize - Self.overlap)
        }
        return other
    }

    /// Returns all references in a range of positions.
    private mutating func references(from position: Int64, to end: Int64) -> [ClockReference] {
        var result: [ClockReference] = []
        var place = position
        while place < end, bytesRead < Self.byteLimit {
            for next in part(at: place) where place..<end ~= next.position {
                if next.position > result.last?.position ?? -1 { result.append(next) }
            }
            place += Int64(Self.partSize - Self.overlap)
        }
        return result
    }

    /// Returns the references in the part of the file at an offset.
    private mutating func part(at position: Int64) -> [ClockReference] {
        guard bytesRead < Self.byteLimit else { return [] }
        let bytes = read(position, Self.partSize)
        bytesRead += Int64(Self.partSize)
        let found = isProgramStream ? ClockReference.inPacks(bytes) : ClockReference.inPackets(bytes)
        return found.map {
            ClockReference(position: $0.position + position, ticks: $0.ticks, stream: $0.stream)
        }
    }
}
