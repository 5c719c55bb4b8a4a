import FFmpeg
import Testing

@Suite("The formats that may be opened")
struct FormatPolicyTests {
    @Test("A TiVo recording, which libav calls ty, is a container")
    func tivo() {
        // The file identifier, the version and the length of a chunk.
        let header: [UInt8] = [0xF5, 0x46, 0x7A, 0xBD, 0, 0, 0, 2, 0, 2, 0, 0]
        let head = header + [UInt8](repeating: 0, count: 4096)
        #expect(ContentProbe.content(of: head, name: "") == .container)
    }
}
