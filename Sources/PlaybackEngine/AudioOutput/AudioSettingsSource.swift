import MediaCore
import PlayheadBackend

/// Where an item's settings come from. Any thread.
package struct AudioSettingsSource: Sendable {
    let read: @Sendable () -> AudioSettings
    package init(_ read: @escaping @Sendable () -> AudioSettings = { AudioSettings() }) { self.read = read }
}
