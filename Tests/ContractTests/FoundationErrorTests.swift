import Foundation
import Playhead
import PlayheadTesting
import Testing

/// Tests what code without knowledge of Playhead reads of an error: `localizedDescription`, and the parts of an
/// `NSError`.
@Suite("Contract: errors as Foundation errors")
struct FoundationErrorTests {
    private static let path = "/nowhere/clip.mp4"

    @Test("Loading a missing file throws an error whose description names the file and the reason")
    func missingFile() async throws {
        let asset = Asset(url: URL(fileURLWithPath: Self.path))
        let error: any Error = try await #require(throws: PlaybackError.self) { try await asset.load() }
        let message = try #require(error as? PlaybackError).message
        #expect(message.hasPrefix(Self.path + ": "))
        #expect(error.localizedDescription == message)
        let localized = try #require(error as? any LocalizedError)
        #expect(localized.errorDescription == message)
        #expect(localized.failureReason.map { message == "\(Self.path): \($0)" } == true)
        #expect(localized.recoverySuggestion != nil)
    }

    @Test(
        "As an NSError, an item's error has a domain, a code, a description, the URL and an underlying error"
    )
    func bridged() throws {
        let bench = PlayerTestBench(.silentClip([.openFails(.permissionDenied)]))
        let item = bench.load()
        let error = try #require(item.error)
        let bridged = error as NSError
        #expect(bridged.domain == PlaybackError.errorDomain)
        #expect(bridged.code == PlaybackError.Code.permissionDenied.number)
        #expect(bridged.localizedDescription == error.message)
        #expect(bridged.localizedFailureReason == error.failureReason)
        #expect(bridged.localizedRecoverySuggestion == error.recoverySuggestion)
        #expect(bridged.userInfo[NSURLErrorKey] as? URL == item.asset.url)
        let below = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? MediaError)
        #expect(below.code == .permissionDenied)
    }

    @Test("Error codes have unique numbers that never change, and new codes are appended")
    func numbers() {
        let names = PlaybackError.Code.allCases.sorted { $0.number < $1.number }.map(\.rawValue)
        #expect(
            names == [
                "emptyMedia", "unrecognizedFormat", "truncated", "notReady", "exceedsLimits",
                "noPlayableTracks",
                "notFound", "permissionDenied", "forbidden", "io", "timedOut", "encrypted", "decoderNotFound",
                "decoderFailed", "decodeFailed", "notSeekable", "conversionFailed", "sinkFailed",
                "resourceLimit",
                "invalidArgument", "cancelled", "unknown", "hardwareUnavailable",
                "resourceChanged", "untrustedServer", "stuck", "brokenPipe", "diskFull",
                "maximumFileSizeReached", "unsupportedFormat", "operationNotAllowed", "displayUnavailable",
            ]
        )
        #expect(PlaybackError.Code.allCases.map(\.number).sorted() == Array(1...names.count))
        // A code of an application has none.
        let own = PlaybackError.Code(rawValue: "licenseExpired")
        #expect(own.number == 0 && own != .unknown && "\(own)" == "licenseExpired")
        #expect(PlaybackError.Code(rawValue: "io") == .io)
    }

    @Test(
        "Every kind of error and every code has a description of its own",
        arguments: PlaybackError.Code.allCases
    )
    func everyKind(code: PlaybackError.Code) {
        let media = MediaError(code, "the reason", location: Self.path, libraryLog: "its words")
        let made = PlaybackError(code: code, message: "a sentence", underlying: media)
        let alone = PlaybackError(code: code, message: "a sentence")
        for (error, message, reason) in [
            (media, "\(Self.path): the reason (its words)", "the reason (its words)"),
            (made, "a sentence", "the reason (its words)"), (alone, "a sentence", nil),
        ] as [(any LocalizedError & CustomNSError, String, String?)] {
            #expect((error as any Error).localizedDescription == message)
            #expect(error.errorDescription == message)
            #expect(error.failureReason == reason)
            let bridged = error as NSError
            #expect(bridged.code == code.number)
            #expect(bridged.localizedDescription == message)
            #expect(bridged.localizedFailureReason == reason)
            #expect(bridged.localizedRecoverySuggestion == error.recoverySuggestion)
        }
    }

    @Test("An error whose operation can be retried says so, whatever its kind")
    func retryable() {
        let error = PlaybackError(code: .io, message: "the network is down", isRetryable: true)
        #expect(error.recoverySuggestion == "Try again.")
        #expect(PlaybackError(code: .io, message: "the disk is broken").recoverySuggestion == nil)
    }

    @Test("Errors of sinks name the file, and carry the system's reason and error number")
    func sinks() throws {
        let output = try ByteOutput(path: "/dev/full")
        try output.write("x")
        let error = try #require(throws: PlaybackError.self) { try output.flush() }
        #expect(error.localizedDescription == "cannot write to /dev/full: No space left on device")
        #expect(error.failureReason == "No space left on device")
        #expect(error.recoverySuggestion != nil)
        let bridged = error as NSError
        #expect(bridged.code == PlaybackError.Code.diskFull.number)
        #expect((bridged.userInfo[NSURLErrorKey] as? URL)?.path == "/dev/full")
        let below = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? POSIXError)
        #expect(below.code == .ENOSPC)
    }

    @Test("One block that opens a sink, loads an asset and encodes an image throws one type")
    func oneType() async {
        do throws(PlaybackError) {
            let frame = try VideoFrame(
                packed: [0, 0, 0],
                pixelFormat: .rgb24,
                size: PixelSize(width: 1, height: 1)
            )
            _ = try ImageEncoder(.png).encode(frame)
            let wav = try WAVSink(path: "/nowhere/a.wav")
            try await Asset(url: URL(fileURLWithPath: Self.path)).load()
            wav.finish()
            Issue.record("a file was created in a missing folder")
        } catch {
            #expect(error.code == .notFound && error.url?.path == "/nowhere/a.wav")
        }
    }
}
