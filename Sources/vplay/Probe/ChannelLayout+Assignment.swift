import PlayheadCore

extension ChannelLayout {
    /// The name of the assignment to loudspeakers, or nil if the file does not declare one: FFmpeg's name is then only
    /// the number of channels.
    var assignment: String? { name.isEmpty || name == "\(channelCount) channels" ? nil : name }
}
