public import MediaCore
import PlaybackEngine

/// Where the asset is a playlist with variants, one of them is played: the best that these limits allow, or where
/// they allow none the one with the lowest bit rate. Set while playing they count a moment later, without a stop.
/// From any thread.
///
/// Over a network the speed at which bytes come is one more limit, within these. The first item of a player begins with the
/// variant that the playlist lists first, or with a smaller one; each later item with what the speed allows that was measured
/// last. A better variant is taken when much is at hand, a smaller one when little is. On the virtual clock nothing is
/// measured.
extension PlayerItem {
    /// Bits per second, by what the playlist says of a variant's peak; 0: no limit.
    public var preferredPeakBitRate: Double {
        get { state.withLock { $0.variants.peakBitRate } }
        set { choose { $0.peakBitRate = newValue.isFinite ? max(0, newValue) : 0 } }
    }

    /// Pixels, as a viewer sees them; `.zero`: no limit.
    public var preferredMaximumResolution: PixelSize {
        get { state.withLock { $0.variants.maximumSize } }
        set { choose { $0.maximumSize = newValue } }
    }

    /// The first variant of the playlist that the limits allow is played, instead of the best.
    public var startsOnFirstEligibleVariant: Bool {
        get { state.withLock { $0.variants.takesFirst } }
        set { choose { $0.takesFirst = newValue } }
    }

    private func choose(_ body: (inout VariantPreference) -> Void) {
        let attachment = state.withLock { state in
            body(&state.variants)
            return state.attachment
        }
        attachment?.core?.reconsiderVariants()
    }

    /// With the layers of the player as one more limit.
    func variantPreference(in core: PlayerCore?) -> VariantPreference {
        var preference = state.withLock { $0.variants }
        preference.displays = core?.watchers.displays ?? []
        let limits = [preference.peakBitRate, core?.setting(\.budgetBitRate) ?? 0]
        preference.peakBitRate = limits.filter { $0 > 0 }.min() ?? 0
        return preference
    }
}

extension Asset {
    /// In the playlist's order; empty until loaded, and where there is no choice.
    public var variants: [Variant] { description?.variants ?? [] }
}

extension PlayerCore {
    /// Which variant fits may have changed.
    func reconsiderVariants() { loop.reconsiderVariants() }
}
