extension Track {
    /// Whether a packet may have one of the two fields of an interlaced frame.
    ///
    /// libav's parser of H.264 returns each field as a packet. If one of them is left out, the decoder combines the other
    /// one with a field of another frame.
    package var mayHaveFieldPackets: Bool { codec == "h264" }
}
