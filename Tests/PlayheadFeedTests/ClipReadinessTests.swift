import Testing

@testable import PlayheadFeed

@Suite("Feed: the first frame of a view's clip")
struct ClipReadinessTests {
    private enum Step {
        /// A clip is set.
        case set
        /// The layer is assigned to a clip.
        case assign(Int, UInt64)
        /// A frame is shown with an assignment.
        case frame(UInt64)
    }

    /// Returns whether each frame is the first one of the newest clip.
    private func results(_ steps: [Step]) -> [Bool] {
        var clips = ClipReadiness()
        var results: [Bool] = []
        for step in steps {
            switch step {
            case .set: _ = clips.beginClip()
            case .assign(let clip, let binding): clips.assignLayer(to: clip, binding)
            case .frame(let binding): results.append(clips.isFirstFrame(of: binding))
            }
        }
        return results
    }

    @Test("The first frame of each clip counts once, also after the layer was assigned to the clip again")
    func once() {
        #expect(results([.set, .assign(1, 1), .frame(1), .frame(1), .frame(2)]) == [true, false, false])
        #expect(results([.set, .assign(1, 1), .frame(2), .frame(2)]) == [true, false])
        #expect(
            results([.set, .assign(1, 1), .frame(1), .set, .assign(2, 3), .frame(3)]) == [true, true]
        )
    }

    @Test("A frame of an earlier clip does not count for the newest one")
    func earlierClip() {
        // Before the layer is assigned to the newest clip.
        #expect(results([.set, .assign(1, 1), .set, .frame(1)]) == [false])
        // The layer is assigned to the first clip after the second one has been set.
        #expect(
            results([.set, .set, .assign(1, 1), .frame(1), .assign(2, 2), .frame(2)]) == [false, true]
        )
        // The frame is reported late.
        #expect(results([.set, .assign(1, 1), .set, .assign(2, 3), .frame(1), .frame(3)]) == [false, true])
    }

    @Test("Each clip begins after the one that was set before it")
    func numbers() {
        var clips = ClipReadiness()
        let previous = [clips.beginClip(), clips.beginClip()]
        #expect(previous == [0, 1] && clips.number == 2)
    }
}
