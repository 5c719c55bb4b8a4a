internal import MediaCore

/// Under what terms a resource is opened.
struct FreshnessRequirement: Sendable {
    /// Where its server has spoken of it since then, it is not asked again. On the machine's clock.
    var validatedAfter = Int64.max
    /// What its asset knows.
    var validatedResources: ValidatedResources?
    /// Another resource refers to it.
    var isReferenced = false
    /// It is one of those that do not change while the asset is there.
    var isSegment = false
    /// What is sent with requests, where the options name none.
    var cookies: CookieStore?
}
