import CoreMedia
import Foundation

/// The value of a property as observers by string get it: in Foundation's classes, as Objective-C has it.
///
/// `@unchecked Sendable`: numbers, boxes and errors are immutable, and the other objects are of this module and may be
/// used from any thread.
enum KeyValue: Equatable, @unchecked Sendable {
    case null
    case text(String)
    case object(NSObject)
    case list([NSObject])

    init(_ value: Bool) { self = .object(NSNumber(value: value)) }
    init(_ value: Int) { self = .object(NSNumber(value: value)) }
    init(_ value: Float) { self = .object(NSNumber(value: value)) }
    init<Value: RawRepresentable>(_ value: Value) where Value.RawValue == Int { self.init(value.rawValue) }
    init<Value: RawRepresentable>(_ value: Value?) where Value.RawValue == String {
        self = value.map { .text($0.rawValue) } ?? .null
    }
    init(_ time: CMTime) { self = .object(NSValue(time: time)) }
    init(_ size: CGSize) { self = .object(NSValue(size: size)) }
    init(_ rectangle: CGRect) { self = .object(NSValue(rect: rectangle)) }
    init(_ object: NSObject?) { self = object.map { .object($0) } ?? .null }
    init(_ error: (any Error)?) { self = error.map { .object($0 as NSError) } ?? .null }

    /// The value in the dictionary of a change.
    var value: Any {
        switch self {
        case .null: NSNull()
        case .text(let text): text
        case .object(let object): object
        case .list(let list): list
        }
    }
}
