import ArgumentParser
import Playhead

/// The names of the images of one command: a name, or a pattern that counts from 1; "-" is standard output, and PNG.
struct ImageNames: Sendable {
    let format: ImageFileFormat
    let path: NumberedPath

    init(_ text: String) throws(ValidationError) {
        path = try Self.path(text)
        guard let format = text == "-" ? .png : path.imageFormat else {
            throw ValidationError(
                "\(oneLine(text)): expected a name that ends in .png, .jpg, .jpeg or .webp."
            )
        }
        self.format = format
    }

    static func path(_ text: String) throws(ValidationError) -> NumberedPath {
        guard let path = NumberedPath(text) else {
            throw ValidationError("\(oneLine(text)): expected one %d, or one such as %04d, for the number.")
        }
        return path
    }
}

/// "5x4": columns and rows of a sheet.
struct GridArgument: ExpressibleByArgument, Sendable {
    let columns: Int
    let rows: Int
    var count: Int { columns * rows }

    init?(argument: String) {
        guard let size = SizeArgument(argument: argument)?.size, size.width <= 100, size.height <= 100 else {
            return nil
        }
        (columns, rows) = (size.width, size.height)
    }
}
