public import Foundation

extension NSObject {
    /// Calls a method of the object.
    ///
    /// - Parameters:
    ///   - selector: The method.
    ///   - object: The argument, which a method without parameters does not get.
    public func perform(_ selector: Selector, with object: Any? = nil) { selector.call(self, object) }
}
