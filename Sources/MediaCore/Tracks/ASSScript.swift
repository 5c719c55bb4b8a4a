/// The styles and fonts that the events of a track share.
package final class ASSScript: Equatable, Sendable {
    /// A font of the container.
    package struct Font: Equatable, Sendable {
        package var name: String
        package var bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The sections before the events, with the styles.
    package let header: [UInt8]
    package let fonts: [Font]

    package init(header: [UInt8], fonts: [Font] = []) {
        self.header = header
        self.fonts = fonts
    }

    /// Each segment of a playlist has a decoder of its own, whose script is equal to that of the others.
    package static func == (one: ASSScript, other: ASSScript) -> Bool {
        one === other || one.header == other.header && one.fonts == other.fonts
    }
}
