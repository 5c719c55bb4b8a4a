import Foundation
import Playhead
import PlayheadFeed
import Testing

@Suite("Feed: intent and reasons")
struct IntentTests {
    @Test("2. Off screen nothing plays; afterwards the clip that is visible then plays")
    func hidden() {
        var scene = CoreScene()
        scene.send(.onScreen(false))
        #expect(scene.playing == [] && scene.changes == [.pause(0, .hidden)])
        scene.show(at: 2000)
        scene.reload(Array(0..<20))
        #expect(scene.playing == [] && scene.plan.ready == [])
        scene.send(.onScreen(true))
        #expect(scene.playing == [5])
    }

    @Test("10. A user's pause survives scrolling, other screens, the background and the end of a stall")
    func userPause() {
        var scene = CoreScene()
        scene.start()
        scene.send(.userPause(0, true))
        #expect(scene.playing == [] && scene.changes == [.pause(0, .user)])
        let events: [FeedEvent<Int>] = [
            .onScreen(false), .onScreen(true), .background(true), .background(false), .waiting(0, true),
            .waiting(0, false), .cells(scene.cells), .time, .mute(false),
        ]
        for event in events {
            scene.send(event)
            #expect(scene.playing == [])
        }
        scene.settle(at: 400)
        #expect(scene.playing == [1])
        scene.settle(at: 0)
        #expect(scene.playing == [] && scene.plan.entry(of: 0)?.reasons == .user)
        scene.send(.userPause(0, false))
        #expect(scene.playing == [0])
    }

    @Test("10. After the background, the clips that played resume, and no others")
    func background() {
        var scene = CoreScene(20, height: 200) { $0.rule = .all(atLeast: 1, upTo: 3) }
        #expect(scene.playing == [0, 1, 2])
        scene.send(.userPause(1, true))
        scene.send(.background(true))
        #expect(scene.playing == [])
        #expect(scene.plan.entry(of: 1)?.reasons == [.user, .background])
        scene.send(.background(false))
        #expect(scene.playing == [0, 2] && scene.changes == [.play(0), .play(2)])
    }

    @Test("Pause reasons are independent: when one ends, the others still apply")
    func reasons() {
        var scene = CoreScene()
        let on: [(FeedEvent<Int>, FeedPauseReasons)] = [
            (.onScreen(false), .hidden), (.background(true), .background), (.userPause(0, true), .user),
        ]
        let off: [FeedEvent<Int>] = [.onScreen(true), .background(false), .userPause(0, false)]
        for mask in 1..<8 {
            for (bit, event) in on.enumerated() where mask & 1 << bit != 0 { scene.send(event.0) }
            var left: FeedPauseReasons = []
            for (bit, event) in on.enumerated() where mask & 1 << bit != 0 { left.insert(event.1) }
            #expect(scene.plan.entry(of: 0)?.reasons == left)
            for (bit, event) in on.enumerated() where mask & 1 << bit != 0 {
                #expect(scene.playing == [])
                scene.send(off[bit])
                left.remove(event.1)
                #expect(scene.plan.entry(of: 0)?.reasons == left)
            }
            #expect(scene.playing == [0])
        }
        #expect("\(FeedPauseReasons([.user, .hidden]))" == "hidden+user")
    }

    @Test("3. While a clip waits for data, no other clip is chosen or heard")
    func waiting() {
        var scene = CoreScene()
        scene.send(.mute(false))
        #expect(scene.plan.audible == 0)
        scene.send(.waiting(0, true))
        #expect(scene.playing == [0] && scene.plan.audible == 0)
        #expect(scene.plan.entry(of: 0)?.reasons == .waiting)
        scene.settle(at: 400)
        #expect(scene.playing == [1] && scene.plan.audible == 1)
        scene.send(.waiting(0, false))
        #expect(scene.playing == [1] && scene.plan.audible == 1)
    }

    @Test("9. Mute is the default and applies to the whole feed; of several playing clips one is heard")
    func mute() {
        var scene = CoreScene(20, height: 200) { $0.rule = .all(atLeast: 1, upTo: 3) }
        #expect(scene.plan.audible == nil)
        scene.send(.mute(false))
        #expect(scene.plan.audible == 0)
        scene.send(.userPause(0, true))
        #expect(scene.plan.audible == 1)
        scene.settle(at: 1000)
        #expect(scene.plan.audible == 5)
        scene.send(.mute(true))
        #expect(scene.plan.audible == nil)
    }

    @Test(
        "8. A clip resumes from its position, or starts from zero near its end or if set"
    )
    func position() {
        let times: [(Double, Double?, Double)] = [
            (3, 10, 3), (9.4, 10, 9.4), (9.6, 10, 0), (3, nil, 3), (.nan, 10, 0), (-1, 10, 0),
        ]
        for (time, duration, expected) in times {
            var scene = CoreScene()
            scene.settle(at: 400)
            scene.core.keepPosition(of: 0, at: time, duration: duration)
            scene.settle(at: 4000)
            scene.settle(at: 0)
            #expect(scene.playing == [0] && scene.core.startTime(of: 0) == expected)
            scene.core.settings.offscreenBehavior = .pauseAndRewind
            #expect(scene.core.startTime(of: 0) == 0)
        }
    }

    @Test(
        "A clip that fails while it is preloaded is tried again when its cell comes into view, and not before"
    )
    func failedAhead() {
        var scene = CoreScene()
        scene.start()
        #expect(scene.plan.ready == [1, 2])
        scene.send(.failed(2))
        #expect(scene.plan.ready == [1, 3])
        scene.settle(at: 100)
        #expect(scene.plan.ready == [1, 3])
        scene.settle(at: 800)
        #expect(scene.plan.chosen == [2] && scene.playing == [2])
        scene.send(.failed(2))
        scene.settle(at: 850)
        #expect(scene.plan.chosen == [2] && scene.playing == [])
        scene.settle(at: 4000)
        scene.settle(at: 800)
        #expect(scene.playing == [2])
    }

    @Test("Preloading stops after three clips that have failed, and continues when the list moves on")
    func failedInARow() {
        var scene = CoreScene()
        scene.start()
        for id in 1...3 {
            #expect(scene.plan.ready == [id, id + 1])
            scene.send(.failed(id))
        }
        #expect(scene.plan.ready == [])
        scene.settle(at: 800)
        scene.start()
        #expect(scene.playing == [2] && scene.plan.ready == [3, 4])
    }

    @Test("A clip that has ended or failed stays paused, and plays again when its cell returns")
    func endAndFailure() {
        var scene = CoreScene()
        scene.send(.ended(0))
        #expect(scene.playing == [] && scene.changes.first == .pause(0, .ended))
        scene.send(.failed(0))
        #expect(scene.plan.chosen == [0] && scene.plan.entry(of: 0) == nil)
        #expect(scene.changes.contains(.release(0, .failed)))
        scene.settle(at: 2000)
        scene.settle(at: 0)
        #expect(scene.playing == [0])
        // Playing a clip that has ended starts it again.
        scene.send(.ended(0))
        scene.send(.userPause(0, false))
        #expect(scene.playing == [0])
    }
}

@Suite("Feed: direction of travel")
struct DirectionTests {
    /// A core with a list of ten cells that are laid out by `frame`, settled at the fourth cell.
    private func core(
        axis: FeedAxis? = nil,
        size: CGSize,
        _ frame: (Int) -> CGRect
    ) -> FeedCore<Int> {
        var settings = FeedSettings()
        settings.axis = axis
        settings.settlingTime = .zero
        var core = FeedCore<Int>(settings)
        core.handle(.cells((0..<10).map { FeedCell($0, frame: frame($0)) }), at: .zero)
        core.handle(.viewport(FeedViewport(CGRect(origin: frame(4).origin, size: size))), at: .zero)
        return core
    }

    private func start(_ core: inout FeedCore<Int>) -> [Int] {
        for id in core.plan.playing {
            core.handle(.started(id), at: .zero)
            core.handle(.buffered(id, seconds: 10, isFull: false), at: .zero)
        }
        return core.plan.ready
    }

    @Test(
        "The direction follows the order of the cells: downward, upward, to the right, to the left, and wide posts"
    )
    func arrangements() {
        let rows: [(String, CGSize, (Int) -> CGRect)] = [
            (
                "column", CGSize(width: 300, height: 300),
                { CGRect(x: 0, y: $0 * 300, width: 300, height: 300) }
            ),
            (
                "chat", CGSize(width: 300, height: 300),
                { CGRect(x: 0, y: $0 * -300, width: 300, height: 300) }
            ),
            (
                "strip", CGSize(width: 300, height: 300),
                { CGRect(x: $0 * 300, y: 0, width: 300, height: 300) }
            ),
            (
                "right to left", CGSize(width: 300, height: 300),
                { CGRect(x: $0 * -300, y: 0, width: 300, height: 300) }
            ),
            (
                "wide posts", CGSize(width: 5000, height: 240),
                { CGRect(x: 0, y: $0 * 240, width: 5000, height: 240) }
            ),
        ]
        for (name, size, frame) in rows {
            for velocity in [nil, 500.0] {
                var core = core(size: size, frame)
                #expect(start(&core) == [5, 6], "\(name)")
                for (page, expected) in [(3, [2, 1]), (2, [1, 0]), (3, [4, 5])] {
                    let isBackward = expected[0] < page
                    core.handle(
                        .scroll(
                            FeedViewport(CGRect(origin: frame(page).origin, size: size)),
                            velocity: velocity.map { isBackward ? -$0 : $0 },
                            .settled
                        ),
                        at: .zero
                    )
                    #expect(start(&core) == expected, "\(name), page \(page)")
                }
            }
        }
    }

    @Test("A grid of two rows scrolls along the axis that is set")
    func axis() {
        let frame = { (index: Int) in CGRect(x: index % 5 * 100, y: index / 5 * 100, width: 100, height: 100)
        }
        var core = core(axis: .vertical, size: CGSize(width: 500, height: 100), frame)
        core.handle(
            .scroll(FeedViewport(CGRect(x: 0, y: 100, width: 500, height: 100)), velocity: nil, .settled),
            at: .zero
        )
        #expect(start(&core) == [6, 7])
        core.handle(
            .scroll(FeedViewport(CGRect(x: 0, y: 0, width: 500, height: 100)), velocity: nil, .settled),
            at: .zero
        )
        #expect(core.plan.chosen == [0] && core.plan.ready == [])
    }

    @Test("A trembling finger, a jump, a rotation and a removal above do not turn the direction round")
    func steady() {
        var scene = CoreScene()
        scene.settle(at: 4000)
        for y in [4000, 3999.5, 4000, 3991, 4000, 3990.5] {
            scene.drag(to: y, velocity: y < 4000 ? -5 : nil)
        }
        scene.pass(0.3)
        scene.start()
        #expect(scene.plan.ready == [11, 12])
        // The viewport moves back, but the list was not scrolled.
        scene.reload(Array(2..<20))
        scene.show(at: 3200)
        scene.start()
        #expect(scene.plan.ready == [11, 12])
        scene.show(at: 2000)
        scene.start()
        #expect(scene.playing == [7] && scene.plan.ready == [8, 9])
        scene.drag(to: 1980)
        scene.pass(0.3)
        #expect(scene.plan.ready == [6, 5])
    }

    @Test("Slow scrolling in steps of half a point changes the direction after ten points")
    func slow() {
        var scene = CoreScene()
        scene.settle(at: 4000)
        for step in 1...20 {
            scene.drag(to: 4000 - Double(step) / 2)
            scene.pass(0.3)
            scene.start()
            #expect(scene.plan.ready == (step < 20 ? [11, 12] : [9, 8]), "\(step)")
        }
    }
}

@Suite("Feed: layout in one step, clips tried again, and pauses ahead")
struct LayoutTests {
    @Test("An insertion above or a rotation in one step does not interrupt the clip that plays")
    func oneStep() {
        var scene = CoreScene()
        scene.settle(at: 2000)
        #expect(scene.playing == [5])
        scene.cells = CoreScene.column([90, 91] + Array(0..<20), height: 400)
        let viewport = { (y: Double, width: Double, height: Double) in
            FeedViewport(CGRect(x: 0, y: y, width: width, height: height))
        }
        scene.send(.layout(scene.cells, viewport(2800, 300, 600), nil))
        #expect(scene.playing == [5] && scene.changes == [])
        scene.cells = CoreScene.column([90, 91] + Array(0..<20), height: 250)
        scene.send(.layout(scene.cells, viewport(1750, 600, 300), nil))
        #expect(scene.playing == [5] && scene.changes == [])
    }

    @Test("A clip that failed or ended is tried again on request")
    func retry() {
        var scene = CoreScene()
        for event in [FeedEvent<Int>.failed(0), .ended(0)] {
            scene.send(event)
            #expect(scene.playing == [])
            scene.send(.retry(0))
            #expect(scene.playing == [0])
        }
    }

    @Test("A clip that the user pauses before it is listed is paused when it is listed")
    func pausedAhead() {
        var scene = CoreScene()
        scene.send(.userPause(40, true))
        scene.send(.userPause(41, true))
        scene.send(.userPause(41, false))
        scene.reload([40])
        #expect(scene.plan.entry(of: 40)?.reasons == .user)
        scene.send(.userPause(40, false))
        #expect(scene.playing == [40])
        scene.reload([41])
        #expect(scene.playing == [41])
    }

    @Test("The changes report a stall and its end once each, and not while the clip is paused")
    func stalls() {
        var scene = CoreScene()
        scene.send(.waiting(0, true))
        #expect(scene.changes == [.waiting(0, true)])
        scene.send(.waiting(0, true))
        #expect(scene.changes == [])
        scene.send(.userPause(0, true))
        #expect(scene.changes.prefix(2) == [.pause(0, [.user, .waiting]), .waiting(0, false)])
        scene.send(.userPause(0, false))
        #expect(scene.changes == [.play(0), .waiting(0, true)])
        scene.send(.waiting(0, false))
        #expect(scene.changes == [.waiting(0, false)])
    }
}

@Suite("Feed: preloading and the pool")
struct PreloadRuleTests {
    @Test(
        "7. Nothing is preloaded before the playing clip has started and has buffered three seconds, or all"
    )
    func notBefore() {
        var scene = CoreScene()
        #expect(scene.plan.ready == [] && scene.plan.isPreloadingSuspended)
        scene.send(.started(0))
        scene.send(.buffered(0, seconds: 2.9, isFull: false))
        #expect(scene.plan.ready == [])
        scene.send(.buffered(0, seconds: 3, isFull: false))
        #expect(scene.plan.ready == [1, 2] && !scene.plan.isPreloadingSuspended)
        #expect(scene.changes == [.prepare(1, rank: 0), .prepare(2, rank: 1)])
        // Preloaded clips are kept but suspended while the playing clip needs data.
        scene.send(.waiting(0, true))
        #expect(scene.plan.ready == [1, 2] && scene.plan.isPreloadingSuspended)
        scene.send(.waiting(0, false))
        // Preloading is suspended below one second and resumes from three seconds, or when the clip is buffered
        // completely.
        for (seconds, isFull, stops) in [
            (1.0, false, false), (0.9, false, true), (2.9, false, true), (0.1, true, false),
        ] {
            scene.send(.buffered(0, seconds: seconds, isFull: isFull))
            #expect(scene.plan.isPreloadingSuspended == stops)
        }
    }

    @Test("Clips are preloaded in the direction of travel, and released at once when they are passed")
    func direction() {
        var scene = CoreScene()
        scene.settle(at: 4000)
        scene.start()
        #expect(scene.playing == [10] && scene.plan.ready == [11, 12])
        scene.settle(at: 3600)
        scene.start()
        #expect(scene.playing == [9] && scene.plan.ready == [8, 7])
        scene.drag(to: 3300)
        scene.drag(to: 6000)
        #expect(scene.plan.entries == [])
        #expect(scene.changes.contains(.release(8, .passed)))
        scene.settle(at: 18 * 400)
        scene.start()
        #expect(scene.playing == [18] && scene.plan.ready == [19])
    }

    @Test("A preloaded clip plays with the player that it has")
    func becomesChosen() {
        var scene = CoreScene()
        scene.start()
        scene.settle(at: 400)
        #expect(scene.changes == [.play(1)])
        #expect(scene.plan.entries.map(\.id) == [1, 2])
    }

    @Test("5. There are never more players than the pool allows, for any rule")
    func pool() {
        for (rule, most) in [
            (FeedRule.mostVisible(atLeast: 0.5), 3), (.all(atLeast: 0, upTo: 4), 6),
            (.all(atLeast: 0, upTo: 0), 3),
        ] {
            var scene = CoreScene(100, height: 90) { $0.rule = rule }
            #expect(scene.core.settings.poolSize == most)
            for y in stride(from: 0.0, to: 8000, by: 37) {
                if Int(y) % 2 == 0 { scene.settle(at: y) } else { scene.drag(to: y) }
                scene.start()
                #expect(scene.plan.entries.count <= most)
                #expect(Set(scene.plan.entries.map(\.id)).count == scene.plan.entries.count)
            }
        }
    }

    @Test("A cell that is no longer chosen but visible keeps its player until another one needs it")
    func held() {
        var scene = CoreScene()
        scene.drag(to: 250)
        #expect(scene.plan.entries.map(\.id) == [0] && scene.plan.entry(of: 0)?.role == .held)
        scene.drag(to: 0)
        scene.pass(0.3)
        #expect(scene.changes == [.play(0)])
        scene.drag(to: 401)
        #expect(scene.changes == [.pause(0, []), .release(0, .leftView)])
    }

    @Test("Nothing is preloaded in the background or off screen")
    func unseen() {
        var scene = CoreScene()
        scene.start()
        scene.send(.background(true))
        #expect(scene.plan.isPreloadingSuspended && scene.plan.ready == [1, 2])
        scene.show(at: 4000)
        #expect(scene.plan.ready == [])
    }

    @Test("A list that wraps continues with its first cell")
    func wraps() {
        var scene = CoreScene(5) { $0.wraps = true }
        scene.settle(at: 1400)
        scene.start()
        #expect(scene.playing == [4] && scene.plan.ready == [0, 1])
    }
}
