/// An output that an item retains in place of a `LegibleOutput` or a `MetadataOutput`, for other APIs over this one.
package protocol TextOutputRelay: PlayerItemOutput {
    /// The output that receives the notices.
    var output: any PlayerItemOutput { get }
}
