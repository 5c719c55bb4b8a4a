import AVFoundation
import Testing

@Suite("CATransaction")
@MainActor
struct CATransactionTests {
    @Test("A transaction inherits settings, and its own ones end with it")
    func settings() {
        #expect(!CATransaction.disableActions() && CATransaction.animationDuration() == 0.25)
        CATransaction.begin()
        CATransaction.setDisableActions(true)
        CATransaction.begin()
        #expect(CATransaction.disableActions())
        CATransaction.setDisableActions(false)
        CATransaction.setAnimationDuration(2)
        #expect(!CATransaction.disableActions() && CATransaction.animationDuration() == 2)
        CATransaction.commit()
        #expect(CATransaction.disableActions() && CATransaction.animationDuration() == 0.25)
        CATransaction.commit()
        #expect(!CATransaction.disableActions())
        CATransaction.commit()
    }

    @Test("A layer changes at once, and the completion block is called when its transaction ends")
    func completion() {
        var log: [String] = []
        let layer = CALayer()
        CATransaction.begin()
        CATransaction.setCompletionBlock { log.append("replaced") }
        CATransaction.setCompletionBlock { log.append("outer") }
        #expect(log == ["replaced"])
        CATransaction.begin()
        CATransaction.setCompletionBlock { log.append("inner") }
        layer.frame = CGRect(x: 0, y: 0, width: 64, height: 32)
        layer.removeAllAnimations()
        #expect(layer.bounds.width == 64 && log == ["replaced"])
        CATransaction.commit()
        #expect(log == ["replaced", "inner"])
        CATransaction.commit()
        #expect(log == ["replaced", "inner", "outer"])
    }

    @Test("A completion block that is replaced can set another one, and each block is called once")
    func replacement() {
        var log: [String] = []
        CATransaction.begin()
        CATransaction.setCompletionBlock {
            log.append("first")
            CATransaction.setCompletionBlock { log.append("third") }
        }
        CATransaction.setCompletionBlock { log.append("second") }
        CATransaction.commit()
        #expect(log == ["first", "second", "third"])
    }

    @Test("Without a transaction the completion block is called later")
    func noTransaction() async {
        await withCheckedContinuation { continuation in
            CATransaction.setCompletionBlock { continuation.resume() }
        }
    }
}
