import MediaCore
import PlayheadBackend

/// The description of an element of a frame queue, without its frame.
enum FrameElementInfo {
    case video(pass: Int, time: MediaTime)
    case audio(pass: Int, time: MediaTime)
    case endOfPass(Int, end: Int64?, MediaError?)

    init(_ element: FrameElement) {
        switch element {
        case .video(let frame): self = .video(pass: frame.pass, time: frame.presentationTime)
        case .audio(let buffer): self = .audio(pass: buffer.pass, time: buffer.presentationTime)
        case .endOfPass(let pass, let end, let error): self = .endOfPass(pass, end: end, error)
        }
    }
}
