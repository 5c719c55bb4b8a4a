import ArgumentParser

/// The value of `--volume`: from 0 to 1, or in percent. Numbers above 1 are percent, as in other players.
struct VolumeArgument: ExpressibleByArgument {
    /// The volume, from 0 to 1.
    let volume: Float

    init?(argument: String) {
        let hasSign = argument.hasSuffix("%")
        guard let number = Float(hasSign ? String(argument.dropLast()) : argument), number >= 0, number <= 100
        else {
            return nil
        }
        volume = hasSign || number > 1 ? number / 100 : number
    }
}
