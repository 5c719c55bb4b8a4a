package import MediaCore

/// Which of an item's variants to play.
package struct VariantPreference: Hashable, Sendable {
    /// A place that frames are shown in.
    package struct Display: Hashable, Sendable {
        package var size: PixelSize
        package var gravity: VideoGravity

        package init(size: PixelSize, gravity: VideoGravity) {
            self.size = size
            self.gravity = gravity
        }

        /// A frame of this size need not be enlarged to be shown.
        func isCovered(by frameSize: PixelSize) -> Bool {
            let shown = VideoGeometry(VideoShape(size: frameSize), gravity: gravity, target: size).videoRect
            return !frameSize.isEmpty && shown.width <= frameSize.width && shown.height <= frameSize.height
        }
    }

    /// Bits per second; 0: no limit.
    package var peakBitRate: Double
    /// `.zero`: no limit.
    package var maximumSize: PixelSize
    /// The first one within the limits instead of the best.
    package var prefersFirst: Bool
    /// No more pixels are wanted than these need; empty: as many as there are.
    package var displays: [Display]

    package init(
        peakBitRate: Double = 0,
        maximumSize: PixelSize = .zero,
        prefersFirst: Bool = false,
        displays: [Display] = []
    ) {
        self.peakBitRate = peakBitRate
        self.maximumSize = maximumSize
        self.prefersFirst = prefersFirst
        self.displays = displays
    }

    /// Bits per second, as one more limit; 0: none.
    mutating func limit(to bitRate: Double) {
        guard bitRate > 0 else { return }
        peakBitRate = peakBitRate > 0 ? min(peakBitRate, bitRate) : bitRate
    }

    /// What is opened ahead of need for whoever will play it: nothing is known of the network, or of layers.
    package static func first(of description: MediaDescription) -> Variant? {
        var preference = VariantPreference()
        if !description.isLocal { preference.limit(to: BitRatePolicy(description.variants).limit) }
        return preference.best(of: description.variants)
    }

    /// Within the limits the smallest that covers all displays, else the best; beyond them all the one with the
    /// lowest bit rate.
    package func best(of variants: [Variant]) -> Variant? {
        let fitting = variants.filter(isWithinLimits)
        guard !fitting.isEmpty else {
            return Self.first(of: variants) { $0.peakBitRate < $1.peakBitRate }
        }
        if prefersFirst { return fitting.first }
        let covering = fitting.filter { variant in
            !displays.isEmpty && displays.allSatisfy { $0.isCovered(by: variant.size) }
        }
        guard let least = covering.map(\.pixels).min() else { return Self.highestQuality(of: fitting) }
        return Self.highestQuality(of: covering.filter { $0.pixels == least })
    }

    private func isWithinLimits(_ variant: Variant) -> Bool {
        if peakBitRate > 0, variant.peakBitRate > peakBitRate { return false }
        guard !maximumSize.isEmpty else { return true }
        return variant.size.width <= maximumSize.width && variant.size.height <= maximumSize.height
    }

    /// The one with frames, of those the one with the highest bit rate, of those the largest.
    private static func highestQuality(of variants: [Variant]) -> Variant? {
        first(of: variants) { one, other in
            if one.size.isEmpty != other.size.isEmpty { return other.size.isEmpty }
            if one.peakBitRate != other.peakBitRate { return one.peakBitRate > other.peakBitRate }
            return one.pixels > other.pixels
        }
    }

    /// The first that nothing goes before.
    private static func first(of variants: [Variant], before: (Variant, Variant) -> Bool) -> Variant? {
        variants.reduce(nil) { best, next in
            guard let best else { return next }
            return before(next, best) ? next : best
        }
    }
}

extension Variant {
    fileprivate var pixels: Int {
        let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        return overflow ? .max : count
    }
}

extension MediaDescription {
    /// The variants that can be played, and hold what was chosen by hand as far as any does.
    package func variants(with choices: [TrackChoice]) -> [Variant] {
        let lost = Set(tracks.filter { $0.mediaType == .video && !$0.isPlayable }.map(\.id))
        let playable = variants.filter { $0.trackIDs.isDisjoint(with: lost) }
        var candidates = playable.isEmpty ? variants : playable
        for case .track(let id) in choices {
            let holding = candidates.filter { $0.trackIDs.contains(id) }
            if !holding.isEmpty { candidates = holding }
        }
        return candidates
    }

    /// What there is to choose from: the variant's tracks, and those that belong to none.
    package func tracks(of variant: Variant?) -> [Track] {
        guard let variant else { return tracks }
        let others = variants.reduce(into: Set<Int>()) { $0.formUnion($1.trackIDs) }
            .subtracting(variant.trackIDs)
        return tracks.filter { !others.contains($0.id) }
    }
}

extension MediaItem {
    func limited(by limit: BitRateLimit?) -> MediaItem {
        var item = self
        item.bitRateLimit = limit
        return item
    }

    /// nil where there is no choice.
    func variant(of description: MediaDescription) -> Variant? {
        var preference = variants()
        if let bitRateLimit, !description.isLocal {
            preference.limit(to: bitRateLimit.value(for: description.variants))
        }
        return preference.best(of: description.variants(with: [video, audio]))
    }

    /// `variant`'s tracks, and those chosen by hand whatever they belong to.
    func tracks(of description: MediaDescription, in variant: Variant?) -> [Track] {
        let offered = Set(description.tracks(of: variant).map(\.id))
        return description.tracks.filter { track in
            offered.contains(track.id) || [video, audio].contains(.track(track.id))
        }
    }
}
