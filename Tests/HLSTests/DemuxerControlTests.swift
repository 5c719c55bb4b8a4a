import MediaCore
import PlayheadBackend
import Testing

@testable import HLS

/// A demuxer that records the effect of control calls.
private final class ControlledDemuxer: Demuxer {
    let context = ReadContext()

    /// The state that a caller observes, with the number of the handler that receives notices.
    func state(_ notices: Locked<[Int]>) -> [Int] {
        notices.withLock { $0 = [] }
        context.wake()
        return [context.isInterrupted ? 1 : 0, context.isCancelled ? 1 : 0] + notices.withLock { $0 }
    }

    func open() throws(MediaError) -> Poll<MediaDescription> { .pending }
    func setEnabledTracks(_ ids: Set<Int>) {}
    func read() throws(MediaError) -> Poll<Packet?> { .pending }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> { .pending }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        .pending
    }
    func begin(_ epoch: Epoch) { context.begin(epoch) }
    func interrupt(before epoch: Epoch) { context.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) { context.setNoticeHandler(handler) }
    func cancel() { context.cancel() }
}

@Suite("Control calls reach demuxers that are created later")
struct DemuxerControlTests {
    @Test("A demuxer that is added at any time is in the state of one that was there from the start")
    func later() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed)
            let notices = Locked<[Int]>([])
            let control = DemuxerControl()
            let first = ControlledDemuxer()
            control.add(first)
            var epoch: UInt64 = 0
            for index in 0..<12 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0...3:
                    epoch += 1
                    control.begin(Epoch(epoch))
                case 4...6: control.interrupt(before: Epoch(epoch + UInt64.random(in: 0...1, using: &random)))
                case 7, 8: control.setNoticeHandler { _ in notices.withLock { $0.append(index) } }
                case 9: control.setNoticeHandler(nil)
                case 10 where index > 8: control.cancel()
                default: control.drop(ControlledDemuxer())
                }
                let late = ControlledDemuxer()
                control.add(late)
                let expected = first.state(notices)
                #expect(late.state(notices) == expected, "seed \(seed), call \(index)")
                #expect(control.context.isInterrupted == first.context.isInterrupted)
                control.drop(late)
                #expect(late.context.isCancelled)
            }
        }
    }
}
