package import MediaCore
package import PlayheadBackend

/// An element of the queue from the demuxing stage to a decoding stage.
package enum PacketElement: Sendable {
    case packet(Packet, pass: Int)
    /// The end of the data of a pass. What follows belongs to the next pass. The error is non-nil if the data
    /// ended early.
    case endOfPass(Int, MediaError?)
}
