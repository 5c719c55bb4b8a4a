import MediaCore
import PlayheadBackend

/// Describes an item when it is opened, with what was set on it until then.
package struct MediaItemSource: Sendable {
    let make: @Sendable () -> MediaItem?
    package init(_ make: @escaping @Sendable () -> MediaItem?) { self.make = make }
    package init(_ item: MediaItem) { make = { item } }
}
