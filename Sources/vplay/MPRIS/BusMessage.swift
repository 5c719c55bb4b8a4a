import CSystemd

/// A message of sd-bus, which is valid for the duration of a call.
struct BusMessage {
    private let functions: ph_sd_bus
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer, _ library: BusLibrary) {
        self.pointer = pointer
        functions = library.functions
    }

    var interface: String { functions.message_get_interface(pointer).map { String(cString: $0) } ?? "" }
    var member: String { functions.message_get_member(pointer).map { String(cString: $0) } ?? "" }
    var isMethodCall: Bool { functions.message_is_method_call(pointer, nil, nil) > 0 }
    var isError: Bool { functions.message_is_method_error(pointer, nil) > 0 }

    // MARK: Reading

    /// Reads the next argument if it has the type of a value. Returns nil for another type, or after the last one.
    func readString() -> String? { text("s") }
    func readObjectPath() -> String? { text("o") }
    func readInt64() -> Int64? { basic("x", Int64(0)) }
    func readUInt32() -> UInt32? { basic("u", UInt32(0)) }

    /// Reads a variant that contains a value of the type of `example`.
    func readVariant(like example: BusValue) -> BusValue? {
        let variant = Self.code("v")
        guard functions.message_enter_container(pointer, variant, example.signature) > 0 else { return nil }
        let value: BusValue? =
            switch example {
            case .boolean: basic("b", Int32(0)).map { .boolean($0 != 0) }
            case .int64: readInt64().map { .int64($0) }
            case .double: basic("d", 0.0).map { .double($0) }
            case .string: readString().map { .string($0) }
            case .objectPath: readObjectPath().map { .objectPath($0) }
            // No property with another type can be set.
            case .strings, .dictionary, .variant: nil
            }
        guard functions.message_exit_container(pointer) >= 0 else { return nil }
        return value
    }

    private func text(_ type: Unicode.Scalar) -> String? {
        basic(type, UnsafePointer<CChar>?.none)?.map { String(cString: $0) }
    }

    private func basic<Value>(_ type: Unicode.Scalar, _ initial: Value) -> Value? {
        var value = initial
        let code = withUnsafeMutablePointer(to: &value) {
            functions.message_read_basic(pointer, Self.code(type), UnsafeMutableRawPointer($0))
        }
        return code > 0 ? value : nil
    }

    // MARK: Writing

    /// Appends an argument. Returns false if sd-bus refuses it, for example a path that is not valid.
    func append(_ value: BusValue) -> Bool {
        switch value {
        case .boolean(let flag): append("b", Int32(flag ? 1 : 0))
        case .int64(let number): append("x", number)
        case .double(let number): append("d", number)
        case .string(let text): append("s", text: text)
        case .objectPath(let text): append("o", text: text)
        case .strings(let texts): inContainer("a", "s") { texts.allSatisfy { append("s", text: $0) } }
        case .dictionary(let members):
            inContainer("a", "{sv}") {
                members.sorted { $0.key < $1.key }.allSatisfy { name, value in
                    inContainer("e", "sv") { append("s", text: name) && append(.variant(value)) }
                }
            }
        case .variant(let value): inContainer("v", value.signature) { append(value) }
        }
    }

    /// sd-bus refuses text with a noncharacter of Unicode, so these are replaced.
    private func append(_ type: Unicode.Scalar, text: String) -> Bool {
        let scalars = text.unicodeScalars.map { scalar in
            let isNoncharacter = 0xFDD0...0xFDEF ~= scalar.value || scalar.value & 0xFFFE == 0xFFFE
            return isNoncharacter ? "\u{FFFD}" : scalar
        }
        return String(String.UnicodeScalarView(scalars)).withCString {
            functions.message_append_basic(pointer, Self.code(type), $0)
        } >= 0
    }

    private func append<Value>(_ type: Unicode.Scalar, _ value: Value) -> Bool {
        withUnsafePointer(to: value) {
            functions.message_append_basic(pointer, Self.code(type), UnsafeRawPointer($0))
        } >= 0
    }

    private func inContainer(_ type: Unicode.Scalar, _ contents: String, _ body: () -> Bool) -> Bool {
        functions.message_open_container(pointer, Self.code(type), contents) >= 0 && body()
            && functions.message_close_container(pointer) >= 0
    }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}
