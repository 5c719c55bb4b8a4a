/// The validated options for commands that run unattended.
struct ServiceOptions: Sendable {
    /// The path of the play log.
    var playLog: String?
    /// Whether desktops control playback over the session bus.
    var hasMPRIS = false
    /// Where the HTTP interface listens, or nil.
    var http: HTTPEndpoint?
    /// The secret of its clients.
    var httpToken: String?
    /// The files that its clients can play.
    var mediaFolder: MediaFolder?
}
