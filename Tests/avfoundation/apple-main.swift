import AVFoundation

/// A stand-in for a class of UIKit, which Linux does not have.
final class Button: NSObject {
    var title = "play"
    private var targets: [(object: NSObject, action: Selector)] = []

    func addTarget(_ object: NSObject, action: Selector) { targets.append((object, action)) }

    func tap() {
        for target in targets { target.object.perform(target.action, with: self) }
    }
}

let button = Button()
let screen = PlayerScreen(button: button)
screen.show(URL(fileURLWithPath: CommandLine.arguments[1]))
RunLoop.main.run()
