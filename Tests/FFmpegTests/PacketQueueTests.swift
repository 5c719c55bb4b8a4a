import CFFmpeg
import Testing

@testable import FFmpeg

@Suite("Packets that were read in advance")
struct PacketQueueTests {
    @Test("A queue that is never empty releases the packets that it returns")
    func releases() throws {
        final class Reference { weak var packet: PacketOwner? }
        var queue = PacketQueue()
        var references: [Reference] = []
        for number in 0..<1000 {
            let packet = try PacketOwner()
            packet.pointer.pointee.stream_index = Int32(number)
            let reference = Reference()
            reference.packet = packet
            references.append(reference)
            queue.append(packet)
            guard number >= 8 else { continue }
            let next = queue.popFirst()
            #expect(next?.pointer.pointee.stream_index == Int32(number - 8))
        }
        #expect(queue.count == 8)
        #expect(references.filter { $0.packet != nil }.count < 128)
        let rest = queue.contents.map { Int($0.pointer.pointee.stream_index) }
        #expect(rest == Array(992..<1000))
    }
}
