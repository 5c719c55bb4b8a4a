import FFmpeg
import Foundation
import MediaCore
import TestSupport
import Testing

/// Which files a local playlist may refer to, and under which names they are found.
@Suite("Files that a local playlist refers to")
struct FileResourceTests {
    private func read(_ source: any ResourceByteSource) throws(MediaError) -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        var count = 0
        do {
            count = try bytes.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
        } catch {
            throw error as? MediaError ?? MediaError(.io, "\(error)")
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// A folder with a playlist in "inner", files beside it and files outside of it.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["inner/parts", "innermost"] {
            try FileManager.default.createDirectory(
                at: folder.file(name),
                withIntermediateDirectories: true
            )
        }
        for name in [
            "inner/list.m3u8", "inner/parts/a.ts", "inner/a b#c?d.ts", "inner/100%25.ts", "inner/ä.ts",
            "outside.ts", "innermost/a.ts",
        ] {
            try folder.write(name, Array(name.utf8))
        }
        symlink(folder.path("outside.ts"), folder.path("inner/out.ts"))
        symlink(folder.path("inner/parts/a.ts"), folder.path("inner/in.ts"))
        symlink(folder.path("inner/list.m3u8"), folder.path("link.m3u8"))
        return folder
    }

    @Test(
        "A file in the folder is found by its path, also percent-encoded, as a URL, or through a link in the folder",
        arguments: [
            ("parts/a.ts", "inner/parts/a.ts"), ("./parts/../parts/a.ts", "inner/parts/a.ts"),
            ("in.ts", "inner/parts/a.ts"), ("a b#c?d.ts", "inner/a b#c?d.ts"),
            ("a%20b%23c%3fd.ts", "inner/a b#c?d.ts"), ("100%25.ts", "inner/100%25.ts"),
            ("%c3%a4.ts", "inner/ä.ts"), ("../inner/parts/a.ts", "inner/parts/a.ts"),
        ]
    )
    func found(_ reference: String, _ content: String) throws {
        let folder = try folder()
        let roots = [folder.path("inner/list.m3u8"), "file://" + folder.path("inner/list.m3u8")]
        for root in roots.map(FileResource.init) {
            let path = folder.path("inner") + "/" + reference
            let opened = try root.openReferenced(path, cachePolicy: .everywhere, validatedAfter: 0)
            #expect(try read(opened) == content)
        }
        let root = FileResource(location: folder.path("inner/list.m3u8"))
        let url = "file://" + folder.path("inner/parts/a.ts")
        #expect(
            try read(root.openReferenced(url, cachePolicy: .nowhere, validatedAfter: 0)) == "inner/parts/a.ts"
        )
    }

    @Test("A playlist that is a link refers to files in the folder of the target")
    func linked() throws {
        let folder = try folder()
        let root = FileResource(location: folder.path("link.m3u8"))
        #expect(try read(root) == "inner/list.m3u8")
        let inside = folder.path("inner/parts/a.ts")
        #expect(
            try read(root.openReferenced(inside, cachePolicy: .everywhere, validatedAfter: 0))
                == "inner/parts/a.ts"
        )
        let outside = try root.openReferenced(
            folder.path("outside.ts"),
            cachePolicy: .everywhere,
            validatedAfter: 0
        )
        #expect(throws: MediaError.self) { try read(outside) }
    }

    @Test(
        "Everything else is refused",
        arguments: [
            ("inner/out.ts", MediaError.Code.forbidden), ("inner/../outside.ts", .forbidden),
            ("inner/%2e%2e/outside.ts", .forbidden), ("outside.ts", .forbidden),
            ("innermost/a.ts", .forbidden), ("inner/none.ts", .notFound), ("inner/parts", .io),
            ("inner/parts/a.ts\0", .notFound), ("inner/parts/a.ts%00", .notFound),
        ]
    )
    func refused(_ path: String, _ code: MediaError.Code) throws {
        let folder = try folder()
        let root = FileResource(location: folder.path("inner/list.m3u8"))
        let source = try root.openReferenced(folder.path(path), cachePolicy: .everywhere, validatedAfter: 0)
        let error = #expect(throws: MediaError.self) { try read(source) }
        #expect(error?.code == code)
    }

    @Test("Names that begin with a combining mark or differ in their normalization are compared by bytes")
    func bytesOfNames() throws {
        let folder = try TemporaryFolder()
        let names = ["e\u{301}/\u{301}list.m3u8", "e\u{301}/\u{301}a.ts", "outside.ts", "\u{e9}/a.ts"]
        let paths = names.map { "\(folder.path)/\($0)" }
        for name in ["e\u{301}", "\u{e9}"] { mkdir("\(folder.path)/\(name)", 0o700) }
        for (path, name) in zip(paths, names) {
            try #require(FileManager.default.createFile(atPath: path, contents: Data(name.utf8)))
        }
        let root = FileResource(location: paths[0])
        func read(_ path: String) throws -> String {
            try self.read(root.openReferenced(path, cachePolicy: .everywhere, validatedAfter: 0))
        }
        #expect(Array(try read(paths[1]).utf8) == Array(names[1].utf8))
        for path in paths[2...] {
            let error = #expect(throws: MediaError.self) { try read(path) }
            #expect(error?.code == .forbidden)
        }
    }

    @Test(
        "Other schemes and standard input are refused",
        arguments: ["http://127.0.0.1:1/a.ts", "concat:a.ts", "crypto:/etc/passwd", "data:,x", "-"]
    )
    func schemes(_ reference: String) throws {
        let folder = try folder()
        let root = FileResource(location: folder.path("inner/list.m3u8"))
        let source = try root.openReferenced(reference, cachePolicy: .everywhere, validatedAfter: 0)
        let error = #expect(throws: MediaError.self) { try read(source) }
        #expect(error?.code == .forbidden)
    }
}
