import AVFoundation

/// The films of the rows: files that are complete, and downloads, of which one runs at a time.
@MainActor final class FilmCache {
    private let directory: URL
    private let fetch: (Int) throws -> FilmLoader.Film
    private var loaders: [Int: FilmLoader] = [:]
    private var waiting: [Int] = []
    private var running: Int?

    /// Creates a cache in a folder. `fetch` begins the download of a row's film.
    init(_ directory: URL, fetch: @escaping (Int) throws -> FilmLoader.Film) {
        self.directory = directory
        self.fetch = fetch
    }

    private func file(_ row: Int) -> URL { directory.appending(path: "row-\(row).mp4") }

    /// Returns the stored film of a row, or an asset that downloads it while it plays.
    func asset(_ row: Int) throws -> AVURLAsset? {
        let file = file(row)
        if FileManager.default.fileExists(atPath: file.path) {
            print("row \(row): stored")
            return AVURLAsset(url: file)
        }
        print("row \(row): downloaded")
        let loader = FilmLoader(try fetch(row), storingAt: file) { isComplete in
            Task { @MainActor [weak self] in self?.ended(row, isComplete) }
        }
        loaders[row] = loader
        waiting.append(row)
        startNext()
        return loader.makeAsset()
    }

    /// Ends the download of a row that has left the screen.
    func cancel(_ row: Int) {
        guard let loader = loaders.removeValue(forKey: row) else { return }
        if running == row || waiting.contains(row) { print("row \(row): cancelled") }
        waiting.removeAll { $0 == row }
        loader.cancel()
        if running == row { running = nil }
        startNext()
    }

    private func startNext() {
        guard running == nil, let row = waiting.first else { return }
        waiting.removeFirst()
        running = row
        loaders[row]?.start()
    }

    private func ended(_ row: Int, _ isComplete: Bool) {
        if isComplete { print("row \(row): complete") }
        guard running == row else { return }
        running = nil
        // The player may still read what the buffer of the loader has.
        startNext()
    }
}
