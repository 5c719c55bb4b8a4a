/// Parts of properties, such as `playlist/0/filename`, `track-list/count` and `metadata/by-key/title`.
extension ControlProperty {
    /// Returns the part of a property that a path names, or nil if there is no such property.
    static func part(_ path: String) -> ControlProperty? {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count > 1, let property = all[String(names[0])] else { return nil }
        return ControlProperty { session throws(ControlError) in
            var value = try property.get(session)
            for name in names.dropFirst() {
                guard let part = value.part(name) else { throw .propertyNotFound }
                value = part
            }
            return value
        }
        .with { $0.isTimed = property.isTimed }
    }
}

extension JSONValue {
    /// An element of an array or the number of its elements, or a member of an object.
    fileprivate func part(_ name: Substring) -> JSONValue? {
        switch self {
        case .array(let values):
            if name == "count" { return .integer(values.count) }
            return Int(name).flatMap { values.indices.contains($0) ? values[$0] : nil }
        case .object(let members):
            if let member = self[String(name)] { return member }
            if name == "by-key" { return self }
            // Containers write the keys of metadata in different cases.
            return members.first { $0.0.lowercased() == name.lowercased() }?.1
        default: return nil
        }
    }
}
