public import MediaCore
import PlaybackEngine

/// Limits for variants. From a playlist with variants the best one within these limits plays, or the one with the
/// lowest bit rate if no variant satisfies them. A change during playback takes effect shortly afterwards, without an
/// interruption. All members may be used from any thread.
///
/// Over a network the measured throughput is an additional limit. The first item of a player starts with the variant
/// that the playlist lists first, or a smaller one; later items start with what the last measured throughput allows.
/// Playback switches to a better variant when much is buffered, and to a smaller one when little is buffered. On the
/// virtual clock nothing is measured.
extension PlayerItem {
    /// The maximum peak bit rate of a variant in bits per second, as the playlist declares it. 0 applies no limit.
    public var preferredPeakBitRate: Double {
        get { state.withLock { $0.variants.peakBitRate } }
        set { choose { $0.peakBitRate = newValue.isFinite ? max(0, newValue) : 0 } }
    }

    /// The maximum display size of a variant in pixels. `.zero` applies no limit.
    public var preferredMaximumResolution: PixelSize {
        get { state.withLock { $0.variants.maximumSize } }
        set { choose { $0.maximumSize = newValue } }
    }

    /// A Boolean value that indicates whether the first variant of the playlist within the limits plays instead of the
    /// best one.
    public var startsOnFirstEligibleVariant: Bool {
        get { state.withLock { $0.variants.prefersFirst } }
        set { choose { $0.prefersFirst = newValue } }
    }

    private func choose(_ body: (inout VariantPreference) -> Void) {
        let attachment = state.withLock { state in
            body(&state.variants)
            return state.attachment
        }
        attachment?.core?.reconsiderVariants()
    }

    /// Returns the limits of the item together with those of the player's layers and budget.
    func variantPreference(in core: PlayerCore?) -> VariantPreference {
        var preference = state.withLock { $0.variants }
        preference.displays = core?.dispatcher.displays ?? []
        let limits = [preference.peakBitRate, core?.setting(\.budgetBitRate) ?? 0]
        preference.peakBitRate = limits.filter { $0 > 0 }.min() ?? 0
        return preference
    }
}

extension Asset {
    /// The variants in the order of the playlist. Empty until the asset is loaded, and if there are no variants.
    public var variants: [Variant] { media?.variants ?? [] }
}

extension PlayerCore {
    /// Selects a variant again after a limit may have changed.
    func reconsiderVariants() { loop.reconsiderVariants() }
}
