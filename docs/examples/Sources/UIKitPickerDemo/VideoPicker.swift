import AVFoundation
import Playhead
import PlayheadCapture
import PlayheadPicker

/// A picker that offers what the device has, and reports the URL of a film, or nil.
@MainActor final class VideoPicker {
    enum Source: CaseIterable {
        case camera
        case library
    }

    private let folder: URL
    weak var delegate: (any VideoPickerDelegate)?

    init(folder: URL) { self.folder = folder }

    static var sources: [Source] {
        Source.allCases.filter { $0 == .library || FileManager.default.fileExists(atPath: "/dev/video0") }
    }

    /// Records a film of a second. Without a camera it is a test pattern.
    func record() async throws {
        let camera: CaptureSource.Device =
            Self.sources.contains(.camera) ? .camera("/dev/video0") : .testPattern
        let recorder = Recorder(
            CaptureSource(camera, size: PixelSize(width: 320, height: 240), frameRate: 25),
            to: folder.appending(path: "recording.mp4"),
            duration: MediaTime(value: 1, timescale: 1)
        )
        _ = try await recorder.record()
    }

    /// Shows the films of the library, and reports the one that the keys choose.
    func present(_ keys: [MediaPicker.Key]) async throws {
        let films = try await MediaFile.files(in: folder).filter { $0.kind == .video }
        var picker = MediaPicker(films)
        for key in keys {
            switch picker.handle(key) {
            case .chosen(let file): return delegate?.didSelect(url: file.url) ?? ()
            case .cancelled: return delegate?.didSelect(url: nil) ?? ()
            default: break
            }
        }
    }
}

@MainActor protocol VideoPickerDelegate: AnyObject {
    func didSelect(url: URL?)
}
