internal import Glibc
internal import MediaCore

extension TerminalSink {
    /// The content of one update.
    private struct Work {
        let image: (frame: VideoFrame, cells: TerminalGeometry.CellRect, cell: PixelSize)?
        /// Whether the frame is shown for the first time, and therefore counted.
        let isNew: Bool
        let status: (text: String, row: Int)?
        let clears: Bool
    }

    private enum Next {
        case idle
        /// The screen has to be entered first.
        case enter(handler: (@Sendable (Bool) -> Void)?)
        case work(Work)
    }

    /// Draws what has changed, unless a draw is in progress; that one then continues with the change.
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
                    fail(
                        error as? PlaybackError
                            ?? PlaybackError(code: .displayUnavailable, message: "\(error)")
                    )
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
            let cells = state.geometry.cellRect(for: frame.size)
            if state.cells != cells {
                state.cells = cells
                state.mustClear = true
            }
            let showsFrame = state.isFrameNew || state.mustClear
            // An image in pixels may extend into the row below.
            let showsStatus = state.isStatusNew || state.mustClear || (showsFrame && graphics != .symbols)
            guard showsFrame || (showsStatus && state.geometry.statusRow != nil) else {
                state.isStatusNew = false
                return .idle
            }
            let text = state.status
            let work = Work(
                image: showsFrame ? (frame, cells, state.geometry.canvasCellSize(graphics)) : nil,
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
        guard let image = work.image else {
            return ScreenBytes.update(clears: work.clears, image: nil, status: work.status)
        }
        return try canvas.draw(image.frame, at: image.cells, cell: image.cell) { drawn in
            ScreenBytes.update(clears: work.clears, image: (drawn, image.cells), status: work.status)
        }
    }

    private func didWrite(_ work: Work, _ outcome: TerminalLine.Outcome) {
        state.withLock { state in
            state.isDrawing = false
            // A thread that restores the screen may do so after another one has entered it again.
            if outcome == .abandoned { state.isEntered = false }
            switch outcome {
            case .written: if work.isNew { state.counters.framesDelivered += 1 }
            case .abandoned where work.isNew && !state.isFrameNew:
                // The frame is still the newest, and is shown once the screen is in use again.
                state.isFrameNew = true
            case .abandoned: if work.isNew { state.counters.framesDropped += 1 }
            case .pending, .failed: break
            }
        }
        if case .failed(let code) = outcome {
            fail(
                PlaybackError(
                    systemCode: code,
                    code: .displayUnavailable,
                    "cannot write to the terminal"
                )
            )
        }
    }

    private func fail(_ error: PlaybackError) {
        state.withLock { state in
            state.isDrawing = false
            if state.failure == nil { state.failure = error }
        }
        restoreScreen(isLast: true)
    }

    /// Restores the terminal's screen.
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
