internal import MediaCore

/// The requirement of an asset for the freshness of a stored response.
struct FreshnessRequirement: Sendable {
    /// A response that the server has validated after this time of the machine's clock needs no revalidation.
    var validatedAfter = Int64.max
    /// The validations that the asset has received.
    var validatedResources: ValidatedResources?
    /// Whether another resource refers to this one.
    var isReferenced = false
    /// Whether the content is fixed while the asset is open: a segment, map or key of a presentation that has
    /// ended.
    var isSegment = false
    /// The cookies for requests if the options have none.
    var cookies: CookieStore?
}
