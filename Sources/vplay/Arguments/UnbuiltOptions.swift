import ArgumentParser

/// Options of `play` that have a name already and nothing behind it.
struct UnbuiltOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Not built yet.", valueName: "file"))
    var trace: String?

    func refuse() throws(ValidationError) {
        let given = [
            ("trace", trace)
        ]
        for (name, value) in given where value != nil {
            throw ValidationError("--\(name) is not built yet.")
        }
    }
}
