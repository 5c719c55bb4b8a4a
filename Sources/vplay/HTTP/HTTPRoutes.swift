import Dispatch
import Foundation
import Playhead
import Synchronization

/// The resources of the HTTP interface. All but the entry point run on the callback queue of the player.
struct HTTPRoutes: Sendable {
    let session: PlaySession
    let folder: MediaFolder?

    typealias Respond = @Sendable (HTTPResponse) -> Void

    /// The properties in `GET /status`, under their names in the remote control.
    static let statusProperties = [
        "path", "filename", "media-title", "time-pos", "duration", "percent-pos", "pause", "core-idle",
        "idle-active",
        "paused-for-cache", "eof-reached", "speed", "volume", "mute", "loop-file", "loop-playlist",
        "playlist-pos",
        "playlist-count", "width", "height", "frame-drop-count", "pid", "mpv-version",
    ]

    func handle(_ request: HTTPRequest, _ respond: @escaping Respond) {
        session.player.callbackQueue.async {
            do throws(HTTPStatus) {
                try answer(request, respond)
            } catch {
                respond(HTTPResponse(error))
            }
            session.control?.checkLater()
        }
    }

    private func answer(_ request: HTTPRequest, _ respond: @escaping Respond) throws(HTTPStatus) {
        switch request.path {
        case "/status": respond(HTTPResponse(json: session.statusObject))
        case "/health":
            let problem = session.healthProblem
            respond(problem.map { HTTPResponse(.serviceUnavailable, $0) } ?? HTTPResponse(.ok, "ok"))
        case "/frame.jpg": session.encodeFrame(respond)
        case "/events": respond(.eventStream)
        case "/play", "/pause", "/resume", "/toggle", "/next", "/previous", "/interrupt":
            // HEAD must not change anything.
            guard request.method != .head else { throw .methodNotAllowed }
            try change(request)
            respond(HTTPResponse(json: session.statusObject))
        default: throw .notFound
        }
    }

    private func change(_ request: HTTPRequest) throws(HTTPStatus) {
        switch request.path {
        case "/play": try play(request)
        case "/pause": session.setPaused(true)
        case "/resume": session.setPaused(false)
        case "/toggle": session.setPaused(!session.state.withLock { $0.isPausedByUser })
        case "/next": guard session.move(by: 1) else { throw .conflict }
        case "/previous": guard session.move(by: -1) else { throw .conflict }
        case "/interrupt":
            guard try session.interrupt(with: input(file(request))) else { throw .notFound }
        default: throw .notFound
        }
    }

    private func file(_ request: HTTPRequest) throws(HTTPStatus) -> String {
        guard let item = request.parameter("item") else { throw .badRequest }
        guard let folder else { throw .forbidden }
        return try folder.file(item)
    }

    /// Returns a list of one file. The paths in a playlist file could lead out of the folder.
    private func input(_ path: String) throws(HTTPStatus) -> InputList {
        let list = InputList([path])
        guard list.inputs.count == 1, list.inputs[0].url.path == path else { throw .forbidden }
        return list
    }

    /// Plays the entry of a file at once. A file that is not in the playlist is inserted after the current entry.
    private func play(_ request: HTTPRequest) throws(HTTPStatus) {
        if let text = request.parameter("index") {
            let count = session.state.withLock { $0.playlist.entries.count }
            guard let index = Int(text) else { throw .badRequest }
            guard (0..<count).contains(index) else { throw .notFound }
            return session.play(at: index)
        }
        let path = try file(request)
        let index = session.state.withLock { state in
            state.playlist.entries.firstIndex { $0.input.url.isFileURL && $0.input.url.path == path }
        }
        if let index { return session.play(at: index) }
        guard let ids = try session.load(input(path), .insertNext, at: nil, LoadOptions()),
            let added = session.state.withLock({ state in ids.first.flatMap { state.playlist.index(of: $0) } }
            )
        else { throw .notFound }
        session.play(at: added)
    }
}
