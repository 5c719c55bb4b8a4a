import MediaCore
import PlayheadBackend

/// Creates the description of an item when it is opened, with the settings of that time.
package struct MediaItemSource: Sendable {
    let make: @Sendable () -> MediaItem?
    package init(_ make: @escaping @Sendable () -> MediaItem?) { self.make = make }
    package init(_ item: MediaItem) { make = { item } }
}
