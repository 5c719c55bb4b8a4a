package import MediaCore
package import PlayheadBackend

/// What flows from the demuxer to a decoder.
package enum PacketElement: Sendable {
    case packet(Packet, pass: Int)
    /// The data of the pass ends here; what follows belongs to the next one. The error says why, where it
    /// was not the natural end.
    case endOfPass(Int, MediaError?)
}
