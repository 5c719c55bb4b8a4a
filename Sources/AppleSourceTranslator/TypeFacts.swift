#if AppleSources
/// The declarations of a type in the files of a target.
struct TypeFacts {
    enum Kind {
        case `class`
        case `protocol`
        case other
    }
    struct Method {
        let name: MethodName
        let isStatic: Bool
    }
    var kind: Kind?
    /// The names of the superclass and of the protocols.
    var inherited: [String] = []
    var methods: [Method] = []
    var properties: Set<String> = []
    var overridesObserveValue = false
    /// Whether the type has a property that can be observed by key path.
    var hasObservableProperty = false
}
#endif
