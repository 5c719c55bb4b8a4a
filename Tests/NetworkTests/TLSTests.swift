import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// A TLS server, `openssl s_server`, with a certificate created for the test.
private final class TLSServer {
    private let process = Process()
    private let folder: TemporaryFolder
    private(set) var port = 0

    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// Starts a server. `name` is the subject alternative name of the certificate.
    init(name: String, isExpired: Bool = false, _ file: [UInt8]) throws {
        folder = try TemporaryFolder()
        try folder.write("film.bin", file)
        try folder.write("index.txt", [])
        try folder.write("serial", Array("01\n".utf8))
        let settings = """
            [ca]
            default_ca = d
            [d]
            database = index.txt
            new_certs_dir = .
            serial = serial
            default_md = sha256
            default_days = 2
            policy = p
            x509_extensions = x
            [p]
            commonName = supplied
            [x]
            subjectAltName = \(name)
            """
        try folder.write("ca.cnf", Array(settings.utf8))
        try run("req -new -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=test -out request.pem")
        let dates = isExpired ? " -startdate 20200101000000Z -enddate 20200102000000Z" : ""
        try run(
            "ca -batch -notext -selfsign -config ca.cnf -keyfile key.pem -in request.pem -out certificate.pem"
                + dates
        )
        let output = Pipe()
        prepare(process, "s_server -WWW -accept 127.0.0.1:0 -cert certificate.pem -key key.pem", output)
        try process.run()
        // The server prints "ACCEPT 127.0.0.1:PORT" once it listens.
        var text = ""
        while port == 0 {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw POSIXError(.EIO) }
            text += String(decoding: part, as: UTF8.self)
            guard
                let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first(
                    where: {
                        $0.hasPrefix("ACCEPT")
                    })
            else { continue }
            port = line.split(separator: ":").last.flatMap { Int($0) } ?? -1
        }
    }

    deinit {
        // A process started by a test's thread may have SIGTERM blocked.
        kill(process.processIdentifier, SIGKILL)
    }

    var certificate: String { folder.path("certificate.pem") }
    var url: String { "https://127.0.0.1:\(port)/film.bin" }

    private func run(_ arguments: String) throws {
        let tool = Process()
        prepare(tool, arguments, Pipe())
        try tool.run()
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }

    private func prepare(_ tool: Process, _ arguments: String, _ output: Pipe) {
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        tool.arguments = arguments.split(separator: " ").map(String.init)
        tool.currentDirectoryURL = folder.url
        tool.standardInput = FileHandle.nullDevice
        tool.standardOutput = output
        tool.standardError = FileHandle.nullDevice
    }
}

@Suite("TLS certificates", .enabled(if: TLSServer.isInstalled, "openssl"), .timeLimit(.minutes(10)))
struct TLSTests {
    private let file = ServedFile.bytes(20_000)

    private func read(_ server: TLSServer, trusting caFile: String?) throws(MediaError) -> [UInt8] {
        let source = try HTTPRepresentation(url: server.url, options: NetworkOptions(tlsCAFile: caFile))
        return try ServedFile.read(source)
    }

    @Test("A certificate in the CA file is trusted, and a self-signed one otherwise is not")
    func selfSigned() throws {
        let server = try TLSServer(name: "IP:127.0.0.1", file)
        #expect(try read(server, trusting: server.certificate) == file)
        let error = #expect(throws: MediaError.self) { try read(server, trusting: nil) }
        #expect(error?.code == .untrustedServer)
        #expect(error?.libraryLog?.isEmpty == false)
    }

    @Test("The certificate of another host is refused")
    func wrongHost() throws {
        let server = try TLSServer(name: "DNS:other.example", file)
        let error = #expect(throws: MediaError.self) { try read(server, trusting: server.certificate) }
        #expect(error?.code == .untrustedServer)
    }

    @Test("An expired certificate is refused")
    func expired() throws {
        let server = try TLSServer(name: "IP:127.0.0.1", isExpired: true, file)
        let error = #expect(throws: MediaError.self) { try read(server, trusting: server.certificate) }
        #expect(error?.code == .untrustedServer)
    }

    @Test("A missing CA file is an error")
    func noFile() throws {
        let server = try TLSServer(name: "IP:127.0.0.1", file)
        let error = #expect(throws: MediaError.self) { try read(server, trusting: "/no/such/file.pem") }
        #expect(error?.code == .invalidArgument)
    }
}
