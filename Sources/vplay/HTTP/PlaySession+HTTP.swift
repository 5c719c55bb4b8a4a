import FoundationEssentials
import PlayheadCore
import Synchronization

/// What the HTTP interface shows of a session. All members but those that say otherwise are used on the callback queue.
extension PlaySession {
    /// Opens the socket of `--http`, or returns nil without it.
    ///
    /// - Throws: `ControlSocketError` if the address is not available.
    static func listenHTTP(_ options: PlayOptions) throws(ControlSocketError) -> (
        descriptor: Int32, port: UInt16
    )? {
        guard let endpoint = options.service.http else { return nil }
        return try endpoint.listen()
    }

    /// Begins to serve `--http`.
    func startHTTP() {
        guard let endpoint = options.service.http, let (descriptor, port) = httpSocket else { return }
        let routes = HTTPRoutes(session: self, folder: options.service.mediaFolder)
        let access = HTTPAccess(token: options.service.httpToken, address: endpoint.address)
        let server = HTTPServer(descriptor: descriptor, access: access) { routes.handle($0, $1) }
        state.withLock { $0.http = server }
        Console.shared.printLine("Listening to \(endpoint.url(port: port)).")
    }

    /// Sends an event to the clients of `/events`: the line of `--events json`.
    func publish(_ timed: TimedPlayerEvent) {
        guard let server = state.withLock({ $0.http }), server.hasStreams else { return }
        let record = EventRecord(timed.event)
        let item = record.item ?? timed.item
        let index = item.flatMap(reportedIndex(of:))
        server.publish(String(record.jsonLine(time: timed.itemTime, index: index).dropLast()))
    }

    /// The reason for which playback is not healthy, or nil.
    var healthProblem: String? { state.withLock { $0.health }?.problem }

    /// The body of `/status`.
    var statusObject: JSONValue {
        var members = HTTPRoutes.statusProperties.map { name -> (String, JSONValue) in
            (name, name == "path" ? publicPath : ControlProperty.value(name, self) ?? .null)
        }
        let problem = healthProblem
        let lastError = state.withLock { $0.lastError }
        members += [
            ("state", .string(statusText(problem))), ("healthy", .bool(problem == nil)),
            ("last-error", .optional(lastError?.message)),
            ("last-error-time", .optional(lastError?.time.text)),
        ]
        return .object(members)
    }

    /// The path in `/status`. Clients of HTTP do not receive the credentials and tokens of a URL, which `path` of the
    /// remote control contains.
    private var publicPath: JSONValue {
        .optional(state.withLock { $0.current?.entry.input.publicArgument })
    }

    /// Encodes the current frame. It is called when a sink has received it, on any thread.
    func encodeFrame(_ respond: @escaping HTTPRoutes.Respond) {
        guard options.decodesVideo, let item = activePlayback?.item, !item.presentationSize.isEmpty else {
            return respond(HTTPResponse(.notFound, "no frame"))
        }
        guard state.withLock({ $0.snapshot == nil }) else {
            return respond(HTTPResponse(.serviceUnavailable, "another frame is being encoded"))
        }
        let encoded = Mutex<[UInt8]>([])
        saveFrame(of: item, as: .jpeg) { frame in
            let bytes = try ImageEncoder(.jpeg).encode(frame)
            encoded.withLock { $0 = bytes }
            return ""
        } completion: { result in
            switch result {
            case .success: respond(HTTPResponse(jpeg: encoded.withLock { $0 }))
            case .failure(let error): respond(HTTPResponse(.serviceUnavailable, oneLine("\(error)")))
            }
        }
    }
}
