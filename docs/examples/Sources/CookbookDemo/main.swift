// Runs the recipes of docs/cookbook.md and other pages with a clip, and writes their files into a folder:
// swift run --package-path docs/examples CookbookDemo clip.mp4 FOLDER

import Foundation
import Playhead
import Synchronization

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let path = arguments.first, let folder = arguments.last else {
    FileHandle.standardError.write(Data("usage: CookbookDemo FILE FOLDER\n".utf8))
    exit(64)
}
let clip = URL(fileURLWithPath: path)
let output = URL(fileURLWithPath: folder, isDirectory: true)

/// Counts frames, and continues when there are enough.
final class FrameCounter: Sendable {
    private let count = Atomic(0)
    private let enough: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let wanted: Int

    init(_ wanted: Int) {
        self.wanted = wanted
        (enough, continuation) = AsyncStream.makeStream()
    }
    var sink: CallbackVideoSink {
        CallbackVideoSink { [self] _ in
            if count.add(1, ordering: .relaxed).newValue == wanted { continuation.finish() }
        }
    }
    func wait() async { for await _ in enough {} }
}

try await thumbnail(of: clip, at: 1, to: output.appending(path: "thumbnail.png"))

let counter = Atomic(0)
try await everyFrame(of: clip) { bytes in counter.add(bytes.count, ordering: .relaxed) }
print("every frame:", counter.load(ordering: .relaxed) / (224 * 224 * 3))
print("sampled frames:", try await thirtyTwoFrames(of: clip).count)
print("averages:", try await averages(of: clip).count)
print("samples of speech:", try await speech(of: clip).count)
try await wav(of: clip, to: output.appending(path: "sound.wav").path)
try await encode(clip, to: output.appending(path: "small.mp4").path)
let asset = cached(clip, in: output.appending(path: "cache"))
try await asset.load()
print("duration:", asset.duration.seconds)
print("cues:", try await words(of: clip).count)

let looped = FrameCounter(5)
let player = loopMuted(clip, into: looped.sink)
await looped.wait()
await player.shutdown()

let shown = FrameCounter(5)
let (list, layers) = feed([clip, clip], [shown.sink, CallbackVideoSink { _ in }])
await shown.wait()
list.setCells([])
withExtendedLifetime(layers) {}

let both = [FrameCounter(5), FrameCounter(5)]
let players = await inStep([clip, clip], both.map(\.sink))
for counter in both { await counter.wait() }
for player in players { await player.shutdown() }

let offline = [FrameCounter(5), FrameCounter(5)]
try await offlineInStep([clip, clip], offline.map(\.sink), on: VirtualClock())
for counter in offline { await counter.wait() }
print("played")
