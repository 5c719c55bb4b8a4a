// A list of films that are downloaded while they play. The rows show the first frame of their films. An unknown scheme makes the player
// ask a resource loader delegate for the bytes; complete films are stored, and played from the file the next time.

import AVFoundation
import DemoScreen
import UIStandIn

let screen = Screen("FOLDER FILE...", width: 340, height: 420) { $0.count > 1 }
let folder = URL(fileURLWithPath: screen.arguments[0], isDirectory: true)
let films = screen.arguments.dropFirst().map { URL(fileURLWithPath: $0) }

/// The server: it sends a file in 40 pieces, one in 20 ms.
func fetch(_ row: Int) throws -> FilmLoader.Film {
    let data = try Data(contentsOf: films[row % films.count])
    let pieces = AsyncThrowingStream { (pieces: AsyncThrowingStream<Data, any Error>.Continuation) in
        let sending = Task {
            let size = data.count / 40 + 1
            for start in stride(from: 0, to: data.count, by: size) {
                try await Task.sleep(for: .milliseconds(20))
                pieces.yield(data.subdata(in: start..<min(data.count, start + size)))
            }
            pieces.finish()
        }
        pieces.onTermination = { _ in sending.cancel() }
    }
    return FilmLoader.Film(
        identifier: "row-\(row).mp4",
        contentType: "public.mpeg-4",
        byteCount: Int64(data.count),
        pieces: pieces
    )
}

// The server also has a preview of each film.
var previews: [UIImage] = []
for film in films {
    let generator = AVAssetImageGenerator(asset: AVURLAsset(url: film))
    generator.maximumSize = CGSize(width: 320, height: 320)
    previews.append(UIImage(cgImage: try await generator.image(at: .zero).image))
}

var layout = UICollectionViewFlowLayout()
layout.itemSize = CGSize(width: 320, height: 180)
let collection = UICollectionView(
    frame: CGRect(x: 0, y: 0, width: 340, height: 420),
    collectionViewLayout: layout
)
let list = FilmList(collection, previews: previews, cache: FilmCache(folder, fetch: fetch))
collection.register(FilmCell.self, forCellWithReuseIdentifier: "film")
collection.dataSource = list
collection.delegate = list
collection.layer.display(in: screen.composite)
collection.reloadData()
try await screen.wait(seconds: 0.1)
list.playTopRow()
for _ in 0..<2 { try await screen.wait(seconds: 1) }

// A drag to the second row, and a fling past two others, whose downloads do not begin. The return cancels the download of the fifth.
for (offset, seconds) in [(190.0, 1.6), (760, 0.5)] {
    try await collection.drag(to: CGPoint(x: 0, y: offset), seconds: 0.4)
    try await screen.wait(seconds: 0.1)
    try await screen.wait(seconds: seconds)
}
try await collection.drag(to: .zero, seconds: 0.5)
try await screen.wait(seconds: 0.2)
try await screen.wait(seconds: 1)
try await screen.finish(columns: 4)
