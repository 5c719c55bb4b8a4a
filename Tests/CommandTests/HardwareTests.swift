import Foundation
import Testing

/// The option `--hwdec`, with or without a hardware device.
@Suite("Hardware decoding", .enabled(if: Media.isMade))
struct HardwareTests {
    private func hashes(_ arguments: String...) async throws -> Outcome {
        try await Command.run(
            ["--untimed", "--audio", "none", "--video", "framemd5:-"] + arguments + [Media.clip]
        )
    }

    @Test("A missing device is one warning, and software decoding gives the same frames with status 0")
    func missing() async throws {
        let plain = try await hashes()
        #expect(plain.status == 0 && plain.errors.isEmpty && !plain.pictures.isEmpty)
        for device in ["magic", "vaapi:/dev/dri/none", "/dev/dri/none"] {
            let outcome = try await hashes("--hwdec", device, "--repeat", "2")
            #expect(outcome.status == 0)
            #expect(outcome.errorLines.count == 1)
            #expect(
                outcome.errors.contains(
                    "warning: \(Media.clip): hardware decoding unavailable, using software: "
                )
            )
            #expect(outcome.pictures.count == 2 * plain.pictures.count)
            #expect(Array(outcome.pictures.prefix(plain.pictures.count)) == plain.pictures)
            #expect(try await hashes("--hwdec", device, "--quiet").errors.isEmpty)
        }
        // The same reason is printed only once for several inputs.
        let twice = try await hashes("--hwdec", "magic", Media.clip)
        #expect(twice.status == 0 && twice.errorLines.count == 1)
    }

    @Test("none and auto are accepted, and an empty name is an error")
    func policies() async throws {
        let plain = try await hashes()
        #expect(try await hashes("--hwdec", "none").output == plain.output)
        let automatic = try await hashes("--hwdec", "auto")
        #expect(automatic.status == 0)
        #expect(automatic.output == plain.output)
        #expect(try await hashes("--hwdec", "").status == 64)
    }
}
