import ArgumentParser
import Foundation
import Playhead

/// How URLs of a network are read.
struct NetworkArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A header of each request; repeatable. Other hosts that a server leads on to get none but User-Agent, Referer, Origin and Accept.",
            valueName: "name: value"
        )
    )
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "Seconds without connection, first byte or further byte before another try, of three (default: 10).",
            valueName: "t"
        )
    )
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "The certificates that are trusted (default: those of the system).",
            valueName: "file"
        ),
        completion: .file()
    )
    var tlsCaFile: String?

    @Option(
        help: ArgumentHelp(
            "Fetch through this proxy: http, https, socks5 or socks5h (default: straight from the servers; http_proxy and its like in the environment are not looked at).",
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Keep what is fetched in this folder, up to 1 GB, for the next time; several processes may use one (default: off).",
            valueName: "dir|off"
        ),
        completion: .directory
    )
    var cache: String?

    func validate() throws {
        if cache?.isEmpty == true { throw ValidationError("--cache: expected a folder, or off.") }
        for line in header where Self.header(line) == nil {
            throw ValidationError(oneLine("--header \(line): expected \"Name: value\"."))
        }
        // Its credentials are in no message.
        if let proxy, NetworkOptions(proxy: proxy).flaw != nil {
            throw ValidationError("--proxy: expected an http, https, socks5 or socks5h URL with a host.")
        }
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout \(timeout): expected more than 0, and at most 86400.")
        }
    }

    /// `isQuiet`: no warnings.
    func options(isQuiet: Bool = false) -> NetworkOptions {
        NetworkOptions(
            headers: header.compactMap(Self.header),
            timeout: timeout ?? NetworkOptions().timeout,
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

    private static func header(_ line: String) -> NetworkOptions.Header? {
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return NetworkOptions.Header(name: String(line[..<colon]), value: String(value))
    }
}
