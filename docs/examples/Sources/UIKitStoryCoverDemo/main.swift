// Story covers as iPhone apps have them: each cell of a collection owns a player and a layer, and loops a muted story. The code of
// `StoryCell` makes Apple's calls; `UIStandIn` has the classes of UIKit that it uses.

import AVFoundation
import DemoScreen
import UIStandIn

let screen = Screen("FILE FILE", width: 390, height: 340) { $0.count == 2 }
let stories = screen.arguments.map { URL(fileURLWithPath: $0) }

final class StoryList: UICollectionViewDataSource {
    var stories: [URL] = []

    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        stories.count
    }

    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
    {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "story", for: indexPath)
        (cell as? StoryCell)?.url = stories[indexPath.item]
        return cell
    }
}

var layout = UICollectionViewFlowLayout()
layout.itemSize = CGSize(width: 180, height: 320)
layout.columns = 2
let collection = UICollectionView(
    frame: CGRect(x: 0, y: 0, width: 390, height: 340),
    collectionViewLayout: layout
)
let list = StoryList()
list.stories = stories
collection.register(StoryCell.self, forCellWithReuseIdentifier: "story")
collection.dataSource = list
collection.layer.display(in: screen.composite)
collection.reloadData()
for _ in 0..<3 { try await screen.wait(seconds: 1.3) }

// The cells are used again, for the stories in the other order.
list.stories.reverse()
collection.reloadData()
for _ in 0..<2 { try await screen.wait(seconds: 1) }

// The cells become smaller, and their layers follow.
for cell in collection.visibleCells { cell.frame.size.height = 180 }
try await screen.wait(seconds: 0.5)

// A cell that waits to be used again is hidden, and plays to the end of its story without another pass.
for cell in collection.visibleCells { cell.prepareForReuse() }
try await screen.wait(seconds: 0.3)
try await screen.finish(columns: 7)
