// Records a film, lets the user choose one, and plays it in a view, which observes its player by string and by selectors.

import AVFoundation
import DemoScreen
import PlayheadPicker
import UIStandIn

let screen = Screen("FOLDER", width: 220, height: 220) { $0.count == 1 }
let folder = URL(fileURLWithPath: screen.arguments[0], isDirectory: true)

final class Controller: VideoPickerDelegate {
    let view = VideoView(frame: CGRect(x: 10, y: 10, width: 200, height: 200))

    func didSelect(url: URL?) {
        print("selected: \(url?.lastPathComponent ?? "none")")
        view.url = url
    }
}

let root = UIView(frame: CGRect(x: 0, y: 0, width: 220, height: 220))
let controller = Controller()
root.addSubview(controller.view)
root.layer.display(in: screen.composite)

let picker = VideoPicker(folder: folder)
picker.delegate = controller
print("sources: \(VideoPicker.sources.map { "\($0)" }.joined(separator: ", "))")
try await picker.record()

// The film is played once, with its proportions, and stops at its end.
controller.view.contentMode = .scaleAspectFit
try await picker.present("/rec".map { .character($0) } + [.enter, .enter])
try await screen.wait(seconds: 0.6)
try await screen.wait(seconds: 1)

// A loop that fills the view.
controller.view.contentMode = .scaleAspectFill
controller.view.repeat = .loop
controller.view.url = controller.view.url
for _ in 0..<3 { try await screen.wait(seconds: 0.8) }

// A user who cancels, and a file that is no film: the view is empty.
try await picker.present([.escape])
try await screen.wait(seconds: 0.2)
controller.view.url = folder.appending(path: "missing.mp4")
try await screen.wait(seconds: 0.4)
print("url: \(controller.view.url?.lastPathComponent ?? "none")")
try await screen.finish(columns: 7)
