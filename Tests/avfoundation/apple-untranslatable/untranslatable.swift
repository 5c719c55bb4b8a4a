// swift-format-ignore-file

import AVFoundation

@objc protocol Delegate {
    @objc optional var count: Int { get } // error: an optional property of a protocol needs an optional type
    @objc optional func ended()
}

class Record: NSObject {
    @NSManaged var title: String // error: @NSManaged needs Core Data
    @NSCopying var name: NSString = "" // error: @NSCopying cannot be translated
}

class Controller: NSObject {
    weak var delegate: Delegate?
    var item: AVPlayerItem?

    func observe(_ center: NotificationCenter) {
        _ = #selector(getter: item) // error: #selector(getter:) cannot be translated
        _ = #selector(item.step) // error: the type of 'item' is not known here: write #selector(Type.step)
        _ = Selector("ended:") // error: a selector made of text cannot be translated
        if delegate?.ended != nil {} // error: the optional method 'ended()' can be called with a question mark
        _ = delegate?.responds(to: #selector(Delegate.ended)) // error: responds(to:) needs Objective-C
        let path = #keyPath(Controller) // error: #keyPath needs a property
        _ = #selector(Controller.moved) // error: a selected method has at most one parameter here
    }

    @objc func moved(_ a: Int, by b: Int) {}
}

extension AVPlayer {
    override func play() {} // error: an override in an extension needs Objective-C
}

struct Model {
    func f() { _ = #selector(f) } // error: a selector is a method of a class, and 'Model' is not a class
}
