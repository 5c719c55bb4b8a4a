#if AppleSources
    import Testing

    @testable import AppleSourceTranslator

    @Suite("Messages about what cannot be translated")
    struct MessageTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let input: String
            let messages: [String]
            var testDescription: String { input }

            init(_ input: String, _ messages: String...) { (self.input, self.messages) = (input, messages) }
        }

        @Test("A message names the line, the column and the reason", arguments: Self.rows)
        func messages(row: Row) {
            let translation = Translation(of: [AppleSource(path: "/a.swift", text: row.input)])
            let found = translation.messages.map(\.description)
            #expect(found.count == row.messages.count)
            for (message, expected) in zip(found, row.messages) {
                #expect(message.hasPrefix("/a.swift:" + expected), "\(message)")
            }
        }

        static let rows = [
            Row("\n  @NSManaged var a: Int", "2:3: error: @NSManaged needs Core Data"),
            Row("\r\n\r\n@NSCopying var a: A\r\n", "3:1: error: @NSCopying cannot be translated"),
            Row("@UIApplicationMain class A {}", "1:1: error: @UIApplicationMain needs UIKit"),
            Row("class A { let a = #selector(getter: b) }", "1:29: error: #selector(getter:) cannot"),
            Row("class A { let a = #selector(b.c) }", "1:29: error: the type of 'b' is not known here"),
            Row("class A { let a = #selector(super.c) }", "1:29: error: #selector(super.method)"),
            Row("let a = #selector(c)", "1:19: error: #selector outside of a class"),
            Row("struct A { let a = #selector(c) }", "1:30: error: a selector is a method of a class"),
            Row(
                "@objc protocol P { func f() }\nlet a = #selector(P.f)",
                "2:9: error: the method of a protocol"
            ),
            Row(
                "class A { static func f() {}; let a = #selector(f) }",
                "1:39: error: a selector of a class method"
            ),
            Row(
                "class A { func f(a: A, b: A) {}; let a = #selector(f) }",
                "1:42: error: a selected method has at most"
            ),
            Row(
                "let a = Selector(\"a:\"), b = Selector((\"a\")), c = NSSelectorFromString(\"a\")",
                "1:9: error: a selector made of text",
                "1:29: error: a selector made",
                "1:50: error: a selector made"
            ),
            Row("let a = #keyPath(A)", "1:9: error: #keyPath needs a property"),
            Row("let a = #imageLiteral(resourceName: \"a\")", "1:9: error: #imageLiteral needs"),
            Row("let a = b.responds(to: c)", "1:9: error: responds(to:) needs Objective-C"),
            Row("extension A { override func f() {} }", "1:15: error: an override in an extension"),
            Row(
                "class A {}; extension A where B: C { override func f() {} }",
                "1:38: error: an override in an extension"
            ),
            Row(
                "class A: NSObject { @objc dynamic weak var b: B? }",
                "1:27: error: this property cannot be observed"
            ),
            Row(
                "@objc protocol P { @objc optional var a: Int { get } }",
                "1:20: error: an optional property"
            ),
            Row(
                "@objc protocol P { @objc optional func f() throws -> Int }",
                "1:20: error: an optional method that throws"
            ),
            Row(
                "@objc protocol P {\n#if DEBUG\n@objc optional func f()\n#endif\n}",
                "3:7: error: an optional member inside #if"
            ),
            Row(
                "@objc protocol P { @objc optional func f() }\nlet a = d?.f != nil",
                "2:12: error: the optional method 'f()'"
            ),
            Row(
                "@objc protocol P { @objc optional func f() }\nclass A { var f: (() -> Void)?; func g() { d.f?() } }",
                "2:47: error: 'f' is the name of an optional method and of a variable"
            ),
            Row(
                "@objc protocol P { @objc optional func f() }\nclass A: P {}\nclass B: A { func f() {} }",
                "3:14: error: the superclass 'A' conforms to 'P' without 'f()'"
            ),
        ]

        @Test("A file can depend on the declarations of another one")
        func severalFiles() {
            let translation = Translation(of: [
                AppleSource(path: "/a.swift", text: "class A: B { func f() { d.f?(1) } }"),
                AppleSource(
                    path: "/b.swift",
                    text: "@objc protocol P { @objc optional func f(_ a: Int) }\nclass B: NSObject {}\n"
                        + "extension A { func observeValue(forKeyPath: A, of: A, change: A, context: A) {} }"
                ),
            ])
            #expect(translation.messages.isEmpty)
            #expect(translation.files[0].text.hasSuffix("class A: B { func f() { d.f(1) } }"))
            #expect(translation.files[1].text.contains("class B: KeyValueObserver {}"))
        }

        @Test("Modules that AVFoundation covers are imported if the build has them, and the lines remain")
        func imports() {
            let text = "// a\nimport UIKit // b\nimport AVFoundation\nlet a = 1"
            let translation = Translation(of: [AppleSource(path: "/a.swift", text: text)])
            #expect(
                translation.files[0].text == """
                    #sourceLocation(file: "/a.swift", line: 1)
                    // a
                    #if canImport(UIKit)
                    #sourceLocation(file: "/a.swift", line: 2)
                    import UIKit
                    #endif
                    #sourceLocation(file: "/a.swift", line: 2)
                     // b
                    import AVFoundation
                    let a = 1
                    """
            )
        }

        @Test("AVFoundation is imported where the translation needs it and the file does not")
        func addedImport() {
            let texts = [
                "let a = #selector(A.b)", "import AVKit\nlet a = #selector(A.b)", "let a = #keyPath(A.b)",
            ]
            let starts = texts.map { text in
                Translation(of: [AppleSource(path: "/a.swift", text: text)]).files[0].text.hasPrefix(
                    "import AVFoundation\n"
                )
            }
            #expect(starts == [true, false, false])
        }

        @Test("Quotation marks in a path are escaped")
        func escapedPath() {
            let translation = Translation(of: [AppleSource(path: "/a\"b\\c.swift", text: "")])
            #expect(translation.files[0].text == "#sourceLocation(file: \"/a\\\"b\\\\c.swift\", line: 1)\n")
        }
    }
#endif
