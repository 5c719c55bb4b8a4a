import Playhead

/// The posters that layers show until their clips have frames.
extension FeedPlayerPool {
    func requestPoster(of id: ID) {
        guard !isClosed, let binding = layers[id], binding.isCurrent,
            let shape = binding.layer.posterShape, let asset = asset(of: id)
        else { return }
        // The state of the file is read on a lane that may block.
        performOnSinkLane { [weak self, clock] in
            let version = PosterCache.FileVersion(asset)
            clock.enqueue { [weak self] in self?.showPoster(of: id, binding, asset, version, shape) }
        }
    }

    private func showPoster(
        of id: ID,
        _ binding: LayerBinding,
        _ asset: Asset,
        _ version: PosterCache.FileVersion?,
        _ shape: PosterShape
    ) {
        guard !isClosed, binding.isCurrent, binding.layer.posterShape == shape else { return }
        let (number, layer) = (binding.number, binding.layer)
        let show: @Sendable (VideoFrame) -> Void = { [performOnSinkLane, weak layer] frame in
            performOnSinkLane { [weak layer] in layer?.show(frame, shape, for: number) }
        }
        if let known = posters.poster(of: asset, version, shape) { return show(known) }
        if asset.isRemote, !core.allowsPosters {
            deferredPosters.insert(id)
            return
        }
        guard layer.beginPoster(shape, for: number) else { return }
        let request = posters.makePoster(of: asset, version, shape, configuration) { [weak layer] frame in
            if let frame { show(frame) }
            layer?.endPoster(shape, for: number)
        }
        layer.retain(request, shape, for: number)
    }

    func requestDeferredPosters() {
        guard core.allowsPosters, !deferredPosters.isEmpty else { return }
        let ids = deferredPosters
        deferredPosters = []
        for id in ids { requestPoster(of: id) }
    }
}
