#if AppleSources
    import Testing

    @testable import AppleSourceTranslator

    @Suite("Translation of Apple's forms")
    struct TranslationTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let name: String
            let input: String
            let output: String
            var testDescription: String { name }

            init(_ name: String, _ input: String, _ output: String) {
                (self.name, self.input, self.output) = (name, input, output)
            }
        }

        @Test("A form of Apple's becomes Swift", arguments: Self.rows)
        func forms(row: Row) {
            let translation = Translation(of: [AppleSource(path: "/a.swift", text: row.input)])
            #expect(translation.messages.isEmpty)
            let text = translation.files[0].text
            let start = text.firstRange(of: "line: 1)\(row.input.contains("\r\n") ? "\r\n" : "\n")")
            #expect(start != nil)
            #expect(start.map { String(text[$0.upperBound...]) } == row.output)
        }

        static let rows = attributes + selectors + keyPaths + classes + protocols + conditions

        static let attributes = [
            Row("@objc", "@objc class A: B {}", "      class A: B {}"),
            Row("@objc with a name", "@objc(PLBox) final class Box {}", "             final class Box {}"),
            Row(
                "@objc on its own line",
                "class A {\n    @objc(play:)\n    func play(_ url: URL) {}\n}",
                "class A {\n                \n    func play(_ url: URL) {}\n}"
            ),
            Row("@objcMembers", "@objcMembers open class A {}", "             open class A {}"),
            Row("@nonobjc", "class A { @nonobjc func f() {} }", "class A {          func f() {} }"),
            Row(
                "Outlets",
                "class A { @IBOutlet weak var slider: Slider! }",
                "class A {           weak var slider: Slider! }"
            ),
            Row(
                "Actions",
                "class A { @IBAction func tap(_ sender: Any) {} }",
                "class A {           func tap(_ sender: Any) {} }"
            ),
            Row(
                "Designable views",
                "@IBDesignable class A: V { @IBInspectable var radius: Double = 0 }",
                "              class A: V {                var radius: Double = 0 }"
            ),
            Row(
                "An attribute between others and comments",
                "class A { @MainActor /* a */ @objc /* b */ private func f() {} // @objc\n}",
                "class A { @MainActor /* a */       /* b */ private func f() {} // @objc\n}"
            ),
            Row(
                "Availability stays",
                "@available(iOS 13.0, *) @objc final class A { @available(*, deprecated) @objc func f() {} }",
                "@available(iOS 13.0, *)       final class A { @available(*, deprecated)       func f() {} }"
            ),
            Row(
                "Enumerations",
                "@objc public enum State: Int { case idle }",
                "      public enum State: Int { case idle }"
            ),
            Row("Extensions", "@objc extension A {}", "      extension A {}"),
            Row("dynamic", "class A { dynamic func f() {} }", "class A {         func f() {} }"),
            Row(
                "Comments and strings",
                "// #selector(f) @objc\nlet a = \"@objc #selector(f) #keyPath(A.b)\" /* #keyPath(A.b) */",
                "// #selector(f) @objc\nlet a = \"@objc #selector(f) #keyPath(A.b)\" /* #keyPath(A.b) */"
            ),
        ]

        static let selectors = [
            Row(
                "A method by its name",
                "class A { func f() { g(#selector(ended)) } }",
                "class A { func f() { g(Selector(A.ended)) } }"
            ),
            Row(
                "A method with labels",
                "class A { func f() { g(#selector(ended(_:)), #selector(self.ended(note:))) } }",
                "class A { func f() { g(Selector(A.ended(_:)), Selector(A.ended(note:))) } }"
            ),
            Row(
                "A method of a named type",
                "class A { func f() { g(#selector(A.ended(_:)), #selector(Outer.B.ended)) } }",
                "class A { func f() { g(Selector(A.ended(_:)), Selector(Outer.B.ended)) } }"
            ),
            Row("At top level", "g(#selector(A.ended))", "g(Selector(A.ended))"),
            Row(
                "In a closure with a weak self",
                "class A { func f() { g { [weak self] in h(#selector(self?.ended)) } } }",
                "class A { func f() { g { [weak self] in h(Selector(A.ended)) } } }"
            ),
            Row(
                "In an extension of a nested type",
                "extension Outer.Inner { func f() { g(#selector(ended)) } }",
                "extension Outer.Inner { func f() { g(Selector(Outer.Inner.ended)) } }"
            ),
            Row(
                "In a nested class",
                "class A { class B { func f() { g(#selector(ended)) } } }",
                "class A { class B { func f() { g(Selector(B.ended)) } } }"
            ),
            Row(
                "In a generic class",
                "class Box<T: P>: NSObject where T: Q { func f() { g(#selector(ended)) } }",
                "class Box<T: P>: NSObject where T: Q { func f() { g(Selector(Box.ended)) } }"
            ),
            Row(
                "An overloaded method",
                "class A { func f() { g(#selector(play as () -> Void), #selector(A.play as (A) -> (Int) -> Void)) } }",
                "class A { func f() { g(Selector(A.play as (A) -> () -> Void), Selector(A.play as (A) -> (Int) -> Void)) } }"
            ),
            Row(
                "Over several lines",
                "class A { func f() {\n    g(\n        #selector(\n            ended(_:)\n        ),\n        1)\n} }",
                "class A { func f() {\n    g(\n        Selector(A.ended(_:)\n\n),\n        1)\n} }"
            ),
            Row(
                "In an interpolation",
                "class A { func f() { print(\"\\(#selector(ended)) #selector(ended)\") } }",
                "class A { func f() { print(\"\\(Selector(A.ended)) #selector(ended)\") } }"
            ),
            Row(
                "As the initial value of a property",
                "class A { lazy var timer = make(#selector(tick)) }",
                "class A { lazy var timer = make(Selector(A.tick)) }"
            ),
            Row(
                "With CR LF",
                "class A {\r\n    @objc func f() {\r\n        g(#selector(\r\n            ended))\r\n    }\r\n}\r\n",
                "class A {\r\n          func f() {\r\n        g(Selector(A.ended\r\n))\r\n    }\r\n}\r\n"
            ),
        ]

        static let keyPaths = [
            Row("A property", "let a = #keyPath(AVPlayer.rate)", "let a = \"rate\""),
            Row("A path", "let a = #keyPath(AVPlayer.currentItem.status)", "let a = \"currentItem.status\""),
            Row("A nested type", "let a = #keyPath(Outer.Inner.name)", "let a = \"name\""),
            Row(
                "Of the class",
                "class A { let p = #keyPath(player.currentItem.duration) }",
                "class A { let p = \"player.currentItem.duration\" }"
            ),
            Row(
                "Objective-C's name of a getter",
                "let a = #keyPath(AVPlayerItem.isPlaybackLikelyToKeepUp)",
                "let a = \"playbackLikelyToKeepUp\""
            ),
            Row(
                "A property with the name of one of Apple's",
                "class A { @objc var isMuted = false }; let a = #keyPath(A.isMuted)",
                "class A {       var isMuted = false }; let a = \"isMuted\""
            ),
            Row("Over lines", "let a = #keyPath(\n    A.b\n)", "let a = (\"b\"\n\n)"),
        ]

        static let classes = [
            Row("A class that observes nothing", "class A: NSObject {}", "class A: NSObject {}"),
            Row(
                "A class that observes by string",
                "class A: NSObject, P { override func observeValue(forKeyPath k: String?, of o: Any?, "
                    + "change: [K: Any]?, context: P?) {} }",
                "class A: KeyValueObserver, P { override func observeValue(forKeyPath k: String?, of o: Any?, "
                    + "change: [K: Any]?, context: P?) {} }"
            ),
            Row(
                "An observable property",
                "class A: NSObject { @objc dynamic private(set) var a: Int = 0 { didSet { f() } } }",
                "class A: KeyValueObserver { @KeyValueObservable               private(set) var a: Int = 0 { didSet { f() } } }"
            ),
            Row(
                "A property that cannot be observed",
                "class A: B { @objc dynamic var a = 0 }; class C: NSObject { @objc dynamic var b: Int { 0 } }",
                "class A: B {               var a = 0 }; class C: NSObject {               var b: Int { 0 } }"
            ),
            Row(
                "The superclass of a class that is observed",
                "class A: NSObject {}; class B: A { @objc dynamic var a = 0 }",
                "class A: KeyValueObserver {}; class B: A { @KeyValueObservable               var a = 0 }"
            ),
            Row(
                "An override in an extension",
                "class A: B {\n    var a = 0\n}\nextension A {\n    override func f() {\n        g(#selector(h))\n    }\n    func i() {}\n}",
                "class A: B {\n    var a = 0\n\n#sourceLocation(file: \"/a.swift\", line: 5)\n    override func f() {\n"
                    + "        g(Selector(A.h))\n    }\n#sourceLocation(file: \"/a.swift\", line: 3)\n}\n"
                    + "extension A {\n                       \n                       \n     \n    func i() {}\n}"
            ),
        ]

        static let protocols = [
            Row("A protocol", "@objc protocol P {}", "      protocol P: AnyObject {}"),
            Row(
                "A protocol with another",
                "@objc protocol P: Q { func f() }",
                "      protocol P: AnyObject, Q { func f() }"
            ),
            Row(
                "A protocol of objects",
                "@objc protocol P: NSObjectProtocol {}",
                "      protocol P: NSObjectProtocol {}"
            ),
            Row(
                "An optional method",
                "@objc public protocol P { @objc optional func f(_ a: Int, b: @escaping () -> Void) }\nd?.f?(1, b: {}); d!.f!(1) {}",
                "      public protocol P: AnyObject {                func f(_ a: Int, b: @escaping () -> Void) }\n"
                    + "d?.f(1, b: {}); d!.f(1) {}\n#sourceLocation()\nextension P {\n"
                    + "    public func f(_ a: Int, b: @escaping () -> Void) {}\n}\n"
            ),
            Row(
                "An optional method with an optional result",
                "@objc protocol P { @objc optional func f() -> Int? }\nlet a = d?.f?()",
                "      protocol P: AnyObject {                func f() -> Int? }\nlet a = d?.f()\n#sourceLocation()\n"
                    + "extension P {\n    func f() -> Int? { nil }\n}\n"
            ),
            Row(
                "An optional method with a result",
                "@objc protocol P { @objc optional func f(_ a: Int) -> Int }\nlet a = d?.f?(1) ?? 2, b = d?.f?(1).c",
                "      protocol P: AnyObject {                func f(_ a: Int) throws -> Int }\n"
                    + "let a = (try? d?.f(1)) ?? 2, b = (try? d?.f(1))?.c\n#sourceLocation()\n"
                    + "extension P {\n    func f(_ a: Int) throws -> Int { throw CancellationError() }\n}\n"
            ),
            Row(
                "An optional property",
                "@objc protocol P { @objc optional var a: Int? { get } }",
                "      protocol P: AnyObject {                var a: Int? { get } }\n#sourceLocation()\n"
                    + "extension P {\n    var a: Int? { nil }\n}\n"
            ),
            Row(
                "An optional closure",
                "class A { var end: (() -> Void)?; func f() { end?(); self.end?() } }",
                "class A { var end: (() -> Void)?; func f() { end?(); self.end?() } }"
            ),
        ]

        static let conditions = [
            Row(
                "Clauses for Apple's platforms stay",
                "#if os(iOS)\n@objc class A {}\n#elseif os(Linux)\n@objc class B {}\n#else\n@objc class C {}\n#endif",
                "#if os(iOS)\n@objc class A {}\n#elseif os(Linux)\n      class B {}\n#else\n@objc class C {}\n#endif"
            ),
            Row(
                "Clauses that depend on the build",
                "class A {\n#if DEBUG && !os(macOS)\n@objc func f() {}\n#else\n@IBAction func f() {}\n#endif\n}",
                "class A {\n#if DEBUG && !os(macOS)\n      func f() {}\n#else\n          func f() {}\n#endif\n}"
            ),
            Row(
                "canImport",
                "#if canImport(ObjectiveC) || targetEnvironment(simulator)\n@NSManaged var a: Int\n#endif",
                "#if canImport(ObjectiveC) || targetEnvironment(simulator)\n@NSManaged var a: Int\n#endif"
            ),
        ]
    }
#endif
