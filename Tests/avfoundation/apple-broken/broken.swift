// swift-format-ignore-file

import UIKit
import AVFoundation

@objc protocol BrokenDelegate {
    @objc optional func ended(_ code: Int) -> Int
}

class Broken: NSObject {
    @IBOutlet weak var delegate: BrokenDelegate?
    @objc dynamic var name = "a"

    @objc func ended() {
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(
                ended
            ),
            name: nil,
            object: nil
        )
        let count: Int = "text" // error: cannot convert value of type 'String' to specified type 'Int'
        let code: String? = delegate?.ended?(count) // error: cannot convert value of type 'Int?' to specified type 'String'
        print(code ?? "", #selector(missing)) // error: type 'Broken' has no member 'missing'
    }
}

extension Broken {
    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        name = 1 // error: cannot assign value of type 'Int' to type 'String'
    }

    func after() { name = 2 } // error: cannot assign value of type 'Int' to type 'String'
}
