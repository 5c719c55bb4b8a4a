// An endless banner of clips and images. The clip that is wholly visible plays, and the banner turns to the next page at its end.

import AVFoundation
import DemoScreen
import UIStandIn

let screen = Screen("CLIP IMAGE-SOURCE CLIP", width: 320, height: 200) { $0.count == 3 }
let files = screen.arguments.map { URL(fileURLWithPath: $0) }

// The image between the clips is a frame of the second file.
let generator = AVAssetImageGenerator(asset: AVURLAsset(url: files[1]))
generator.appliesPreferredTrackTransform = true
let image = UIImage(cgImage: try await generator.image(at: .zero).image)

let banner = Banner(
    frame: CGRect(x: 0, y: 0, width: 320, height: 200),
    pages: [.clip(files[0]), .image(image), .clip(files[2])]
)
banner.layer.display(in: screen.composite)

// The first clip ends, and the banner turns to the image.
for _ in 0..<3 { try await screen.wait(seconds: 1.4) }

// A finger turns to the last page, and further to the copy of the first one.
for step in 2...3 {
    try await banner.collection.drag(to: CGPoint(x: 320 * Double(step + 1), y: 0), seconds: 0.4)
    banner.isMuted.toggle()
    for _ in 0..<2 { try await screen.wait(seconds: 0.7) }
}

// Backwards, to the copy of the last page; half of it first.
try await banner.collection.drag(to: CGPoint(x: 160, y: 0), seconds: 0.2)
try await screen.wait(seconds: 0.1)
try await banner.collection.drag(to: .zero, seconds: 0.2)
try await screen.wait(seconds: 1)
try await screen.finish(columns: 3)
