/// An event of an ASS script.
package struct ASSEvent: Sendable {
    /// The fields in the order of the script, from the layer on, without times: "Layer,Style,Name,...,Text".
    package let fields: String
    /// The position of the event in the script: of events in one layer, the later one covers the earlier one.
    package let readOrder: Int
    /// The script that the styles and fonts are taken from.
    package let script: ASSScript

    package init(fields: String, readOrder: Int, script: ASSScript) {
        self.fields = fields
        self.readOrder = readOrder
        self.script = script
    }
}

extension ASSEvent: Hashable {
    /// Returns whether two events show the same. A decoder that is flushed numbers the events again, so `readOrder` is
    /// not compared.
    package static func == (one: ASSEvent, other: ASSEvent) -> Bool {
        one.fields == other.fields && one.script == other.script
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}
