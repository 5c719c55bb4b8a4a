import MediaCore
import PlayheadBackend

/// The source of an item's audio settings. Any thread.
package struct AudioSettingsSource: Sendable {
    let read: @Sendable () -> AudioSettings
    package init(_ read: @escaping @Sendable () -> AudioSettings = { AudioSettings() }) { self.read = read }
}
