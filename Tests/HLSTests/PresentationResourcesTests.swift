import MediaCore
import Testing

@testable import HLS

@Suite("HLS: resources of a presentation")
struct PresentationResourcesTests {
    @Test("A presentation that changes its key all the time keeps the newest ones")
    func keys() {
        let resources = PresentationResources(root: UnreachableResource())
        let count = 2 * PresentationResources.keyLimit
        for number in 0..<count {
            // A key that is loaded again, by two readers at once, counts once.
            for _ in 0..<2 { resources.store(key: [UInt8(number % 256)], for: "\(number).key") }
        }
        let kept = (0..<count).filter { resources.key("\($0).key") == [UInt8($0 % 256)] }
        #expect(kept == Array(PresentationResources.keyLimit..<count))
    }
}
