package import MediaCore

/// The rules by which a variant of an item is chosen.
package struct VariantPreference: Hashable, Sendable {
    /// An area that displays frames.
    package struct Display: Hashable, Sendable {
        package var size: PixelSize
        package var gravity: VideoGravity

        package init(size: PixelSize, gravity: VideoGravity) {
            self.size = size
            self.gravity = gravity
        }

        /// Returns whether a frame of this size can be displayed without being enlarged.
        func isCovered(by frameSize: PixelSize) -> Bool {
            let shown = VideoGeometry(VideoShape(size: frameSize), gravity: gravity, target: size).videoRect
            return !frameSize.isEmpty && shown.width <= frameSize.width && shown.height <= frameSize.height
        }
    }

    /// The maximum bit rate in bits per second, where 0 means no limit.
    package var peakBitRate: Double
    /// The maximum size of frames, where `.zero` means no limit.
    package var maximumSize: PixelSize
    /// A Boolean value that indicates whether the first variant within the limits is chosen instead of the best one.
    package var prefersFirst: Bool
    /// The displays to cover. No more pixels are chosen than they need. If there are none, the number of pixels is
    /// not limited by them.
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

    /// Lowers the maximum bit rate to `bitRate` bits per second. A value of 0 changes nothing.
    mutating func limit(to bitRate: Double) {
        guard bitRate > 0 else { return }
        peakBitRate = peakBitRate > 0 ? min(peakBitRate, bitRate) : bitRate
    }

    /// Returns the variant to open ahead of need, when neither the network's throughput nor the layers are known.
    package static func first(of description: MediaDescription) -> Variant? {
        var preference = VariantPreference()
        if !description.isLocal { preference.limit(to: BitRatePolicy(description.variants).limit) }
        return preference.best(of: description.playableVariants)
    }

    /// Returns the smallest variant within the limits that covers all displays, or the best one if none covers them.
    /// If no variant is within the limits, returns the one with the lowest bit rate.
    package func best(of variants: [Variant]) -> Variant? {
        let fitting = variants.filter(isWithinLimits)
        guard !fitting.isEmpty else {
            return variants.min { $0.peakBitRate < $1.peakBitRate }
        }
        if prefersFirst { return fitting.first }
        let covering = fitting.filter { variant in
            !displays.isEmpty && displays.allSatisfy { $0.isCovered(by: variant.size) }
        }
        guard let least = covering.map(\.pixelCount).min() else {
            return Variant.highestQuality(of: fitting)
        }
        return Variant.highestQuality(of: covering.filter { $0.pixelCount == least })
    }

    private func isWithinLimits(_ variant: Variant) -> Bool {
        if peakBitRate > 0, variant.peakBitRate > peakBitRate { return false }
        guard !maximumSize.isEmpty else { return true }
        return variant.size.width <= maximumSize.width && variant.size.height <= maximumSize.height
    }
}

extension MediaDescription {
    /// Returns the variants that can be played. Variants that contain the explicitly chosen tracks are preferred.
    package func variants(with choices: [TrackChoice]) -> [Variant] {
        var candidates = playableVariants
        for case .track(let id) in choices {
            let holding = candidates.filter { $0.trackIDs.contains(id) }
            if !holding.isEmpty { candidates = holding }
        }
        return candidates
    }

    /// Returns the tracks to choose from: those of the variant, and those that belong to no variant.
    package func tracks(of variant: Variant?) -> [Track] {
        guard let variant else { return tracks }
        let others = variants.reduce(into: Set<Int>()) { $0.formUnion($1.trackIDs) }
            .subtracting(variant.trackIDs)
        return tracks.filter { !others.contains($0.id) }
    }
}

extension MediaItem {
    func adapted(to limit: BitRateLimit?, avoiding failures: TrackFailures) -> MediaItem {
        var item = self
        item.bitRateLimit = limit
        item.failures = failures
        return item
    }

    /// Returns the variant to play, or nil if the item has no variants.
    func variant(of description: MediaDescription) -> Variant? {
        var preference = variants()
        if let bitRateLimit, !description.isLocal {
            preference.limit(to: bitRateLimit.value(for: description.variants))
        }
        let candidates = description.variants(with: [video, audio])
        let least = candidates.map(failures.count(in:)).min()
        return preference.best(of: candidates.filter { failures.count(in: $0) == least })
    }

    /// Returns the variant's tracks, and the explicitly chosen tracks of any variant.
    func tracks(of description: MediaDescription, in variant: Variant?) -> [Track] {
        let offered = Set(description.tracks(of: variant).map(\.id))
        return description.tracks.filter { track in
            offered.contains(track.id) || [video, audio].contains(.track(track.id))
        }
    }
}
