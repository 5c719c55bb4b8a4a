import MediaCore
import Testing

@testable import Network

/// Tests the rules for the use of stored responses against the table of `Freshness`. The asset was created at 100, and
/// the time is 1000. A response is fresh for 50, and an unreachable origin is not asked for 60.
@Suite("Freshness")
struct FreshnessTests {
    private let resource: HTTPResource
    private let identity: CacheIndex.Identity
    private let policy: HTTPRepresentation.Policy

    init() throws {
        resource = try HTTPResource(url: "http://h.test/film", options: NetworkOptions())
        identity = try #require(CacheIndex.Identity(byteCount: 5, entityTag: "1", lastModified: nil))
        var policy = HTTPRepresentation.Policy()
        policy.freshnessLifetime = 50
        policy.unreachableTTL = 60
        self.policy = policy
    }

    /// A stored response with a validator, all of whose bytes can be read, and that is not being read.
    private func response(_ change: (inout StoredResponse) -> Void = { _ in }) -> StoredResponse {
        var response = StoredResponse(identity: identity)
        change(&response)
        return response
    }

    private func use(
        _ response: StoredResponse,
        _ requirement: Freshness.Requirement = .file,
        _ freshness: Freshness = Freshness(creationTime: 100)
    ) -> Freshness.Use {
        freshness.use(of: response, resource, requirement, at: 1000, policy)
    }

    @Test("A resource whose first response is awaited is fresh")
    func pending() {
        #expect(use(response { ($0.isPending, $0.isUsable, $0.identity) = (true, false, nil) }) == .fresh)
    }

    @Test("A response that has failed, has no validator or is sent only once is not used")
    func unusable() {
        #expect(
            use(response { ($0.isUsable, $0.validationTime, $0.isBeingRead) = (false, 999, true) })
                == .unusable
        )
        #expect(use(response { $0.identity = nil }) == .unusable)
        #expect(use(response { $0.isShareable = false }) == .unusable)
    }

    @Test("A response that is being read is fresh for a while after its validation")
    func lifetime() {
        for (time, expected) in [(951, .fresh), (950, .stale), (nil, .stale)] as [(Int64?, Freshness.Use)] {
            #expect(use(response { ($0.isBeingRead, $0.validationTime) = (true, time) }) == expected)
        }
        #expect(use(response { $0.validationTime = 999 }) == .stale)
    }

    @Test(
        "A response is fresh if it was validated after the time that the asset requires",
        arguments: [
            (.file, 999, .stale), (.segment, 100, .fresh), (.segment, 99, .stale),
            (.validated(500), 500, .fresh), (.validated(500), 499, .stale),
        ] as [(Freshness.Requirement, Int64, Freshness.Use)]
    )
    func validated(requirement: Freshness.Requirement, time: Int64, expected: Freshness.Use) {
        #expect(use(response { $0.validationTime = time }, requirement) == expected)
        // Bytes that are sent only once can be shared when all of them have been received.
        for isComplete in [true, false] where expected == .fresh {
            let once = response {
                ($0.validationTime, $0.isShareable, $0.isComplete) = (time, false, isComplete)
            }
            #expect(use(once, requirement) == (isComplete ? .fresh : .unusable))
        }
    }

    @Test("The validation of a segment counts for the asset, the resource and the representation")
    func validatedByAsset() throws {
        var freshness = Freshness(creationTime: 100)
        freshness.recordValidation(of: identity, resource, at: 50)
        #expect(use(response(), .segment, freshness) == .fresh)
        #expect(use(response(), .file, freshness) == .stale)
        #expect(use(response(), .validated(60), freshness) == .stale)
        #expect(use(response(), .segment) == .stale)
        let other = CacheIndex.Identity(byteCount: 5, entityTag: "2", lastModified: nil)
        #expect(use(response { $0.identity = other }, .segment, freshness) == .stale)
        let another = try HTTPResource(url: "http://h.test/other", options: NetworkOptions())
        #expect(freshness.validationTime(of: identity, another) == nil)
        #expect(freshness.validationTime(of: identity, resource) == 50)
    }

    @Test(
        "A complete response is used without validation while its origin is unreachable for the asset",
        arguments: [(941, .staleIfUnreachable), (940, .stale)] as [(Int64, Freshness.Use)]
    )
    func unreachable(time: Int64, expected: Freshness.Use) throws {
        var freshness = Freshness(creationTime: 100)
        // Another resource of the same origin.
        let other = try HTTPResource(url: "http://h.test/other", options: NetworkOptions())
        freshness.recordUnreachable(other, at: time)
        #expect(use(response { $0.isComplete = true }, .file, freshness) == expected)
        #expect(use(response(), .file, freshness) == .stale)
        #expect(use(response { $0.isComplete = true }) == .stale)
    }

    @Test("A revalidation decides for all that wait for it")
    func revalidated() {
        for isComplete in [true, false] {
            let response = response { $0.isComplete = isComplete }
            #expect(Freshness.use(of: response, after: .notModified) == .fresh)
            #expect(Freshness.use(of: response, after: .changed) == .unusable)
            #expect(
                Freshness.use(of: response, after: .unreachable)
                    == (isComplete ? .staleIfUnreachable : .unusable)
            )
        }
    }

    @Test(
        "A resource that the application or a private server names is the same, and one that a public server names is another"
    )
    func referrers() throws {
        let named = try HTTPResource(
            url: "http://h.test/film",
            options: NetworkOptions(),
            referrer: .privateServer
        )
        let inPublic = try HTTPResource(
            url: "http://h.test/film",
            options: NetworkOptions(),
            referrer: .publicServer
        )
        #expect(named == resource)
        #expect(named.hashValue == resource.hashValue)
        #expect(inPublic != resource)
    }
}
