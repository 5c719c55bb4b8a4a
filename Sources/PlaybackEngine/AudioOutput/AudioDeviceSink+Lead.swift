import MediaCore
import PlayheadBackend

extension AudioDeviceSink {
    /// The lead time in nanoseconds, limited to the range from zero to an hour: a device may report any duration.
    var leadNanoseconds: Int64 { max(0, min(lead.nanoseconds, 3_600_000_000_000)) }
}
