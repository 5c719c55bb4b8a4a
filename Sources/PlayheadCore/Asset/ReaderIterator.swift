import MediaCore
import PlaybackEngine

/// The way in which an iterator begins.
enum ReaderStart<Element: Sendable>: Sendable {
    case session(ReaderSession<Element>)
    /// There are no elements.
    case empty
    case failed(MediaError)
}

/// An iterator over the elements of a reader, which it starts with the first call.
struct ReaderIterator<Element: Sendable>: Sendable {
    private let asset: Asset
    private let begin: @Sendable () -> ReaderStart<Element>
    private var session: ReaderSession<Element>?
    private var hasEnded = false

    init(_ asset: Asset, _ begin: @escaping @Sendable () -> ReaderStart<Element>) {
        self.asset = asset
        self.begin = begin
    }

    mutating func next() async throws(PlaybackError) -> Element? {
        guard !hasEnded else { return nil }
        do throws(MediaError) {
            guard let session = try startedSession(), let element = try await session.next() else {
                end()
                return nil
            }
            return element
        } catch {
            end()
            throw PlaybackError(error, url: asset.url)
        }
    }

    private mutating func startedSession() throws(MediaError) -> ReaderSession<Element>? {
        if let session { return session }
        switch begin() {
        case .session(let started): session = started
        case .empty: break
        case .failed(let error): throw error
        }
        return session
    }

    private mutating func end() {
        hasEnded = true
        session = nil
    }
}
