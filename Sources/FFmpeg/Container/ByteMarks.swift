internal import CFFmpeg
internal import MediaCore

/// Computes from a container's index how many bytes are needed to play up to a time.
enum ByteMarks {
    /// The number of marks at most. It is fine enough for buffering rules, and low enough to search for each packet.
    private static let limit = 512

    static func read(_ streams: [UnsafeMutablePointer<AVStream>], _ description: MediaDescription)
        -> [ByteMark]
    {
        guard let total = description.byteCount, let duration = description.duration.nanoseconds, duration > 0
        else { return [] }
        let marks = sizes(streams, description, total, duration) ?? places(streams, description, total)
        return marks.isEmpty ? [] : marks + [ByteMark(time: duration, byteCount: total)]
    }

    /// Returns marks from an index with the size of every sample (MP4): the sum of all samples before a time,
    /// regardless of their order in the file. Returns nil if there is no such index.
    private static func sizes(
        _ streams: [UnsafeMutablePointer<AVStream>],
        _ description: MediaDescription,
        _ total: Int64,
        _ duration: Int64
    ) -> [ByteMark]? {
        guard description.formatName.hasPrefix("mov"), !description.containsFragments else { return nil }
        var parts = [Int64](repeating: 0, count: limit)
        var sum: Int64 = 0
        for stream in streams {
            let mapping = TimeMapping(timeBase: stream.pointee.time_base, zero: description.startTime)
            for index in 0..<avformat_index_get_entries_count(stream) {
                guard let entry = avformat_index_get_entry(stream, index)?.pointee,
                    let time = mapping.itemTime(ticks(entry.timestamp))?.nanoseconds
                else { continue }
                // A damaged index can contain any time, so that the quotient does not fit into an integer.
                let part = Int(clamping: Double(max(0, time)) / Double(duration) * Double(limit))
                let size = Int64(max(0, entry.size))
                parts[min(limit - 1, max(0, part))] += size
                sum += size
            }
        }
        guard sum > 0, sum <= total else { return nil }
        // The header and all other data that is not a sample are needed first.
        var needed = total - sum
        return parts.enumerated().map { index, size in
            needed += size
            return ByteMark(
                // The last one of a duration near Int64.max is rounded up to 2^63.
                time: Int64(clamping: Double(duration) * Double(index + 1) / Double(limit)),
                byteCount: needed
            )
        }
    }

    /// Returns marks from an index that has only the positions of key frames (Matroska): all bytes before a key frame
    /// are needed at its time.
    private static func places(
        _ streams: [UnsafeMutablePointer<AVStream>],
        _ description: MediaDescription,
        _ total: Int64
    ) -> [ByteMark] {
        guard let stream = streams.max(by: { entryCount($0) < entryCount($1) }) else { return [] }
        let count = entryCount(stream)
        let mapping = TimeMapping(timeBase: stream.pointee.time_base, zero: description.startTime)
        let step = max(1, (Int(count) + limit - 1) / limit)
        var marks: [ByteMark] = []
        for index in stride(from: Int32(0), to: count, by: step) {
            guard let entry = avformat_index_get_entry(stream, index)?.pointee,
                let time = mapping.itemTime(ticks(entry.timestamp))?.nanoseconds, time > 0,
                entry.pos > marks.last?.byteCount ?? 0, entry.pos <= total
            else { continue }
            marks.append(ByteMark(time: time, byteCount: entry.pos))
        }
        return marks
    }

    private static func entryCount(_ stream: UnsafeMutablePointer<AVStream>) -> Int32 {
        avformat_index_get_entries_count(stream)
    }
}
