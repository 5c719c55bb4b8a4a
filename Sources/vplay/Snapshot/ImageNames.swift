import ArgumentParser
import PlayheadCore

/// The output names of one command: a name, a pattern numbered from 1, or "-" for PNG on standard output.
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
            throw ValidationError("\(oneLine(text)): expected one %d or %04d for the number.")
        }
        return path
    }
}

/// The columns and rows of a sheet, such as "5x4".
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
