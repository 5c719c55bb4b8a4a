import ArgumentParser
import FoundationEssentials
import PlayheadCore

/// The options for network requests.
struct NetworkArguments: ParsableArguments {
    @Option(help: RequestHeader.help)
    var header: [String] = []

    @OptionGroup
    var connection: ConnectionArguments

    func validate() throws { try RequestHeader.check(header, "--header") }

    /// Returns the options for the network stack.
    ///
    /// - Parameter isQuiet: True to omit warnings of the disk cache.
    func options(isQuiet: Bool = false) -> NetworkOptions { connection.options(header, isQuiet: isQuiet) }
}

/// A header field as an argument: "Name: value".
enum RequestHeader {
    static let help = ArgumentHelp(
        "Send this header with each request; repeatable. After a redirect to another origin only User-Agent, Referer, Origin and fields that begin with Accept are sent.",
        valueName: "name: value"
    )

    /// Throws if a line is not a header field. The value may be a secret, so it is not part of the message.
    static func check(_ lines: [String], _ option: String) throws(ValidationError) {
        for line in lines where parse(line) == nil {
            throw ValidationError("\(option): expected \"Name: value\".")
        }
    }

    static func parse(_ line: String) -> NetworkOptions.Header? {
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return NetworkOptions.Header(name: String(line[..<colon]), value: String(value))
    }
}

/// The options for network requests apart from header fields.
struct ConnectionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Seconds to wait for a connection, the first byte or more data before retrying, up to three attempts (default: 10).",
            valueName: "t"
        )
    )
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "Trust the CA certificates in this file (default: those of the system).",
            valueName: "file"
        ),
        completion: .file()
    )
    var tlsCaFile: String?

    @Option(
        help: ArgumentHelp(
            "Use this proxy: http, https, socks5 or socks5h (default: none; http_proxy and similar environment variables are ignored).",
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Cache responses in this folder, up to 1 GiB; several processes may share it (default: off).",
            valueName: "dir|off"
        ),
        completion: .directory
    )
    var cache: String?

    func validate() throws {
        if cache?.isEmpty == true { throw ValidationError("--cache: expected a folder, or off.") }
        // The URL may contain credentials, so it is not part of the message.
        if let proxy, NetworkOptions(proxy: proxy).flaw != nil {
            throw ValidationError("--proxy: expected an http, https, socks5 or socks5h URL with a host.")
        }
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout \(timeout): expected more than 0, and at most 86400.")
        }
    }

    /// Returns the options for the network stack.
    ///
    /// - Parameters:
    ///   - headers: The header fields, "Name: value".
    ///   - isQuiet: True to omit warnings of the disk cache.
    func options(_ headers: [String], isQuiet: Bool = false) -> NetworkOptions {
        NetworkOptions(
            headers: headers.compactMap(RequestHeader.parse),
            timeout: timeout.map { .seconds($0) } ?? NetworkOptions().timeout,
            tlsCAFile: tlsCaFile,
            proxy: proxy,
            cache: diskCache(isQuiet)
        )
    }

    private func diskCache(_ isQuiet: Bool) -> DiskCache? {
        guard let cache, cache != "off" else { return nil }
        let disk = DiskCache(directory: URL(fileURLWithPath: cache, isDirectory: true))
        if !isQuiet { disk.setWarningHandler { Console.shared.printError("warning: \(oneLine($0))") } }
        return disk
    }
}
