internal import Glibc
internal import MediaCore

extension TerminalSink {
    /// What one update shows.
    private struct Work {
        let picture: (frame: VideoFrame, place: TerminalGeometry.CellRect, cell: PixelSize)?
        /// The frame is counted.
        let isNew: Bool
        let status: (text: String, row: Int)?
        let clears: Bool
    }

    private enum Next {
        case idle
        /// The screen has to be taken first.
        case enter(handler: (@Sendable (Bool) -> Void)?)
        case work(Work)
    }

    /// Shows what is new, unless somebody is at it: then he goes on with that.
    func draw() {
        while true {
            switch next() {
            case .idle: return
            case .enter(let handler):
                handler?(true)
                let isEntered = state.withLock { state in
                    state.isDrawing = false
                    state.isEntered = !state.isSuspended && !state.isFinished && line.enter(ScreenBytes.enter)
                    return state.isEntered
                }
                guard isEntered else {
                    handler?(false)
                    return
                }
            case .work(let work):
                do {
                    let outcome = line.write(try bytes(of: work)) { [weak self] outcome in
                        self?.didWrite(work, outcome)
                        self?.draw()
                    }
                    if outcome == .pending { return }
                    didWrite(work, outcome)
                } catch {
                    fail(error as? MediaError ?? MediaError(.sinkFailed, "\(error)"))
                }
            }
        }
    }

    private func next() -> Next {
        state.withLock { state in
            guard !state.isDrawing, !state.isSuspended, !state.isFinished, state.failure == nil,
                let frame = state.frame, line.isForeground
            else { return .idle }
            guard state.isEntered else {
                state.isDrawing = true
                state.mustClear = true
                return .enter(handler: state.screenHandler)
            }
            let place = state.geometry.cellRect(for: frame.size)
            if state.place != place {
                state.place = place
                state.mustClear = true
            }
            let showsFrame = state.isFrameNew || state.mustClear
            // A picture in pixels may reach into the row below.
            let showsStatus = state.isStatusNew || state.mustClear || (showsFrame && graphics != .symbols)
            guard showsFrame || (showsStatus && state.geometry.statusRow != nil) else {
                state.isStatusNew = false
                return .idle
            }
            let text = state.status
            let work = Work(
                picture: showsFrame ? (frame, place, state.geometry.canvasCellSize(graphics)) : nil,
                isNew: state.isFrameNew,
                status: showsStatus ? state.geometry.statusRow.map { (text, $0) } : nil,
                clears: state.mustClear
            )
            state.isDrawing = true
            state.isFrameNew = false
            state.isStatusNew = false
            state.mustClear = false
            return .work(work)
        }
    }

    private func bytes(of work: Work) throws -> [UInt8] {
        guard let picture = work.picture else {
            return ScreenBytes.update(clears: work.clears, picture: nil, status: work.status)
        }
        return try canvas.draw(picture.frame, at: picture.place, cell: picture.cell) { drawn in
            ScreenBytes.update(clears: work.clears, picture: (drawn, picture.place), status: work.status)
        }
    }

    private func didWrite(_ work: Work, _ outcome: TerminalLine.Outcome) {
        state.withLock { state in
            state.isDrawing = false
            switch outcome {
            case .written: if work.isNew { state.counters.framesDelivered += 1 }
            case .abandoned where work.isNew && !state.isFrameNew:
                // It is still the newest, for when the screen is ours again.
                state.isFrameNew = true
            case .abandoned: if work.isNew { state.counters.framesDropped += 1 }
            case .pending, .failed: break
            }
        }
        if case .failed(let code) = outcome {
            let reason = String(cString: strerror(code))
            fail(
                MediaError(.sinkFailed, "the terminal cannot be written to: \(reason)", underlyingCode: code)
            )
        }
    }

    private func fail(_ error: MediaError) {
        state.withLock { state in
            state.isDrawing = false
            if state.failure == nil { state.failure = error }
        }
        restoreScreen(isLast: true)
    }

    /// The screen as it was.
    func restoreScreen(isLast: Bool) {
        let (handler, geometry) = state.withLock { state in
            defer { state.isEntered = false }
            return (state.isEntered ? state.screenHandler : nil, state.geometry)
        }
        let lastRow = max(geometry.rows, geometry.statusRow ?? 0)
        line.leave(ScreenBytes.leave(graphics, rows: lastRow), isLast: isLast)
        handler?(false)
    }
}
