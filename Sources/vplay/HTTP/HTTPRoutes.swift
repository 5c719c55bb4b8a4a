import Dispatch
import FoundationEssentials
import PlayheadCore
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
        let queue = session.player.callbackQueue
        guard request.path == "/interrupt" || request.path == "/play", request.parameter("index") == nil
        else {
            return queue.async { answer(request, nil, respond) }
        }
        // A file system may take any time.
        session.readingQueue.async {
            let file = Result { () throws(HTTPStatus) in try input(of: request) }
            queue.async { answer(request, file, respond) }
        }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: The file that it names, or nil if it has none.
    ///   - respond: Receives the response.
    private func answer(
        _ request: HTTPRequest,
        _ file: Result<InputList, HTTPStatus>?,
        _ respond: @escaping Respond
    ) {
        do throws(HTTPStatus) {
            try perform(request, file, respond)
        } catch {
            respond(HTTPResponse(error))
        }
        session.control?.checkLater()
    }

    private func perform(
        _ request: HTTPRequest,
        _ file: Result<InputList, HTTPStatus>?,
        _ respond: @escaping Respond
    ) throws(HTTPStatus) {
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
            try change(request, file)
            respond(HTTPResponse(json: session.statusObject))
        default: throw .notFound
        }
    }

    private func change(_ request: HTTPRequest, _ file: Result<InputList, HTTPStatus>?) throws(HTTPStatus) {
        switch request.path {
        case "/play": if let file { try play(file.get()) } else { try playIndex(request) }
        case "/pause": session.setPaused(true)
        case "/resume": session.setPaused(false)
        case "/toggle": session.setPaused(!session.isPaused)
        case "/next": guard session.move(by: 1) else { throw .conflict }
        case "/previous": guard session.move(by: -1) else { throw .conflict }
        case "/interrupt": guard let file, session.interrupt(with: try file.get()) else { throw .notFound }
        default: throw .notFound
        }
    }

    /// Returns a list of the file that a request names. The paths in a playlist file could lead out of the folder.
    private func input(of request: HTTPRequest) throws(HTTPStatus) -> InputList {
        guard let item = request.parameter("item") else { throw .badRequest }
        guard let folder else { throw .forbidden }
        let path = try folder.file(item)
        let list = InputList([path])
        guard list.inputs.count == 1, list.inputs[0].url.path.hasSameBytes(as: path) else {
            throw .forbidden
        }
        return list
    }

    private func playIndex(_ request: HTTPRequest) throws(HTTPStatus) {
        let count = session.state.withLock { $0.playlist.entries.count }
        guard let index = request.parameter("index").flatMap({ Int($0) }) else { throw .badRequest }
        guard (0..<count).contains(index) else { throw .notFound }
        session.play(at: index)
    }

    /// Plays the entry of a file at once. A file that is not in the playlist is inserted after the current entry.
    private func play(_ list: InputList) {
        let path = list.inputs[0].url.path
        let index = session.state.withLock { state in
            state.playlist.entries.firstIndex {
                $0.input.url.isFileURL && $0.input.url.path.hasSameBytes(as: path)
            }
        }
        if let index { return session.play(at: index) }
        session.load(list, .insertNext, at: nil, LoadOptions(), playsAtOnce: true) { _ in }
    }
}
